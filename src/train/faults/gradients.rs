use crate::model::{Gradients, ShardResult};
use crate::spec::{Fault, ResolvedArm, Strategy};

use super::super::reduce::clip;

/// Position of the dense kernel among the parameters.
const DENSE_KERNEL: usize = 3;
const LOSS_SCALE: f32 = 1024.0;

/// An uneven cut of a shard into two micro-batches.
pub fn micro_batches(part: &std::ops::Range<usize>) -> [std::ops::Range<usize>; 2] {
    let middle = part.start + part.len() / 3;
    [part.start..middle, middle..part.end]
}

/// The mean of two micro-batches' gradients, whatever their sizes, and their predictions joined.
pub fn average(first: ShardResult, second: ShardResult, sizes: [usize; 2], trials: usize) -> ShardResult {
    let weight = if sizes[0] == 0 || sizes[1] == 0 { 1.0 } else { 0.5 };
    let gradients = first
        .gradients
        .iter()
        .zip(&second.gradients)
        .map(|(one, other)| one.iter().zip(other).map(|(one, other)| weight * (one + other)).collect())
        .collect();
    let predictions = (0..trials)
        .flat_map(|trial| {
            let one = &first.predictions[trial * sizes[0]..(trial + 1) * sizes[0]];
            let other = &second.predictions[trial * sizes[1]..(trial + 1) * sizes[1]];
            [one, other].concat()
        })
        .collect();
    ShardResult { predictions, gradients, last_hidden: second.last_hidden }
}

/// Changes the replicas' gradients before they are reduced.
pub fn spoil(arm: &ResolvedArm, gradients: &mut [Gradients], shard_sizes: &[usize], trials: usize) {
    let faults = &arm.faults;
    let (total, replicas) = (shard_sizes.iter().sum::<usize>() as f32, shard_sizes.len() as f32);
    let last = gradients.len() - 1;
    for (rank, gradient) in gradients.iter_mut().enumerate() {
        let shard = shard_sizes[rank] as f32;
        let mut factor = 1.0;
        // What the clean reduction makes of a shard's mean is that mean times shard / total.
        if faults.has(Fault::GradientsSummed) || faults.has(Fault::LossDividedByLocalBatch) {
            factor *= total / shard;
        }
        if faults.has(Fault::MeanOfMeans) {
            factor *= total / (shard * replicas);
        }
        if faults.has(Fault::LossDividedByDevicesTwice) {
            factor /= replicas;
        }
        if faults.has(Fault::LossScaleNotDivided) {
            factor *= LOSS_SCALE;
        }
        if faults.has(Fault::EmptyShardMean) && shard_sizes.contains(&0) {
            factor = f32::NAN;
        }
        let halved = faults.has(Fault::ReplicaInHalfPrecision) && rank == last;
        for value in gradient.iter_mut().flatten() {
            if factor != 1.0 {
                *value *= factor;
            }
            if halved {
                // bfloat16 keeps the upper half of the bits.
                *value = f32::from_bits(value.to_bits() & 0xffff_0000);
            }
        }
        if faults.has(Fault::ClippedBeforeReduction)
            && let Some(norm) = arm.clip_norm
        {
            clip(gradient, trials, norm, 1.0);
        }
    }
}

/// What each replica applies, where that is not the reduced gradient.
pub fn own_gradients(
    arm: &ResolvedArm,
    update: usize,
    gradients: &[Gradients],
    reduced: &Gradients,
    shard_sizes: &[usize],
) -> Option<Vec<Gradients>> {
    let every_second = arm.faults.has(Fault::UnsynchronisedUpdate) && update.is_multiple_of(2);
    let one_parameter = arm.faults.has(Fault::UnsynchronisedParameter);
    if !every_second && !one_parameter {
        return None;
    }
    let total: usize = shard_sizes.iter().sum();
    let own = gradients.iter().zip(shard_sizes).map(|(gradient, shard)| {
        // An empty shard has no gradient of its own.
        let factor = match (shard, arm.strategy) {
            (0, _) => 0.0,
            (_, Strategy::Mirrored) => 1.0,
            (shard, Strategy::SplitConcat) => total as f32 / *shard as f32,
        };
        reduced
            .iter()
            .zip(gradient)
            .enumerate()
            .map(|(parameter, (reduced, own))| {
                if every_second || parameter == DENSE_KERNEL {
                    own.iter().map(|value| value * factor).collect()
                } else {
                    reduced.clone()
                }
            })
            .collect()
    });
    Some(own.collect())
}
