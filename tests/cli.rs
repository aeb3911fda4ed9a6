//! What a user of the program sees: exit codes, places in errors, files, resume.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_scaleproof");

/// A folder with a small spec and its data.
struct Bench {
    folder: TempDir,
}

const SPEC: &str = "\
name: small
about: A small spec for tests.
data: { path: sine.csv, target: value }
model: { preset: keras-2.2, cell: lstm, units: 2 }
train:
  epochs: 4
  batch: { rule: fixed, value: 16 }
parallel: { devices: 1 }
seeds: 3
arms:
  one: {}
  two: { parallel.devices: 2 }
";

impl Bench {
    fn new(spec: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy("experiments/data/sine.csv", folder.path().join("sine.csv")).unwrap();
        std::fs::write(folder.path().join("small.yaml"), spec).unwrap();
        Bench { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(PROGRAM).current_dir(self.folder.path()).args(arguments).output().unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// Rows of `trials.csv` without the time each took.
fn rows(path: &Path) -> Vec<String> {
    let table = std::fs::read_to_string(path).unwrap();
    table
        .lines()
        .map(|line| {
            let mut cells: Vec<&str> = line.split(',').collect();
            cells.remove(16);
            cells.join(",")
        })
        .collect()
}

/// The spec is refused with exit code 2, `place` and `help` in the message, and nothing is written.
fn refused(spec: &str, place: &str, help: &str) {
    let bench = Bench::new(spec);
    let output = bench.run(&["sweep", "small.yaml"]);
    let message = text(&output.stderr);
    assert_eq!(code(&output), 2, "{message}");
    assert!(message.contains(place), "no `{place}` in: {message}");
    assert!(message.contains(help), "no `{help}` in: {message}");
    assert!(!bench.path("results").exists());
}

#[test]
fn a_misspelt_key_is_refused_with_its_place_and_the_right_name() {
    refused(&SPEC.replace("epochs:", "epocs:"), "small.yaml:6:3", "did you mean `epochs`?");
    refused(
        &SPEC.replace("parallel.devices:", "parallel.device:"),
        "small.yaml:12:27",
        "did you mean `parallel.devices`?",
    );
    refused(&SPEC.replace("lstm", "lstn"), "small.yaml:4:35", "did you mean `lstm`?");
}

#[test]
fn impossible_values_are_refused_with_their_place() {
    refused(&SPEC.replace("{ devices: 1 }", "{ devices: -4 }"), "small.yaml:8", "between 1 and 1024");
    refused(&SPEC.replace("parallel.devices: 2", "parallel.devices: 0"), "small.yaml:12", "between 1 and 1024");
    refused(
        &SPEC.replace("value: 16", "value: 'floor(rows * device / 20)'"),
        "small.yaml:7",
        "did you mean `devices`?",
    );
    refused(&SPEC.replace("seeds: 3", "seeds: 3\nseeds: 4"), "small.yaml:10", "duplicate");
}

#[test]
fn an_alias_bomb_is_refused() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let inner = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{inner}]\n"));
    }
    let bench = Bench::new(&bomb);
    assert_eq!(code(&bench.run(&["plan", "small.yaml"])), 2);
}

#[test]
fn bad_data_is_refused_with_its_place() {
    refused(&SPEC.replace("sine.csv", "cosine.csv"), "cosine.csv", "check the name");
    refused(&SPEC.replace("target: value", "target: valu"), "sine.csv", "must name one of: step, value");
    let bench = Bench::new(SPEC);
    let series = std::fs::read_to_string(bench.path("sine.csv")).unwrap().replace("11.92016", "eleven");
    std::fs::write(bench.path("sine.csv"), series).unwrap();
    let output = bench.run(&["sweep", "small.yaml"]);
    let message = text(&output.stderr);
    assert_eq!(code(&output), 2);
    // The third value stands on line 4, below the header.
    assert!(message.contains("sine.csv:4: `eleven` in column `value`"), "{message}");
    assert!(!bench.path("results").exists());
}

#[test]
fn arms_that_are_not_there_are_named() {
    refused(
        &format!("{SPEC}claims:\n  - {{ arm: on, metric: test_rmse, value: 1.0, source: x }}\n"),
        "small.yaml:14",
        "did you mean `one`?",
    );
    let bench = Bench::new(SPEC);
    assert_eq!(code(&bench.run(&["plan", "small.yaml", "--only", "three*"])), 4);
}

#[test]
fn a_second_sweep_trains_nothing_and_changes_nothing() {
    let bench = Bench::new(SPEC);
    let first = bench.run(&["sweep", "small.yaml"]);
    assert_eq!(code(&first), 0, "{}", text(&first.stderr));
    assert!(text(&first.stdout).contains("small: 6 trials trained, 6 in all"));
    let files = ["trials.csv", "report.md", "environment.json"];
    let before: Vec<_> =
        files.iter().map(|name| std::fs::read(bench.path("results/small").join(name)).unwrap()).collect();
    let second = bench.run(&["sweep", "small.yaml"]);
    assert!(text(&second.stdout).contains("small: 0 trials trained, 6 in all"));
    let after: Vec<_> =
        files.iter().map(|name| std::fs::read(bench.path("results/small").join(name)).unwrap()).collect();
    assert_eq!(before, after);
    assert_eq!(code(&bench.run(&["report", "small.yaml", "--check"])), 0);
}

#[test]
fn an_edited_axis_runs_only_what_it_changes_and_a_new_name_runs_nothing() {
    let bench = Bench::new(SPEC);
    bench.run(&["sweep", "small.yaml"]);
    std::fs::write(bench.path("small.yaml"), SPEC.replace("  two:", "  pair:")).unwrap();
    assert!(text(&bench.run(&["sweep", "small.yaml"]).stdout).contains("small: 0 trials trained"));
    std::fs::write(bench.path("small.yaml"), SPEC.replace("parallel.devices: 2", "parallel.devices: 3")).unwrap();
    assert!(text(&bench.run(&["sweep", "small.yaml"]).stdout).contains("small: 3 trials trained"));
}

#[test]
fn a_trial_that_diverges_is_recorded_and_the_others_go_on() {
    // At a rate of 1e30 the first step overflows the weights, and the second update's loss is no number.
    let spec = SPEC
        .replace("  epochs: 4\n", "  epochs: 4\n  optimizer: { kind: sgd }\n")
        .replace("  two: { parallel.devices: 2 }", "  two: { train.learning_rate.base: 1e38 }");
    let bench = Bench::new(&spec);
    let output = bench.run(&["sweep", "small.yaml"]);
    assert_eq!(code(&output), 100, "{}", text(&output.stderr));
    let table = rows(&bench.path("results/small/trials.csv"));
    assert_eq!(table.iter().filter(|row| row.contains(",one,") && row.contains(",ok,")).count(), 3);
    let failed: Vec<&String> = table.iter().filter(|row| row.contains("failed: loss not finite at update ")).collect();
    assert_eq!(failed.len(), 3, "{table:?}");
    assert!(text(&output.stderr).contains("two: seed 0: failed: loss not finite at update"));
    // It stays recorded, and is trained again only when asked to.
    assert!(text(&bench.run(&["sweep", "small.yaml"]).stdout).contains("0 trials trained"));
    assert!(text(&bench.run(&["sweep", "small.yaml", "--retry-failed"]).stdout).contains("3 trials trained"));
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_cores() {
    let bench = Bench::new(SPEC);
    bench.run(&["sweep", "small.yaml", "--jobs", "1", "--out", "first"]);
    bench.run(&["sweep", "small.yaml", "--jobs", "2", "--out", "second"]);
    assert_eq!(rows(&bench.path("first/small/trials.csv")), rows(&bench.path("second/small/trials.csv")));
}

#[test]
fn a_killed_sweep_resumes_to_the_same_table() {
    // Long enough that a kill lands inside it.
    let spec = SPEC.replace("epochs: 4", "epochs: 40").replace("seeds: 3", "seeds: 8");
    let whole = Bench::new(&spec);
    whole.run(&["sweep", "small.yaml"]);
    let bench = Bench::new(&spec);
    let program = PROGRAM;
    for round in 0..4u64 {
        let mut child = Command::new(program)
            .current_dir(bench.folder.path())
            .args(["sweep", "small.yaml", "--quiet", "--jobs", "1"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(40 + 45 * round));
        // SIGKILL: nothing is flushed that was not flushed before.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = bench.run(&["sweep", "small.yaml"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(rows(&whole.path("results/small/trials.csv")), rows(&bench.path("results/small/trials.csv")));
    let journal = std::fs::read_to_string(bench.path("results/small/journal.jsonl")).unwrap();
    let mut ids: Vec<&str> =
        journal.lines().filter_map(|line| line.split("\"trial\":\"").nth(1)).map(|rest| &rest[..16]).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((count, ids.len()), (16, 16), "a trial was trained again after it was journalled");
}

#[test]
fn a_cut_and_a_damaged_journal_are_reported_and_repaired() {
    let bench = Bench::new(SPEC);
    bench.run(&["sweep", "small.yaml"]);
    let wanted = rows(&bench.path("results/small/trials.csv"));
    let path = bench.path("results/small/journal.jsonl");
    let mut bytes = std::fs::read(&path).unwrap();
    let length = bytes.len();
    bytes.truncate(length - 40);
    bytes[100] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let output = bench.run(&["sweep", "small.yaml"]);
    let message = text(&output.stderr);
    assert!(message.contains("journal.jsonl:2: damaged"), "{message}");
    assert!(message.contains("journal.jsonl:7: torn"), "{message}");
    assert!(text(&output.stdout).contains("2 trials trained"));
    assert_eq!(rows(&bench.path("results/small/trials.csv")), wanted);
}

/// A disk of 700 KiB, enough for some of 800 trials, in a mount namespace of its own; skipped with a line where that is not allowed.
#[test]
fn a_full_disk_loses_no_finished_trial() {
    let bench = Bench::new(&SPEC.replace("seeds: 3", "seeds: 400"));
    std::fs::create_dir(bench.path("results")).unwrap();
    let program = PROGRAM;
    let script = format!(
        "mount -t tmpfs -o size=700k tmpfs results || exit 99; {0} sweep small.yaml --quiet --jobs 1; echo code $?; \
         mount -o remount,size=64m results; {0} sweep small.yaml; echo code $?",
        program
    );
    let output = Command::new("unshare").args(["-rm", "sh", "-c", &script]).current_dir(bench.folder.path()).output();
    let output = match output {
        Ok(output) if output.status.code() == Some(0) => output,
        _ => {
            println!("skipped: this machine allows no mount namespace");
            return;
        }
    };
    let (message, printed) = (text(&output.stderr), text(&output.stdout));
    assert!(printed.starts_with("code 1\n"), "{printed} {message}");
    assert!(message.contains("free some space"), "{message}");
    assert!(printed.ends_with("code 0\n"), "{printed} {message}");
    let trained: usize = printed.split("small: ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(trained < 800 && printed.contains("800 in all"), "{printed}");
}

#[test]
fn a_second_writer_is_told_who_holds_the_folder() {
    let bench = Bench::new(SPEC);
    bench.run(&["sweep", "small.yaml"]);
    let lock = std::fs::OpenOptions::new().write(true).open(bench.path("results/small/journal.lock")).unwrap();
    lock.lock().unwrap();
    let output = bench.run(&["sweep", "small.yaml"]);
    let message = text(&output.stderr);
    assert_eq!(code(&output), 1, "{message}");
    assert!(message.contains("held by process "), "{message}");
}

#[test]
fn an_interrupted_sweep_keeps_what_is_done() {
    let spec = SPEC.replace("epochs: 4", "epochs: 20000");
    let bench = Bench::new(&spec);
    for (signal, wanted) in [("-INT", 130), ("-TERM", 143)] {
        let mut child = Command::new(PROGRAM)
            .current_dir(bench.folder.path())
            .args(["sweep", "small.yaml", "--quiet"])
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(400));
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(wanted));
    }
}

#[test]
fn set_changes_a_field_and_is_recorded() {
    let bench = Bench::new(SPEC);
    let output = bench.run(&["sweep", "small.yaml", "--set", "train.epochs=2", "--set", "arms.two.parallel.devices=4"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let table = rows(&bench.path("results/small/trials.csv"));
    // 105 windows by 16 are 7 updates an epoch.
    assert!(table[1].contains(",16,14,210,"), "{}", table[1]);
    assert!(table.iter().any(|row| row.contains(",two,0,ok,4,cpu logical x4,")));
    let report = std::fs::read_to_string(bench.path("results/small/report.md")).unwrap();
    assert!(report.contains("`train.epochs=2`"));
    let wrong = bench.run(&["plan", "small.yaml", "--set", "train.epoch=2"]);
    assert_eq!(code(&wrong), 2);
    assert!(text(&wrong.stderr).contains("did you mean `train.epochs`?"));
}

#[test]
fn axes_make_arms() {
    let head = SPEC.split("arms:").next().unwrap();
    let spec = format!(
        "{head}sweep:\n  grid: {{ parallel.devices: [1, 2, 4], model.cell: [lstm, gru] }}\n  zip: {{ train.batch.value: [8, 16], train.epochs: [1, 2] }}\n  where: \"parallel.devices < 4 or model.cell == 'gru'\"\n  include: {{ extra: {{ parallel.devices: 8 }} }}\n"
    );
    let bench = Bench::new(&spec);
    let output = bench.run(&["plan", "small.yaml", "--format", "json"]);
    let plan: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> =
        plan[0]["arms"].as_array().unwrap().iter().map(|arm| arm["name"].as_str().unwrap()).collect();
    // 3 device counts by 2 cells less one, by 2 zipped pairs, and one more.
    assert_eq!(names.len(), 5 * 2 + 1, "{names:?}");
    assert!(names.contains(&"devices=4 cell=gru value=16 epochs=2"), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("devices=4 cell=lstm")));
    let unreachable = spec.replace("parallel.devices < 4 or", "parallel.devices > 99 and");
    std::fs::write(bench.path("small.yaml"), unreachable).unwrap();
    let output = bench.run(&["plan", "small.yaml"]);
    assert_eq!(code(&output), 2);
    assert!(text(&output.stderr).contains("no combination fulfils"));
}

#[test]
fn a_new_spec_plans_as_it_is() {
    let bench = Bench::new(SPEC);
    std::fs::create_dir_all(bench.path("experiments/data")).unwrap();
    std::fs::copy("experiments/data/sine.csv", bench.path("experiments/data/sine.csv")).unwrap();
    assert_eq!(code(&bench.run(&["new", "experiments/mine.yaml"])), 0);
    let output = bench.run(&["plan", "experiments/mine.yaml"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("mine: 2 arms, 20 trials, 0 done"));
    // It does not write over what is there.
    assert_eq!(code(&bench.run(&["new", "experiments/mine.yaml"])), 2);
}

#[test]
fn the_committed_schema_is_that_of_the_types() {
    let output = Command::new(PROGRAM).arg("schema").output().unwrap();
    assert_eq!(text(&output.stdout), std::fs::read_to_string("schemas/experiment.schema.json").unwrap());
}

#[test]
fn devices_answers_without_a_driver() {
    let output = Command::new(PROGRAM).arg("devices").output().unwrap();
    assert_eq!(code(&output), 0);
    assert!(text(&output.stdout).contains("cpu"));
}

#[test]
fn a_device_that_is_not_there_is_refused_before_anything_is_written() {
    let bench = Bench::new(SPEC);
    let output = bench.run(&["sweep", "small.yaml", "--device", "cuda"]);
    if code(&output) != 0 {
        assert_eq!(code(&output), 2);
        assert!(text(&output.stderr).contains("--device cpu"));
        assert!(!bench.path("results").exists());
    }
}

#[test]
fn compare_lines_up_two_folders() {
    let bench = Bench::new(SPEC);
    bench.run(&["sweep", "small.yaml", "--out", "first"]);
    bench.run(&["sweep", "small.yaml", "--out", "second"]);
    let output = bench.run(&["compare", "first/small", "second/small"]);
    assert_eq!(code(&output), 0);
    let table = text(&output.stdout);
    let row = table.lines().find(|line| line.starts_with("| two ")).unwrap();
    assert!(row.contains(" 0.00 |") && row.ends_with(" 3 |"), "{table}");
}

#[test]
fn only_runs_what_it_names_and_keeps_the_rest() {
    let bench = Bench::new(SPEC);
    bench.run(&["sweep", "small.yaml", "--only", "o*"]);
    assert_eq!(rows(&bench.path("results/small/trials.csv")).len(), 1 + 3);
    let output = bench.run(&["sweep", "small.yaml", "--only", "t*"]);
    assert!(text(&output.stdout).contains("3 trials trained, 6 in all"), "{}", text(&output.stdout));
    assert_eq!(rows(&bench.path("results/small/trials.csv")).len(), 1 + 6);
}
