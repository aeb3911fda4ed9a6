//! Statistics, each with the source of its formula.

mod bootstrap;
mod equivalence;
mod interval;
mod kolmogorov;
mod prediction;
mod shapley;
mod summary;

pub use bootstrap::{bootstrap_interval, bootstrap_rows};
pub use equivalence::{Equivalence, PairedT, equivalence, paired_t};
pub use interval::Interval;
pub use kolmogorov::{KolmogorovSmirnov, two_sample};
pub use prediction::{claim_range, prediction_interval};
pub use shapley::{Coalitions, SampledShares, sampled_shares};
pub use summary::{Summary, median, percentile_rank, quantile};
