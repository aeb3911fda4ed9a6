//! `sweep`: train what is missing, diagnose, report.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::device::describe;
use crate::diagnose::{Wanted, wanted};
use crate::results::{Environment, FolderLock, Journal, ProbeRecord, Recovered, ResultsFolder, Status, TrialRecord};
use crate::spec::TrialId;
use crate::sweep::{Event, Options, Plan, Work, compose_source, probe, run};

use super::arguments::{Common, Format};
use super::conclude::{Conclusion, conclude};
use super::exit::{CliError, Exit};
use super::load;
use super::progress::Progress;

/// Raised by the first signal; the second one ends the process at once.
pub struct Interrupt {
    pub stop: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    pub fn listen() -> Self {
        let (stop, signal) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        for number in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            // Where a handler cannot be set the system's own ends the process, and the journal is kept all the same.
            let _ = signal_hook::flag::register_conditional_shutdown(number, 128 + number, stop.clone());
            let _ = signal_hook::flag::register(number, stop.clone());
            let _ = signal_hook::flag::register_usize(number, signal.clone(), number as usize);
        }
        Interrupt { stop, signal }
    }

    pub fn exit(&self) -> Exit {
        if self.signal.load(Ordering::Relaxed) == signal_hook::consts::SIGTERM as usize {
            Exit::Terminated
        } else {
            Exit::Interrupted
        }
    }
}

pub fn sweep(common: &Common, retry_failed: bool) -> Result<Exit, CliError> {
    let plans = load::plans(common)?;
    load::open_devices(&plans)?;
    let interrupt = Interrupt::listen();
    let mut exit = Exit::Done;
    let mut summaries = Vec::new();
    for plan in &plans {
        let trained = train(plan, common, retry_failed, &interrupt)?;
        if trained.interrupted {
            eprintln!(
                "{}: interrupted; {} finished trials are kept, the same command goes on",
                plan.experiment.name, trained.kept
            );
            return Ok(interrupt.exit());
        }
        let folder = ResultsFolder::new(&common.out, &plan.experiment.name);
        let conclusion = conclude(plan, &folder)?;
        exit = exit.or(conclusion.exit);
        match common.format {
            Format::Human if !common.quiet => print!("{}", conclusion.summary(trained.count, &folder)),
            Format::Human => {}
            Format::Json => summaries.push(conclusion.json(trained.count, &folder)),
        }
        report_failures(&conclusion);
    }
    if common.format == Format::Json {
        println!("{}", serde_json::Value::Array(summaries));
    }
    Ok(exit)
}

fn report_failures(conclusion: &Conclusion) {
    for row in conclusion.table.rows.iter().filter(|row| row.status.figures().is_none()).take(10) {
        eprintln!("{}: seed {}: {}", row.arm, row.seed, row.status.text());
    }
}

/// What training came to.
pub struct TrainedCount {
    pub count: usize,
    pub kept: usize,
    pub interrupted: bool,
}

/// Trains every missing trial of a plan and of its diagnosis.
pub fn train(
    plan: &Plan,
    common: &Common,
    retry_failed: bool,
    interrupt: &Interrupt,
) -> Result<TrainedCount, CliError> {
    let folder = ResultsFolder::new(&common.out, &plan.experiment.name);
    std::fs::create_dir_all(folder.root())
        .map_err(|error| crate::results::ResultsError::file(folder.root(), "make the folder", &error))?;
    let _lock = FolderLock::acquire(&folder.lock())?;
    let (mut journal, recovered) = Journal::open(&folder.journal())?;
    report_damage(&folder, &recovered);
    let done = latest(recovered.records);
    let finished: HashSet<TrialId> = done
        .values()
        .filter(|record| !retry_failed || matches!(record.status, Status::Ok(_)))
        .map(|record| record.trial)
        .collect();
    let wanted = diagnosis_wants(plan);
    let work = missing(plan, wanted.as_ref(), &finished);
    let total: usize = unique(&work);
    let jobs = common.jobs.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let mut progress = Progress::start(&plan.experiment.name, total, common.quiet);
    let summary = run(work, &folder, &mut journal, &Options { jobs }, &interrupt.stop, |event| match event {
        Event::Planned { .. } => {}
        Event::Finished { records, .. } => progress.add(records.len()),
    })?;
    progress.finish();
    let kept = done.len() + summary.records.len();
    if !summary.interrupted
        && let Some(wanted) = &wanted
    {
        record_probes(plan, wanted, &folder, &interrupt.stop)?;
    }
    if total > 0 || !folder.environment().exists() {
        environment(plan, common).write(&folder.environment())?;
    }
    Ok(TrainedCount { count: summary.records.len(), kept, interrupted: summary.interrupted })
}

fn report_damage(folder: &ResultsFolder, recovered: &Recovered) {
    for damaged in &recovered.damaged {
        eprintln!("{}:{}: {}; its trial is run again", folder.journal().display(), damaged.line, damaged.damage);
    }
}

/// The newest record of every trial.
pub fn latest(records: Vec<TrialRecord>) -> HashMap<TrialId, TrialRecord> {
    records.into_iter().map(|record| (record.trial, record)).collect()
}

/// What the spec's own diagnosis reads beyond its two arms.
pub fn diagnosis_wants(plan: &Plan) -> Option<Wanted> {
    let section = plan.experiment.diagnose.as_ref()?;
    let (baseline, suspect) = (plan.arm(&section.baseline)?, plan.arm(&section.suspect)?);
    if !(baseline.selected && suspect.selected) {
        return None;
    }
    Some(wanted(&baseline.resolved, &suspect.resolved, &plan.experiment.seeds))
}

fn missing(plan: &Plan, wanted: Option<&Wanted>, finished: &HashSet<TrialId>) -> Vec<Work> {
    let seeds = &plan.experiment.seeds;
    let fresh = |trials: &[TrialId]| -> Vec<(u64, TrialId)> {
        seeds.iter().copied().zip(trials.iter().copied()).filter(|(_, trial)| !finished.contains(trial)).collect()
    };
    let mut work: Vec<Work> = plan
        .selected()
        .map(|arm| Work {
            arm: arm.name.clone(),
            resolved: arm.resolved.clone(),
            source: arm.source.clone(),
            trials: fresh(&arm.trials),
        })
        .collect();
    for resolved in wanted.map(|wanted| wanted.arms.as_slice()).unwrap_or_default() {
        if let Some(source) = source_of(plan, resolved) {
            let trials = fresh(&resolved.trial_ids(seeds));
            work.push(Work { arm: "swapped".into(), resolved: Arc::new(resolved.clone()), source, trials });
        }
    }
    work.retain(|one| !one.trials.is_empty());
    work
}

fn unique(work: &[Work]) -> usize {
    work.iter().flat_map(|one| one.trials.iter().map(|(_, trial)| trial)).collect::<HashSet<_>>().len()
}

/// The files that an arm made by swapping factors reads, put together from those of the plan's arms.
fn source_of(plan: &Plan, resolved: &crate::spec::ResolvedArm) -> Option<Arc<crate::data::Source>> {
    compose_source(resolved, plan.arms.iter().map(|arm| &arm.source))
}

fn record_probes(plan: &Plan, wanted: &Wanted, folder: &ResultsFolder, stop: &AtomicBool) -> Result<(), CliError> {
    for key in &wanted.probes {
        if ProbeRecord::read(&folder.probes(), key)?.is_some() {
            continue;
        }
        if let Some(source) = source_of(plan, &key.arm) {
            probe(key, &source, stop)?.write(&folder.probes())?;
        }
    }
    Ok(())
}

fn environment(plan: &Plan, common: &Common) -> Environment {
    let mut devices: Vec<String> =
        plan.arms.iter().map(|arm| describe(arm.resolved.device, arm.resolved.devices.get())).collect();
    devices.sort();
    devices.dedup();
    let mut command = format!("cargo run --release -- sweep {}", plan.experiment.file.display());
    if let Some(seeds) = common.seeds {
        command.push_str(&format!(" --seeds {seeds}"));
    }
    for change in &common.set {
        command.push_str(&format!(" --set '{change}'"));
    }
    Environment::observe(devices, command, common.set.clone())
}
