//! From a journal to tables, diagnosis, plots, report and exit code, without training.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::json;

use crate::diagnose::{Case, CheckStatus, ClaimOutcome, ClaimVerdict, Diagnosis, Severity, diagnose, judge_claims};
use crate::report::{ArmHistory, ReportInput, claim_words, compose, draw, figure, table, values, verdict_sentence};
use crate::results::{
    CohortHistory, Environment, ProbeRecord, Recovered, ResultsFolder, TrialRecord, TrialRow, TrialTable,
    write_if_changed,
};
use crate::spec::{Metric, TrialId};
use crate::sweep::{Plan, PlannedArm};

use super::exit::{CliError, Exit};
use super::sweep::latest;

/// What the results of one experiment say.
pub struct Conclusion {
    pub name: String,
    pub table: TrialTable,
    pub claims: Vec<ClaimVerdict>,
    pub diagnosis: Option<Diagnosis>,
    pub exit: Exit,
}

/// Reads the journal and writes everything that follows from it.
pub fn conclude(plan: &Plan, folder: &ResultsFolder) -> Result<Conclusion, CliError> {
    let records = latest(Recovered::read(&folder.journal())?.records);
    let table = rows(plan, &records);
    table.write(&folder.table(), &folder.parquet())?;
    let diagnosis = diagnose_plan(plan, folder, &records);
    if let Some(diagnosis) = &diagnosis {
        diagnosis.write(&folder.diagnosis())?;
    }
    // The report is made from the files, so that making it again from a checkout gives the same text.
    let table = TrialTable::read(&folder.table())?;
    let histories = histories(plan, folder, &records)?;
    for (name, svg) in draw(&plan.experiment, &table, diagnosis.as_ref(), &histories)? {
        write_if_changed(&folder.plots().join(name), svg.as_bytes())?;
    }
    let conclusion = judge(plan, table, diagnosis);
    write_if_changed(&folder.report(), report_text(plan, folder, &conclusion)?.as_bytes())?;
    Ok(conclusion)
}

/// The report that the committed files give.
pub fn report_text(plan: &Plan, folder: &ResultsFolder, conclusion: &Conclusion) -> Result<String, CliError> {
    let plots = plots(folder);
    Ok(compose(&ReportInput {
        experiment: &plan.experiment,
        table: &conclusion.table,
        environment: &Environment::read(&folder.environment())?,
        claims: &conclusion.claims,
        diagnosis: conclusion.diagnosis.as_ref(),
        plots: &plots,
    }))
}

/// Claims and exit code of finished results.
pub fn judge(plan: &Plan, table: TrialTable, diagnosis: Option<Diagnosis>) -> Conclusion {
    let claims = judge_claims(&plan.experiment, &table);
    let exit = exit(&table, &claims, diagnosis.as_ref());
    Conclusion { name: plan.experiment.name.clone(), table, claims, diagnosis, exit }
}

fn exit(table: &TrialTable, claims: &[ClaimVerdict], diagnosis: Option<&Diagnosis>) -> Exit {
    let mut exit = Exit::Done;
    if table.rows.iter().any(|row| row.status.figures().is_none()) {
        exit = exit.or(Exit::TrialFailed);
    }
    for claim in claims {
        exit = exit.or(match claim.outcome {
            ClaimOutcome::Reproduced => Exit::Done,
            ClaimOutcome::NotReproduced => Exit::ClaimNotReproduced,
            ClaimOutcome::Undecided => Exit::ClaimUndecided,
        });
    }
    let violated = diagnosis.is_some_and(|diagnosis| {
        diagnosis
            .checks
            .iter()
            .any(|check| check.gone || (check.status == CheckStatus::Violated && check.severity == Severity::Parity))
    });
    if violated { exit.or(Exit::CheckViolated) } else { exit }
}

/// Every finished trial of the plan, in arm order then seed.
pub fn rows(plan: &Plan, records: &HashMap<TrialId, TrialRecord>) -> TrialTable {
    let row = |arm: &PlannedArm, record: &TrialRecord, seed: u64| TrialRow {
        trial: record.trial,
        arm: arm.name.clone(),
        seed,
        status: record.status.clone(),
        devices: arm.resolved.devices.get() as u32,
        device_kind: record.device.clone(),
        global_batch: arm.resolved.global_batch.get() as u32,
        updates: arm.resolved.updates() as u64,
        samples_seen: arm.resolved.samples_seen() as u64,
        wall_seconds: record.wall_seconds,
        values: arm.values.clone(),
    };
    let rows = plan
        .arms
        .iter()
        .flat_map(|arm| {
            plan.experiment
                .seeds
                .iter()
                .zip(&arm.trials)
                .filter_map(move |(seed, trial)| records.get(trial).map(|record| row(arm, record, *seed)))
        })
        .collect();
    TrialTable { varied: plan.experiment.varied.clone(), rows }
}

fn diagnose_plan(plan: &Plan, folder: &ResultsFolder, records: &HashMap<TrialId, TrialRecord>) -> Option<Diagnosis> {
    let section = plan.experiment.diagnose.as_ref()?;
    let (baseline, suspect) = (plan.arm(&section.baseline)?, plan.arm(&section.suspect)?);
    // With --only one of the two may never have been run.
    if [baseline, suspect].iter().any(|arm| !arm.trials.iter().any(|trial| records.contains_key(trial))) {
        return None;
    }
    let (probes, history) = (folder.probes(), folder.history());
    Some(diagnose(&Case {
        baseline_name: &baseline.name,
        suspect_name: &suspect.name,
        baseline: &baseline.resolved,
        suspect: &suspect.resolved,
        seeds: &plan.experiment.seeds,
        metric: section.metric,
        margin: section.margin.map(|margin| margin.get()),
        expect: &section.expect,
        records,
        // A probe that cannot be read counts as one that was not run: its checks say so.
        probes: &|key| ProbeRecord::read(&probes, key).ok().flatten(),
        losses: &|trial| {
            let cohort = CohortHistory::read(&history, records.get(&trial)?.cohort).ok()??;
            cohort.losses.into_iter().find(|one| one.trial == trial).map(|one| one.losses)
        },
    }))
}

fn histories(
    plan: &Plan,
    folder: &ResultsFolder,
    records: &HashMap<TrialId, TrialRecord>,
) -> Result<Vec<ArmHistory>, CliError> {
    let mut found = Vec::new();
    // Past a handful of arms no arm gets a plot of its own.
    if plan.arms.len() > 8 {
        return Ok(found);
    }
    for arm in &plan.arms {
        let mut cohorts: HashMap<TrialId, Option<CohortHistory>> = HashMap::new();
        let mut losses = Vec::new();
        let mut forecasts = Vec::new();
        for trial in &arm.trials {
            let Some(record) = records.get(trial) else { continue };
            let history = match cohorts.entry(record.cohort) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(fresh) => fresh.insert(CohortHistory::read(&folder.history(), record.cohort)?),
            };
            let Some(history) = history else { continue };
            losses.extend(history.losses.iter().filter(|one| one.trial == *trial).map(|one| one.losses.clone()));
            if let Some(figures) = record.status.figures() {
                forecasts.extend(
                    history
                        .forecasts
                        .iter()
                        .filter(|one| one.trial == *trial)
                        .map(|one| (figures.test_rmse, one.clone())),
                );
            }
        }
        forecasts.sort_by(|left, right| left.0.total_cmp(&right.0));
        let middle = forecasts.len().saturating_sub(1) / 2;
        let Some((_, forecast)) = forecasts.into_iter().nth(middle) else { continue };
        let split = arm.source.split;
        let placed = |values: Vec<f64>, start: usize| -> Vec<(usize, f64)> {
            values.into_iter().enumerate().map(|(window, value)| (start + split.look_back + window, value)).collect()
        };
        found.push(ArmHistory {
            arm: arm.name.clone(),
            devices: arm.resolved.devices.get(),
            updates_an_epoch: arm.resolved.updates_an_epoch(),
            losses,
            series: arm.source.series.values.clone(),
            train: placed(forecast.train, 0),
            test: placed(forecast.test, split.train_length),
        });
    }
    Ok(found)
}

/// File names of the plots that stand in a results folder.
fn plots(folder: &ResultsFolder) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder.plots())
        .map(|entries| {
            entries
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .filter(|name| name.ends_with(".svg"))
                .collect()
        })
        .unwrap_or_default();
    names.sort();
    names
}

impl Conclusion {
    /// A short table for a terminal of 80 columns.
    pub fn summary(&self, trained: usize, folder: &ResultsFolder) -> String {
        let mut text = format!("\n{}: {trained} trials trained, {} in all\n\n", self.name, self.table.rows.len());
        let arms = self.table.arms();
        let middle = |arm: &str, metric| crate::diagnose::statistics::median(&values(&self.table, arm, metric));
        if arms.len() > 20 {
            // Names of swept arms are long: the ends say most in a narrow terminal.
            let mut ranked: Vec<(f64, &str)> =
                arms.iter().filter_map(|arm| Some((middle(arm, Metric::TestRmse)?, *arm))).collect();
            ranked.sort_by(|left, right| left.0.total_cmp(&right.0));
            for (word, end) in [("best", ranked.first()), ("worst", ranked.last())] {
                if let Some((rmse, arm)) = end {
                    text.push_str(&format!(
                        "{word} of {} arms: median test RMSE {}\n  {arm}\n",
                        arms.len(),
                        figure(*rmse)
                    ));
                }
            }
        } else {
            let rows: Vec<Vec<String>> = arms
                .iter()
                .map(|arm| {
                    let shown = |metric| middle(arm, metric).map_or("none".into(), figure);
                    let updates = self.table.arm(arm).next().map_or(0, |row| row.updates);
                    let count = self.table.arm(arm).count().to_string();
                    vec![
                        (*arm).to_owned(),
                        shown(Metric::TrainRmse),
                        shown(Metric::TestRmse),
                        updates.to_string(),
                        count,
                    ]
                })
                .collect();
            text.push_str(&table(&["arm", "train RMSE", "test RMSE", "updates", "seeds"], 1, &rows));
        }
        for verdict in &self.claims {
            let claim = &verdict.claim;
            text.push_str(&format!(
                "claim: {} {} {}: {}\n",
                claim.arm,
                claim.metric.words(),
                claim.words(),
                claim_words(verdict.outcome)
            ));
        }
        if let Some(diagnosis) = &self.diagnosis {
            text.push_str(&format!("verdict: {}\n", verdict_sentence(diagnosis)));
            for check in diagnosis.checks.iter().filter(|check| check.status == CheckStatus::Violated) {
                text.push_str(&format!("check: {} is violated: {}\n", check.id, check.evidence));
            }
            for check in diagnosis.checks.iter().filter(|check| check.gone) {
                text.push_str(&format!("check: {} holds, though the spec expects it violated\n", check.id));
            }
        }
        text.push_str(&format!("report: {}\n", folder.report().display()));
        text
    }

    pub fn json(&self, trained: usize, folder: &ResultsFolder) -> serde_json::Value {
        json!({
            "experiment": self.name,
            "trained": trained,
            "trials": self.table.rows.len(),
            "report": folder.report(),
            "exit": self.exit.code(),
            "claims": self.claims.iter().map(|verdict| json!({
                "arm": verdict.claim.arm,
                "metric": verdict.claim.metric,
                "claim": verdict.claim.words(),
                "outcome": claim_words(verdict.outcome),
            })).collect::<Vec<_>>(),
            "diagnosis": self.diagnosis,
        })
    }
}
