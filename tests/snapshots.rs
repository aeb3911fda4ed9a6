//! Text that people read, held so that a change shows in review.

use std::path::Path;
use std::process::Command;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_scaleproof");

fn stdout(arguments: &[&str]) -> String {
    let output = Command::new(PROGRAM).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Results of a fresh sweep, away from the committed ones.
fn swept(spec: &str) -> tempfile::TempDir {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap();
    let output = Command::new(PROGRAM).args(["sweep", spec, "--out", folder, "--quiet"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    out
}

#[test]
fn the_plan_of_the_question() {
    let nowhere = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(stdout(&["plan", "experiments/question.yaml", "--out", nowhere.path().to_str().unwrap()]));
}

#[test]
fn the_report_of_the_question() {
    let out = swept("experiments/question.yaml");
    let report = std::fs::read_to_string(out.path().join("question/report.md")).unwrap();
    // Machine and commit change from place to place.
    let report = report.split("## Environment").next().unwrap().to_owned();
    insta::with_settings!({ filters => rounding() }, { insta::assert_snapshot!(report) });
}

/// Another processor rounds differently, so numbers keep what it would agree on.
fn rounding() -> Vec<(&'static str, &'static str)> {
    vec![
        (r"-?\+?\d\.\d+e-\d+", "[tiny]"),
        (r"\| -?\+?\d+\.\d+ +to -?\+?\d+\.\d+ ", "| [range] "),
        (r"(\d+)\.\d+", "$1.[]"),
        (r" +\|", " |"),
        (r"-{3,}", "---"),
        (r"-0%", "0%"),
    ]
}

/// Outcome, causes in order, shares in whole units, what was cleared, and every check's status.
fn diagnosis(spec: &str, name: &str) -> String {
    let out = swept(spec);
    let text = std::fs::read_to_string(Path::new(out.path()).join(name).join("diagnosis.json")).unwrap();
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    let shares = |share: &serde_json::Value| {
        format!("{}: {:.0}", share["factor"].as_str().unwrap(), share["share"].as_f64().unwrap() + 0.0)
    };
    let list = |value: &serde_json::Value, line: &dyn Fn(&serde_json::Value) -> String| {
        value.as_array().unwrap().iter().map(|one| format!("  {}\n", line(one))).collect::<String>()
    };
    let mut cleared: Vec<String> = found["verdict"]["cleared"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("  {}: {}\n", one["factor"].as_str().unwrap(), one["reason"].as_str().unwrap()))
        .collect();
    cleared.sort();
    format!(
        "outcome: {}\ncauses:\n{}cleared:\n{}first divergence: {}\nchecks:\n{}",
        found["verdict"]["outcome"].as_str().unwrap(),
        list(&found["verdict"]["causes"], &shares),
        cleared.concat(),
        match found["divergence"].as_object() {
            Some(place) => format!("update {}, stage {}", place["update"], place["stage"].as_str().unwrap()),
            None => "none".into(),
        },
        list(&found["checks"], &|check| format!(
            "{}: {}",
            check["id"].as_str().unwrap(),
            check["status"].as_str().unwrap()
        )),
    )
}

#[test]
fn the_diagnosis_of_the_question() {
    insta::assert_snapshot!(diagnosis("experiments/question.yaml", "question"));
}

#[test]
fn the_diagnosis_of_its_gru_twin() {
    insta::assert_snapshot!(diagnosis("experiments/question-gru.yaml", "question-gru"));
}

#[test]
fn the_diagnosis_of_the_answer() {
    insta::assert_snapshot!(diagnosis("experiments/answer.yaml", "answer"));
}
