//! Specs named on a command line to plans; anything wrong with them ends the verb before it writes.

use std::path::{Path, PathBuf};

use crate::device::DeviceSet;
use crate::spec::{Adjustments, Experiment, SeedCount};
use crate::sweep::{Plan, PlanError, Sources};

use super::arguments::Common;
use super::exit::CliError;

/// Where specs are looked for when none is named.
const EXPERIMENTS: &str = "experiments";

pub fn plans(common: &Common) -> Result<Vec<Plan>, CliError> {
    let adjustments = Adjustments {
        set: common.set.clone(),
        seeds: common
            .seeds
            .map(|count| {
                SeedCount::try_from(count).map_err(|message| CliError::usage(message, "write for example --seeds 20"))
            })
            .transpose()?,
        device: common.device.clone(),
    };
    let only = only(common)?;
    let mut sources = Sources::default();
    let mut plans = Vec::new();
    let mut nothing = None;
    for file in files(&common.specs)? {
        let experiment = Experiment::read(&file, &adjustments)?;
        match Plan::make(experiment, only.as_ref(), &mut sources) {
            Ok(plan) => plans.push(plan),
            // With several specs it is enough that the pattern matches in one.
            Err(error @ PlanError::NothingSelected { .. }) => nothing = Some(error),
            Err(error) => return Err(error.into()),
        }
    }
    match nothing {
        Some(error) if plans.is_empty() => Err(error.into()),
        _ => Ok(plans),
    }
}

/// Fails for devices that this machine or this build does not have.
pub fn open_devices(plans: &[Plan]) -> Result<(), CliError> {
    for arm in plans.iter().flat_map(|plan| &plan.arms) {
        if arm.resolved.device != crate::spec::DeviceKind::Cpu {
            DeviceSet::open(arm.resolved.device, arm.resolved.devices.get())?;
        }
    }
    Ok(())
}

pub fn only(common: &Common) -> Result<Option<glob::Pattern>, CliError> {
    common
        .only
        .as_deref()
        .map(|text| {
            glob::Pattern::new(text).map_err(|error| {
                CliError::usage(format!("--only {text}: {error}"), "write for example --only 'four-*'")
            })
        })
        .transpose()
}

/// The named specs, or all that stand in `experiments/`.
pub fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(EXPERIMENTS)
        .map(|entries| entries.flatten().map(|entry| entry.path()).filter(|path| is_yaml(path)).collect())
        .unwrap_or_default();
    found.sort();
    if found.is_empty() {
        return Err(CliError::usage(
            "there is no spec in experiments/",
            "name a spec file, or write one with `scaleproof new experiments/mine.yaml`",
        ));
    }
    Ok(found)
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}
