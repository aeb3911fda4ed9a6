//! One finished trial as the journal keeps it.

use serde::{Deserialize, Serialize};

use crate::spec::{Metric, TrialId};

/// The figures of a trial that ended well; RMSE in data units unless scaled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    pub train_rmse: f64,
    pub test_rmse: f64,
    pub train_rmse_scaled: f64,
    pub test_rmse_scaled: f64,
    pub naive_train_rmse: f64,
    pub naive_test_rmse: f64,
    pub final_loss: f64,
}

impl Figures {
    pub fn get(&self, metric: Metric) -> f64 {
        match metric {
            Metric::TrainRmse => self.train_rmse,
            Metric::TestRmse => self.test_rmse,
            Metric::TrainRmseScaled => self.train_rmse_scaled,
            Metric::TestRmseScaled => self.test_rmse_scaled,
            Metric::FinalLoss => self.final_loss,
        }
    }

    /// Every figure in the order of the table's columns.
    pub fn list(&self) -> [f64; 7] {
        [
            self.train_rmse,
            self.test_rmse,
            self.train_rmse_scaled,
            self.test_rmse_scaled,
            self.naive_train_rmse,
            self.naive_test_rmse,
            self.final_loss,
        ]
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Ok(Figures),
    Failed(String),
}

impl Status {
    pub fn figures(&self) -> Option<&Figures> {
        match self {
            Status::Ok(figures) => Some(figures),
            Status::Failed(_) => None,
        }
    }

    /// `ok` or `failed: reason`, as tables show it.
    pub fn text(&self) -> String {
        match self {
            Status::Ok(_) => "ok".into(),
            Status::Failed(reason) => format!("failed: {reason}"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    pub trial: TrialId,
    pub seed: u64,
    pub status: Status,
    /// What it ran on, such as `cpu logical x4`.
    pub device: String,
    /// Names the Parquet files that hold this trial's history and predictions.
    pub cohort: TrialId,
    /// Norm of the difference between trained and predicting weights; `None` where weights are no numbers.
    pub predicting_distance: Option<f64>,
    /// Standard deviation of the training predictions over that of their targets.
    #[serde(default)]
    pub prediction_spread: Option<f64>,
    /// The cohort's time divided by its trials.
    pub wall_seconds: f64,
}
