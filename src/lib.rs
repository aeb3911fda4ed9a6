//! scaleproof: does this training give the same answer on 1 device and on N, and if not, why?
//!
//! Data flows one way: `spec` → `sweep::plan` → `train` → `results` → `diagnose` → `report`.

pub mod cli;
pub mod data;
pub mod device;
pub mod diagnose;
pub mod model;
pub mod report;
pub mod results;
pub mod spec;
pub mod sweep;
pub mod train;
