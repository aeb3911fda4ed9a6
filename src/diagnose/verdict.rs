//! Causes ranked, suspicions cleared, and whether the arms are the same.

use serde::{Deserialize, Serialize};

use super::attribution::Attribution;
use super::case::Case;
use super::factor::Factor;
use super::reasons::{reason, remedy};
use super::statistics::{Equivalence, Interval, equivalence, median};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Equivalent,
    Different,
    Inconclusive,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    pub factor: Factor,
    pub share: f64,
    pub reason: String,
    pub remedy: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cleared {
    pub factor: Factor,
    pub share: f64,
    pub low: f64,
    pub high: f64,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    pub outcome: Outcome,
    /// Mean differences smaller than this count as none, in the metric's units.
    pub margin: f64,
    /// Seeds that would decide an inconclusive comparison.
    pub seeds_needed: Option<usize>,
    /// Largest first.
    pub causes: Vec<Cause>,
    pub cleared: Vec<Cleared>,
    /// Factors whose interval holds 0 but is too wide to clear them.
    pub undecided: Vec<Cleared>,
    /// Causes of which one hides behind another, in words.
    pub hidden: Vec<String>,
}

impl Verdict {
    pub fn of(case: &Case<'_>, attribution: &Attribution) -> Self {
        let baseline: Vec<f64> = case.values(case.baseline).into_iter().flatten().collect();
        let margin = case.margin.unwrap_or_else(|| 0.05 * median(&baseline).unwrap_or(0.0).abs());
        let differences: Vec<f64> = case
            .values(case.baseline)
            .into_iter()
            .zip(case.values(case.suspect))
            .filter_map(|(baseline, suspect)| Some(suspect? - baseline?))
            .collect();
        let (outcome, seeds_needed) = match equivalence(&differences, margin) {
            Some((Equivalence::Equivalent, _)) => (Outcome::Equivalent, None),
            Some((Equivalence::Different, _)) => (Outcome::Different, None),
            Some((Equivalence::Inconclusive { seeds_needed }, _)) => (Outcome::Inconclusive, seeds_needed),
            // One pair has no spread; three is the fewest that could say anything.
            None => (Outcome::Inconclusive, Some(3)),
        };
        // Nothing is blamed for what rounding does, nor for what would not matter.
        let floor = attribution.rounding_largest.unwrap_or(0.0).max(margin / 5.0);
        let differing = Factor::between(case.baseline, case.suspect);
        let mut verdict = Verdict {
            outcome,
            margin,
            seeds_needed,
            causes: Vec::new(),
            cleared: Vec::new(),
            undecided: Vec::new(),
            hidden: Vec::new(),
        };
        for share in &attribution.shares {
            let interval = Interval { low: share.low, high: share.high };
            if !interval.contains(0.0) && share.share.abs() > floor {
                verdict.causes.push(Cause {
                    factor: share.factor,
                    share: share.share,
                    reason: reason(share.factor, case),
                    remedy: remedy(share.factor, case),
                });
                continue;
            }
            let narrow =
                interval.low.abs().max(interval.high.abs()) <= margin.max(floor).max(0.05 * attribution.gap.abs());
            let reason = if !differing.contains(&share.factor) {
                "the same in both arms"
            } else if interval.low == 0.0 && interval.high == 0.0 {
                "swapping it changes nothing, bit for bit"
            } else if narrow {
                "swapping it moves the metric by no more than noise"
            } else {
                "its interval holds 0, and is wide"
            };
            let entry = Cleared {
                factor: share.factor,
                share: share.share,
                low: share.low,
                high: share.high,
                reason: reason.into(),
            };
            if narrow { verdict.cleared.push(entry) } else { verdict.undecided.push(entry) }
        }
        verdict.hidden = hidden(&verdict.causes, attribution);
        verdict
    }
}

/// A pair whose joint effect is smaller than its parts: mending one alone brings the other to light.
fn hidden(causes: &[Cause], attribution: &Attribution) -> Vec<String> {
    let mut found = Vec::new();
    for interaction in &attribution.interactions {
        let share = |factor: Factor| causes.iter().find(|cause| cause.factor == factor).map(|cause| cause.share);
        let (Some(first), Some(second)) = (share(interaction.first), share(interaction.second)) else { continue };
        let opposite = interaction.size * first.min(second) < 0.0 && first * second > 0.0;
        let sure = !(Interval { low: interaction.low, high: interaction.high }).contains(0.0);
        if opposite && sure && interaction.size.abs() > 0.05 * attribution.gap.abs() {
            let (front, behind) = if first.abs() >= second.abs() {
                (interaction.first, interaction.second)
            } else {
                (interaction.second, interaction.first)
            };
            found.push(format!(
                "`{}` hides behind `{}`: together they do {:.1} less than each alone, so that mending `{}` alone leaves part of the gap to `{}`",
                behind.name(), front.name(), interaction.size.abs(), front.name(), behind.name()
            ));
        }
    }
    found
}
