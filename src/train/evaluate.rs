//! RMSE of a trained or untrained model over the windows of both parts.

use crate::data::MinMaxScaler;

/// The figures of one finished trial; RMSE in data units unless scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    pub train_rmse: f64,
    pub test_rmse: f64,
    pub train_rmse_scaled: f64,
    pub test_rmse_scaled: f64,
    pub naive_train_rmse: f64,
    pub naive_test_rmse: f64,
    /// Mean loss of the last epoch, weighted by batch size.
    pub final_loss: f64,
}

/// How one trial ended.
#[derive(Clone, Debug, PartialEq)]
pub enum TrialOutcome {
    Finished(Metrics),
    /// Counted from 1.
    Diverged {
        update: usize,
    },
}

/// RMSE in scaled units and in data units, and the predictions in data units.
pub fn evaluate(predictions: &[f32], values: &[f64], scaler: &MinMaxScaler) -> (f64, f64, Vec<f64>) {
    let inverted: Vec<f64> = predictions.iter().map(|scaled| scaler.invert(f64::from(*scaled))).collect();
    let scaled_errors = predictions.iter().zip(values).map(|(scaled, value)| f64::from(*scaled) - scaler.scale(*value));
    let errors = inverted.iter().zip(values).map(|(predicted, value)| predicted - value);
    (root_mean_square(scaled_errors), root_mean_square(errors), inverted)
}

fn root_mean_square(errors: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = errors.len() as f64;
    (errors.map(|error| error * error).sum::<f64>() / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Scaler;

    #[test]
    fn rmse_is_in_data_units_and_in_scaled_ones() {
        // 0..10 to 0..1: predictions of 0.5 and 0.9 are 5 and 9, against 5 and 6: the root of (0 + 9) / 2.
        let scaler = MinMaxScaler::fit(&[0.0, 10.0], &Scaler::default());
        let (scaled, rmse, inverted) = evaluate(&[0.5, 0.9], &[5.0, 6.0], &scaler);
        assert!((rmse - 4.5f64.sqrt()).abs() < 1e-5);
        assert!((scaled * 10.0 - rmse).abs() < 1e-5);
        assert!((inverted[1] - 9.0).abs() < 1e-5);
    }
}
