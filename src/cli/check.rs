//! `check`: fresh results against the committed ones, by stated tolerances.

use crate::diagnose::statistics::{median, two_sample};
use crate::report::{figure, values};
use crate::results::{ResultsFolder, TrialTable};
use crate::spec::Metric;

use super::arguments::Common;
use super::conclude::conclude;
use super::exit::{CliError, Exit};
use super::load;
use super::report::committed;
use super::sweep::{Interrupt, train};

/// A median that moves by more than this share is reported, if the distributions differ too.
const MEDIAN_SHARE: f64 = 0.05;
/// Below this p value two samples are not of one distribution.
const SAME: f64 = 0.01;

pub fn check(common: &Common) -> Result<Exit, CliError> {
    let plans = load::plans(common)?;
    load::open_devices(&plans)?;
    let interrupt = Interrupt::listen();
    let mut exit = Exit::Done;
    for plan in &plans {
        let name = &plan.experiment.name;
        let kept = committed(plan, &ResultsFolder::new(&common.out, name))?;
        let scratch = common.out.join(".check");
        let fresh_folder = ResultsFolder::new(&scratch, name);
        // Yesterday's scratch would make a changed program look unchanged.
        let _ = std::fs::remove_dir_all(fresh_folder.root());
        let elsewhere = Common {
            specs: common.specs.clone(),
            set: common.set.clone(),
            only: common.only.clone(),
            device: common.device.clone(),
            out: scratch,
            ..*common
        };
        if train(plan, &elsewhere, false, &interrupt)?.interrupted {
            return Ok(interrupt.exit());
        }
        let fresh = conclude(plan, &fresh_folder)?;
        let mut moved = tables(&kept.table, &fresh.table);
        let outcome = |diagnosis: &Option<crate::diagnose::Diagnosis>| {
            diagnosis.as_ref().map(|diagnosis| {
                let causes: Vec<&str> = diagnosis.verdict.causes.iter().map(|cause| cause.factor.name()).collect();
                format!("{:?}, causes: {}", diagnosis.verdict.outcome, causes.join(", "))
            })
        };
        if outcome(&kept.diagnosis) != outcome(&fresh.diagnosis) {
            moved.push(format!(
                "the verdict was {} and is {}",
                outcome(&kept.diagnosis).unwrap_or("none".into()),
                outcome(&fresh.diagnosis).unwrap_or("none".into())
            ));
        }
        for (before, after) in kept.claims.iter().zip(&fresh.claims) {
            if before.outcome != after.outcome {
                moved.push(format!(
                    "the claim on {} {} was {:?} and is {:?}",
                    before.claim.arm, before.claim.metric, before.outcome, after.outcome
                ));
            }
        }
        if moved.is_empty() {
            println!("{name}: fresh results agree with the committed ones");
        } else {
            exit = exit.or(Exit::ReportDiffers);
            println!("{name}: fresh results differ from the committed ones:");
            for line in &moved {
                println!("- {line}");
            }
            println!(
                "to accept the change, run `scaleproof sweep {}` and commit {}",
                plan.experiment.file.display(),
                ResultsFolder::new(&common.out, name).root().display()
            );
        }
        exit = exit.or(fresh.exit);
    }
    Ok(exit)
}

fn tables(kept: &TrialTable, fresh: &TrialTable) -> Vec<String> {
    let mut moved = Vec::new();
    for arm in kept.arms() {
        if fresh.arm(arm).next().is_none() {
            moved.push(format!("arm `{arm}` is gone"));
        }
    }
    for arm in fresh.arms() {
        let (Some(before), Some(after)) = (kept.arm(arm).next(), fresh.arm(arm).next()) else {
            moved.push(format!("arm `{arm}` is new"));
            continue;
        };
        let (old, new) = (kept.arm(arm).count(), fresh.arm(arm).count());
        if old != new {
            moved.push(format!("`{arm}` had {old} seeds and has {new}"));
        }
        for (what, before, after) in [
            ("global batch", u64::from(before.global_batch), u64::from(after.global_batch)),
            ("updates", before.updates, after.updates),
            ("devices", u64::from(before.devices), u64::from(after.devices)),
        ] {
            if before != after {
                moved.push(format!("`{arm}`: {what} was {before} and is {after}"));
            }
        }
        for metric in [Metric::TrainRmse, Metric::TestRmse] {
            let (old, new) = (values(kept, arm, metric), values(fresh, arm, metric));
            let (Some(before), Some(after), Some(test)) = (median(&old), median(&new), two_sample(&old, &new)) else {
                continue;
            };
            if (after - before).abs() > MEDIAN_SHARE * before.abs()
                && (test.p_value < SAME || old.len() < 5 || (after - before).abs() > 3.0 * MEDIAN_SHARE * before.abs())
            {
                moved.push(format!(
                    "`{arm}`: median {} was {} and is {} (p {:.3})",
                    metric.words(),
                    figure(before),
                    figure(after),
                    test.p_value
                ));
            }
        }
    }
    moved
}
