//! The committed scorecard holds: no fault that was found is missed.

use std::process::Command;

#[test]
fn every_fault_that_was_found_is_still_found() {
    let output = Command::new(env!("CARGO_BIN_EXE_scaleproof")).args(["scorecard", "--check"]).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{printed} {}", String::from_utf8_lossy(&output.stderr));
    // 32 faults and 4 mistakes in plain fields, two cells, two device counts.
    assert!(printed.starts_with("144 of 144 injected faults found"), "{printed}");
}
