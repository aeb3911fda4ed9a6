//! Cells, initialisers, the forecaster and its optimizer, on Burn tensors.

mod adam;
mod cell;
mod forecaster;
mod initializer;
mod parameters;

pub use adam::{OptimizerState, StepSize};
pub use cell::{GateActivation, Recurrence};
pub use forecaster::{Forecaster, Gradients, Shard, ShardResult};
pub use initializer::initial_parameters;
pub use parameters::{PARAMETER_NAMES, Parameter, Parameters, Shape};
