//! Why two arms differ, from files alone: checks, attribution, first divergence, verdict.

mod attribution;
mod case;
mod checks;
mod claim;
mod diagnosis;
mod divergence;
mod factor;
mod loss_curves;
mod reasons;
pub mod statistics;
mod verdict;

pub use attribution::{Attribution, Interaction, Share, coalition_arms};
pub use case::{Case, Probes, Wanted, wanted};
pub use checks::{CheckRecord, CheckStatus, Severity, check_ids};
pub use claim::{ClaimEvidence, ClaimOutcome, ClaimVerdict, judge_claims};
pub use diagnosis::{Diagnosis, diagnose};
pub use divergence::{Divergence, Stage};
pub use factor::Factor;
pub use verdict::{Cause, Cleared, Outcome, Verdict};
