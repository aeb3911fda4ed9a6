//! Markdown and plots from files alone.

mod arms;
mod axes;
mod claims;
mod compose;
mod diagnosis;
mod draw;
mod environment;
mod figures;
pub mod plots;
mod table;

pub use arms::values;
pub use axes::{Axis, axes};
pub use claims::words as claim_words;
pub use compose::{ReportInput, compose};
pub use diagnosis::verdict_sentence;
pub use draw::{ArmHistory, draw};
pub use figures::figure;
pub use table::table;
