//! The faults, each a few lines at the one place where it acts; nothing here runs in a clean trial.

mod evaluation;
mod gradients;
mod sampling;
mod schedule;

pub use evaluation::{distort, inverse, reported};
pub use gradients::{average, micro_batches, own_gradients, spoil};
pub use sampling::{assign, keeps_batch, keeps_window};
pub use schedule::learning_rate;
