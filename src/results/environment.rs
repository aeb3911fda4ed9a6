//! What a run ran on.

use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::error::ResultsError;
use super::files::{read_text, write_atomically};

/// Machine, build and source of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    pub scaleproof: String,
    pub numerics_version: u32,
    pub burn: String,
    /// Empty outside a git checkout.
    pub git_commit: String,
    pub git_dirty: bool,
    pub os: String,
    pub cpu: String,
    pub threads: usize,
    pub devices: Vec<String>,
    pub features: Vec<String>,
    /// The command that made the results, without its program's path.
    pub command: String,
    /// `path=value` changes from the command line.
    pub set: Vec<String>,
}

impl Environment {
    pub fn observe(devices: Vec<String>, command: String, set: Vec<String>) -> Self {
        let git = |arguments: &[&str]| {
            Command::new("git")
                .args(arguments)
                .output()
                .ok()
                .filter(|output| output.status.success())
                .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        };
        let mut features = Vec::new();
        if cfg!(feature = "cuda") {
            features.push("cuda".to_owned());
        }
        Environment {
            scaleproof: env!("CARGO_PKG_VERSION").into(),
            numerics_version: crate::spec::NUMERICS_VERSION,
            burn: "0.22.0-pre.2".into(),
            git_commit: git(&["rev-parse", "HEAD"]).unwrap_or_default(),
            git_dirty: git(&["status", "--porcelain", "--", "src", "Cargo.lock", "experiments"])
                .is_some_and(|text| !text.is_empty()),
            os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            cpu: cpu(),
            threads: std::thread::available_parallelism().map_or(1, |count| count.get()),
            devices,
            features,
            command,
            set,
        }
    }

    pub fn read(path: &Path) -> Result<Self, ResultsError> {
        serde_json::from_str(&read_text(path)?)
            .map_err(|error| ResultsError::content(path, error, "run `scaleproof sweep` again to write it anew"))
    }

    pub fn write(&self, path: &Path) -> Result<(), ResultsError> {
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| ResultsError::content(path, error, "report this as a bug"))?;
        text.push('\n');
        write_atomically(path, text.as_bytes())
    }
}

fn cpu() -> String {
    // Only Linux says it in a file; elsewhere the architecture has to do.
    std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        })
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}
