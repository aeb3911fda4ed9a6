//! The windows of one global batch, cut for replicas and joined again.

use std::ops::Range;

use crate::spec::ResolvedArm;

use super::dataset::Dataset;
use super::shard::shards;

/// The dropout factors of some positions of every trial's batch, `[trials, positions, units]`.
pub fn cut_masks(masks: &[Vec<f32>], positions: &Range<usize>, units: usize) -> Vec<f32> {
    masks.iter().flat_map(|mask| mask[positions.start * units..positions.end * units].iter().copied()).collect()
}

/// Which scaler part each position of a global batch belongs to: the shard it falls in.
pub fn owners(arm: &ResolvedArm, size: usize) -> Vec<usize> {
    shards(arm.strategy, size, arm.scaler_parts)
        .into_iter()
        .enumerate()
        .flat_map(|(part, range)| range.map(move |_| part))
        .collect()
}

/// One replica's shard of every trial's batch: inputs `[trials, shard, time, 1]`, targets `[trials, shard, 1]`.
pub fn gather(dataset: &Dataset, owners: &[usize], samples: &[Vec<u32>], part: &Range<usize>) -> (Vec<f32>, Vec<f32>) {
    let time = dataset.evaluate_train.look_back;
    let mut inputs = Vec::with_capacity(samples.len() * part.len() * time);
    let mut targets = Vec::with_capacity(samples.len() * part.len());
    for order in samples {
        for position in part.clone() {
            let windows = dataset.train(owners[position]);
            let index = order[position] as usize;
            inputs.extend_from_slice(&windows.inputs[index * time..(index + 1) * time]);
            targets.push(windows.targets[index]);
        }
    }
    (inputs, targets)
}

/// What replicas were given, `[rank][trial][shard]`, as one batch a trial and each replica's part of it.
pub fn joined(given: &[Vec<Vec<u32>>]) -> (Vec<Vec<u32>>, Vec<Range<usize>>) {
    let trials = given[0].len();
    let samples =
        (0..trials).map(|trial| given.iter().flat_map(|rank| rank[trial].iter().copied()).collect()).collect();
    let mut start = 0;
    let parts = given
        .iter()
        .map(|rank| {
            let part = start..start + rank[0].len();
            start = part.end;
            part
        })
        .collect();
    (samples, parts)
}

/// Shards' predictions, `[trials, shard]` each, to `[trials][batch]` in rank order.
pub fn join(parts: &[Vec<f32>], sizes: &[usize], trials: usize) -> Vec<Vec<f32>> {
    (0..trials)
        .map(|trial| {
            parts
                .iter()
                .zip(sizes)
                .flat_map(|(part, size)| part[trial * size..(trial + 1) * size].iter().copied())
                .collect()
        })
        .collect()
}
