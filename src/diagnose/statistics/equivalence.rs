//! Whether paired arms are equal within a margin, different, or not yet decided.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::interval::Interval;
use super::summary::{mean, standard_deviation};

/// Paired t test (Student 1908).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedT {
    pub mean: f64,
    pub standard_error: f64,
    pub degrees_of_freedom: f64,
    pub t: f64,
    pub p_value: f64,
}

/// `None` below two differences.
pub fn paired_t(differences: &[f64]) -> Option<PairedT> {
    if differences.len() < 2 {
        return None;
    }
    let count = differences.len() as f64;
    let centre = mean(differences);
    let standard_error = standard_deviation(differences, centre) / count.sqrt();
    let (t, p_value) = if standard_error == 0.0 {
        // Differences that are all the same leave no doubt either way.
        if centre == 0.0 { (0.0, 1.0) } else { (f64::INFINITY.copysign(centre), 0.0) }
    } else {
        let t = centre / standard_error;
        (t, 2.0 * StudentsT::new(0.0, 1.0, count - 1.0).ok()?.sf(t.abs()))
    };
    Some(PairedT { mean: centre, standard_error, degrees_of_freedom: count - 1.0, t, p_value })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Equivalence {
    /// The mean difference lies within the margin with 95% confidence a side.
    Equivalent,
    /// The mean difference is not 0, and is not shown to lie within the margin.
    Different,
    Inconclusive {
        /// Seeds that would decide it with 80% power, if the spread stays; `None` where no number would.
        seeds_needed: Option<usize>,
    },
}

/// Two one-sided tests at 5% (Schuirmann 1987) beside a two-sided 95% interval. `None` below two differences.
pub fn equivalence(differences: &[f64], margin: f64) -> Option<(Equivalence, Interval)> {
    let test = paired_t(differences)?;
    let t = StudentsT::new(0.0, 1.0, test.degrees_of_freedom).ok()?;
    let around = |share: f64| {
        let reach = t.inverse_cdf(share) * test.standard_error;
        Interval { low: test.mean - reach, high: test.mean + reach }
    };
    let (one_sided, two_sided) = (around(0.95), around(0.975));
    let outcome = if one_sided.low > -margin && one_sided.high < margin {
        Equivalence::Equivalent
    } else if !two_sided.contains(0.0) {
        Equivalence::Different
    } else {
        Equivalence::Inconclusive { seeds_needed: seeds_needed(&test, margin) }
    };
    Some((outcome, two_sided))
}

/// From the normal approximation `n = ((z_a + z_b) s / d)^2` (Julious 2004), where `d` is how far the observed mean
/// lies from the margin if it is within it, else from 0.
fn seeds_needed(test: &PairedT, margin: f64) -> Option<usize> {
    let normal = Normal::new(0.0, 1.0).ok()?;
    let spread = test.standard_error * (test.degrees_of_freedom + 1.0).sqrt();
    let (distance, tail) =
        if test.mean.abs() < margin { (margin - test.mean.abs(), 0.95) } else { (test.mean.abs(), 0.975) };
    let root = (normal.inverse_cdf(tail) + normal.inverse_cdf(0.8)) * spread / distance;
    let seeds = root.powi(2).ceil();
    (seeds.is_finite() && seeds < 1e7).then_some((seeds as usize).max(test.degrees_of_freedom as usize + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_own_sleep_data() {
        // Student (1908): differences of two drugs; t = -4.0621 with 9 degrees, p = 0.002833.
        let differences = [-1.2, -2.4, -1.3, -1.3, 0.0, -1.0, -1.8, -0.8, -4.6, -1.4];
        let test = paired_t(&differences).unwrap();
        assert!((test.t + 4.0621).abs() < 1e-4 && (test.p_value - 0.002833).abs() < 1e-6);
    }

    #[test]
    fn three_outcomes() {
        // Mean 0, s 1 over 25: one-sided reach t(24, 0.95) / 5 = 1.711 / 5 = 0.342.
        let mut differences = vec![0.0; 25];
        for index in 0..12 {
            differences[2 * index] = (24.0f64 / 24.0).sqrt();
            differences[2 * index + 1] = -(24.0f64 / 24.0).sqrt();
        }
        let (outcome, interval) = equivalence(&differences, 0.35).unwrap();
        assert_eq!(outcome, Equivalence::Equivalent);
        assert!((interval.high - 2.0639 / 5.0).abs() < 1e-3);
        let (outcome, _) = equivalence(&differences, 0.34).unwrap();
        // ((1.645 + 0.842) / 0.34)^2 = 53.5.
        assert_eq!(outcome, Equivalence::Inconclusive { seeds_needed: Some(54) });
        let moved: Vec<f64> = differences.iter().map(|difference| difference + 1.0).collect();
        assert_eq!(equivalence(&moved, 0.5).unwrap().0, Equivalence::Different);
    }

    #[test]
    fn differences_of_zero_are_equivalent() {
        assert_eq!(equivalence(&[0.0; 5], 0.1).unwrap().0, Equivalence::Equivalent);
        assert!(equivalence(&[0.0], 0.1).is_none());
    }
}
