use crate::spec::{Fault, ResolvedArm};

/// The learning rate of an update, counted from 1.
pub fn learning_rate(arm: &ResolvedArm, update: usize) -> f64 {
    let devices = arm.devices.get();
    let index = if arm.faults.has(Fault::ScheduleSteppedPerReplica) { (update - 1) * devices } else { update - 1 };
    let rate = arm.learning_rate.at(index);
    if arm.faults.has(Fault::RateScaledTwice) { rate * devices as f64 } else { rate }
}
