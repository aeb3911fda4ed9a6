//! Short recorded trainings that checks and lockstep comparison read.

use std::sync::atomic::AtomicBool;

use crate::data::Source;
use crate::device::DeviceSet;
use crate::model::{Gradients, Parameters, Shape};
use crate::results::{ProbeKey, ProbeRecord, UpdateTrace};
use crate::train::{Cohort, Dataset, Observer, Replica, TrainError, TrialOutcome, UpdateRecord, train};

/// The first updates, whose tensors are kept; so are those of the first epoch's last batch, which may be uneven.
const DETAILED: usize = 2;

/// Trains the first two epochs of one seed, and one update alone to see who answers.
pub fn probe(key: &ProbeKey, source: &Source, stop: &AtomicBool) -> Result<ProbeRecord, TrainError> {
    let seeds = [key.seed];
    let cohort = Cohort { arm: &key.arm, seeds: &seeds, source };
    let mut recorder = Recorder {
        last: (2 * key.arm.updates_an_epoch()).max(DETAILED),
        last_batch: key.arm.updates_an_epoch(),
        ..Recorder::default()
    };
    train(&cohort, stop, &mut recorder)?;
    let mut first = Recorder { last: 1, ..Recorder::default() };
    let answered = train(&cohort, stop, &mut first)?;
    let trained = &answered.trained_parameters;
    let dataset = Dataset::new(&key.arm, source);
    let shape = Shape::new(key.arm.preset, key.arm.cell, key.arm.units, 1);
    let devices = DeviceSet::open(key.arm.device, 1)?;
    let answering = Replica::new(
        shape,
        &answered.predicting_parameters,
        &devices.devices[0],
        dataset.device_scaling(0),
        key.arm.look_back,
    );
    let inverse = answered.inverse;
    let answers_alone = dataset
        .evaluate_train
        .inputs
        .chunks(key.arm.look_back)
        .flat_map(|window| answering.predict(window, 1))
        .map(|scaled| inverse.invert(f64::from(scaled)))
        .collect();
    let reported_train_rmse = match &answered.outcomes[0] {
        TrialOutcome::Finished(metrics) => metrics.train_rmse,
        TrialOutcome::Diverged { .. } => f64::MAX,
    };
    Ok(ProbeRecord {
        arm: key.arm.clone(),
        seed: key.seed,
        trained_distance: recorder.initial.as_ref().map_or(0.0, |initial| trained.distance(initial, 0)),
        initial_weights: recorder.initial.as_ref().map(tensors).unwrap_or_default(),
        initial_spread: recorder.initial_spread,
        updates: recorder.updates,
        predicting_distance: answered.predicting_distance[0],
        answers: answered.train_predictions.into_iter().next().unwrap_or_default(),
        answers_alone,
        targets: dataset.train_values.clone(),
        reported_train_rmse,
        inverse: (inverse.scale, inverse.offset),
        scalers: answered.scalers.iter().map(|scaler| (scaler.scale, scaler.offset)).collect(),
        train_windows: key.arm.train_windows,
    })
}

#[derive(Default)]
struct Recorder {
    last: usize,
    last_batch: usize,
    initial: Option<Parameters>,
    initial_spread: f64,
    updates: Vec<UpdateTrace>,
}

impl Observer for Recorder {
    fn wants_weights(&self, update: usize) -> bool {
        update <= self.last
    }

    fn update(&mut self, record: &UpdateRecord<'_>) {
        let detailed = record.update <= DETAILED || record.update == self.last_batch;
        let kept = |gradients: &Gradients| if detailed { gradients.clone() } else { Vec::new() };
        self.updates.push(UpdateTrace {
            update: record.update,
            learning_rate: record.learning_rate,
            samples: record.samples[0].clone(),
            shard_sizes: record.shard_sizes.to_vec(),
            normalizers: record.normalizers.to_vec(),
            loss: record.losses[0],
            replica_spread: 0.0,
            predictions: if detailed { record.predictions[0].clone() } else { Vec::new() },
            replica_gradients: record.replica_gradients.iter().filter(|_| detailed).map(kept).collect(),
            reduced: kept(record.reduced),
            weights: Vec::new(),
        });
    }

    fn weights(&mut self, update: usize, replicas: &[Parameters]) {
        let spread = replicas
            .iter()
            .flat_map(|replica| replica.list.iter().zip(&replicas[0].list))
            .flat_map(|(mine, first)| mine.values.iter().zip(&first.values))
            .map(|(mine, first)| f64::from((mine - first).abs()))
            .fold(0.0, f64::max);
        match self.updates.last_mut() {
            None => {
                self.initial_spread = spread;
                self.initial = Some(replicas[0].clone());
            }
            Some(trace) => {
                trace.replica_spread = spread;
                if update <= DETAILED {
                    trace.weights = tensors(&replicas[0]);
                }
            }
        }
    }

    fn done(&self, update: usize) -> bool {
        update >= self.last
    }
}

fn tensors(parameters: &Parameters) -> Vec<Vec<f32>> {
    parameters.list.iter().map(|parameter| parameter.values.clone()).collect()
}
