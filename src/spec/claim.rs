//! What a spec says was published, and which two arms are to be diagnosed.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::PositiveNumber;

/// A figure that every trial has; RMSE is in data units unless scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    TrainRmse,
    TestRmse,
    TrainRmseScaled,
    TestRmseScaled,
    FinalLoss,
}

impl Metric {
    pub fn name(self) -> &'static str {
        match self {
            Metric::TrainRmse => "train_rmse",
            Metric::TestRmse => "test_rmse",
            Metric::TrainRmseScaled => "train_rmse_scaled",
            Metric::TestRmseScaled => "test_rmse_scaled",
            Metric::FinalLoss => "final_loss",
        }
    }

    /// The metric as a reader of a report would say it.
    pub fn words(self) -> &'static str {
        match self {
            Metric::TrainRmse => "train RMSE",
            Metric::TestRmse => "test RMSE",
            Metric::TrainRmseScaled => "train RMSE (scaled)",
            Metric::TestRmseScaled => "test RMSE (scaled)",
            Metric::FinalLoss => "final loss",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A published number that the experiment is to reproduce.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub arm: String,
    pub metric: Metric,
    pub value: f64,
    /// Digits after the point that were published; read off `value` when left out.
    #[serde(default)]
    pub decimals: Option<u8>,
    pub source: String,
}

impl Claim {
    /// How many digits after the point the published figure has.
    pub fn decimals(&self) -> usize {
        match self.decimals {
            Some(decimals) => usize::from(decimals),
            // Display prints the shortest text that reads back as the same number.
            None => self.value.to_string().split_once('.').map_or(0, |(_, digits)| digits.len()),
        }
    }
}

/// Which arms are compared, in what, and what is known beforehand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiagnoseSection {
    pub baseline: String,
    pub suspect: String,
    #[serde(default = "test_rmse")]
    pub metric: Metric,
    /// Arms whose metric differs by less than this are equivalent; 5% of the baseline's median when left out.
    #[serde(default)]
    pub margin: Option<PositiveNumber>,
    /// Checks that the spec expects to be violated, by id; one that holds fails the run.
    #[serde(default)]
    pub expect: Vec<String>,
}

fn test_rmse() -> Metric {
    Metric::TestRmse
}
