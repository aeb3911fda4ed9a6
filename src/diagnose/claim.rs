//! Whether a published figure is what the seeds give.

use crate::results::TrialTable;
use crate::spec::{Claim, Experiment, Metric};

use super::statistics::{Interval, Summary, claim_range, percentile_rank};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimOutcome {
    Reproduced,
    NotReproduced,
    /// The evidence does not decide.
    Undecided,
}

/// What the seeds gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClaimEvidence {
    pub median: f64,
    /// What the seeds span, widened to a 95% prediction interval.
    pub range: Interval,
    /// Where the published figure lies among the seeds, in percent.
    pub percentile: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ClaimVerdict {
    pub claim: Claim,
    pub outcome: ClaimOutcome,
    pub seeds: usize,
    pub evidence: Option<ClaimEvidence>,
}

/// Judges every claim whose arm stands in the table.
pub fn judge_claims(experiment: &Experiment, table: &TrialTable) -> Vec<ClaimVerdict> {
    let arms = table.arms();
    experiment
        .claims
        .iter()
        .filter(|claim| arms.contains(&claim.arm.as_str()))
        .map(|claim| judge(experiment, claim, &values(table, &claim.arm, claim.metric)))
        .collect()
}

fn values(table: &TrialTable, arm: &str, metric: Metric) -> Vec<f64> {
    table.arm(arm).filter_map(|row| row.status.figures()).map(|figures| figures.get(metric)).collect()
}

fn judge(experiment: &Experiment, claim: &Claim, values: &[f64]) -> ClaimVerdict {
    let evidence = Summary::of(values).and_then(|summary| {
        Some(ClaimEvidence {
            median: summary.median,
            range: claim_range(values, 0.95)?,
            percentile: percentile_rank(values, claim.value),
        })
    });
    let outcome = match (values, &evidence) {
        ([], _) | (_, None) => ClaimOutcome::Undecided,
        ([only], _) => {
            let digits = claim.decimals();
            if format!("{only:.digits$}") == format!("{:.digits$}", claim.value) {
                ClaimOutcome::Reproduced
            } else if is_fixed(experiment, &claim.arm) {
                ClaimOutcome::NotReproduced
            } else {
                // One random seed that misses says nothing about the next.
                ClaimOutcome::Undecided
            }
        }
        (_, Some(evidence)) if evidence.range.contains(claim.value) => ClaimOutcome::Reproduced,
        _ => ClaimOutcome::NotReproduced,
    };
    ClaimVerdict { claim: claim.clone(), outcome, seeds: values.len(), evidence }
}

/// Whether an arm has nothing left to draw.
fn is_fixed(experiment: &Experiment, arm: &str) -> bool {
    experiment.arm(arm).is_some_and(|arm| {
        let train = &arm.settings.train;
        arm.settings.model.initial_weights.is_some() && (train.order.is_some() || !train.shuffle)
    })
}
