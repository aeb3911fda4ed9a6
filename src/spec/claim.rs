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
    /// The published figure.
    #[serde(default)]
    pub value: Option<f64>,
    /// Instead of a figure: the arm that this one is compared with, seed by seed.
    #[serde(default)]
    pub versus: Option<String>,
    /// The mean difference from `versus` is at least this.
    #[serde(default)]
    pub at_least: Option<f64>,
    /// The mean difference from `versus` is at most this.
    #[serde(default)]
    pub at_most: Option<f64>,
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
            None => {
                self.value.map_or(0, |value| value.to_string().split_once('.').map_or(0, |(_, digits)| digits.len()))
            }
        }
    }

    /// The claim as a table or a terminal shows it: `4.49`, or `one-gpu + 19 to 32`.
    pub fn words(&self) -> String {
        let digits = self.decimals();
        let bound = |bound: Option<f64>| bound.map(|bound| bound.to_string());
        match (self.value, &self.versus) {
            (Some(value), _) => format!("{value:.digits$}"),
            (None, Some(versus)) => match (bound(self.at_least), bound(self.at_most)) {
                (Some(low), Some(high)) => format!("{versus} + {low} to {high}"),
                (Some(low), None) => format!("{versus} + {low} or more"),
                (None, Some(high)) => format!("{versus} + {high} or less"),
                (None, None) => versus.clone(),
            },
            (None, None) => String::new(),
        }
    }

    /// What is wrong with a claim that says neither a figure nor a direction.
    pub fn problem(&self) -> Option<&'static str> {
        match (self.value, &self.versus, self.at_least.or(self.at_most)) {
            (Some(_), None, None) | (None, Some(_), Some(_)) => None,
            _ => Some("a claim has either a `value`, or `versus` with `at_least`, `at_most` or both"),
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
