//! Where everything of one experiment stands.

use std::path::{Path, PathBuf};

/// The results folder of one experiment.
#[derive(Clone, Debug)]
pub struct ResultsFolder {
    root: PathBuf,
}

impl ResultsFolder {
    pub fn new(out: &Path, experiment: &str) -> Self {
        ResultsFolder { root: out.join(experiment) }
    }

    pub fn at(root: &Path) -> Self {
        ResultsFolder { root: root.to_owned() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn journal(&self) -> PathBuf {
        self.root.join("journal.jsonl")
    }

    pub fn lock(&self) -> PathBuf {
        self.root.join("journal.lock")
    }

    pub fn table(&self) -> PathBuf {
        self.root.join("trials.csv")
    }

    pub fn parquet(&self) -> PathBuf {
        self.root.join("trials.parquet")
    }

    pub fn environment(&self) -> PathBuf {
        self.root.join("environment.json")
    }

    pub fn diagnosis(&self) -> PathBuf {
        self.root.join("diagnosis.json")
    }

    pub fn report(&self) -> PathBuf {
        self.root.join("report.md")
    }

    pub fn plots(&self) -> PathBuf {
        self.root.join("plots")
    }

    pub fn probes(&self) -> PathBuf {
        self.root.join("probes")
    }

    pub fn history(&self) -> PathBuf {
        self.root.join("history")
    }
}
