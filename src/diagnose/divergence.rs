//! Where two arms part when both start from equal weights on equal global batches.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::results::{ProbeRecord, UpdateTrace};

/// A step of one update, in the order in which it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    Data,
    Forward,
    Loss,
    Gradient,
    Reduce,
    Update,
    Predict,
}

impl fmt::Display for Stage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Stage::Data => "data",
            Stage::Forward => "forward",
            Stage::Loss => "loss",
            Stage::Gradient => "gradient",
            Stage::Reduce => "reduce",
            Stage::Update => "update",
            Stage::Predict => "predict",
        })
    }
}

/// The first difference that is more than rounding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Divergence {
    /// Counted from 1.
    pub update: usize,
    pub stage: Stage,
    pub tensor: String,
    pub baseline: f64,
    pub suspect: f64,
    /// What moving the baseline's inputs by one rounding step does to this tensor, times [`SLACK`].
    pub tolerance: f64,
}

/// Another order of summation moves a result by a few times what one moved input does.
const SLACK: f64 = 16.0;

const PARAMETERS: [&str; 5] = ["kernel", "recurrent kernel", "bias", "dense kernel", "dense bias"];

/// The place and size of the largest difference of two tensors.
pub struct Apart {
    pub index: usize,
    pub size: f64,
}

pub fn largest_difference(first: &[f32], second: &[f32]) -> Apart {
    let mut apart = Apart { index: 0, size: if first.len() == second.len() { 0.0 } else { f64::INFINITY } };
    for (index, (a, b)) in first.iter().zip(second).enumerate() {
        let size = f64::from((a - b).abs());
        // A NaN on one side only is as far apart as can be.
        let size = if size.is_nan() && !(a.is_nan() && b.is_nan()) { f64::INFINITY } else { size };
        if size > apart.size {
            apart = Apart { index, size };
        }
    }
    apart
}

/// What rounding may do to a tensor: the effect of moved inputs, and never less than a few rounding steps.
pub fn tolerance(reference: &[f32], moved: &[f32]) -> f64 {
    let largest = reference.iter().fold(0.0f64, |most, value| most.max(f64::from(value.abs())));
    let effect = largest_difference(reference, moved).size;
    SLACK * (effect + largest * f64::from(f32::EPSILON))
}

/// `None` where the arms stay together over the recorded updates.
pub fn first_divergence(baseline: &ProbeRecord, moved: &ProbeRecord, suspect: &ProbeRecord) -> Option<Divergence> {
    let found = |update: usize, stage: Stage, tensor: &str, baseline: f64, suspect: f64, tolerance: f64| {
        Some(Divergence { update, stage, tensor: tensor.into(), baseline, suspect, tolerance })
    };
    for (scale, offset) in &suspect.scalers {
        let (wanted_scale, wanted_offset) = baseline.scalers[0];
        if (scale, offset) != (&wanted_scale, &wanted_offset) {
            return found(1, Stage::Data, "scale of the inputs", wanted_scale, *scale, 0.0);
        }
    }
    let start = baseline.initial_weights.iter().zip(&suspect.initial_weights).zip(PARAMETERS);
    for ((mine, theirs), name) in start {
        let apart = largest_difference(mine, theirs);
        if apart.size > 0.0 {
            let value = |list: &[f32]| f64::from(list.get(apart.index).copied().unwrap_or(f32::NAN));
            return found(1, Stage::Data, &format!("initial {name}"), value(mine), value(theirs), 0.0);
        }
    }
    for ((mine, theirs), moved_update) in baseline.updates.iter().zip(&suspect.updates).zip(&moved.updates) {
        if mine.samples != theirs.samples {
            let index = mine.samples.iter().zip(&theirs.samples).position(|(a, b)| a != b).unwrap_or(0);
            let sample = |list: &[u32]| list.get(index).map_or(f64::NAN, |sample| f64::from(*sample));
            return found(
                mine.update,
                Stage::Data,
                "window numbers",
                sample(&mine.samples),
                sample(&theirs.samples),
                0.0,
            );
        }
        for (stage, name, pick) in stages() {
            let (reference, other, nudged) = (pick(mine), pick(theirs), pick(moved_update));
            let allowed = tolerance(&reference, &nudged);
            let apart = largest_difference(&reference, &other);
            if apart.size > allowed {
                let value = |list: &[f32]| f64::from(list.get(apart.index).copied().unwrap_or(f32::NAN));
                return found(mine.update, stage, &name, value(&reference), value(&other), allowed);
            }
        }
        if mine.update == 1 {
            let single = |list: &[f64]| list.iter().map(|value| *value as f32).collect::<Vec<f32>>();
            let (reference, other) = (single(&baseline.answers), single(&suspect.answers));
            let allowed = tolerance(&reference, &single(&moved.answers));
            let apart = largest_difference(&reference, &other);
            if apart.size > allowed {
                let value = |list: &[f64]| list.get(apart.index).copied().unwrap_or(f64::NAN);
                return found(
                    1,
                    Stage::Predict,
                    "predictions for the training windows",
                    value(&baseline.answers),
                    value(&suspect.answers),
                    allowed,
                );
            }
        }
    }
    None
}

type Pick = Box<dyn Fn(&UpdateTrace) -> Vec<f32>>;

fn stages() -> Vec<(Stage, String, Pick)> {
    let mut list: Vec<(Stage, String, Pick)> = vec![
        (Stage::Forward, "predictions".into(), Box::new(|trace| trace.predictions.clone())),
        (Stage::Loss, "loss".into(), Box::new(|trace| vec![trace.loss])),
    ];
    for (index, name) in PARAMETERS.iter().enumerate() {
        list.push((
            Stage::Gradient,
            format!("gradient of the {name}"),
            Box::new(move |trace| pooled_gradient(trace, index)),
        ));
    }
    for (index, name) in PARAMETERS.iter().enumerate() {
        let pick = move |trace: &UpdateTrace| trace.reduced.get(index).cloned().unwrap_or_default();
        list.push((Stage::Reduce, format!("reduced gradient of the {name}"), Box::new(pick)));
    }
    for (index, name) in PARAMETERS.iter().enumerate() {
        let pick = move |trace: &UpdateTrace| trace.weights.get(index).cloned().unwrap_or_default();
        list.push((Stage::Update, (*name).into(), Box::new(pick)));
    }
    list
}

/// What the replicas' gradients should come to: each undoes its own divisor, and the sum is divided by the batch.
pub fn pooled_gradient(trace: &UpdateTrace, parameter: usize) -> Vec<f32> {
    let batch = trace.samples.len() as f64;
    let mut sum: Vec<f64> = Vec::new();
    for ((gradients, normalizer), size) in
        trace.replica_gradients.iter().zip(&trace.normalizers).zip(&trace.shard_sizes)
    {
        if *size == 0 {
            continue;
        }
        let weight = f64::from(*normalizer) / batch;
        let part = &gradients[parameter];
        sum.resize(part.len(), 0.0);
        sum.iter_mut().zip(part).for_each(|(sum, value)| *sum += f64::from(*value) * weight);
    }
    sum.into_iter().map(|value| value as f32).collect()
}
