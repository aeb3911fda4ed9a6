use std::ops::Range;

use crate::data::Split;
use crate::spec::{Fault, ResolvedArm};

/// Whether a batch of this size is used.
pub fn keeps_batch(arm: &ResolvedArm, size: usize) -> bool {
    !(arm.faults.has(Fault::LastBatchDropped) && size < arm.global_batch.get())
}

/// Whether a window exists where the series is cut into shards before windows are made.
pub fn keeps_window(arm: &ResolvedArm, split: &Split, window: u32) -> bool {
    if !arm.faults.has(Fault::WindowsCutInsideShards) {
        return true;
    }
    let replicas = arm.devices.get();
    let (first, last) = (window as usize, window as usize + split.look_back);
    (0..replicas).any(|rank| {
        let part = split.replica_part(rank, replicas);
        part.contains(&first) && part.contains(&last)
    })
}

/// The windows that each replica is given, instead of its own shard of the batch: `[rank][trial][shard]`.
///
/// `batch` is the common batch `[trial]`, `apart` the same stretch of each replica's own order `[rank][trial]`.
pub fn assign(
    arm: &ResolvedArm,
    parts: &[Range<usize>],
    batch: &[Vec<u32>],
    apart: &[Vec<Vec<u32>>],
) -> Option<Vec<Vec<Vec<u32>>>> {
    let take = |rank: usize, trial: usize| -> Vec<u32> {
        if arm.faults.has(Fault::ReplicasSeeAllData) {
            batch[trial].clone()
        } else if arm.faults.has(Fault::ReplicasSeeSameShard) {
            batch[trial][parts[0].clone()].to_vec()
        } else {
            apart[rank][trial][parts[rank].clone()].to_vec()
        }
    };
    let acts = [Fault::ReplicasSeeAllData, Fault::ReplicasSeeSameShard, Fault::ShuffleDiffersPerReplica];
    acts.iter()
        .any(|fault| arm.faults.has(*fault))
        .then(|| (0..parts.len()).map(|rank| (0..batch.len()).map(|trial| take(rank, trial)).collect()).collect())
}
