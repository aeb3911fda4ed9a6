//! Two arms to compare, what is known of them, and what would have to be run to know the rest.

use std::collections::HashMap;

use crate::results::{ProbeKey, ProbeRecord, TrialRecord};
use crate::spec::{Metric, ResolvedArm, TrialId};

use super::attribution::coalition_arms;
use super::factor::Factor;

/// Looks up a probe that has been run.
pub type Probes<'a> = dyn Fn(&ProbeKey) -> Option<ProbeRecord> + 'a;

/// Looks up a trial's losses by epoch.
pub type Losses<'a> = dyn Fn(TrialId) -> Option<Vec<f32>> + 'a;

pub struct Case<'a> {
    pub baseline_name: &'a str,
    pub suspect_name: &'a str,
    pub baseline: &'a ResolvedArm,
    pub suspect: &'a ResolvedArm,
    pub seeds: &'a [u64],
    pub metric: Metric,
    /// 5% of the baseline's median when `None`.
    pub margin: Option<f64>,
    /// Checks that the spec expects to be violated.
    pub expect: &'a [String],
    pub records: &'a HashMap<TrialId, TrialRecord>,
    pub probes: &'a Probes<'a>,
    pub losses: &'a Losses<'a>,
}

impl Case<'_> {
    /// The metric of every seed of an arm; `None` where a trial is missing or failed.
    pub fn values(&self, arm: &ResolvedArm) -> Vec<Option<f64>> {
        arm.trial_ids(self.seeds)
            .iter()
            .map(|trial| self.records.get(trial)?.status.figures().map(|figures| figures.get(self.metric)))
            .collect()
    }
}

/// Arms and probes that a diagnosis reads beyond the two arms themselves.
pub struct Wanted {
    pub arms: Vec<ResolvedArm>,
    pub probes: Vec<ProbeKey>,
}

/// What would have to be run for a full diagnosis of two arms.
pub fn wanted(baseline: &ResolvedArm, suspect: &ResolvedArm, seeds: &[u64]) -> Wanted {
    let mut arms = coalition_arms(baseline, suspect);
    arms.push(perturbed(baseline));
    let seed = seeds.first().copied().unwrap_or(0);
    let probes = ProbeArms::of(baseline, suspect).list().into_iter().map(|arm| ProbeKey { arm, seed }).collect();
    Wanted { arms, probes }
}

/// An arm whose scaled inputs are moved by one rounding step.
pub fn perturbed(arm: &ResolvedArm) -> ResolvedArm {
    ResolvedArm { perturbed: true, ..arm.clone() }
}

/// The arms whose first updates are recorded.
pub struct ProbeArms {
    pub baseline: ResolvedArm,
    pub baseline_perturbed: ResolvedArm,
    pub suspect: ResolvedArm,
    /// The suspect on one device.
    pub single: ResolvedArm,
    pub single_perturbed: ResolvedArm,
    /// The suspect with the baseline's batches and learning rates.
    pub lockstep: ResolvedArm,
}

impl ProbeArms {
    pub fn of(baseline: &ResolvedArm, suspect: &ResolvedArm) -> Self {
        let mut single = suspect.clone();
        // 1 is an allowed device count.
        single.devices = crate::spec::DeviceCount::try_from(1).unwrap_or_else(|_| unreachable!());
        single.faults = crate::spec::Faults::default();
        let mut lockstep = suspect.clone();
        for factor in [Factor::UpdateBudget, Factor::LearningRate, Factor::Data, Factor::Order, Factor::InitialWeights]
        {
            factor.copy(baseline, &mut lockstep);
        }
        // Faults stay: they are what lockstep is to show.
        lockstep.faults = suspect.faults.clone();
        ProbeArms {
            baseline_perturbed: perturbed(baseline),
            baseline: baseline.clone(),
            single_perturbed: perturbed(&single),
            single,
            suspect: suspect.clone(),
            lockstep,
        }
    }

    fn list(self) -> Vec<ResolvedArm> {
        let mut arms = vec![
            self.baseline,
            self.baseline_perturbed,
            self.suspect,
            self.single,
            self.single_perturbed,
            self.lockstep,
        ];
        let mut kept: Vec<ResolvedArm> = Vec::new();
        arms.retain(|arm| {
            let fresh = !kept.contains(arm);
            if fresh {
                kept.push(arm.clone());
            }
            fresh
        });
        arms
    }
}
