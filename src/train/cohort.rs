//! The training loop: trials of one arm, stacked, on all its replicas.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::data::{MinMaxScaler, Source};
use crate::device::{DeviceError, DeviceSet};
use crate::model::{Gradients, Parameters, Shape, StepSize};
use crate::spec::{PredictWith, ResolvedArm, Strategy};

use super::dataset::Dataset;
use super::evaluate::{Metrics, TrialOutcome, evaluate};
use super::initial::Initial;
use super::observer::{Observer, UpdateRecord};
use super::order::Order;
use super::reduce::reduce;
use super::replica::{Replica, ReplicaLost, ReplicaPool};
use super::shard::shards;

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
    pub device: String,
}

#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    #[error("interrupted")]
    Interrupted,
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
        pool: pool(arm, shape, &initial.trained, &devices, &dataset),
        dataset,
        failed: vec![None; cohort.seeds.len()],
        pending: None,
    };
    let epoch_losses = run.epochs(stop, observer)?;
    let trained_parameters = run.weights()?.swap_remove(0);
    let predicting = match arm.predict_with {
        // Without relocation the template is the model that was trained.
        PredictWith::Template if arm.relocate => initial.template,
        _ => trained_parameters.clone(),
    };
    Ok(run.finish(&devices, epoch_losses, trained_parameters, &predicting))
}

fn pool(
    arm: &ResolvedArm,
    shape: Shape,
    initial: &Parameters,
    devices: &DeviceSet,
    dataset: &Arc<Dataset>,
) -> ReplicaPool {
    let makers = devices
        .devices
        .iter()
        .enumerate()
        .map(|(rank, device)| {
            let (initial, device) = (initial.clone(), device.clone());
            let (scaling, time) = (dataset.device_scaling(rank), arm.look_back);
            Box::new(move || Replica::new(shape, &initial, &device, scaling, time))
                as Box<dyn FnOnce() -> Replica + Send>
        })
        .collect();
    ReplicaPool::start(makers)
}

struct Run<'a> {
    cohort: &'a Cohort<'a>,
    shape: Shape,
    pool: ReplicaPool,
    dataset: Arc<Dataset>,
    /// The update, counted from 1, at which each trial's loss stopped being finite.
    failed: Vec<Option<usize>>,
    /// Reduced gradients that replicas have yet to apply: they travel with the next batch.
    pending: Option<(Arc<Gradients>, StepSize)>,
}

impl Run<'_> {
    fn epochs(&mut self, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Vec<Vec<f32>>, TrainError> {
        let arm = self.cohort.arm;
        let mut orders: Vec<Order> = self
            .cohort
            .seeds
            .iter()
            .map(|seed| Order::new(*seed, arm.train_windows, arm.shuffle, self.cohort.source.order.as_ref()))
            .collect();
        if observer.wants_weights(0) {
            observer.weights(0, &self.weights()?);
        }
        let trials = orders.len();
        let mut history = vec![Vec::with_capacity(arm.epochs); trials];
        let mut update = 0;
        for _ in 0..arm.epochs {
            let epoch: Vec<Vec<u32>> = orders.iter_mut().map(Order::next_epoch).collect();
            let mut sums = vec![0.0f64; trials];
            for start in (0..arm.train_windows).step_by(arm.global_batch.get()) {
                if stop.load(Ordering::Relaxed) {
                    return Err(TrainError::Interrupted);
                }
                let end = (start + arm.global_batch.get()).min(arm.train_windows);
                update += 1;
                let losses = self.update(update, &epoch, start..end, observer)?;
                for (trial, loss) in losses.iter().enumerate() {
                    sums[trial] += f64::from(*loss) * (end - start) as f64;
                    if !loss.is_finite() && self.failed[trial].is_none() {
                        self.failed[trial] = Some(update);
                    }
                }
                if observer.done(update) || self.failed.iter().all(Option::is_some) {
                    return Ok(history);
                }
            }
            for (history, sum) in history.iter_mut().zip(&sums) {
                history.push((sum / arm.train_windows as f64) as f32);
            }
        }
        Ok(history)
    }

    /// One update of all trials on `range` of the epoch's order; gives one loss a trial.
    fn update(
        &mut self,
        update: usize,
        epoch: &[Vec<u32>],
        range: std::ops::Range<usize>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<f32>, TrainError> {
        let arm = self.cohort.arm;
        let size = range.len();
        let parts = shards(arm.strategy, size, arm.devices.get());
        let shard_sizes: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        let normalizers: Vec<f32> = shard_sizes
            .iter()
            .map(|shard| match arm.strategy {
                Strategy::SplitConcat => size as f32,
                Strategy::Mirrored => *shard as f32,
            })
            .collect();
        let samples: Vec<Vec<u32>> = epoch.iter().map(|order| order[range.clone()].to_vec()).collect();
        let pending = self.pending.take();
        let owners = owners(arm, size);
        let dataset = &self.dataset;
        let answers = self.pool.each(|rank| {
            let (inputs, targets) = gather(dataset, &owners, &samples, &parts[rank]);
            let (batch, normalizer) = (parts[rank].len(), normalizers[rank]);
            let pending = pending.clone();
            Box::new(move |replica: &mut Replica| {
                if let Some((gradients, step)) = pending {
                    replica.update(&gradients, &step);
                }
                replica.gradients(&inputs, &targets, batch, normalizer)
            })
        })?;
        let (shard_predictions, gradients): (Vec<Vec<f32>>, Vec<Gradients>) = answers.into_iter().unzip();
        let predictions = join(&shard_predictions, &shard_sizes, samples.len());
        let losses = self.losses(&samples, &predictions, &owners);
        let reduced = Arc::new(reduce(arm.strategy, arm.all_reduce, &gradients, &shard_sizes));
        let learning_rate = arm.learning_rate.at(update - 1);
        let step = StepSize::new(arm.preset, &arm.optimizer, learning_rate, update);
        self.pending = Some((reduced.clone(), step));
        observer.update(&UpdateRecord {
            update,
            learning_rate,
            samples: &samples,
            shard_sizes: &shard_sizes,
            normalizers: &normalizers,
            predictions: &predictions,
            losses: &losses,
            replica_gradients: &gradients,
            reduced: &reduced,
        });
        if observer.wants_weights(update) {
            observer.weights(update, &self.weights()?);
        }
        Ok(losses)
    }

    /// The mean squared error over the joined outputs, one a trial.
    fn losses(&self, samples: &[Vec<u32>], predictions: &[Vec<f32>], owners: &[usize]) -> Vec<f32> {
        samples
            .iter()
            .zip(predictions)
            .map(|(samples, predictions)| {
                let errors = samples.iter().zip(predictions).zip(owners).map(|((sample, prediction), owner)| {
                    let target = self.dataset.train(*owner).targets[*sample as usize];
                    f64::from(prediction - self.dataset.scaled_target(*owner, target)).powi(2)
                });
                (errors.sum::<f64>() / samples.len() as f64) as f32
            })
            .collect()
    }

    /// Weights of every replica, with the last update applied.
    fn weights(&mut self) -> Result<Vec<Parameters>, TrainError> {
        let pending = self.pending.take();
        Ok(self.pool.each(|_| {
            let pending = pending.clone();
            Box::new(move |replica: &mut Replica| {
                if let Some((gradients, step)) = pending {
                    replica.update(&gradients, &step);
                }
                replica.parameters()
            })
        })?)
    }

    fn finish(
        &self,
        devices: &DeviceSet,
        epoch_losses: Vec<Vec<f32>>,
        trained_parameters: Parameters,
        predicting: &Parameters,
    ) -> Trained {
        let dataset = &self.dataset;
        let trials = self.cohort.seeds.len();
        let answering = Replica::new(
            self.shape,
            predicting,
            &devices.devices[0],
            dataset.device_scaling(0),
            self.cohort.arm.look_back,
        );
        let predict = |windows: &crate::data::Windows| answering.predict(&windows.inputs.repeat(trials), windows.count);
        let (train, test) = (predict(&dataset.evaluate_train), predict(&dataset.evaluate_test));
        let (train_count, test_count) = (dataset.evaluate_train.count, dataset.evaluate_test.count);
        let scaler = dataset.scaler(0);
        let mut trained = Trained {
            outcomes: Vec::with_capacity(trials),
            epoch_losses,
            train_predictions: Vec::with_capacity(trials),
            test_predictions: Vec::with_capacity(trials),
            train_values: dataset.train_values.clone(),
            predicting_distance: (0..trials).map(|trial| trained_parameters.distance(predicting, trial)).collect(),
            trained_parameters,
            predicting_parameters: predicting.clone(),
            scalers: dataset.scalers.clone(),
            device: devices.description.clone(),
        };
        for trial in 0..trials {
            let part = |all: &[f32], count: usize| all[trial * count..(trial + 1) * count].to_vec();
            let (train_rmse_scaled, train_rmse, train_values) =
                evaluate(&part(&train, train_count), &dataset.train_values, scaler);
            let (test_rmse_scaled, test_rmse, test_values) =
                evaluate(&part(&test, test_count), &dataset.test_values, scaler);
            let final_loss = trained.epoch_losses[trial].last().copied().map_or(f64::NAN, f64::from);
            let finite = train_rmse.is_finite() && test_rmse.is_finite();
            trained.outcomes.push(match self.failed[trial] {
                Some(update) => TrialOutcome::Diverged { update },
                // The last update can still have broken the weights.
                None if !finite => TrialOutcome::Diverged { update: self.cohort.arm.updates() },
                None => TrialOutcome::Finished(Metrics {
                    train_rmse,
                    test_rmse,
                    train_rmse_scaled,
                    test_rmse_scaled,
                    naive_train_rmse: dataset.naive_train_rmse,
                    naive_test_rmse: dataset.naive_test_rmse,
                    final_loss,
                }),
            });
            trained.train_predictions.push(train_values);
            trained.test_predictions.push(test_values);
        }
        trained
    }
}

/// Which scaler part each position of a global batch belongs to: the shard it falls in.
fn owners(arm: &ResolvedArm, size: usize) -> Vec<usize> {
    shards(arm.strategy, size, arm.scaler_parts)
        .into_iter()
        .enumerate()
        .flat_map(|(part, range)| range.map(move |_| part))
        .collect()
}

/// One replica's shard of every trial's batch: inputs `[trials, shard, time, 1]`, targets `[trials, shard, 1]`.
fn gather(
    dataset: &Dataset,
    owners: &[usize],
    samples: &[Vec<u32>],
    part: &std::ops::Range<usize>,
) -> (Vec<f32>, Vec<f32>) {
    let time = dataset.evaluate_train.look_back;
    let mut inputs = Vec::with_capacity(samples.len() * part.len() * time);
    let mut targets = Vec::with_capacity(samples.len() * part.len());
    for order in samples {
        for position in part.clone() {
            let windows = dataset.train(owners[position]);
            let index = order[position] as usize;
            inputs.extend_from_slice(&windows.inputs[index * time..(index + 1) * time]);
            targets.push(windows.targets[index]);
        }
    }
    (inputs, targets)
}

/// Shards' predictions, `[trials, shard]` each, to `[trials][batch]` in rank order.
fn join(parts: &[Vec<f32>], sizes: &[usize], trials: usize) -> Vec<Vec<f32>> {
    (0..trials)
        .map(|trial| {
            parts
                .iter()
                .zip(sizes)
                .flat_map(|(part, size)| part[trial * size..(trial + 1) * size].iter().copied())
                .collect()
        })
        .collect()
}
