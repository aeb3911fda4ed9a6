//! What a run leaves on disk: journal, tables (Polars), environment record.

mod environment;
mod error;
mod files;
mod folder;
mod history;
mod journal;
mod lock;
mod probe;
mod record;
mod table;

pub use environment::Environment;
pub use error::ResultsError;
pub use files::{read_text, write_atomically, write_if_changed};
pub use folder::ResultsFolder;
pub use history::{CohortHistory, Forecast, LossHistory, PREDICTION_PARTS};
pub use journal::{Damage, DamagedLine, Journal, Recovered};
pub use lock::FolderLock;
pub use probe::{ProbeKey, ProbeRecord, UpdateTrace};
pub use record::{Figures, Status, TrialRecord};
pub use table::{COLUMNS, TABLE_FORMAT, TrialRow, TrialTable};
