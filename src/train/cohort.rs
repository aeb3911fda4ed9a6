//! Trials of one arm, stacked, on all its replicas.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::data::{MinMaxScaler, Source};
use crate::device::{DeviceError, DeviceSet};
use crate::model::{Parameters, Shape};
use crate::spec::{Fault, PredictWith, ResolvedArm};

use super::dataset::Dataset;
use super::evaluate::TrialOutcome;
use super::initial::Initial;
use super::observer::Observer;
use super::random::{Purpose, generator};
use super::replica::{Replica, ReplicaLost, ReplicaPool};
use super::run::Run;

/// Trials of one arm, trained together.
pub struct Cohort<'a> {
    pub arm: &'a ResolvedArm,
    pub seeds: &'a [u64],
    pub source: &'a Source,
}

/// What a cohort leaves behind.
pub struct Trained {
    /// One a seed.
    pub outcomes: Vec<TrialOutcome>,
    /// Mean loss of every epoch, `[trials][epochs]`.
    pub epoch_losses: Vec<Vec<f32>>,
    /// Predictions in data units, `[trials][windows]`.
    pub train_predictions: Vec<Vec<f64>>,
    pub test_predictions: Vec<Vec<f64>>,
    /// Targets of the training windows, in data units.
    pub train_values: Vec<f64>,
    /// Norm of the difference between trained and predicting weights, a trial.
    pub predicting_distance: Vec<f64>,
    pub trained_parameters: Parameters,
    pub predicting_parameters: Parameters,
    /// Scalers by part; the first one inverts.
    pub scalers: Vec<MinMaxScaler>,
    /// The scaler that predictions were inverted with.
    pub inverse: MinMaxScaler,
    pub device: String,
}

#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    #[error("interrupted")]
    Interrupted,
    #[error("internal error: training arm `{arm}` panicked; what was finished is kept")]
    Panicked { arm: String },
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(transparent)]
    ReplicaLost(#[from] ReplicaLost),
}

/// Trains a cohort; `stop` abandons it between updates.
pub fn train(cohort: &Cohort<'_>, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Trained, TrainError> {
    let arm = cohort.arm;
    let shape = Shape::new(arm.preset, arm.cell, arm.units, 1);
    let dataset = Arc::new(Dataset::new(arm, cohort.source));
    let devices = DeviceSet::open(arm.device, arm.devices.get())?;
    let initial = Initial::of(arm, shape, cohort.seeds, cohort.source);
    let mut run = Run {
        cohort,
        shape,
        pool: pool(cohort, shape, &initial.trained, &devices, &dataset),
        dataset,
        failed: vec![None; cohort.seeds.len()],
        pending: None,
        stale: None,
        dropout_generators: cohort.seeds.iter().map(|seed| generator(*seed, Purpose::Dropout)).collect(),
    };
    let epoch_losses = run.epochs(stop, observer)?;
    let trained_parameters = run.weights()?.swap_remove(0);
    let predicting = match arm.predict_with {
        // Without relocation the template is the model that was trained.
        PredictWith::Template if arm.relocate => initial.template,
        _ if arm.faults.has(Fault::StaleCheckpoint) => run.stale.take().unwrap_or(initial.trained),
        _ => trained_parameters.clone(),
    };
    Ok(run.finish(&devices, epoch_losses, trained_parameters, &predicting))
}

fn pool(
    cohort: &Cohort<'_>,
    shape: Shape,
    initial: &Parameters,
    devices: &DeviceSet,
    dataset: &Arc<Dataset>,
) -> ReplicaPool {
    let arm = cohort.arm;
    let makers = devices
        .devices
        .iter()
        .enumerate()
        .map(|(rank, device)| {
            let initial = if rank > 0 && arm.faults.has(Fault::ReplicasNotBroadcast) {
                let seeds: Vec<u64> = cohort.seeds.iter().map(|seed| apart(*seed, rank)).collect();
                Initial::of(arm, shape, &seeds, cohort.source).trained
            } else {
                initial.clone()
            };
            let device = device.clone();
            let (scaling, time) = (dataset.device_scaling(rank), arm.look_back);
            Box::new(move || Replica::new(shape, &initial, &device, scaling, time))
                as Box<dyn FnOnce() -> Replica + Send>
        })
        .collect();
    ReplicaPool::start(makers)
}

/// A seed of a replica's own, for faults that give it one.
pub(super) fn apart(seed: u64, rank: usize) -> u64 {
    seed + 1_000_003 * rank as u64
}
