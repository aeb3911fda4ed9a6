//! A window into training for whoever records traces; clean runs pass [`NoObserver`].

use crate::model::{Gradients, Parameters};

/// Everything that one update did, all trials stacked.
pub struct UpdateRecord<'a> {
    /// Counted from 1.
    pub update: usize,
    pub learning_rate: f64,
    /// The window numbers of the global batch, `[trials][batch]`.
    pub samples: &'a [Vec<u32>],
    pub shard_sizes: &'a [usize],
    /// What each replica divided its squared errors by.
    pub normalizers: &'a [f32],
    /// Joined predictions, `[trials][batch]`.
    pub predictions: &'a [Vec<f32>],
    /// One loss a trial.
    pub losses: &'a [f32],
    /// One set of gradients a replica.
    pub replica_gradients: &'a [Gradients],
    pub reduced: &'a Gradients,
}

/// Sees every update; asked first whether it wants to, since looking costs time.
pub trait Observer {
    /// Whether weights should be fetched after this update, counted from 1.
    fn wants_weights(&self, update: usize) -> bool;
    fn update(&mut self, record: &UpdateRecord<'_>);
    /// Weights of every replica, in rank order, after an update (0: before the first).
    fn weights(&mut self, update: usize, replicas: &[Parameters]);
    /// Whether training may end here.
    fn done(&self, update: usize) -> bool;
}

/// Looks at nothing.
pub struct NoObserver;

impl Observer for NoObserver {
    fn wants_weights(&self, _update: usize) -> bool {
        false
    }
    fn update(&mut self, _record: &UpdateRecord<'_>) {}
    fn weights(&mut self, _update: usize, _replicas: &[Parameters]) {}
    fn done(&self, _update: usize) -> bool {
        false
    }
}
