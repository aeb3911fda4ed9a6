//! Whether the predictions are of any use, in the suspect as in the baseline.

use super::super::verdict::Outcome;
use super::Evidence;
use super::record::{Check, Finding, Severity};
use crate::results::Figures;
use crate::spec::{Metric, ResolvedArm};

/// `prediction.not-collapsed`
pub struct NotCollapsed;

/// Predictions that vary by less than this share of their targets say nearly the same for every window.
const COLLAPSED: f64 = 0.05;

impl Check for NotCollapsed {
    fn id(&self) -> &'static str {
        "prediction.not-collapsed"
    }
    fn severity(&self) -> Severity {
        Severity::Advice
    }
    fn remedy(&self) -> &'static str {
        "look for untrained weights, a vanished gradient, or a scale that was left out"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let spread = |arm: &ResolvedArm| -> Option<f64> {
            let shares: Vec<f64> = arm
                .trial_ids(evidence.case.seeds)
                .into_iter()
                .filter_map(|trial| evidence.case.records.get(&trial)?.prediction_spread)
                .collect();
            super::super::statistics::median(&shares)
        };
        let (Some(baseline), Some(suspect)) = (spread(evidence.case.baseline), spread(evidence.case.suspect)) else {
            return Finding::NotRun("no trial of both arms has finished");
        };
        let text = format!(
            "the suspect's predictions vary {suspect:.3} times as much as their targets, the baseline's {baseline:.3} times (medians)"
        );
        if suspect < COLLAPSED && baseline >= COLLAPSED { Finding::Violated(text) } else { Finding::Holds(text) }
    }
}

/// `model.beats-naive-forecast`
pub struct BeatsNaiveForecast;

impl Check for BeatsNaiveForecast {
    fn id(&self) -> &'static str {
        "model.beats-naive-forecast"
    }
    fn severity(&self) -> Severity {
        Severity::Advice
    }
    fn remedy(&self) -> &'static str {
        "train longer, or report the naive forecast beside the model"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let pick: fn(&Figures) -> f64 = match evidence.case.metric {
            Metric::TrainRmse => |figures| figures.naive_train_rmse,
            Metric::TestRmse => |figures| figures.naive_test_rmse,
            _ => return Finding::NotRun("the naive forecast is compared in RMSE in data units only"),
        };
        let ids = evidence.case.suspect.trial_ids(evidence.case.seeds);
        let naive = ids.iter().find_map(|trial| evidence.case.records.get(trial)?.status.figures().map(pick));
        let (Some(naive), Some((baseline, suspect))) = (naive, evidence.medians()) else {
            return Finding::NotRun("no trial of both arms has finished");
        };
        let text =
            format!("median {suspect:.2} against {naive:.2} of the naive forecast; the baseline has {baseline:.2}");
        // Where both arms are as bad as each other, that is no difference between devices.
        if suspect <= naive || evidence.outcome == Outcome::Equivalent || suspect <= baseline {
            Finding::Holds(text)
        } else {
            Finding::Violated(text)
        }
    }
}
