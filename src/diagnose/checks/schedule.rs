//! Updates, learning rates and samples.

use super::Evidence;
use super::record::{Check, Finding, Severity};

/// `samples.once-per-epoch`
pub struct SamplesOncePerEpoch;

impl Check for SamplesOncePerEpoch {
    fn id(&self) -> &'static str {
        "samples.once-per-epoch"
    }
    fn severity(&self) -> Severity {
        Severity::Parity
    }
    fn remedy(&self) -> &'static str {
        "give every replica a part of its own of one common order, and reshuffle every epoch"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let Some(probe) = &evidence.suspect else {
            return Finding::NotRun("the suspect's first updates were not recorded");
        };
        let epoch = probe.arm.updates_an_epoch();
        if probe.updates.len() < epoch {
            return Finding::NotRun("less than one epoch was recorded");
        }
        let mut seen = vec![0usize; probe.train_windows];
        for sample in probe.updates[..epoch].iter().flat_map(|trace| &trace.samples) {
            if let Some(count) = seen.get_mut(*sample as usize) {
                *count += 1;
            }
        }
        let (missing, twice) =
            (seen.iter().filter(|count| **count == 0).count(), seen.iter().filter(|count| **count > 1).count());
        let text =
            format!("of {} windows {missing} were not seen and {twice} more than once in the first epoch", seen.len());
        if missing == 0 && twice == 0 { Finding::Holds(text) } else { Finding::Violated(text) }
    }
}

/// `samples.reshuffled-every-epoch`
pub struct ReshuffledEveryEpoch;

impl Check for ReshuffledEveryEpoch {
    fn id(&self) -> &'static str {
        "samples.reshuffled-every-epoch"
    }
    fn severity(&self) -> Severity {
        Severity::Parity
    }
    fn remedy(&self) -> &'static str {
        "draw a new order every epoch (PyTorch: `sampler.set_epoch(epoch)`)"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let Some(probe) = &evidence.suspect else {
            return Finding::NotRun("the suspect's first updates were not recorded");
        };
        if !probe.arm.shuffle || probe.arm.order_hash.is_some() {
            return Finding::Holds("the spec fixes the order".into());
        }
        let samples: Vec<u32> = probe.updates.iter().flat_map(|trace| trace.samples.iter().copied()).collect();
        let (first, second) = samples.split_at(samples.len() / 2);
        let same = first.iter().zip(second).filter(|(first, second)| first == second).count();
        let text = format!("{same} of {} places hold the same window in the first two epochs", first.len());
        if same == first.len() { Finding::Violated(text) } else { Finding::Holds(text) }
    }
}

/// `updates.equal`
pub struct UpdatesEqual;

impl Check for UpdatesEqual {
    fn id(&self) -> &'static str {
        "updates.equal"
    }
    fn severity(&self) -> Severity {
        Severity::Parity
    }
    fn remedy(&self) -> &'static str {
        "hold the global batch equal, or train more epochs until the updates are equal"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let (baseline, suspect) = (evidence.case.baseline, evidence.case.suspect);
        let text = format!(
            "{} updates of {} windows against {} of {}",
            suspect.updates(),
            suspect.global_batch,
            baseline.updates(),
            baseline.global_batch
        );
        if suspect.updates() == baseline.updates() { Finding::Holds(text) } else { Finding::Violated(text) }
    }
}

/// `learning-rate.trace-equal`
pub struct LearningRateTraceEqual;

impl Check for LearningRateTraceEqual {
    fn id(&self) -> &'static str {
        "learning-rate.trace-equal"
    }
    fn severity(&self) -> Severity {
        Severity::Parity
    }
    fn remedy(&self) -> &'static str {
        "step the schedule once an update, and scale the rate once if the batch grows"
    }
    fn run(&self, evidence: &Evidence<'_>) -> Finding {
        let (Some(baseline), Some(suspect)) = (&evidence.baseline, &evidence.suspect) else {
            return Finding::NotRun("the first updates were not recorded");
        };
        let (planned, also) = (evidence.case.baseline, evidence.case.suspect);
        let recorded = baseline.updates.iter().zip(&suspect.updates);
        if let Some((one, many)) = recorded.into_iter().find(|(one, many)| one.learning_rate != many.learning_rate) {
            return Finding::Violated(format!(
                "at update {} the rate is {:.3e} against {:.3e}",
                one.update, many.learning_rate, one.learning_rate
            ));
        }
        let updates = planned.updates().min(also.updates());
        let parted = (0..updates).find(|update| planned.learning_rate.at(*update) != also.learning_rate.at(*update));
        match parted {
            Some(update) => Finding::Violated(format!(
                "from update {} on the rate is {:.3e} against {:.3e}",
                update + 1,
                also.learning_rate.at(update),
                planned.learning_rate.at(update)
            )),
            None => Finding::Holds(format!(
                "the same rate at each of {updates} updates, {:.3e} at the first",
                planned.learning_rate.at(0)
            )),
        }
    }
}
