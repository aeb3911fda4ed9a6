//! `diagnose`: why two arms differ.

use crate::report::verdict_sentence;
use crate::results::ResultsFolder;

use super::arguments::{Common, Format};
use super::conclude::conclude;
use super::exit::{CliError, Exit};
use super::sweep::{Interrupt, train};
use super::{finished, load};

pub fn diagnose(common: &Common, baseline: Option<&str>, suspect: Option<&str>) -> Result<Exit, CliError> {
    if let [folder] = common.specs.as_slice()
        && folder.is_dir()
    {
        let (Some(baseline), Some(suspect)) = (baseline, suspect) else {
            return Err(CliError::usage(
                format!("{} is a results folder, which says not which arms to compare", folder.display()),
                "give --baseline and --suspect, two names of its `arm` column",
            ));
        };
        return finished::diagnose(folder, baseline, suspect, common.format);
    }
    let mut plans = load::plans(common)?;
    load::open_devices(&plans)?;
    let interrupt = Interrupt::listen();
    let mut exit = Exit::Done;
    for plan in &mut plans {
        let names: Vec<String> = plan.arms.iter().map(|arm| arm.name.clone()).collect();
        if let (Some(baseline), Some(suspect)) = (baseline, suspect) {
            for name in [baseline, suspect] {
                if !names.iter().any(|known| known == name) {
                    return Err(CliError::usage(
                        format!("there is no arm `{name}`"),
                        format!("name two of: {}", names.join(", ")),
                    ));
                }
            }
            let mut section = plan.experiment.diagnose.clone().unwrap_or(crate::spec::DiagnoseSection {
                baseline: String::new(),
                suspect: String::new(),
                metric: crate::spec::Metric::TestRmse,
                margin: None,
                expect: Vec::new(),
            });
            section.baseline = baseline.into();
            section.suspect = suspect.into();
            plan.experiment.diagnose = Some(section);
        }
        if plan.experiment.diagnose.is_none() {
            return Err(CliError::usage(
                format!("{} says not which arms to compare", plan.experiment.file.display()),
                format!("give --baseline and --suspect, two of: {}", names.join(", ")),
            ));
        }
        // Trials that swap one factor at a time are run here when they are missing.
        if train(plan, common, false, &interrupt)?.interrupted {
            return Ok(interrupt.exit());
        }
        let folder = ResultsFolder::new(&common.out, &plan.experiment.name);
        let conclusion = conclude(plan, &folder)?;
        exit = exit.or(conclusion.exit);
        let Some(diagnosis) = &conclusion.diagnosis else { continue };
        match common.format {
            Format::Json => println!("{}", serde_json::json!(diagnosis)),
            Format::Human => {
                println!("{}", verdict_sentence(diagnosis));
                for cause in &diagnosis.verdict.causes {
                    println!("- {}: {}\n  remedy: {}", cause.factor.name(), cause.reason, cause.remedy);
                }
                for hidden in &diagnosis.verdict.hidden {
                    println!("- {hidden}");
                }
                for check in &diagnosis.checks {
                    let word =
                        serde_json::to_value(check.status).ok().and_then(|value| value.as_str().map(str::to_owned));
                    println!("{:<12} {}: {}", word.unwrap_or_default(), check.id, check.evidence);
                }
            }
        }
    }
    Ok(exit)
}
