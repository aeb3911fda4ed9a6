//! One file a verb; the only place that prints.

mod arguments;
mod check;
mod compare;
mod conclude;
mod devices;
mod diagnose;
mod exit;
mod faults;
mod finished;
mod load;
mod new;
mod plan;
mod progress;
mod report;
mod schema;
mod scorecard;
mod status;
mod sweep;
mod verb;

pub use verb::run;
