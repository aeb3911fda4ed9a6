//! What can change the result of a trial, worked out and hashed.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::expression::Names;
use super::fault::Faults;
use super::learning_rate::LearningRateTrace;
use super::quantity::{DeviceCount, GlobalBatch};
use super::settings::{
    AllReduce, Cell, DeviceKind, Optimizer, PredictWith, Preset, Scaler, ScalerFit, Settings, Strategy, WindowRule,
};

/// Raised whenever the same trial would come out with other bits.
pub const NUMERICS_VERSION: u32 = 1;

/// What a spec's data turned out to be, as far as rules and identities need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFacts {
    /// Values in the series.
    pub rows: usize,
    pub train_windows: usize,
    /// Hash of the series' values.
    pub series_hash: String,
    /// Hash of the file that `model.initial_weights` names.
    pub initial_weights_hash: Option<String>,
    /// Hash of the file that `train.order` names.
    pub order_hash: Option<String>,
}

/// One arm with every rule worked out to numbers: equal resolved arms give equal results seed by seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResolvedArm {
    pub series_hash: String,
    pub rows: usize,
    pub train_windows: usize,
    pub train_fraction: f64,
    pub look_back: usize,
    pub windows: WindowRule,
    pub scaler: Scaler,
    /// How many parts fit a scaler of their own; 1 unless each replica fits one.
    pub scaler_parts: usize,
    pub preset: Preset,
    pub cell: Cell,
    pub units: usize,
    pub initial_weights_hash: Option<String>,
    pub epochs: usize,
    pub global_batch: GlobalBatch,
    pub learning_rate: LearningRateTrace,
    pub optimizer: Optimizer,
    pub shuffle: bool,
    pub order_hash: Option<String>,
    pub devices: DeviceCount,
    pub strategy: Strategy,
    pub all_reduce: AllReduce,
    pub relocate: bool,
    pub predict_with: PredictWith,
    pub device: DeviceKind,
    /// Whether every scaled input is moved by one rounding step: a measure of what rounding alone can do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub perturbed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropout: Option<f64>,
    /// The norm that reduced gradients are clipped to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip_norm: Option<f64>,
    #[serde(default, skip_serializing_if = "Faults::is_clean")]
    pub faults: Faults,
}

/// Identity of a trial: a hash of everything that can change its result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TrialId(u64);

impl fmt::Display for TrialId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

impl fmt::Debug for TrialId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl From<TrialId> for String {
    fn from(id: TrialId) -> String {
        id.to_string()
    }
}

impl TryFrom<String> for TrialId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        u64::from_str_radix(&text, 16).map(TrialId).map_err(|_| format!("`{text}` is not a trial id"))
    }
}

impl ResolvedArm {
    /// Works out batch and learning-rate rules for data that turned out as `facts` say.
    pub fn resolve(settings: &Settings, facts: &DataFacts) -> Result<Self, String> {
        let devices = settings.parallel.devices;
        let names = |devices: usize| Names {
            rows: facts.rows,
            windows: facts.train_windows,
            devices,
            base: settings.train.learning_rate.base.get(),
            epochs: settings.train.epochs.get(),
        };
        let global_batch = settings.train.batch.resolve(names(devices.get()))?;
        let one_device = settings.train.batch.resolve(names(1))?;
        let epochs = settings.train.epochs.get();
        let learning_rate = settings.train.learning_rate.resolve(
            global_batch.get() as f64 / one_device.get() as f64,
            facts.train_windows.div_ceil(global_batch.get()),
            epochs,
        )?;
        let [low, high] = settings.scaler.range;
        if !(low.is_finite() && high.is_finite() && low < high) {
            return Err(format!("a scaler range runs from low to high, got [{low}, {high}]"));
        }
        Ok(ResolvedArm {
            series_hash: facts.series_hash.clone(),
            rows: facts.rows,
            train_windows: facts.train_windows,
            train_fraction: settings.data.train_fraction.get(),
            look_back: settings.data.look_back.get(),
            windows: settings.data.windows,
            scaler: settings.scaler.clone(),
            scaler_parts: match settings.scaler.fit {
                ScalerFit::Replica => devices.get(),
                ScalerFit::All | ScalerFit::Train => 1,
            },
            preset: settings.model.preset,
            cell: settings.model.cell,
            units: settings.model.units.get(),
            initial_weights_hash: facts.initial_weights_hash.clone(),
            epochs,
            global_batch,
            learning_rate,
            optimizer: settings.train.optimizer.clone(),
            shuffle: settings.train.shuffle,
            order_hash: facts.order_hash.clone(),
            devices,
            strategy: settings.parallel.strategy,
            all_reduce: settings.parallel.all_reduce,
            relocate: settings.parallel.relocate,
            predict_with: settings.predict_with,
            device: settings.device,
            perturbed: false,
            dropout: settings.model.dropout.map(|share| share.get()),
            clip_norm: settings.train.clip_norm.map(|norm| norm.get()),
            faults: settings.faults.clone(),
        })
    }

    pub fn updates_an_epoch(&self) -> usize {
        self.train_windows.div_ceil(self.global_batch.get())
    }

    pub fn updates(&self) -> usize {
        self.updates_an_epoch() * self.epochs
    }

    /// Windows seen over all of training.
    pub fn samples_seen(&self) -> usize {
        self.train_windows * self.epochs
    }

    /// The ids of this arm's trials, one a seed.
    pub fn trial_ids(&self, seeds: &[u64]) -> Vec<TrialId> {
        let mut arm = blake3::Hasher::new();
        arm.update(&NUMERICS_VERSION.to_le_bytes());
        // Serialising a plain struct of numbers, words and options cannot fail.
        let text = serde_json::to_vec(self).unwrap_or_else(|_| unreachable!());
        arm.update(&text);
        seeds
            .iter()
            .map(|seed| {
                let mut trial = arm.clone();
                trial.update(&seed.to_le_bytes());
                let mut first = [0; 8];
                first.copy_from_slice(&trial.finalize().as_bytes()[..8]);
                TrialId(u64::from_be_bytes(first))
            })
            .collect()
    }
}
