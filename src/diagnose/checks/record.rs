use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    Holds,
    Violated,
    /// Violated, and the spec says so.
    Expected,
    /// What it needs was not recorded.
    NotRun,
}

/// What a violation means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// N devices do not compute what one does.
    Parity,
    /// The comparison is not like with like, or the model is of little use.
    Advice,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckRecord {
    pub id: String,
    pub severity: Severity,
    pub status: CheckStatus,
    /// The numbers behind the status.
    pub evidence: String,
    /// The change that removes a violation; empty where there is none to remove.
    pub remedy: String,
    /// Whether the spec expects a violation that is not there any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
}

/// What one check found.
pub enum Finding {
    Holds(String),
    Violated(String),
    NotRun(&'static str),
}

/// One statement about a pair of arms.
pub trait Check {
    /// Stable: specs and CI name it.
    fn id(&self) -> &'static str;
    fn severity(&self) -> Severity;
    fn remedy(&self) -> &'static str;
    fn run(&self, evidence: &super::Evidence<'_>) -> Finding;
}
