//! Which trials an experiment has, which are missing, and running those.

mod plan;
mod queue;
mod run;

pub use plan::{Plan, PlanError, PlannedArm, Sources};
pub use run::{Event, Options, RunError, Summary, Work, run};
