//! The first updates of one seed of an arm, tensor by tensor: what checks and lockstep comparison read.
//!
//! Kept as CBOR, since a trace of a training that breaks down holds NaN.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::spec::{ResolvedArm, TrialId};

use super::error::ResultsError;
use super::files::write_atomically;

/// Which probe: an arm and a seed.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeKey {
    pub arm: ResolvedArm,
    pub seed: u64,
}

impl ProbeKey {
    pub fn id(&self) -> TrialId {
        // One seed has one id.
        self.arm.trial_ids(&[self.seed])[0]
    }
}

/// Tensors by parameter, flattened.
pub type Tensors = Vec<Vec<f32>>;

/// One update; tensors of the first updates only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UpdateTrace {
    /// Counted from 1.
    pub update: usize,
    pub learning_rate: f64,
    /// Window numbers of the global batch.
    pub samples: Vec<u32>,
    pub shard_sizes: Vec<usize>,
    pub normalizers: Vec<f32>,
    pub loss: f32,
    /// The largest difference between any replica's weights and rank 0's after this update.
    pub replica_spread: f64,
    pub predictions: Vec<f32>,
    pub replica_gradients: Vec<Tensors>,
    pub reduced: Tensors,
    /// Rank 0's weights after this update.
    pub weights: Tensors,
}

/// A probe's record, in one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeRecord {
    pub arm: ResolvedArm,
    pub seed: u64,
    /// Rank 0's weights before the first update.
    pub initial_weights: Tensors,
    /// The largest difference between replicas before the first update.
    pub initial_spread: f64,
    /// At least one epoch of updates.
    pub updates: Vec<UpdateTrace>,
    /// Norm of trained minus predicting weights after one update.
    pub predicting_distance: f64,
    /// Norm of what one update changed.
    pub trained_distance: f64,
    /// Predictions for the training windows after one update, in data units.
    pub answers: Vec<f64>,
    /// The same windows predicted one by one.
    pub answers_alone: Vec<f64>,
    /// Their targets, in data units.
    pub targets: Vec<f64>,
    pub reported_train_rmse: f64,
    /// `(scale, offset)` of the scaler that inverts predictions.
    pub inverse: (f64, f64),
    /// `(scale, offset)` a scaler part.
    pub scalers: Vec<(f64, f64)>,
    pub train_windows: usize,
}

impl ProbeRecord {
    /// `None` where this probe has not been run.
    pub fn read(folder: &Path, key: &ProbeKey) -> Result<Option<Self>, ResultsError> {
        let path = path(folder, key);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ResultsError::file(&path, "read", &error)),
        };
        ciborium::from_reader(bytes.as_slice())
            .map(Some)
            .map_err(|error| ResultsError::content(&path, error, "remove the file and run the diagnosis again"))
    }

    pub fn write(&self, folder: &Path) -> Result<(), ResultsError> {
        let key = ProbeKey { arm: self.arm.clone(), seed: self.seed };
        let path = path(folder, &key);
        let mut bytes = Vec::new();
        ciborium::into_writer(self, &mut bytes)
            .map_err(|error| ResultsError::content(&path, error, "report this as a bug"))?;
        write_atomically(&path, &bytes)
    }
}

fn path(folder: &Path, key: &ProbeKey) -> std::path::PathBuf {
    folder.join(format!("{}.cbor", key.id()))
}
