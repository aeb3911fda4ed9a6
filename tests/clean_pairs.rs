//! Arms that are equivalent by construction raise no alarm: same global batch, other devices and strategies.

use std::path::Path;
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_scaleproof");
const PAIRS: usize = 300;

/// Two arms that compute the same: number `index` of a fixed list of combinations.
fn spec(index: usize) -> String {
    let cells = ["lstm", "gru", "rnn"];
    let presets = ["keras-2.2", "keras-2.4", "pytorch"];
    let strategies = ["split_concat", "mirrored"];
    let devices = [1, 2, 4, 8];
    // Batches that split evenly and unevenly over 2, 4 and 8, and one smaller than 8.
    let batches = [32, 16, 35, 13, 7];
    let pick = |divisor: usize, count: usize| index / divisor % count;
    let (suspect, baseline) = (devices[1 + pick(1, 3)], devices[pick(3, 4)]);
    format!(
        "name: pair
data: {{ path: sine.csv, target: value, look_back: {look_back} }}
scaler: {{ fit: {fit}, at: {at} }}
model: {{ preset: {preset}, cell: {cell}, units: {units} }}
train: {{ epochs: 2, batch: {{ rule: fixed, value: {batch} }} }}
seeds: 3
arms:
  baseline: {{ parallel.devices: {baseline}, parallel.strategy: {first} }}
  suspect: {{ parallel.devices: {suspect}, parallel.strategy: {second} }}
diagnose: {{ baseline: baseline, suspect: suspect }}
",
        look_back = 1 + pick(7, 3),
        fit = ["all", "train"][pick(11, 2)],
        at = ["host", "device"][pick(13, 2)],
        preset = presets[pick(2, 3)],
        cell = cells[pick(5, 3)],
        units = 2 + pick(17, 4),
        batch = batches[pick(4, 5)],
        first = strategies[pick(6, 2)],
        second = strategies[pick(9, 2)],
    )
}

fn alarm(folder: &Path, index: usize) -> Option<String> {
    let text = spec(index);
    let root = folder.join(index.to_string());
    std::fs::create_dir(&root).unwrap();
    std::fs::copy("experiments/data/sine.csv", root.join("sine.csv")).unwrap();
    std::fs::write(root.join("pair.yaml"), &text).unwrap();
    let output = Command::new(PROGRAM)
        .current_dir(&root)
        .args(["sweep", "pair.yaml", "--quiet", "--jobs", "1", "--format", "json"])
        .output()
        .unwrap();
    let wrong = |what: String| Some(format!("pair {index}: {what}\n{text}"));
    if output.status.code() != Some(0) {
        return wrong(format!("{:?} {}", output.status.code(), String::from_utf8_lossy(&output.stderr)));
    }
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let diagnosis = &found[0]["diagnosis"];
    let verdict = &diagnosis["verdict"];
    if verdict["outcome"] != "equivalent" || !verdict["causes"].as_array().unwrap().is_empty() {
        return wrong(verdict.to_string());
    }
    if !diagnosis["divergence"].is_null() {
        return wrong(diagnosis["divergence"].to_string());
    }
    let checks = diagnosis["checks"].as_array().unwrap();
    // Silence would be no evidence: every check must have run.
    match checks.iter().find(|check| check["status"] != "holds") {
        Some(check) => wrong(check.to_string()),
        None => None,
    }
}

#[test]
fn three_hundred_equivalent_pairs_raise_no_alarm() {
    let folder = tempfile::tempdir().unwrap();
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get());
    let alarms: Vec<String> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| {
                let folder = folder.path();
                scope.spawn(move || {
                    (worker..PAIRS).step_by(workers).filter_map(|index| alarm(folder, index)).collect::<Vec<_>>()
                })
            })
            .collect();
        handles.into_iter().flat_map(|handle| handle.join().unwrap()).collect()
    });
    assert!(alarms.is_empty(), "{} of {PAIRS} pairs: {}", alarms.len(), alarms[..alarms.len().min(4)].join("\n"));
}
