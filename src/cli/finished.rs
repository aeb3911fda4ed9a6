//! `diagnose RESULTS`: what a finished table alone says of two arms, without the spec that made it.

use std::path::Path;

use serde_json::json;

use crate::diagnose::statistics::{Equivalence, equivalence, median};
use crate::report::figure;
use crate::results::{ResultsFolder, TrialRow, TrialTable};

use super::arguments::Format;
use super::exit::{CliError, Exit};

pub fn diagnose(root: &Path, baseline: &str, suspect: &str, format: Format) -> Result<Exit, CliError> {
    let table = TrialTable::read(&ResultsFolder::at(root).table())?;
    let names = table.arms();
    for name in [baseline, suspect] {
        if !names.contains(&name) {
            let known = names.iter().take(8).copied().collect::<Vec<_>>().join(", ");
            return Err(CliError::usage(
                format!("there is no arm `{name}` in {}", root.display()),
                format!("name two of: {known}"),
            ));
        }
    }
    let rmse = |row: &TrialRow| row.status.figures().map(|figures| figures.test_rmse);
    let pairs: Vec<(f64, f64)> = table
        .arm(baseline)
        .filter_map(|row| Some((rmse(row)?, rmse(table.arm(suspect).find(|other| other.seed == row.seed)?)?)))
        .collect();
    let (before, after): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let differences: Vec<f64> = pairs.iter().map(|(before, after)| after - before).collect();
    let margin = 0.05 * median(&before).unwrap_or(0.0);
    let decided = equivalence(&differences, margin);
    let differing = differing(&table, baseline, suspect);
    let words = match decided {
        Some((Equivalence::Equivalent, _)) => "equivalent".to_owned(),
        Some((Equivalence::Different, _)) => "different".to_owned(),
        Some((Equivalence::Inconclusive { seeds_needed: Some(seeds) }, _)) => {
            format!("inconclusive; about {seeds} seeds would decide")
        }
        Some((Equivalence::Inconclusive { seeds_needed: None }, _)) => "inconclusive".to_owned(),
        None => "inconclusive: at least two seeds in common are needed".to_owned(),
    };
    let gap = differences.iter().sum::<f64>() / differences.len().max(1) as f64;
    match format {
        Format::Json => println!(
            "{}",
            json!({
                "baseline": baseline, "suspect": suspect, "metric": "test_rmse", "seeds": pairs.len(), "gap": gap,
                "interval": decided.map(|(_, interval)| interval), "margin": margin, "outcome": words,
                "differs_in": differing, "shares": null,
            })
        ),
        Format::Human => {
            println!("`{suspect}` and `{baseline}` are {words}");
            if let Some((_, interval)) = decided {
                println!(
                    "gap in mean test RMSE over {} paired seeds: {} ({} to {})",
                    pairs.len(),
                    figure(gap),
                    figure(interval.low),
                    figure(interval.high)
                );
            }
            println!(
                "median test RMSE: {} against {}",
                figure(median(&after).unwrap_or(f64::NAN)),
                figure(median(&before).unwrap_or(f64::NAN))
            );
            for line in &differing {
                println!("differs in {line}");
            }
            println!("a table cannot share the gap out or run checks: diagnose the spec for that");
        }
    }
    Ok(Exit::Done)
}

/// Columns in which the two arms differ, with both values.
fn differing(table: &TrialTable, baseline: &str, suspect: &str) -> Vec<String> {
    let (Some(one), Some(other)) = (table.arm(baseline).next(), table.arm(suspect).next()) else { return Vec::new() };
    let fixed = [
        ("devices", one.devices.to_string(), other.devices.to_string()),
        ("global_batch", one.global_batch.to_string(), other.global_batch.to_string()),
        ("updates", one.updates.to_string(), other.updates.to_string()),
        ("samples_seen", one.samples_seen.to_string(), other.samples_seen.to_string()),
    ];
    let varied = table
        .varied
        .iter()
        .enumerate()
        .map(|(column, path)| (path.as_str(), one.values[column].clone(), other.values[column].clone()));
    fixed
        .into_iter()
        .chain(varied)
        .filter(|(_, before, after)| before != after)
        .map(|(name, before, after)| format!("{name}: {after} against {before}"))
        .collect()
}
