use crate::data::MinMaxScaler;
use crate::spec::{Fault, ResolvedArm, Scaler, Strategy};

use super::super::dataset::Dataset;
use super::super::shard::shards;

/// The batch that evaluation pads to.
const EVALUATION_BATCH: usize = 16;

/// Changes which predictions meet which targets.
pub fn distort(arm: &ResolvedArm, predictions: &mut Vec<f32>, values: &mut Vec<f64>) {
    let faults = &arm.faults;
    let parts = shards(Strategy::SplitConcat, predictions.len(), arm.devices.get());
    if faults.has(Fault::PredictionsOutOfOrder) {
        *predictions = parts.iter().rev().flat_map(|part| predictions[part.clone()].iter().copied()).collect();
    }
    if faults.has(Fault::PredictionShifted) {
        predictions.rotate_right(1);
    }
    if faults.has(Fault::OneRankEvaluated) {
        predictions.truncate(parts[0].len());
        values.truncate(parts[0].len());
    }
    if faults.has(Fault::PaddedWindowsCounted)
        && let (Some(prediction), Some(value)) = (predictions.last().copied(), values.last().copied())
    {
        // One batch at least is padded, even where the windows fill it.
        let padded = (predictions.len() / EVALUATION_BATCH + 1) * EVALUATION_BATCH;
        predictions.resize(padded, prediction);
        values.resize(padded, value);
    }
}

/// The scaler that predictions are inverted with.
pub fn inverse(arm: &ResolvedArm, dataset: &Dataset) -> MinMaxScaler {
    if arm.faults.has(Fault::InvertedByOtherColumn) {
        let steps: Vec<f64> = (0..arm.rows).map(|step| step as f64).collect();
        return MinMaxScaler::fit(&steps, &Scaler::default());
    }
    let rank = if arm.faults.has(Fault::InvertedByOtherReplica) { dataset.scalers.len() - 1 } else { 0 };
    *dataset.scaler(rank)
}

/// The RMSE that is reported, from the true one in data units and in scaled units.
pub fn reported(arm: &ResolvedArm, rmse: f64, scaled: f64, predictions: &[f64], values: &[f64]) -> f64 {
    if arm.faults.has(Fault::MetricInScaledUnits) {
        return scaled;
    }
    if arm.faults.has(Fault::MetricAveragedOverShards) {
        let parts = shards(Strategy::SplitConcat, values.len(), arm.devices.get());
        let roots = parts.iter().filter(|part| !part.is_empty()).map(|part| {
            let squares: f64 = part.clone().map(|index| (predictions[index] - values[index]).powi(2)).sum();
            (squares / part.len() as f64).sqrt()
        });
        let roots: Vec<f64> = roots.collect();
        return roots.iter().sum::<f64>() / roots.len() as f64;
    }
    rmse
}
