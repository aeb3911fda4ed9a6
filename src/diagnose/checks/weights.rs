//! Weights and scalers that must be the same, and are or are not.

use super::Evidence;
use super::record::{Check, Finding, Severity};
use crate::spec::{ResolvedArm, ScalerFit, ScalerKind};

const NO_PROBE: &str = "the suspect's first updates were not recorded";

/// `weights.predicted-are-trained`
pub struct PredictedAreTrained;

impl Check for PredictedAreTrained {
    fn id(&self) -> &'static str {
        "weights.predicted-are-trained"
    }
    fn severity(&self) -> Severity {
        Severity::Parity
    }
    fn remedy(&self) -> &'static str {
        "predict with the trained model, or copy its weights to the template first"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let Some(probe) = &evidence.suspect else { return Finding::NotRun(NO_PROBE) };
        let text = format!(
            "after update 1 the trained and the predicting weights are {:.3} apart (norm); the update itself moved the trained ones by {:.4}",
            probe.predicting_distance, probe.trained_distance
        );
        if probe.predicting_distance == 0.0 { Finding::Holds(text) } else { Finding::Violated(text) }
    }
}

/// `replicas.agree`
pub struct ReplicasAgree;

impl Check for ReplicasAgree {
    fn id(&self) -> &'static str {
        "replicas.agree"
    }
    fn severity(&self) -> Severity {
        Severity::Parity
    }
    fn remedy(&self) -> &'static str {
        "broadcast rank 0's weights before training and apply the same reduced gradient on every replica"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let Some(probe) = &evidence.suspect else { return Finding::NotRun(NO_PROBE) };
        if probe.initial_spread > 0.0 {
            return Finding::Violated(format!("replicas start {:.2e} apart", probe.initial_spread));
        }
        match probe.updates.iter().find(|trace| trace.replica_spread > 0.0) {
            Some(trace) => Finding::Violated(format!(
                "replicas are {:.2e} apart after update {}",
                trace.replica_spread, trace.update
            )),
            None => Finding::Holds(format!(
                "all replicas, {} of them, hold the same bits after each of {} updates",
                probe.arm.devices,
                probe.updates.len()
            )),
        }
    }
}

/// `scaler.replicas-agree`
pub struct ScalersAgree;

impl Check for ScalersAgree {
    fn id(&self) -> &'static str {
        "scaler.replicas-agree"
    }
    fn severity(&self) -> Severity {
        Severity::Parity
    }
    fn remedy(&self) -> &'static str {
        "fit one scaler before the data is split (`scaler.fit: train`)"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let Some(probe) = &evidence.suspect else { return Finding::NotRun(NO_PROBE) };
        let (first_scale, first_offset) = probe.scalers[0];
        match probe.scalers.iter().enumerate().find(|(_, scaler)| **scaler != (first_scale, first_offset)) {
            None => Finding::Holds(format!("all replicas scale by {first_scale:.6} and add {first_offset:.6}")),
            Some((rank, (scale, offset))) => Finding::Violated(format!(
                "rank 0 scales by {first_scale:.6} and adds {first_offset:.6}, rank {rank} by {scale:.6} and adds {offset:.6}"
            )),
        }
    }
}

/// `scaler.sees-training-only`
pub struct SeesTrainingOnly;

impl Check for SeesTrainingOnly {
    fn id(&self) -> &'static str {
        "scaler.sees-training-only"
    }
    fn severity(&self) -> Severity {
        Severity::Parity
    }
    fn remedy(&self) -> &'static str {
        "fit the scaler on the training part (`scaler.fit: train`)"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let all = |arm: &ResolvedArm| arm.scaler.kind != ScalerKind::None && arm.scaler.fit == ScalerFit::All;
        match (all(evidence.case.baseline), all(evidence.case.suspect)) {
            (false, true) => {
                Finding::Violated("the suspect's scaler has seen the test part, the baseline's has not".into())
            }
            (_, false) => Finding::Holds("the suspect's scaler has not seen the test part".into()),
            (true, true) => {
                Finding::Holds("both arms' scalers have seen the test part: no difference, but no clean test".into())
            }
        }
    }
}
