//! Which trials an experiment has, which are missing, and running those.

mod compose;
mod plan;
mod probe;
mod queue;
mod run;

pub use compose::compose_source;
pub use plan::{Plan, PlanError, PlannedArm, Sources};
pub use probe::probe;
pub use run::{Event, Options, RunError, Summary, Work, run};
