//! Gradients of all replicas to one, in rank order, so that no result depends on thread timing.

use crate::model::Gradients;
use crate::spec::{AllReduce, Strategy};

/// The gradient that every replica applies. `shard_sizes` are windows a replica.
pub fn reduce(strategy: Strategy, all_reduce: AllReduce, parts: &[Gradients], shard_sizes: &[usize]) -> Gradients {
    let total: usize = shard_sizes.iter().sum();
    let weight = |rank: usize| match (strategy, all_reduce) {
        // One loss over the joined outputs has divided by the global batch already.
        (Strategy::SplitConcat, _) | (Strategy::Mirrored, AllReduce::Sum) => 1.0,
        (Strategy::Mirrored, AllReduce::Mean) => shard_sizes[rank] as f32 / total as f32,
    };
    let mut sum: Option<Gradients> = None;
    for (rank, part) in parts.iter().enumerate() {
        // An empty shard has nothing to say, and must not turn a sum into `-0.0` or NaN.
        if shard_sizes[rank] == 0 {
            continue;
        }
        let weight = weight(rank);
        match &mut sum {
            None => {
                let scaled = |list: &Vec<f32>| list.iter().map(|value| value * weight).collect();
                sum = Some(part.iter().map(scaled).collect());
            }
            Some(sum) => {
                for (into, from) in sum.iter_mut().zip(part) {
                    into.iter_mut().zip(from).for_each(|(into, from)| *into += from * weight);
                }
            }
        }
    }
    sum.unwrap_or_default()
}

/// Scales each trial's gradient down to `norm` where `weight` times its norm is larger (Pascanu et al. 2013).
pub fn clip(gradients: &mut Gradients, trials: usize, norm: f64, weight: f64) {
    for trial in 0..trials {
        let of_trial = |list: &Vec<f32>| {
            let length = list.len() / trials;
            trial * length..(trial + 1) * length
        };
        let squares: f64 =
            gradients.iter().flat_map(|list| list[of_trial(list)].iter()).map(|value| f64::from(*value).powi(2)).sum();
        let factor = norm / (weight * squares.sqrt());
        if factor < 1.0 {
            for list in gradients.iter_mut() {
                let range = of_trial(list);
                list[range].iter_mut().for_each(|value| *value *= factor as f32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_weighted_by_shard_size() {
        // Shards of 3 and 1: (3 * 2.0 + 1 * 6.0) / 4 = 3.0.
        let parts = [vec![vec![2.0]], vec![vec![6.0]]];
        assert_eq!(reduce(Strategy::Mirrored, AllReduce::Mean, &parts, &[3, 1]), [[3.0]]);
        assert_eq!(reduce(Strategy::Mirrored, AllReduce::Sum, &parts, &[3, 1]), [[8.0]]);
    }

    #[test]
    fn empty_shards_are_left_out() {
        let parts = [vec![vec![f32::NAN]], vec![vec![6.0]]];
        assert_eq!(reduce(Strategy::SplitConcat, AllReduce::Mean, &parts, &[0, 1]), [[6.0]]);
    }
}
