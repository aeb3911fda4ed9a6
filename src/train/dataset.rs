//! The windows of an arm in scaled units, as each replica sees them.

use std::sync::Arc;

use crate::data::{MinMaxScaler, Source, Windows, naive_forecast_rmse};
use crate::spec::{ResolvedArm, ScalerFit, ScalerPlace};

/// Training and test windows of one arm.
pub struct Dataset {
    /// One scaler a part, or one that all share.
    pub scalers: Vec<MinMaxScaler>,
    /// Training windows as replicas receive them; one a scaler. Raw values when replicas scale.
    train: Vec<Arc<Windows>>,
    /// Windows for evaluation, as the predicting replica receives them.
    pub evaluate_train: Windows,
    pub evaluate_test: Windows,
    pub place: ScalerPlace,
    /// Targets in data units.
    pub train_values: Vec<f64>,
    pub test_values: Vec<f64>,
    pub naive_train_rmse: f64,
    pub naive_test_rmse: f64,
}

impl Dataset {
    pub fn new(arm: &ResolvedArm, source: &Source) -> Self {
        let split = source.split;
        let values = &source.series.values;
        let parts = arm.scaler_parts;
        let fit = |range: std::ops::Range<usize>| MinMaxScaler::fit(&values[range], &arm.scaler);
        let scalers = match arm.scaler.fit {
            ScalerFit::All => vec![fit(0..split.rows)],
            ScalerFit::Train => vec![fit(split.train_part())],
            ScalerFit::Replica => (0..parts).map(|rank| fit(split.replica_part(rank, parts))).collect(),
        };
        // Where parts are not replicas, as in a swapped arm, no device has the one scaler of its windows.
        let place =
            if scalers.len() == 1 || scalers.len() == arm.devices.get() { arm.scaler.at } else { ScalerPlace::Host };
        let as_received = |scaler: &MinMaxScaler| {
            let mut received: Vec<f32> = match place {
                ScalerPlace::Host => scaler.scale_on_host(values),
                ScalerPlace::Device => values.iter().map(|value| *value as f32).collect(),
            };
            if arm.perturbed {
                received.iter_mut().for_each(|value| *value = value.next_up());
            }
            received
        };
        let cut =
            |all: &[f32], part: std::ops::Range<usize>, count: usize| Windows::cut(&all[part], split.look_back, count);
        let train = scalers
            .iter()
            .map(|scaler| Arc::new(cut(&as_received(scaler), split.train_part(), split.train_windows())))
            .collect();
        let first = as_received(&scalers[0]);
        let targets = |part: std::ops::Range<usize>, count: usize| {
            values[part][split.look_back..split.look_back + count].to_vec()
        };
        let naive =
            |part: std::ops::Range<usize>, count: usize| naive_forecast_rmse(&values[part], split.look_back, count);
        Dataset {
            train,
            evaluate_train: cut(&first, split.train_part(), split.train_windows()),
            evaluate_test: cut(&first, split.test_part(), split.test_windows()),
            place,
            train_values: targets(split.train_part(), split.train_windows()),
            test_values: targets(split.test_part(), split.test_windows()),
            naive_train_rmse: naive(split.train_part(), split.train_windows()),
            naive_test_rmse: naive(split.test_part(), split.test_windows()),
            scalers,
        }
    }

    /// The training windows in the scaled units of scaler part `rank`.
    pub fn train(&self, rank: usize) -> &Arc<Windows> {
        &self.train[rank.min(self.train.len() - 1)]
    }

    pub fn scaler(&self, rank: usize) -> &MinMaxScaler {
        &self.scalers[rank.min(self.scalers.len() - 1)]
    }

    /// `(scale, offset)` for a replica that scales on its device.
    pub fn device_scaling(&self, rank: usize) -> Option<(f32, f32)> {
        let scaler = self.scaler(rank);
        (self.place == ScalerPlace::Device).then_some((scaler.scale as f32, scaler.offset as f32))
    }

    /// A received target in the scaled units that the loss is taken in.
    pub fn scaled_target(&self, rank: usize, received: f32) -> f32 {
        match self.device_scaling(rank) {
            Some((scale, offset)) => received * scale + offset,
            None => received,
        }
    }
}
