//! Whose share of the gap is how large.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::spec::ResolvedArm;

use super::case::{Case, perturbed};
use super::factor::{Factor, coalition};
use super::statistics::{Coalitions, Interval, bootstrap_rows, sampled_shares};

/// Up to this many factors every coalition is run.
const EXACT: usize = 8;
/// Pairs of orders drawn past that.
const SAMPLED_PAIRS: usize = 12;
const RESAMPLES: usize = 2000;

/// The part of the gap that a factor is responsible for, with its paired bootstrap 95% interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    pub factor: Factor,
    pub share: f64,
    pub low: f64,
    pub high: f64,
}

/// What two factors do together beyond what each does alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interaction {
    pub first: Factor,
    pub second: Factor,
    pub size: f64,
    pub low: f64,
    pub high: f64,
}

/// The gap taken apart. Figures are means over paired seeds, in the metric's units.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Attribution {
    pub seeds: usize,
    pub baseline_mean: f64,
    pub suspect_mean: f64,
    pub gap: f64,
    pub gap_low: f64,
    pub gap_high: f64,
    pub shares: Vec<Share>,
    /// The gap less all shares: rounding, and sampling where not every coalition was run.
    pub residual: f64,
    pub interactions: Vec<Interaction>,
    /// The mean change of the metric when the baseline's inputs move by one rounding step; no share below
    /// the largest such change is blamed on anything.
    pub rounding: Option<f64>,
    pub rounding_largest: Option<f64>,
}

/// Masks of the coalitions that shares of `factors` factors need.
fn masks(factors: usize) -> BTreeSet<u64> {
    if factors <= EXACT {
        return (0..1u64 << factors).collect();
    }
    let mut masks = BTreeSet::new();
    sampled_shares(factors, SAMPLED_PAIRS, |mask| {
        masks.insert(mask);
        0.0
    });
    masks
}

/// Every arm whose trials the attribution of two arms reads, the two themselves included.
pub fn coalition_arms(baseline: &ResolvedArm, suspect: &ResolvedArm) -> Vec<ResolvedArm> {
    let factors = Factor::between(baseline, suspect);
    masks(factors.len()).into_iter().map(|mask| coalition(baseline, suspect, &factors, mask)).collect()
}

impl Attribution {
    /// No seeds and no figures where no seed has finished in both arms. Shares are left out where coalitions were
    /// not run.
    pub fn of(case: &Case<'_>) -> Self {
        let factors = Factor::between(case.baseline, case.suspect);
        let (baseline, suspect) = (case.values(case.baseline), case.values(case.suspect));
        let values: HashMap<u64, Vec<Option<f64>>> = masks(factors.len())
            .into_iter()
            .map(|mask| (mask, case.values(&coalition(case.baseline, case.suspect, &factors, mask))))
            .collect();
        let complete: Vec<usize> =
            (0..case.seeds.len()).filter(|seed| values.values().all(|column| column[*seed].is_some())).collect();
        let paired: Vec<usize> =
            (0..case.seeds.len()).filter(|seed| baseline[*seed].is_some() && suspect[*seed].is_some()).collect();
        let swapped = !complete.is_empty() && (complete.len() == paired.len() || complete.len() >= 3);
        let seeds = if swapped { complete } else { paired };
        if seeds.is_empty() {
            return Attribution::default();
        }
        let at = |column: &[Option<f64>], seed: usize| column[seed].unwrap_or(f64::NAN);
        let mean = |column: &[Option<f64>], rows: &[usize]| {
            rows.iter().map(|row| at(column, seeds[*row])).sum::<f64>() / rows.len() as f64
        };
        let all: Vec<usize> = (0..seeds.len()).collect();
        // One list of statistics: the gap, every share, every interaction.
        let pairs: Vec<(usize, usize)> = if swapped && factors.len() <= EXACT {
            (0..factors.len()).flat_map(|first| (first + 1..factors.len()).map(move |second| (first, second))).collect()
        } else {
            Vec::new()
        };
        let statistics = |rows: &[usize]| -> Vec<f64> {
            let mut list = vec![mean(&suspect, rows) - mean(&baseline, rows)];
            if !swapped {
                return list;
            }
            let means: HashMap<u64, f64> = values.iter().map(|(mask, column)| (*mask, mean(column, rows))).collect();
            if factors.len() <= EXACT {
                let table = (0..1u64 << factors.len()).map(|mask| means[&mask]).collect();
                if let Some(game) = Coalitions::new(factors.len(), table) {
                    list.extend(game.shares());
                    list.extend(pairs.iter().map(|(first, second)| game.interaction(*first, *second)));
                }
            } else {
                list.extend(sampled_shares(factors.len(), SAMPLED_PAIRS, |mask| means[&mask]).shares);
            }
            list
        };
        let observed = statistics(&all);
        let intervals = if seeds.len() > 1 {
            bootstrap_rows(seeds.len(), statistics, 0.95, RESAMPLES)
        } else {
            // One seed has no spread to resample, so nothing can be told from noise.
            observed.iter().map(|_| Interval { low: f64::NEG_INFINITY, high: f64::INFINITY }).collect()
        };
        let mut shares: Vec<Share> = if swapped {
            factors
                .iter()
                .enumerate()
                .map(|(index, factor)| Share {
                    factor: *factor,
                    share: observed[1 + index],
                    low: intervals[1 + index].low,
                    high: intervals[1 + index].high,
                })
                .collect()
        } else {
            Vec::new()
        };
        let residual =
            if swapped { observed[0] - shares.iter().map(|share| share.share).sum::<f64>() } else { observed[0] };
        // Suspicions that both arms share have no part in the gap, and say so.
        for factor in Factor::USUAL_SUSPICIONS {
            if !factors.contains(&factor) {
                shares.push(Share { factor, share: 0.0, low: 0.0, high: 0.0 });
            }
        }
        shares.sort_by(|left, right| right.share.abs().total_cmp(&left.share.abs()));
        let first_pair = 1 + factors.len();
        let interactions = pairs
            .iter()
            .enumerate()
            .map(|(index, (first, second))| Interaction {
                first: factors[*first],
                second: factors[*second],
                size: observed[first_pair + index],
                low: intervals[first_pair + index].low,
                high: intervals[first_pair + index].high,
            })
            .collect();
        let moved = case.values(&perturbed(case.baseline));
        let changes: Vec<f64> = seeds.iter().filter_map(|seed| Some(moved[*seed]? - baseline[*seed]?)).collect();
        let rounding = (!changes.is_empty()).then(|| changes.iter().sum::<f64>() / changes.len() as f64);
        Attribution {
            seeds: seeds.len(),
            baseline_mean: mean(&baseline, &all),
            suspect_mean: mean(&suspect, &all),
            gap: observed[0],
            gap_low: intervals[0].low,
            gap_high: intervals[0].high,
            shares,
            residual,
            interactions,
            rounding,
            rounding_largest: rounding.map(|_| changes.iter().fold(0.0f64, |most, change| most.max(change.abs()))),
        }
    }
}
