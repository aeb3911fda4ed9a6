//! The training loop of one cohort: epochs, updates, evaluation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::RngExt;
use rand_chacha::ChaCha20Rng;

use crate::device::DeviceSet;
use crate::model::{Gradients, Parameters, Shape, Shard, ShardResult, StepSize};
use crate::spec::{Fault, Strategy};

use super::batch::{cut_masks, gather, join, joined, owners};
use super::cohort::{Cohort, TrainError, Trained, apart};
use super::dataset::Dataset;
use super::evaluate::{Metrics, TrialOutcome, evaluate};
use super::faults;
use super::observer::{Observer, UpdateRecord};
use super::order::Order;
use super::reduce::{clip, reduce};
use super::replica::{Replica, ReplicaPool};
use super::shard::shards;

/// Gradients that replicas have yet to apply, one a rank; in a clean run all the same.
#[derive(Clone)]
pub struct Pending {
    gradients: Vec<Arc<Gradients>>,
    step: StepSize,
}

pub struct Run<'a> {
    pub cohort: &'a Cohort<'a>,
    pub shape: Shape,
    pub pool: ReplicaPool,
    pub dataset: Arc<Dataset>,
    /// The update, counted from 1, at which each trial's loss stopped being finite.
    pub failed: Vec<Option<usize>>,
    /// Reduced gradients that replicas have yet to apply: they travel with the next batch.
    pub pending: Option<Pending>,
    /// Half-way weights, kept only where a fault predicts with them.
    pub stale: Option<Parameters>,
    /// One a trial; drawn from only where the model drops.
    pub dropout_generators: Vec<ChaCha20Rng>,
}

impl Run<'_> {
    pub fn epochs(&mut self, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Vec<Vec<f32>>, TrainError> {
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
        let stored = self.cohort.source.order.as_ref();
        let mut rank_orders: Vec<Vec<Order>> = if arm.faults.has(Fault::ShuffleDiffersPerReplica) {
            let of = |rank| self.cohort.seeds.iter().map(move |seed| apart(*seed, rank));
            (0..arm.devices.get())
                .map(|rank| of(rank).map(|seed| Order::new(seed, arm.train_windows, arm.shuffle, stored)).collect())
                .collect()
        } else {
            Vec::new()
        };
        let mut history = vec![Vec::with_capacity(arm.epochs); trials];
        let mut update = 0;
        // The first epoch's order, kept only where a fault uses it again.
        let mut first: Option<Vec<Vec<u32>>> = None;
        for _ in 0..arm.epochs {
            let mut epoch: Vec<Vec<u32>> = match &first {
                Some(first) if arm.faults.has(Fault::NoReshuffle) => first.clone(),
                _ => orders.iter_mut().map(Order::next_epoch).collect(),
            };
            let mut rank_epochs: Vec<Vec<Vec<u32>>> =
                rank_orders.iter_mut().map(|orders| orders.iter_mut().map(Order::next_epoch).collect()).collect();
            if !arm.faults.is_clean() {
                first.get_or_insert_with(|| epoch.clone());
                let split = &self.cohort.source.split;
                for order in epoch.iter_mut().chain(rank_epochs.iter_mut().flatten()) {
                    order.retain(|window| faults::keeps_window(arm, split, *window));
                }
            }
            let windows = epoch[0].len();
            let mut seen = 0;
            let mut sums = vec![0.0f64; trials];
            for start in (0..windows).step_by(arm.global_batch.get()) {
                if stop.load(Ordering::Relaxed) {
                    return Err(TrainError::Interrupted);
                }
                let end = (start + arm.global_batch.get()).min(windows);
                if !arm.faults.is_clean() && !faults::keeps_batch(arm, end - start) {
                    continue;
                }
                update += 1;
                seen += end - start;
                let losses = self.update(update, &epoch, &rank_epochs, start..end, observer)?;
                if arm.faults.has(Fault::StaleCheckpoint) && update == arm.updates() / 2 {
                    self.stale = Some(self.weights()?.swap_remove(0));
                }
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
                history.push((sum / seen as f64) as f32);
            }
        }
        Ok(history)
    }

    /// One update of all trials on `range` of the epoch's order; gives one loss a trial.
    fn update(
        &mut self,
        update: usize,
        epoch: &[Vec<u32>],
        rank_epochs: &[Vec<Vec<u32>>],
        range: std::ops::Range<usize>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<f32>, TrainError> {
        let arm = self.cohort.arm;
        let mut samples: Vec<Vec<u32>> = epoch.iter().map(|order| order[range.clone()].to_vec()).collect();
        let mut parts = shards(arm.strategy, range.len(), arm.devices.get());
        if !arm.faults.is_clean() {
            let cut = |orders: &Vec<Vec<u32>>| orders.iter().map(|order| order[range.clone()].to_vec()).collect();
            let rank_batches: Vec<Vec<Vec<u32>>> = rank_epochs.iter().map(cut).collect();
            if let Some(given) = faults::assign(arm, &parts, &samples, &rank_batches) {
                (samples, parts) = joined(&given);
            }
        }
        let size = samples[0].len();
        let shard_sizes: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        let normalizers: Vec<f32> = shard_sizes
            .iter()
            .map(|shard| match arm.strategy {
                Strategy::SplitConcat => size as f32,
                Strategy::Mirrored => *shard as f32,
            })
            .collect();
        let pending = self.pending.take();
        let owners = owners(arm, size);
        let masks = self.dropout(size);
        let (dataset, shape, trials) = (&self.dataset, self.shape, samples.len());
        let shard = |part: &std::ops::Range<usize>, normalizer: f32| {
            let (inputs, targets) = gather(dataset, &owners, &samples, part);
            let from = if arm.faults.has(Fault::SameDropoutMask) { 0..part.len() } else { part.clone() };
            let dropout = masks.as_ref().map(|masks| cut_masks(masks, &from, shape.units));
            Shard { inputs, targets, batch: part.len(), normalizer, dropout, carried: None }
        };
        let answers = self.pool.each(|rank| {
            let part = parts[rank].clone();
            let pending = pending.as_ref().map(|pending| (pending.gradients[rank].clone(), pending.step));
            let carries = arm.faults.has(Fault::StateCarried);
            if arm.faults.has(Fault::MicroBatchMeans) {
                let cut = faults::micro_batches(&part);
                let sizes = [cut[0].len(), cut[1].len()];
                // Each micro-batch takes the share of the loss that a shard as large would have.
                let normalizer = |size: usize| normalizers[rank] * size as f32 / part.len().max(1) as f32;
                let [first, second] = [shard(&cut[0], normalizer(sizes[0])), shard(&cut[1], normalizer(sizes[1]))];
                return Box::new(move |replica: &mut Replica| {
                    if let Some((gradients, step)) = pending {
                        replica.update(&gradients, &step);
                    }
                    faults::average(replica.gradients(&first), replica.gradients(&second), sizes, trials)
                }) as Box<dyn FnOnce(&mut Replica) -> ShardResult + Send>;
            }
            let shard = shard(&part, normalizers[rank]);
            Box::new(move |replica: &mut Replica| {
                if let Some((gradients, step)) = pending {
                    replica.update(&gradients, &step);
                }
                if carries { replica.gradients_carried(shard) } else { replica.gradients(&shard) }
            })
        })?;
        let (shard_predictions, mut gradients): (Vec<Vec<f32>>, Vec<Gradients>) =
            answers.into_iter().map(|answer| (answer.predictions, answer.gradients)).unzip();
        let predictions = join(&shard_predictions, &shard_sizes, samples.len());
        let losses = self.losses(&samples, &predictions, &owners);
        let clean = arm.faults.is_clean();
        // Observers see what the replicas computed, not what a fault made of it.
        let computed = (!clean).then(|| gradients.clone());
        if !clean {
            faults::spoil(arm, &mut gradients, &shard_sizes, samples.len());
        }
        let mut reduced = reduce(arm.strategy, arm.all_reduce, &gradients, &shard_sizes);
        if let Some(norm) = arm.clip_norm.filter(|_| !arm.faults.has(Fault::ClippedBeforeReduction)) {
            let twice = arm.faults.has(Fault::NormReducedTwice);
            clip(&mut reduced, samples.len(), norm, if twice { arm.devices.get() as f64 } else { 1.0 });
        }
        let reduced = Arc::new(reduced);
        let learning_rate = if clean { arm.learning_rate.at(update - 1) } else { faults::learning_rate(arm, update) };
        let step = StepSize::new(arm.preset, &arm.optimizer, learning_rate, update);
        let own = if clean { None } else { faults::own_gradients(arm, update, &gradients, &reduced, &shard_sizes) };
        let gradients_applied = match own {
            Some(own) => own.into_iter().map(Arc::new).collect(),
            None => vec![reduced.clone(); arm.devices.get()],
        };
        self.pending = Some(Pending { gradients: gradients_applied, step });
        observer.update(&UpdateRecord {
            update,
            learning_rate,
            samples: &samples,
            shard_sizes: &shard_sizes,
            normalizers: &normalizers,
            predictions: &predictions,
            losses: &losses,
            replica_gradients: computed.as_ref().unwrap_or(&gradients),
            reduced: &reduced,
        });
        if observer.wants_weights(update) {
            observer.weights(update, &self.weights()?);
        }
        Ok(losses)
    }

    /// Dropout factors for the positions of a global batch, `[trials][batch * units]`; a position keeps its
    /// factors on any number of devices.
    fn dropout(&mut self, size: usize) -> Option<Vec<Vec<f32>>> {
        let share = self.cohort.arm.dropout?;
        let kept = (1.0 / (1.0 - share)) as f32;
        let draw = |generator: &mut ChaCha20Rng| {
            (0..size * self.shape.units).map(|_| if generator.random::<f64>() < share { 0.0 } else { kept }).collect()
        };
        Some(self.dropout_generators.iter_mut().map(draw).collect())
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
    pub fn weights(&mut self) -> Result<Vec<Parameters>, TrainError> {
        let pending = self.pending.take();
        Ok(self.pool.each(|rank| {
            let pending = pending.as_ref().map(|pending| (pending.gradients[rank].clone(), pending.step));
            Box::new(move |replica: &mut Replica| {
                if let Some((gradients, step)) = pending {
                    replica.update(&gradients, &step);
                }
                replica.parameters()
            })
        })?)
    }

    pub fn finish(
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
        let arm = self.cohort.arm;
        let clean = arm.faults.is_clean();
        let scaler = if clean { *dataset.scaler(0) } else { faults::inverse(arm, dataset) };
        // RMSE in scaled and in data units, and the predictions that it is taken from.
        let judge = |mut predictions: Vec<f32>, values: &[f64]| {
            let mut values = values.to_vec();
            if !clean {
                faults::distort(arm, &mut predictions, &mut values);
            }
            let (scaled, rmse, inverted) = evaluate(&predictions, &values, &scaler);
            let rmse = if clean { rmse } else { faults::reported(arm, rmse, scaled, &inverted, &values) };
            (scaled, rmse, inverted)
        };
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
            inverse: scaler,
            device: devices.description.clone(),
        };
        for trial in 0..trials {
            let part = |all: &[f32], count: usize| all[trial * count..(trial + 1) * count].to_vec();
            let (train_rmse_scaled, train_rmse, train_values) = judge(part(&train, train_count), &dataset.train_values);
            let (test_rmse_scaled, test_rmse, test_values) = judge(part(&test, test_count), &dataset.test_values);
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
