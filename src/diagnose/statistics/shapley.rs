//! Shares of a gap by Shapley's value (Shapley 1953).

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// The metric of every coalition of factors, indexed by bit mask: bit `i` says that factor `i` is the suspect's.
#[derive(Clone, Debug, PartialEq)]
pub struct Coalitions {
    factors: usize,
    values: Vec<f64>,
}

impl Coalitions {
    /// `None` unless there are `2^factors` values.
    pub fn new(factors: usize, values: Vec<f64>) -> Option<Self> {
        (factors < 20 && values.len() == 1 << factors).then_some(Coalitions { factors, values })
    }

    /// What each factor is responsible for; the shares add up to the gap.
    pub fn shares(&self) -> Vec<f64> {
        (0..self.factors)
            .map(|factor| {
                let bit = 1usize << factor;
                (0..self.values.len())
                    .filter(|mask| mask & bit == 0)
                    .map(|mask| {
                        self.weight(mask.count_ones() as usize, 1) * (self.values[mask | bit] - self.values[mask])
                    })
                    .sum()
            })
            .collect()
    }

    /// How much two factors do together beyond what each does alone (Grabisch & Roubens 1999).
    pub fn interaction(&self, first: usize, second: usize) -> f64 {
        let (a, b) = (1usize << first, 1usize << second);
        (0..self.values.len())
            .filter(|mask| mask & (a | b) == 0)
            .map(|mask| {
                let joint =
                    self.values[mask | a | b] - self.values[mask | a] - self.values[mask | b] + self.values[mask];
                self.weight(mask.count_ones() as usize, 2) * joint
            })
            .sum()
    }

    /// `s! (n - s - k)! / (n - k + 1)!` for a coalition of `size` that `joining` factors join.
    fn weight(&self, size: usize, joining: usize) -> f64 {
        let others = self.factors - joining;
        let mut choose = 1.0;
        for step in 0..size {
            choose *= (others - step) as f64 / (step + 1) as f64;
        }
        1.0 / (choose * (others + 1) as f64)
    }
}

/// Shares estimated from permutations, each with its standard error.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledShares {
    pub shares: Vec<f64>,
    pub standard_errors: Vec<f64>,
}

/// Shares from random orders of joining, each taken forwards and backwards (Mitchell et al. 2022).
pub fn sampled_shares(factors: usize, pairs: usize, mut value: impl FnMut(u64) -> f64) -> SampledShares {
    let mut generator = ChaCha8Rng::seed_from_u64(1953);
    let mut order: Vec<usize> = (0..factors).collect();
    let (mut sums, mut squares) = (vec![0.0; factors], vec![0.0; factors]);
    for _ in 0..pairs {
        order.shuffle(&mut generator);
        let mut both = vec![0.0; factors];
        for backwards in [false, true] {
            let mut mask = 0u64;
            let mut before = value(mask);
            for index in 0..factors {
                let factor = order[if backwards { factors - 1 - index } else { index }];
                mask |= 1 << factor;
                let after = value(mask);
                both[factor] += (after - before) / 2.0;
                before = after;
            }
        }
        for (factor, share) in both.into_iter().enumerate() {
            sums[factor] += share;
            squares[factor] += share * share;
        }
    }
    let count = pairs.max(1) as f64;
    let shares: Vec<f64> = sums.iter().map(|sum| sum / count).collect();
    let standard_errors = squares
        .iter()
        .zip(&shares)
        .map(|(square, share)| ((square / count - share * share).max(0.0) / count).sqrt())
        .collect();
    SampledShares { shares, standard_errors }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_questions_own_means_by_hand() {
        // Nothing 6.04, template 80.41, budget 25.70, both 80.41: ((74.37 + 54.71) / 2, (19.66 + 0) / 2).
        let game = Coalitions::new(2, vec![6.04, 80.41, 25.70, 80.41]).unwrap();
        let shares = game.shares();
        assert!((shares[0] - 64.54).abs() < 1e-9 && (shares[1] - 9.83).abs() < 1e-9);
        assert!((game.interaction(0, 1) + 19.66).abs() < 1e-9);
    }

    #[test]
    fn the_glove_game() {
        // One left glove (player 0), two right ones: a pair is worth 1; shares 2/3, 1/6, 1/6 (Shapley & Shubik 1969).
        let worth = |mask: usize| if mask & 1 == 1 && mask > 1 { 1.0 } else { 0.0 };
        let shares = Coalitions::new(3, (0..8).map(worth).collect()).unwrap().shares();
        for (share, wanted) in shares.iter().zip([2.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0]) {
            assert!((share - wanted).abs() < 1e-12);
        }
    }

    #[test]
    fn the_airport_game() {
        // Runways of cost 1, 2 and 3: 1/3, 1/3 + 1/2, 1/3 + 1/2 + 1 (Littlechild & Owen 1973).
        let cost = |mask: usize| {
            (0..3).filter(|player| mask >> player & 1 == 1).map(|player| player + 1).max().unwrap_or(0) as f64
        };
        let game = Coalitions::new(3, (0..8).map(cost).collect()).unwrap();
        let wanted = [1.0 / 3.0, 5.0 / 6.0, 11.0 / 6.0];
        for (share, wanted) in game.shares().iter().zip(wanted) {
            assert!((share - wanted).abs() < 1e-12);
        }
        let sampled = sampled_shares(3, 3000, |mask| cost(mask as usize));
        for ((share, error), wanted) in sampled.shares.iter().zip(&sampled.standard_errors).zip(wanted) {
            assert!((share - wanted).abs() < 4.0 * error + 1e-12);
        }
    }

    proptest! {
        #[test]
        fn shares_add_up_to_the_gap(values in proptest::collection::vec(-100.0f64..100.0, 32)) {
            let gap = values[31] - values[0];
            let sum: f64 = Coalitions::new(5, values).unwrap().shares().iter().sum();
            prop_assert!((sum - gap).abs() < 1e-9);
        }
    }
}
