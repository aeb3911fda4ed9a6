use super::Evidence;
use super::evaluation::{CountsEachWindowOnce, InOrder, InverseMatches, MetricIsPooled};
use super::gradients::{EqualsSingleDevice, NoneEmpty, NormalisedByGlobalBatch};
use super::quality::{BeatsNaiveForecast, NotCollapsed};
use super::record::{Check, CheckRecord, CheckStatus, Finding};
use super::schedule::{LearningRateTraceEqual, ReshuffledEveryEpoch, SamplesOncePerEpoch, UpdatesEqual};
use super::weights::{PredictedAreTrained, ReplicasAgree, ScalersAgree, SeesTrainingOnly};

fn all() -> Vec<Box<dyn Check>> {
    vec![
        Box::new(PredictedAreTrained),
        Box::new(ReplicasAgree),
        Box::new(EqualsSingleDevice),
        Box::new(SamplesOncePerEpoch),
        Box::new(ReshuffledEveryEpoch),
        Box::new(UpdatesEqual),
        Box::new(LearningRateTraceEqual),
        Box::new(NormalisedByGlobalBatch),
        Box::new(ScalersAgree),
        Box::new(SeesTrainingOnly),
        Box::new(InverseMatches),
        Box::new(NoneEmpty),
        Box::new(CountsEachWindowOnce),
        Box::new(InOrder),
        Box::new(MetricIsPooled),
        Box::new(NotCollapsed),
        Box::new(BeatsNaiveForecast),
    ]
}

/// Ids of all checks, in the order in which they are reported.
pub fn check_ids() -> Vec<&'static str> {
    all().iter().map(|check| check.id()).collect()
}

pub fn run_checks(evidence: &Evidence<'_>) -> Vec<CheckRecord> {
    all()
        .iter()
        .map(|check| {
            let expected = evidence.case.expect.iter().any(|id| id == check.id());
            let (status, text) = match check.run(evidence) {
                Finding::Holds(text) => (CheckStatus::Holds, text),
                Finding::Violated(text) if expected => (CheckStatus::Expected, text),
                Finding::Violated(text) => (CheckStatus::Violated, text),
                Finding::NotRun(reason) => (CheckStatus::NotRun, reason.to_owned()),
            };
            let wrong = matches!(status, CheckStatus::Violated | CheckStatus::Expected);
            CheckRecord {
                id: check.id().into(),
                severity: check.severity(),
                status,
                evidence: text,
                remedy: if wrong { check.remedy().into() } else { String::new() },
                gone: expected && status == CheckStatus::Holds,
            }
        })
        .collect()
}
