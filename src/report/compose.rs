//! The report as a whole: the answer first, then the evidence.

use crate::diagnose::{ClaimOutcome, ClaimVerdict, Diagnosis};
use crate::results::{Environment, TrialTable};
use crate::spec::Experiment;

use super::draw::forecast_file;
use super::figures::counted;
use super::{arms, axes, claims, diagnosis, environment};

/// Everything a report is made from.
pub struct ReportInput<'a> {
    pub experiment: &'a Experiment,
    pub table: &'a TrialTable,
    pub environment: &'a Environment,
    pub claims: &'a [ClaimVerdict],
    pub diagnosis: Option<&'a Diagnosis>,
    /// File names of the plots that stand in `plots/`.
    pub plots: &'a [String],
}

/// `report.md`, the same text for the same files.
pub fn compose(input: &ReportInput<'_>) -> String {
    let experiment = input.experiment;
    let mut text = format!("# {}\n\n{}\n\n{}\n", experiment.name, experiment.about, answer(input));
    text.push_str(&claims::section(input.claims));
    if !input.claims.is_empty() {
        text.push('\n');
    }
    if let Some(found) = input.diagnosis {
        text.push_str(&diagnosis::section(found, input.plots));
    }
    text.push_str(&pictures(input.plots, &input.table.arms()));
    let varied = axes::axes(input.table);
    if experiment.swept && !varied.is_empty() {
        text.push_str(&axes::section(input.table, &varied));
        text.push('\n');
    }
    text.push_str(&arms::section(input.table));
    text.push('\n');
    text.push_str(&environment::section(input.environment));
    text
}

/// Three sentences that someone in a hurry can stop after.
fn answer(input: &ReportInput<'_>) -> String {
    let mut text = String::new();
    if let Some(found) = input.diagnosis {
        text.push_str(&format!("{}\n", diagnosis::verdict_sentence(found)));
    }
    let reproduced = input.claims.iter().filter(|claim| claim.outcome == ClaimOutcome::Reproduced).count();
    match input.claims.len() {
        0 => {}
        all if all == reproduced => text.push_str(&format!("All {all} published figures are reproduced.\n")),
        all => text.push_str(&format!("{reproduced} of {all} published figures are reproduced.\n")),
    }
    if input.experiment.swept {
        text.push_str(&axes::sentence(input.table));
    }
    let finished = input.table.rows.iter().filter(|row| row.status.figures().is_some()).count();
    text.push_str(&format!(
        "{finished} of {} trials finished, in {}, on {}.\n",
        input.table.rows.len(),
        counted(input.table.arms().len(), "arm"),
        input.environment.devices.join(" and ")
    ));
    text
}

/// Forecasts in the order of the arms, then everything else by name.
fn pictures(plots: &[String], arms: &[&str]) -> String {
    let place = |plot: &String| arms.iter().position(|arm| *plot == forecast_file(arm)).unwrap_or(arms.len());
    let mut shown: Vec<&String> = plots.iter().filter(|plot| *plot != "shares.svg").collect();
    shown.sort_by_key(|plot| place(plot));
    if shown.is_empty() {
        return String::new();
    }
    let mut text = String::from("## Plots\n\n");
    for plot in shown {
        let title = plot.trim_end_matches(".svg").replace(['-', '_'], " ");
        text.push_str(&format!("![{title}](plots/{plot})\n\n"));
    }
    text
}
