//! Cohorts of trials on one or more replicas: sharding, gradient reduction, the loop, prediction.

mod batch;
mod cohort;
mod dataset;
mod evaluate;
mod faults;
mod initial;
mod observer;
mod order;
mod random;
mod reduce;
mod replica;
mod run;
mod shard;

pub use cohort::{Cohort, TrainError, Trained, train};
pub use dataset::Dataset;
pub use evaluate::{Metrics, TrialOutcome};
pub use initial::check_stored_weights;
pub use observer::{NoObserver, Observer, UpdateRecord};
pub use reduce::reduce;
pub use replica::{Replica, ReplicaPool};
pub use shard::shards;
