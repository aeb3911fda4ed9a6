//! `report`: Markdown from finished results, or whether the committed one is current.

use crate::diagnose::Diagnosis;
use crate::results::{ResultsFolder, TrialTable, read_text};
use crate::sweep::Plan;

use super::arguments::Common;
use super::conclude::{Conclusion, conclude, judge, report_text};
use super::exit::{CliError, Exit};
use super::load;

pub fn report(common: &Common, check: bool) -> Result<Exit, CliError> {
    let mut exit = Exit::Done;
    for plan in &load::plans(common)? {
        let folder = ResultsFolder::new(&common.out, &plan.experiment.name);
        if check {
            let (text, committed) =
                (report_text(plan, &folder, &committed(plan, &folder)?)?, read_text(&folder.report())?);
            if text != committed {
                exit = exit.or(Exit::ReportDiffers);
                println!("{} differs from what the results give:", folder.report().display());
                print!("{}", difference(&committed, &text));
            }
            continue;
        }
        // Without a journal, as in a fresh checkout, the committed table and diagnosis are what there is.
        if folder.journal().exists() {
            conclude(plan, &folder)?;
        } else {
            let text = report_text(plan, &folder, &committed(plan, &folder)?)?;
            crate::results::write_if_changed(&folder.report(), text.as_bytes())?;
        }
        if !common.quiet {
            println!("{}", folder.report().display());
        }
    }
    Ok(exit)
}

/// What the committed files of an experiment say.
pub fn committed(plan: &Plan, folder: &ResultsFolder) -> Result<Conclusion, CliError> {
    let table = TrialTable::read(&folder.table())?;
    let diagnosis = if folder.diagnosis().exists() { Some(Diagnosis::read(&folder.diagnosis())?) } else { None };
    Ok(judge(plan, table, diagnosis))
}

/// Lines that only one of the two texts has.
fn difference(committed: &str, fresh: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (committed.lines().collect(), fresh.lines().collect());
    let removed = old.iter().filter(|line| !new.contains(line)).map(|line| format!("- {line}\n"));
    let added = new.iter().filter(|line| !old.contains(line)).map(|line| format!("+ {line}\n"));
    removed.chain(added).collect()
}
