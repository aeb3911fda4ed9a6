//! Statements about a pair of arms that hold or are violated, each with its evidence.

mod evaluation;
mod evidence;
mod gradients;
mod quality;
mod record;
mod schedule;
mod weights;

pub use evidence::Evidence;
pub use record::{CheckRecord, CheckStatus, Severity};
pub use run::{check_ids, run_checks};

mod run;
