//! Everything that is said about a pair of arms, as `diagnosis.json` holds it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::results::{ProbeKey, ResultsError, read_text, write_if_changed};
use crate::spec::Metric;

use super::attribution::{Attribution, Interaction, Share};
use super::case::{Case, ProbeArms};
use super::checks::{CheckRecord, Evidence, run_checks};
use super::divergence::{Divergence, first_divergence};
use super::loss_curves::parting_update;
use super::verdict::Verdict;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    pub baseline: String,
    pub suspect: String,
    pub metric: Metric,
    pub seeds: usize,
    pub baseline_mean: f64,
    pub suspect_mean: f64,
    pub gap: f64,
    pub gap_low: f64,
    pub gap_high: f64,
    pub shares: Vec<Share>,
    pub residual: f64,
    pub interactions: Vec<Interaction>,
    /// Mean change of the metric when inputs move by one rounding step.
    pub rounding: Option<f64>,
    pub checks: Vec<CheckRecord>,
    /// `None` where the arms stay together, or where their first updates were not recorded.
    pub divergence: Option<Divergence>,
    pub lockstep_recorded: bool,
    /// The first update at which the loss curves part beyond seed noise.
    pub losses_part_at: Option<usize>,
    pub verdict: Verdict,
}

/// Everything that can be said of the pair; where no seed has finished in both arms, what the checks say.
pub fn diagnose(case: &Case<'_>) -> Diagnosis {
    let attribution = Attribution::of(case);
    let verdict = Verdict::of(case, &attribution);
    let arms = ProbeArms::of(case.baseline, case.suspect);
    let seed = case.seeds.first().copied().unwrap_or(0);
    let probe = |arm: &crate::spec::ResolvedArm| (case.probes)(&ProbeKey { arm: arm.clone(), seed });
    let evidence = Evidence {
        baseline: probe(&arms.baseline),
        suspect: probe(&arms.suspect),
        single: probe(&arms.single),
        single_perturbed: probe(&arms.single_perturbed),
        case,
        outcome: verdict.outcome,
    };
    let (moved, lockstep) = (probe(&arms.baseline_perturbed), probe(&arms.lockstep));
    let traces = evidence.baseline.as_ref().zip(moved.as_ref()).zip(lockstep.as_ref());
    Diagnosis {
        baseline: case.baseline_name.into(),
        suspect: case.suspect_name.into(),
        metric: case.metric,
        seeds: attribution.seeds,
        baseline_mean: attribution.baseline_mean,
        suspect_mean: attribution.suspect_mean,
        gap: attribution.gap,
        gap_low: attribution.gap_low,
        gap_high: attribution.gap_high,
        shares: attribution.shares,
        residual: attribution.residual,
        interactions: attribution.interactions,
        rounding: attribution.rounding,
        checks: run_checks(&evidence),
        lockstep_recorded: traces.is_some(),
        divergence: traces.and_then(|((baseline, moved), suspect)| first_divergence(baseline, moved, suspect)),
        losses_part_at: parting_update(case),
        verdict,
    }
}

impl Diagnosis {
    pub fn read(path: &Path) -> Result<Self, ResultsError> {
        serde_json::from_str(&read_text(path)?)
            .map_err(|error| ResultsError::content(path, error, "run `scaleproof diagnose` again to write it anew"))
    }

    pub fn write(&self, path: &Path) -> Result<(), ResultsError> {
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| ResultsError::content(path, error, "report this as a bug"))?;
        text.push('\n');
        write_if_changed(path, text.as_bytes()).map(|_| ())
    }
}
