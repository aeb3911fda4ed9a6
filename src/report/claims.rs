//! What was claimed, what was measured, and whether one gives the other.

use crate::diagnose::{ClaimOutcome, ClaimVerdict};

use super::figures::figure;
use super::table::table;

pub fn section(claims: &[ClaimVerdict]) -> String {
    if claims.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = claims
        .iter()
        .map(|verdict| {
            let claim = &verdict.claim;
            let measured = |of: fn(&crate::diagnose::ClaimEvidence) -> f64| {
                verdict.evidence.as_ref().map_or("none".into(), |evidence| figure(of(evidence)))
            };
            vec![
                claim.arm.clone(),
                claim.metric.words().into(),
                claim.source.clone(),
                words(verdict.outcome).into(),
                claim.words(),
                measured(|evidence| evidence.median),
                verdict.evidence.as_ref().map_or("none".into(), |evidence| {
                    format!("{} to {}", figure(evidence.range.low), figure(evidence.range.high))
                }),
                verdict.evidence.as_ref().map_or("none".into(), |evidence| format!("{:.0}", evidence.percentile)),
                verdict.seeds.to_string(),
            ]
        })
        .collect();
    let head = ["arm", "metric", "source", "verdict", "published", "median", "range", "percentile", "seeds"];
    format!(
        "## Claims\n\n{}\nA claim is reproduced when the published figure lies inside *range*: what the seeds span, widened to a \
         95% prediction interval for one more run. *Percentile* is where it lies among the seeds. With a single seed the \
         figures must agree to the published decimals. A claim of a difference between two arms holds when the whole 95% \
         interval of the paired mean difference (*range*) lies inside it.\n",
        table(&head, 4, &rows)
    )
}

pub fn words(outcome: ClaimOutcome) -> &'static str {
    match outcome {
        ClaimOutcome::Reproduced => "reproduced",
        ClaimOutcome::NotReproduced => "not reproduced",
        ClaimOutcome::Undecided => "undecided",
    }
}
