//! Which windows of a global batch each replica sees.

use std::ops::Range;

use crate::spec::Strategy;

/// The part of a batch of `size` windows for each of `replicas`; parts may be empty.
pub fn shards(strategy: Strategy, size: usize, replicas: usize) -> Vec<Range<usize>> {
    match strategy {
        // Keras 2.2.4 `multi_gpu_model`: a step of size / N, the last takes the rest.
        Strategy::SplitConcat => {
            let step = size / replicas;
            (0..replicas).map(|rank| rank * step..if rank + 1 == replicas { size } else { (rank + 1) * step }).collect()
        }
        // As even as can be, earlier ranks one larger.
        Strategy::Mirrored => {
            (0..replicas).map(|rank| start(size, replicas, rank)..start(size, replicas, rank + 1)).collect()
        }
    }
}

fn start(size: usize, replicas: usize, rank: usize) -> usize {
    size / replicas * rank + rank.min(size % replicas)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keras_gives_the_rest_to_the_last_replica() {
        assert_eq!(shards(Strategy::SplitConcat, 9, 4), [0..2, 2..4, 4..6, 6..9]);
        // The last batch of 105 windows by 8 is one window: three shards are empty.
        assert_eq!(shards(Strategy::SplitConcat, 1, 4), [0..0, 0..0, 0..0, 0..1]);
    }

    #[test]
    fn mirrored_shards_differ_by_one_at_most() {
        assert_eq!(shards(Strategy::Mirrored, 9, 4), [0..3, 3..5, 5..7, 7..9]);
        assert_eq!(shards(Strategy::Mirrored, 1, 2), [0..1, 1..1]);
    }
}
