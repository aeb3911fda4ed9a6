//! `status`: what a results folder holds.

use serde_json::json;

use crate::results::{Recovered, ResultsFolder};

use super::arguments::{Common, Format};
use super::exit::{CliError, Exit};
use super::load;
use super::sweep::latest;

pub fn status(common: &Common) -> Result<Exit, CliError> {
    let mut all = Vec::new();
    for plan in &load::plans(common)? {
        let folder = ResultsFolder::new(&common.out, &plan.experiment.name);
        let recovered = Recovered::read(&folder.journal())?;
        let damaged = recovered.damaged.len();
        let records = latest(recovered.records);
        let trials = || plan.selected().flat_map(|arm| &arm.trials);
        let done = trials().filter(|trial| records.contains_key(trial)).count();
        let failed =
            trials().filter(|trial| records.get(trial).is_some_and(|record| record.status.figures().is_none())).count();
        let missing = plan.trial_count() - done;
        match common.format {
            Format::Human => {
                println!(
                    "{}: {done} of {} trials done, {failed} failed, {missing} missing",
                    plan.experiment.name,
                    plan.trial_count()
                );
                if damaged > 0 {
                    println!("  {damaged} damaged lines in {}; their trials are run again", folder.journal().display());
                }
                for (name, path) in
                    [("report", folder.report()), ("table", folder.table()), ("diagnosis", folder.diagnosis())]
                {
                    println!(
                        "  {name}: {}",
                        if path.exists() { path.display().to_string() } else { "not there".into() }
                    );
                }
            }
            Format::Json => all.push(json!({
                "experiment": plan.experiment.name, "trials": plan.trial_count(), "done": done, "failed": failed,
                "missing": missing, "damaged_lines": damaged,
            })),
        }
    }
    if common.format == Format::Json {
        println!("{}", serde_json::Value::Array(all));
    }
    Ok(Exit::Done)
}
