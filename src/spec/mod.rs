//! YAML to [`Experiment`]: schema, axes, batch and learning-rate rules, validation, trial ids.

mod arms;
mod batch;
mod claim;
mod document;
mod error;
mod experiment;
mod expression;
mod fault;
mod learning_rate;
mod override_path;
mod quantity;
mod schema;
mod settings;
mod sweep;
mod trial;

pub use arms::{Arm, ArmValue};
pub use batch::{Batch, BatchRule, BatchValue};
pub use claim::{Claim, DiagnoseSection, Metric};
pub use document::ExperimentDocument;
pub use error::{Place, SpecError};
pub use experiment::{Adjustments, Experiment};
pub use expression::{Expression, Names};
pub use fault::{Fault, Faults};
pub use learning_rate::{LearningRate, LearningRateRule, LearningRateTrace, Schedule, ScheduleKind, Span};
pub use override_path::Override;
pub use quantity::{Count, DeviceCount, Fraction, GlobalBatch, LookBack, PositiveNumber, SeedCount, Units};
pub use schema::json_schema;
pub use settings::{
    AllReduce, Cell, Data, DeviceKind, Model, Optimizer, OptimizerKind, Parallel, PredictWith, Preset, Scaler,
    ScalerFit, ScalerKind, ScalerPlace, Seeds, Settings, Strategy, Train, WindowRule,
};
pub use trial::{DataFacts, NUMERICS_VERSION, ResolvedArm, TrialId};
