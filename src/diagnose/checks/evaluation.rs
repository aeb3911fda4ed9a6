//! Whether the metric is the metric of the predictions.

use super::Evidence;
use super::record::{Check, Finding, Severity};

const NO_PROBE: &str = "the suspect's answers were not recorded";

/// `scaler.inverse-matches`
pub struct InverseMatches;

impl Check for InverseMatches {
    fn id(&self) -> &'static str {
        "scaler.inverse-matches"
    }
    fn severity(&self) -> Severity {
        Severity::Parity
    }
    fn remedy(&self) -> &'static str {
        "invert predictions with the scaler that scaled the model's inputs"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let Some(probe) = &evidence.suspect else { return Finding::NotRun(NO_PROBE) };
        let (scale, offset) = probe.inverse;
        let (fed_scale, fed_offset) = probe.scalers[0];
        let text = format!(
            "predictions are inverted by ({scale:.6}, {offset:.6}), inputs were scaled by ({fed_scale:.6}, {fed_offset:.6})"
        );
        if probe.inverse == probe.scalers[0] { Finding::Holds(text) } else { Finding::Violated(text) }
    }
}

/// `evaluation.counts-each-window-once`
pub struct CountsEachWindowOnce;

impl Check for CountsEachWindowOnce {
    fn id(&self) -> &'static str {
        "evaluation.counts-each-window-once"
    }
    fn severity(&self) -> Severity {
        Severity::Parity
    }
    fn remedy(&self) -> &'static str {
        "leave padded windows out of the metric"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let Some(probe) = &evidence.suspect else { return Finding::NotRun(NO_PROBE) };
        let text = format!("{} predictions for {} training windows", probe.answers.len(), probe.train_windows);
        if probe.answers.len() == probe.train_windows { Finding::Holds(text) } else { Finding::Violated(text) }
    }
}

/// `evaluation.in-order`
pub struct InOrder;

impl Check for InOrder {
    fn id(&self) -> &'static str {
        "evaluation.in-order"
    }
    fn severity(&self) -> Severity {
        Severity::Parity
    }
    fn remedy(&self) -> &'static str {
        "join the replicas' predictions by window number"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let Some(probe) = &evidence.suspect else { return Finding::NotRun(NO_PROBE) };
        let scale = probe.targets.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        // A window predicted alone may be summed in another order than one in a batch.
        let allowed = 64.0 * f64::from(f32::EPSILON) * scale;
        let wrong = probe
            .answers
            .iter()
            .zip(&probe.answers_alone)
            .filter(|(batch, alone)| (*batch - *alone).abs() > allowed)
            .count();
        let text = format!(
            "{wrong} of {} predictions differ from those of the same windows predicted one by one",
            probe.answers.len()
        );
        if wrong == 0 { Finding::Holds(text) } else { Finding::Violated(text) }
    }
}

/// `metric.is-pooled`
pub struct MetricIsPooled;

impl Check for MetricIsPooled {
    fn id(&self) -> &'static str {
        "metric.is-pooled"
    }
    fn severity(&self) -> Severity {
        Severity::Parity
    }
    fn remedy(&self) -> &'static str {
        "take one root of the mean over all windows, in data units, instead of a mean of shards' roots"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let Some(probe) = &evidence.suspect else { return Finding::NotRun(NO_PROBE) };
        let squares: f64 =
            probe.answers.iter().zip(&probe.targets).map(|(answer, target)| (answer - target).powi(2)).sum();
        let pooled = (squares / probe.targets.len() as f64).sqrt();
        let text = format!(
            "train RMSE after update 1 is reported as {:.6}, and is {pooled:.6} over all predictions",
            probe.reported_train_rmse
        );
        if (probe.reported_train_rmse - pooled).abs() <= 1e-9 * pooled {
            Finding::Holds(text)
        } else {
            Finding::Violated(text)
        }
    }
}
