//! Gradients of N devices against those of one.

use super::super::divergence::{largest_difference, pooled_gradient, tolerance};
use super::Evidence;
use super::record::{Check, Finding, Severity};
use crate::results::UpdateTrace;

const NO_PROBE: &str = "the suspect's first updates were not recorded";

/// `gradient.equals-single-device`
pub struct EqualsSingleDevice;

impl Check for EqualsSingleDevice {
    fn id(&self) -> &'static str {
        "gradient.equals-single-device"
    }
    fn severity(&self) -> Severity {
        Severity::Parity
    }
    fn remedy(&self) -> &'static str {
        "divide by the global batch once: sum over shards of a loss over the global batch, or the mean weighted by shard size"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let (Some(suspect), Some(single), Some(moved)) =
            (&evidence.suspect, &evidence.single, &evidence.single_perturbed)
        else {
            return Finding::NotRun(NO_PROBE);
        };
        if suspect.updates.is_empty() || single.updates.is_empty() || moved.updates.is_empty() {
            return Finding::NotRun(NO_PROBE);
        }
        let mut held = String::new();
        for ((many, one), nudged) in suspect.updates.iter().zip(&single.updates).zip(&moved.updates).take(2) {
            let (text, equal) = compare(many, one, nudged);
            if !equal {
                return Finding::Violated(text);
            }
            if held.is_empty() {
                held = text;
            }
            // From other weights on, or with other windows, gradients differ for reasons that are not their own.
            if !within_rounding(&many.weights, &one.weights, &nudged.weights) || many.samples != one.samples {
                break;
            }
        }
        Finding::Holds(held)
    }
}

fn within_rounding(many: &[Vec<f32>], one: &[Vec<f32>], nudged: &[Vec<f32>]) -> bool {
    let all = many.iter().zip(one).zip(nudged);
    all.into_iter().all(|((many, one), nudged)| largest_difference(one, many).size <= tolerance(one, nudged))
}

/// The evidence of one update, and whether the reduced gradients are equal but for rounding.
fn compare(many: &UpdateTrace, one: &UpdateTrace, nudged: &UpdateTrace) -> (String, bool) {
    let norm =
        |tensors: &[Vec<f32>]| tensors.iter().flatten().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    let (mut worst, mut allowed_worst) = (0.0f64, 0.0f64);
    for ((many, one), nudged) in many.reduced.iter().zip(&one.reduced).zip(&nudged.reduced) {
        let apart = largest_difference(one, many).size;
        if apart >= worst {
            (worst, allowed_worst) = (apart, tolerance(one, nudged));
        }
    }
    let text = format!(
        "at update {} the reduced gradient over {} devices has {:.4} times the norm of one device's; the largest \
         difference is {worst:.1e}, rounding allows {allowed_worst:.1e}",
        many.update,
        many.shard_sizes.len(),
        norm(&many.reduced) / norm(&one.reduced)
    );
    (text, within_rounding(&many.reduced, &one.reduced, &nudged.reduced))
}

/// `loss.normalised-by-global-batch`
pub struct NormalisedByGlobalBatch;

impl Check for NormalisedByGlobalBatch {
    fn id(&self) -> &'static str {
        "loss.normalised-by-global-batch"
    }
    fn severity(&self) -> Severity {
        Severity::Parity
    }
    fn remedy(&self) -> &'static str {
        "divide the summed loss by the global batch, not by the shard"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let Some(probe) = &evidence.suspect else { return Finding::NotRun(NO_PROBE) };
        let traces: Vec<&UpdateTrace> = probe.updates.iter().filter(|trace| !trace.reduced.is_empty()).collect();
        let Some(first) = traces.first() else { return Finding::NotRun(NO_PROBE) };
        let judged = |trace: &UpdateTrace| judge(trace, probe.arm.clip_norm);
        let text = |trace: &UpdateTrace, factor: f64| {
            format!(
                "at update {} the applied gradient is {factor:.4} times that of the squared errors over the global batch of {}",
                trace.update,
                trace.samples.len()
            )
        };
        for trace in &traces {
            let (factor, holds) = judged(trace);
            if !holds {
                return Finding::Violated(text(trace, factor));
            }
        }
        Finding::Holds(text(first, judged(first).0))
    }
}

/// How large the applied gradient is beside the one that the replicas' own come to, and whether they are the same.
fn judge(trace: &UpdateTrace, clip_norm: Option<f64>) -> (f64, bool) {
    let mut pooled: Vec<Vec<f32>> =
        (0..trace.reduced.len()).map(|parameter| pooled_gradient(trace, parameter)).collect();
    let norm = pooled.iter().flatten().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if let Some(clip) = clip_norm.filter(|clip| *clip < norm) {
        pooled.iter_mut().flatten().for_each(|value| *value *= (clip / norm) as f32);
    }
    let (mut dot, mut square, mut apart, mut largest) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
    for (pooled, reduced) in pooled.iter().zip(&trace.reduced) {
        apart = apart.max(largest_difference(pooled, reduced).size);
        for (pooled, reduced) in pooled.iter().zip(reduced) {
            dot += f64::from(*pooled) * f64::from(*reduced);
            square += f64::from(*pooled).powi(2);
            largest = largest.max(f64::from(pooled.abs()));
        }
    }
    // Adding N parts in single precision leaves a few rounding steps a part.
    let allowed = 8.0 * trace.shard_sizes.len() as f64 * f64::from(f32::EPSILON) * largest;
    (if square > 0.0 { dot / square } else { 1.0 }, apart <= allowed)
}

/// `shard.none-empty`
pub struct NoneEmpty;

impl Check for NoneEmpty {
    fn id(&self) -> &'static str {
        "shard.none-empty"
    }
    fn severity(&self) -> Severity {
        Severity::Parity
    }
    fn remedy(&self) -> &'static str {
        "drop or pad the last batch, or weight each shard by its size"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let Some(probe) = &evidence.suspect else { return Finding::NotRun(NO_PROBE) };
        let empty: Vec<_> = probe.updates.iter().filter(|trace| trace.shard_sizes.contains(&0)).collect();
        let Some(first) = empty.first() else {
            return Finding::Holds(format!("no shard of {} updates is empty", probe.updates.len()));
        };
        let count = first.shard_sizes.iter().filter(|size| **size == 0).count();
        let text = format!("{count} of {} shards are empty at update {}", first.shard_sizes.len(), first.update);
        // An empty shard is harmless as long as it adds nothing.
        if first.loss.is_finite() && probe.updates.iter().all(|trace| trace.loss.is_finite()) {
            Finding::Holds(format!("{text}; they are left out of the reduction and change nothing"))
        } else {
            Finding::Violated(format!("{text}, and the loss is no number from there on"))
        }
    }
}
