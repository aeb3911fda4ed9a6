//! Min-max scaling, as scikit-learn's `MinMaxScaler` has it.

use crate::spec::{Scaler, ScalerKind};

/// `scaled = value * scale + offset`, with the formula of scikit-learn 0.20:
/// `scale = (high - low) / (max - min)`, `offset = low - min * scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinMaxScaler {
    pub data_min: f64,
    pub data_max: f64,
    pub scale: f64,
    pub offset: f64,
}

impl MinMaxScaler {
    pub fn fit(values: &[f64], scaler: &Scaler) -> Self {
        let data_min = values.iter().copied().fold(f64::INFINITY, f64::min);
        let data_max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if scaler.kind == ScalerKind::None {
            return MinMaxScaler { data_min, data_max, scale: 1.0, offset: 0.0 };
        }
        let [low, high] = scaler.range;
        let spread = data_max - data_min;
        // A constant series maps to `low` instead of dividing by zero, as scikit-learn does.
        let scale = (high - low) / if spread == 0.0 { 1.0 } else { spread };
        MinMaxScaler { data_min, data_max, scale, offset: low - data_min * scale }
    }

    /// One value to scaled units; the caller rounds to single precision once, at the end.
    pub fn scale(&self, value: f64) -> f64 {
        value * self.scale + self.offset
    }

    /// One scaled value back to data units.
    pub fn invert(&self, scaled: f64) -> f64 {
        (scaled - self.offset) / self.scale
    }

    /// All values scaled in double precision and rounded once.
    pub fn scale_on_host(&self, values: &[f64]) -> Vec<f32> {
        values.iter().map(|value| self.scale(*value) as f32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_the_extremes_to_the_range_and_back() {
        let scaler = MinMaxScaler::fit(&[-60.0, 0.0, 60.0], &Scaler::default());
        assert_eq!((scaler.scale(-60.0), scaler.scale(60.0)), (0.0, 1.0));
        assert!((scaler.invert(0.75) - 30.0).abs() < 1e-12);
    }

    #[test]
    fn a_constant_series_does_not_divide_by_zero() {
        let scaler = MinMaxScaler::fit(&[5.0, 5.0], &Scaler::default());
        assert_eq!(scaler.scale(5.0), 0.0);
    }
}
