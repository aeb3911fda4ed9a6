//! `compare`: two results folders, arm by arm.

use std::path::Path;

use serde_json::json;

use crate::diagnose::statistics::{bootstrap_interval, median};
use crate::report::{figure, table};
use crate::results::{ResultsFolder, TrialTable};

use super::arguments::Format;
use super::exit::{CliError, Exit};

pub fn compare(first: &Path, second: &Path, format: Format) -> Result<Exit, CliError> {
    let read = |root: &Path| TrialTable::read(&ResultsFolder::at(root).table());
    let (one, two) = (read(first)?, read(second)?);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for arm in one.arms() {
        // Pairs of trials with the same seed.
        let pairs: Vec<(f64, f64)> = one
            .arm(arm)
            .filter_map(|row| {
                let other = two.arm(arm).find(|other| other.seed == row.seed)?;
                Some((row.status.figures()?.test_rmse, other.status.figures()?.test_rmse))
            })
            .collect();
        if pairs.is_empty() {
            rows.push(vec![
                arm.into(),
                "none".into(),
                "none".into(),
                "no seed in common".into(),
                String::new(),
                "0".into(),
            ]);
            continue;
        }
        let (before, after): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let differences: Vec<f64> = pairs.iter().map(|(before, after)| after - before).collect();
        let interval = bootstrap_interval(&differences, mean, 0.95, 2000);
        let medians = (median(&before).unwrap_or(f64::NAN), median(&after).unwrap_or(f64::NAN));
        rows.push(vec![
            arm.into(),
            figure(medians.0),
            figure(medians.1),
            figure(mean(&differences)),
            interval
                .map_or("one seed".into(), |interval| format!("{} to {}", figure(interval.low), figure(interval.high))),
            pairs.len().to_string(),
        ]);
        all.push(json!({
            "arm": arm, "seeds": pairs.len(), "median_first": medians.0, "median_second": medians.1,
            "mean_difference": mean(&differences), "interval": interval,
        }));
    }
    for arm in two.arms().into_iter().filter(|arm| one.arm(arm).next().is_none()) {
        rows.push(vec![
            arm.into(),
            "none".into(),
            "none".into(),
            "only in the second".into(),
            String::new(),
            "0".into(),
        ]);
    }
    match format {
        Format::Human => print!(
            "test RMSE, {} against {}\n\n{}",
            second.display(),
            first.display(),
            table(&["arm", "first", "second", "mean difference", "95% interval", "seeds"], 1, &rows)
        ),
        Format::Json => println!("{}", serde_json::Value::Array(all)),
    }
    Ok(Exit::Done)
}
