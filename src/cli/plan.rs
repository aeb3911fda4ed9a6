//! `plan`: what a sweep would do.

use serde_json::json;

use crate::report::table;
use crate::results::{Recovered, ResultsFolder};
use crate::sweep::{Plan, PlannedArm};

use super::arguments::{Common, Format};
use super::exit::{CliError, Exit};
use super::load;
use super::sweep::latest;

/// Arms that a terminal shows; `--format json` has them all.
const SHOWN: usize = 40;

pub fn plan(common: &Common) -> Result<Exit, CliError> {
    let plans = load::plans(common)?;
    let mut all = Vec::new();
    for plan in &plans {
        let folder = ResultsFolder::new(&common.out, &plan.experiment.name);
        let records = latest(Recovered::read(&folder.journal())?.records);
        let done = |arm: &PlannedArm| arm.trials.iter().filter(|trial| records.contains_key(trial)).count();
        // What a trial took, per window seen, is a fair guide to what the next one takes.
        let timed: Vec<(f64, usize)> = plan
            .selected()
            .flat_map(|arm| {
                arm.trials
                    .iter()
                    .filter_map(|trial| records.get(trial))
                    .map(|record| (record.wall_seconds, arm.resolved.updates()))
            })
            .collect();
        let left: usize = plan.selected().map(|arm| (arm.trials.len() - done(arm)) * arm.resolved.updates()).sum();
        let (seconds, updates) = timed.iter().fold((0.0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let estimate = (updates > 0).then(|| seconds / updates as f64 * left as f64);
        match common.format {
            Format::Human => print!("{}", human(plan, &done, estimate)),
            Format::Json => all.push(json(plan, &done, estimate)),
        }
    }
    if common.format == Format::Json {
        println!("{}", serde_json::Value::Array(all));
    }
    Ok(Exit::Done)
}

fn human(plan: &Plan, done: &dyn Fn(&PlannedArm) -> usize, estimate: Option<f64>) -> String {
    let finished: usize = plan.selected().map(done).sum();
    let mut text = format!(
        "{}: {} arms, {} trials, {finished} done\n\n",
        plan.experiment.name,
        plan.selected().count(),
        plan.trial_count()
    );
    let rows: Vec<Vec<String>> = plan
        .selected()
        .take(SHOWN)
        .map(|arm| {
            let resolved = &arm.resolved;
            vec![
                arm.name.clone(),
                format!("{}/{}", done(arm), arm.trials.len()),
                resolved.global_batch.to_string(),
                resolved.updates_an_epoch().to_string(),
                resolved.updates().to_string(),
                resolved.learning_rate.steps(resolved.updates()).to_string(),
                format!("{:.2e}", resolved.learning_rate.mean(resolved.updates())),
            ]
        })
        .collect();
    text.push_str(&table(&["arm", "done", "batch", "updates/epoch", "updates", "rate steps", "mean rate"], 1, &rows));
    if plan.selected().count() > rows.len() {
        text.push_str(&format!(
            "and {} more arms; --format json lists them all\n",
            plan.selected().count() - rows.len()
        ));
    }
    for warning in warnings(plan) {
        text.push_str(&format!("warning: {warning}\n"));
    }
    if let Some(seconds) = estimate.filter(|seconds| *seconds > 0.0) {
        text.push_str(&format!("about {seconds:.0} s of training on one core, by the trials timed so far\n"));
    }
    text
}

/// Arms that are to be compared should have seen equal numbers of updates.
fn warnings(plan: &Plan) -> Vec<String> {
    let Some(section) = &plan.experiment.diagnose else { return Vec::new() };
    let (Some(baseline), Some(suspect)) = (plan.arm(&section.baseline), plan.arm(&section.suspect)) else {
        return Vec::new();
    };
    let (one, many) = (&baseline.resolved, &suspect.resolved);
    let mut warnings = Vec::new();
    if one.updates() != many.updates() {
        warnings.push(format!(
            "`{}` makes {} updates and `{}` {}: part of their gap will be the update budget",
            baseline.name,
            one.updates(),
            suspect.name,
            many.updates()
        ));
    }
    if one.learning_rate != many.learning_rate {
        warnings.push(format!("`{}` and `{}` have different learning rates", baseline.name, suspect.name));
    }
    warnings
}

fn json(plan: &Plan, done: &dyn Fn(&PlannedArm) -> usize, estimate: Option<f64>) -> serde_json::Value {
    json!({
        "experiment": plan.experiment.name,
        "trials": plan.trial_count(),
        "estimated_seconds": estimate,
        "warnings": warnings(plan),
        "arms": plan.selected().map(|arm| json!({
            "name": arm.name,
            "trials": arm.trials,
            "done": done(arm),
            "devices": arm.resolved.devices,
            "global_batch": arm.resolved.global_batch,
            "updates_an_epoch": arm.resolved.updates_an_epoch(),
            "updates": arm.resolved.updates(),
            "samples_seen": arm.resolved.samples_seen(),
            "learning_rate_steps": arm.resolved.learning_rate.steps(arm.resolved.updates()),
            "mean_learning_rate": arm.resolved.learning_rate.mean(arm.resolved.updates()),
        })).collect::<Vec<_>>(),
    })
}
