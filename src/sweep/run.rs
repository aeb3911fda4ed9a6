//! Running what is missing: cohorts over all cores, each journalled as soon as it is done.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Instant;

use crate::data::Source;
use crate::results::{
    CohortHistory, Figures, Forecast, Journal, LossHistory, ResultsError, ResultsFolder, Status, TrialRecord,
};
use crate::spec::{ResolvedArm, TrialId};
use crate::train::{Cohort, NoObserver, TrainError, Trained, TrialOutcome, train};

use super::queue::{Queue, Task};

/// How many trials share one tensor program: past this a step's cost grows with every trial.
const COHORT_TRIALS: usize = 64;

/// Seeds of one arm that are to be trained.
#[derive(Clone)]
pub struct Work {
    pub arm: String,
    pub resolved: Arc<ResolvedArm>,
    pub source: Arc<Source>,
    pub trials: Vec<(u64, TrialId)>,
}

pub struct Options {
    pub jobs: NonZeroUsize,
}

/// What a run reports while it goes on.
pub enum Event<'a> {
    Planned { trials: usize, cohorts: usize },
    Finished { arm: &'a str, records: &'a [TrialRecord] },
}

#[derive(Debug, Default)]
pub struct Summary {
    pub records: Vec<TrialRecord>,
    pub interrupted: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Results(#[from] ResultsError),
    #[error(transparent)]
    Train(#[from] TrainError),
}

struct CohortTask {
    work: Work,
}

impl CohortTask {
    /// Windows times updates times trials: what the time is roughly proportional to.
    fn cost(&self) -> usize {
        self.work.resolved.samples_seen() * self.work.trials.len() + self.work.resolved.updates() * 8
    }
}

impl Task for CohortTask {
    fn cores(&self) -> usize {
        self.work.resolved.devices.get()
    }
}

/// Trains all of `work`; a trial counts once its record is on disk.
pub fn run(
    work: Vec<Work>,
    folder: &ResultsFolder,
    journal: &mut Journal,
    options: &Options,
    stop: &AtomicBool,
    mut on_event: impl FnMut(&Event<'_>),
) -> Result<Summary, RunError> {
    let tasks = cohorts(work, options.jobs.get());
    let workers = options.jobs.get().min(tasks.len());
    on_event(&Event::Planned { trials: tasks.iter().map(|task| task.work.trials.len()).sum(), cohorts: tasks.len() });
    let queue = Queue::new(tasks, options.jobs.get());
    let (results, inbox) = channel();
    let mut summary = Summary::default();
    let mut failure = None;
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (queue, results) = (&queue, results.clone());
            scope.spawn(move || {
                while let Some(task) = queue.take() {
                    let begun = Instant::now();
                    // A bug in one cohort must not leave its cores taken and the others waiting for ever.
                    let trained = catch_unwind(AssertUnwindSafe(|| train_task(&task, stop)))
                        .unwrap_or_else(|_| Err(TrainError::Panicked { arm: task.work.arm.clone() }));
                    queue.release(task.cores());
                    // The receiver outlives the workers, so a failed send has nobody to tell.
                    let _ = results.send((task, trained, begun.elapsed().as_secs_f64()));
                }
            });
        }
        drop(results);
        for (task, trained, seconds) in inbox {
            let stored = trained
                .map_err(RunError::from)
                .and_then(|trained| Ok(store(&task.work, &trained, seconds, folder, journal)?));
            match stored {
                Ok(records) => {
                    on_event(&Event::Finished { arm: &task.work.arm, records: &records });
                    summary.records.extend(records);
                }
                Err(RunError::Train(TrainError::Interrupted)) => summary.interrupted = true,
                Err(error) => {
                    // One broken disk or device is enough; what was journalled stays.
                    stop.store(true, Ordering::Relaxed);
                    failure.get_or_insert(error);
                }
            }
            if stop.load(Ordering::Relaxed) {
                queue.close();
            }
        }
    });
    match failure {
        Some(error) => Err(error),
        None => {
            summary.interrupted |= stop.load(Ordering::Relaxed);
            Ok(summary)
        }
    }
}

fn train_task(task: &CohortTask, stop: &AtomicBool) -> Result<Trained, TrainError> {
    let seeds: Vec<u64> = task.work.trials.iter().map(|(seed, _)| *seed).collect();
    let cohort = Cohort { arm: &task.work.resolved, seeds: &seeds, source: &task.work.source };
    train(&cohort, stop, &mut NoObserver)
}

/// Work in pieces that share a tensor program, longest first; no trial twice.
fn cohorts(work: Vec<Work>, jobs: usize) -> Vec<CohortTask> {
    let mut taken: HashSet<TrialId> = HashSet::new();
    let total: usize = work.iter().map(|one| one.trials.len()).sum();
    // Few trials are spread over the cores before they are stacked high.
    let most = total.div_ceil(jobs).clamp(1, COHORT_TRIALS);
    let mut tasks = Vec::new();
    for one in work {
        let fresh: Vec<(u64, TrialId)> = one.trials.iter().copied().filter(|(_, trial)| taken.insert(*trial)).collect();
        for trials in fresh.chunks(most) {
            tasks.push(CohortTask { work: Work { trials: trials.to_vec(), ..one.clone() } });
        }
    }
    tasks.sort_by_key(|task| std::cmp::Reverse(task.cost()));
    tasks
}

fn store(
    work: &Work,
    trained: &Trained,
    seconds: f64,
    folder: &ResultsFolder,
    journal: &mut Journal,
) -> Result<Vec<TrialRecord>, ResultsError> {
    let cohort = work.trials[0].1;
    let history = CohortHistory {
        losses: work
            .trials
            .iter()
            .zip(&trained.epoch_losses)
            .map(|((_, trial), losses)| LossHistory { trial: *trial, losses: losses.clone() })
            .collect(),
        forecasts: work
            .trials
            .iter()
            .zip(trained.train_predictions.iter().zip(&trained.test_predictions))
            .map(|((_, trial), (train, test))| Forecast { trial: *trial, train: train.clone(), test: test.clone() })
            .collect(),
    };
    history.write(&folder.history(), cohort)?;
    let records: Vec<TrialRecord> = work
        .trials
        .iter()
        .enumerate()
        .map(|(index, (seed, trial))| TrialRecord {
            trial: *trial,
            seed: *seed,
            status: status(&trained.outcomes[index]),
            device: trained.device.clone(),
            cohort,
            predicting_distance: Some(trained.predicting_distance[index]).filter(|distance| distance.is_finite()),
            prediction_spread: spread(&trained.train_predictions[index], &trained.train_values),
            wall_seconds: seconds / work.trials.len() as f64,
        })
        .collect();
    journal.append(&records)?;
    Ok(records)
}

/// How much the predictions vary, as a share of how much their targets do.
fn spread(predictions: &[f64], targets: &[f64]) -> Option<f64> {
    let deviation = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>().sqrt()
    };
    Some(deviation(predictions) / deviation(targets)).filter(|share| share.is_finite())
}

fn status(outcome: &TrialOutcome) -> Status {
    match outcome {
        TrialOutcome::Diverged { update } => Status::Failed(format!("loss not finite at update {update}")),
        TrialOutcome::Finished(metrics) => Status::Ok(Figures {
            train_rmse: metrics.train_rmse,
            test_rmse: metrics.test_rmse,
            train_rmse_scaled: metrics.train_rmse_scaled,
            test_rmse_scaled: metrics.test_rmse_scaled,
            naive_train_rmse: metrics.naive_train_rmse,
            naive_test_rmse: metrics.naive_test_rmse,
            final_loss: metrics.final_loss,
        }),
    }
}
