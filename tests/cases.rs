//! The public cases under `experiments/cases/` come out as they claim.

use std::process::Command;

#[test]
fn every_case_holds() {
    let out = tempfile::tempdir().unwrap();
    let mut specs: Vec<_> =
        std::fs::read_dir("experiments/cases").unwrap().map(|entry| entry.unwrap().path()).collect();
    specs.sort();
    assert_eq!(specs.len(), 11);
    let output = Command::new(env!("CARGO_BIN_EXE_scaleproof"))
        .arg("sweep")
        .args(&specs)
        .args(["--out", out.path().to_str().unwrap()])
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{printed} {}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(printed.matches(": reproduced").count(), 12, "{printed}");
}
