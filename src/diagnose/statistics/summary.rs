//! Location and spread of a sample.

/// What a report says about one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    pub count: usize,
    pub mean: f64,
    pub median: f64,
    pub minimum: f64,
    pub maximum: f64,
    /// With `n - 1`; 0 for a single value.
    pub standard_deviation: f64,
}

impl Summary {
    /// `None` for no values.
    pub fn of(values: &[f64]) -> Option<Self> {
        let sorted = sorted(values);
        let (first, last) = (*sorted.first()?, *sorted.last()?);
        let mean = mean(values);
        Some(Summary {
            count: values.len(),
            mean,
            median: quantile(&sorted, 0.5),
            minimum: first,
            maximum: last,
            standard_deviation: standard_deviation(values, mean),
        })
    }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub(super) fn standard_deviation(values: &[f64], mean: f64) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

pub(super) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The middle value; `None` for no values.
pub fn median(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| quantile(&sorted(values), 0.5))
}

/// Linear interpolation between order statistics, type 7 of Hyndman & Fan (1996).
///
/// `sorted` must not be empty.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * (place - place.floor())
}

/// How many percent of the values lie below `value`, ties counted half.
pub fn percentile_rank(values: &[f64], value: f64) -> f64 {
    let below = values.iter().filter(|other| **other < value).count() as f64;
    let equal = values.iter().filter(|other| **other == value).count() as f64;
    100.0 * (below + equal / 2.0) / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_sample_by_hand() {
        // 1, 2, 4, 9: mean 4, median 3; squares 9 + 4 + 0 + 25 = 38, over 3.
        let summary = Summary::of(&[9.0, 1.0, 4.0, 2.0]).unwrap();
        assert_eq!((summary.mean, summary.median, summary.minimum, summary.maximum), (4.0, 3.0, 1.0, 9.0));
        assert!((summary.standard_deviation - (38.0f64 / 3.0).sqrt()).abs() < 1e-12);
        // Type 7 at a quarter: place 0.75 between 1 and 2.
        assert_eq!(quantile(&[1.0, 2.0, 4.0, 9.0], 0.25), 1.75);
        assert_eq!(percentile_rank(&[1.0, 2.0, 4.0, 9.0], 4.0), 62.5);
        assert!(Summary::of(&[]).is_none());
    }
}
