//! Where one more draw from the same distribution would lie.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::interval::Interval;
use super::summary::{mean, standard_deviation};

/// `mean ± t s sqrt(1 + 1/n)` (Hahn & Meeker 1991), on logarithms where all values are positive, since RMSE
/// over seeds is skewed to the right. `None` below two values.
pub fn prediction_interval(values: &[f64], level: f64) -> Option<Interval> {
    if values.len() < 2 {
        return None;
    }
    let positive = values.iter().all(|value| *value > 0.0);
    let used: Vec<f64> = values.iter().map(|value| if positive { value.ln() } else { *value }).collect();
    let count = used.len() as f64;
    let centre = mean(&used);
    let t = StudentsT::new(0.0, 1.0, count - 1.0).ok()?.inverse_cdf(0.5 + level / 2.0);
    let reach = t * standard_deviation(&used, centre) * (1.0 + 1.0 / count).sqrt();
    let back = |value: f64| if positive { value.exp() } else { value };
    Some(Interval { low: back(centre - reach), high: back(centre + reach) })
}

/// What the seeds span, widened to a prediction interval; `None` for no values.
pub fn claim_range(values: &[f64], level: f64) -> Option<Interval> {
    let low = values.iter().copied().reduce(f64::min)?;
    let high = values.iter().copied().reduce(f64::max)?;
    Some(match prediction_interval(values, level) {
        Some(interval) => Interval { low: interval.low.min(low), high: interval.high.max(high) },
        None => Interval { low, high },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_by_hand() {
        // -1, 0, 1: mean 0, s 1, t(2, 0.975) = 4.303, times sqrt(4/3) = 4.968.
        let interval = prediction_interval(&[-1.0, 0.0, 1.0], 0.95).unwrap();
        assert!((interval.high - 4.968).abs() < 1e-3 && (interval.low + 4.968).abs() < 1e-3);
        // The same on logarithms.
        let e = std::f64::consts::E;
        let skewed = prediction_interval(&[1.0 / e, 1.0, e], 0.95).unwrap();
        assert!((skewed.high.ln() - 4.968).abs() < 1e-3);
    }
}
