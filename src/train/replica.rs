//! One model copy a device, each on a thread of its own that lives as long as its cohort.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use burn::tensor::Device;

use crate::model::{Forecaster, Gradients, OptimizerState, Parameters, Shape, Shard, ShardResult, StepSize};

/// One model copy with its optimizer state.
pub struct Replica {
    forecaster: Forecaster,
    optimizer: OptimizerState,
    /// `(scale, offset)` where this replica scales what it receives.
    scaling: Option<(f32, f32)>,
    time: usize,
    /// The last hidden state, kept only where a fault carries it on.
    carried: Option<Vec<f32>>,
}

impl Replica {
    pub fn new(shape: Shape, initial: &Parameters, device: &Device, scaling: Option<(f32, f32)>, time: usize) -> Self {
        Replica {
            forecaster: Forecaster::new(shape, initial, device),
            optimizer: OptimizerState::default(),
            scaling,
            time,
            carried: None,
        }
    }

    /// Predictions and gradients of one shard.
    pub fn gradients(&self, shard: &Shard) -> ShardResult {
        self.forecaster.gradients(shard, self.time, self.scaling)
    }

    /// The same, starting from the hidden state that the shard before it ended with.
    pub fn gradients_carried(&mut self, mut shard: Shard) -> ShardResult {
        shard.carried = self.carried.take();
        let result = self.gradients(&shard);
        self.carried = (!result.last_hidden.is_empty()).then(|| result.last_hidden.clone());
        result
    }

    pub fn update(&mut self, gradients: &Gradients, step: &StepSize) {
        self.forecaster.update(&mut self.optimizer, gradients, step);
    }

    pub fn predict(&self, inputs: &[f32], batch: usize) -> Vec<f32> {
        self.forecaster.predict(inputs, batch, self.time, self.scaling)
    }

    pub fn parameters(&self) -> Parameters {
        self.forecaster.parameters()
    }
}

type Job = Box<dyn FnOnce(&mut Replica) + Send>;

enum Place {
    /// A single replica needs no thread.
    Here(Box<Replica>),
    Thread {
        jobs: Option<Sender<Job>>,
        handle: Option<JoinHandle<()>>,
    },
}

/// A replica's thread ended before its work was done.
#[derive(Debug, thiserror::Error)]
#[error("internal error: the thread of replica {rank} ended early")]
pub struct ReplicaLost {
    pub rank: usize,
}

/// All replicas of a cohort, by rank.
pub struct ReplicaPool {
    places: Vec<Place>,
}

impl ReplicaPool {
    /// Starts one replica for each maker, in rank order.
    pub fn start(makers: Vec<Box<dyn FnOnce() -> Replica + Send>>) -> Self {
        if makers.len() == 1 {
            let places = makers.into_iter().map(|make| Place::Here(Box::new(make()))).collect();
            return ReplicaPool { places };
        }
        let places = makers
            .into_iter()
            .map(|make| {
                let (jobs, inbox): (Sender<Job>, Receiver<Job>) = channel();
                let handle = std::thread::spawn(move || {
                    let mut replica = make();
                    while let Ok(job) = inbox.recv() {
                        job(&mut replica);
                    }
                });
                Place::Thread { jobs: Some(jobs), handle: Some(handle) }
            })
            .collect();
        ReplicaPool { places }
    }

    /// Runs one job a replica, all at once, and gives their answers in rank order.
    pub fn each<T: Send + 'static>(
        &mut self,
        mut job: impl FnMut(usize) -> Box<dyn FnOnce(&mut Replica) -> T + Send>,
    ) -> Result<Vec<T>, ReplicaLost> {
        let mut waiting = Vec::with_capacity(self.places.len());
        let mut answers = Vec::with_capacity(self.places.len());
        for (rank, place) in self.places.iter_mut().enumerate() {
            let work = job(rank);
            match place {
                Place::Here(replica) => answers.push(work(replica)),
                Place::Thread { jobs, .. } => {
                    let (answer, inbox) = channel();
                    let sent = jobs.as_ref().is_some_and(|jobs| {
                        jobs.send(Box::new(move |replica| {
                            // The pool may have given up waiting; then nobody needs the answer.
                            let _ = answer.send(work(replica));
                        }))
                        .is_ok()
                    });
                    if !sent {
                        return Err(ReplicaLost { rank });
                    }
                    waiting.push(inbox);
                }
            }
        }
        for (rank, inbox) in waiting.into_iter().enumerate() {
            answers.push(inbox.recv().map_err(|_| ReplicaLost { rank })?);
        }
        Ok(answers)
    }
}

impl Drop for ReplicaPool {
    fn drop(&mut self) {
        for place in &mut self.places {
            if let Place::Thread { jobs, handle } = place {
                // Closing the inbox ends the thread's loop.
                jobs.take();
                if let Some(handle) = handle.take() {
                    let _ = handle.join();
                }
            }
        }
    }
}
