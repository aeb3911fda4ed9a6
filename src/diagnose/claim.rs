//! Whether a published figure is what the seeds give.

use crate::results::TrialTable;
use crate::spec::{Claim, Experiment, Metric};

use std::collections::HashMap;

use super::statistics::{Interval, Summary, bootstrap_interval, claim_range, median, percentile_rank};

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
        .map(|claim| match (&claim.versus, claim.value) {
            (Some(versus), _) => judge_direction(claim, &differences(table, claim, versus)),
            (None, value) => {
                judge(experiment, claim, value.unwrap_or(f64::NAN), &values(table, &claim.arm, claim.metric))
            }
        })
        .collect()
}

/// The metric less that of the other arm, seed by seed.
fn differences(table: &TrialTable, claim: &Claim, versus: &str) -> Vec<f64> {
    let other: HashMap<u64, f64> =
        table.arm(versus).filter_map(|row| Some((row.seed, row.status.figures()?.get(claim.metric)))).collect();
    table
        .arm(&claim.arm)
        .filter_map(|row| Some(row.status.figures()?.get(claim.metric) - other.get(&row.seed)?))
        .collect()
}

/// Holds or not where the whole 95% bootstrap interval of the mean difference lies inside or outside the bounds.
fn judge_direction(claim: &Claim, differences: &[f64]) -> ClaimVerdict {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let interval = bootstrap_interval(differences, mean, 0.95, 2000);
    let low = claim.at_least.unwrap_or(f64::NEG_INFINITY);
    let high = claim.at_most.unwrap_or(f64::INFINITY);
    let outcome = match interval {
        Some(interval) if interval.low >= low && interval.high <= high => ClaimOutcome::Reproduced,
        Some(interval) if interval.high < low || interval.low > high => ClaimOutcome::NotReproduced,
        _ => ClaimOutcome::Undecided,
    };
    let evidence = interval.map(|range| ClaimEvidence {
        median: median(differences).unwrap_or(f64::NAN),
        range,
        percentile: percentile_rank(differences, claim.at_least.or(claim.at_most).unwrap_or(f64::NAN)),
    });
    ClaimVerdict { claim: claim.clone(), outcome, seeds: differences.len(), evidence }
}

fn values(table: &TrialTable, arm: &str, metric: Metric) -> Vec<f64> {
    table.arm(arm).filter_map(|row| row.status.figures()).map(|figures| figures.get(metric)).collect()
}

fn judge(experiment: &Experiment, claim: &Claim, published: f64, values: &[f64]) -> ClaimVerdict {
    let evidence = Summary::of(values).and_then(|summary| {
        Some(ClaimEvidence {
            median: summary.median,
            range: claim_range(values, 0.95)?,
            percentile: percentile_rank(values, published),
        })
    });
    let outcome = match (values, &evidence) {
        ([], _) | (_, None) => ClaimOutcome::Undecided,
        ([only], _) => {
            let digits = claim.decimals();
            if format!("{only:.digits$}") == format!("{published:.digits$}") {
                ClaimOutcome::Reproduced
            } else if is_fixed(experiment, &claim.arm) {
                ClaimOutcome::NotReproduced
            } else {
                // One random seed that misses says nothing about the next.
                ClaimOutcome::Undecided
            }
        }
        (_, Some(evidence)) if evidence.range.contains(published) => ClaimOutcome::Reproduced,
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
