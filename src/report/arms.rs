//! What each arm gave, over its seeds.

use std::collections::{HashMap, HashSet};

use crate::diagnose::statistics::{Summary, bootstrap_interval, median};
use crate::results::{TrialRow, TrialTable};
use crate::spec::Metric;

use super::figures::figure;
use super::table::table;

/// Arms past this many are listed best and worst only.
const SHOWN: usize = 24;
/// How many of each end are listed then.
const ENDS: usize = 8;
const RESAMPLES: usize = 1000;

pub fn section(data: &TrialTable) -> String {
    let mut text = String::from("## Arms\n\n");
    let mut arms = data.arms();
    let many = arms.len() > SHOWN;
    if many {
        let middle = |arm: &str| median(&values(data, arm, Metric::TestRmse)).unwrap_or(f64::INFINITY);
        let all = arms.len();
        let medians: HashMap<&str, f64> = arms.iter().map(|arm| (*arm, middle(arm))).collect();
        let mut seen = HashSet::new();
        // Arms that work out to the same trials are one arm under several names.
        arms.retain(|arm| data.arm(arm).next().is_some_and(|row| seen.insert(row.trial)));
        arms.sort_by(|left, right| medians[left].total_cmp(&medians[right]));
        text.push_str(&format!(
            "The {ENDS} best and the {ENDS} worst of {} different arms by median test RMSE ({all} combinations, of which some \
             work out to the same trials); all trials are in `trials.csv`.\n\n",
            arms.len()
        ));
        if arms.len() > 2 * ENDS {
            arms.drain(ENDS..arms.len() - ENDS);
        }
    }
    for metric in [Metric::TrainRmse, Metric::TestRmse] {
        let rows: Vec<Vec<String>> = arms.iter().map(|arm| row(data, arm, metric)).collect();
        let head = ["arm", "mean", "median", "95% interval of the median", "range", "seeds", "naive forecast"];
        text.push_str(&format!("### {}\n\n{}\n", capital(metric.words()), table(&head, 1, &rows)));
    }
    text.push_str("RMSE is in the units of the data. The naive forecast predicts each value by the one before it.\n\n");
    if !many {
        text.push_str(&naive_remarks(data, &arms));
    }
    let rows: Vec<Vec<String>> = arms
        .iter()
        .filter_map(|arm| data.arm(arm).next())
        .map(|row| {
            vec![
                row.arm.clone(),
                row.device_kind.clone(),
                row.global_batch.to_string(),
                row.updates.to_string(),
                row.samples_seen.to_string(),
            ]
        })
        .collect();
    let head = ["arm", "ran on", "global batch", "updates", "samples seen"];
    text.push_str(&format!("### Update budget\n\n{}", table(&head, 2, &rows)));
    let failed: Vec<&TrialRow> = data.rows.iter().filter(|row| row.status.figures().is_none()).collect();
    if !failed.is_empty() {
        let rows: Vec<Vec<String>> =
            failed.iter().take(20).map(|row| vec![row.arm.clone(), row.seed.to_string(), row.status.text()]).collect();
        text.push_str(&format!(
            "\n### Failed trials\n\n{} of {} trials failed; they are left out of every figure above.\n\n{}",
            failed.len(),
            data.rows.len(),
            table(&["arm", "seed", "status"], 3, &rows)
        ));
    }
    text
}

pub fn values(data: &TrialTable, arm: &str, metric: Metric) -> Vec<f64> {
    data.arm(arm).filter_map(|row| row.status.figures()).map(|figures| figures.get(metric)).collect()
}

fn naive(data: &TrialTable, arm: &str, metric: Metric) -> Option<f64> {
    let figures = data.arm(arm).find_map(|row| row.status.figures())?;
    Some(if metric == Metric::TrainRmse { figures.naive_train_rmse } else { figures.naive_test_rmse })
}

fn row(data: &TrialTable, arm: &str, metric: Metric) -> Vec<String> {
    let values = values(data, arm, metric);
    let Some(summary) = Summary::of(&values) else {
        let mut cells = vec!["none".to_owned(); 7];
        cells[0] = arm.to_owned();
        cells[5] = "0".into();
        return cells;
    };
    let interval = bootstrap_interval(&values, |sample| median(sample).unwrap_or(f64::NAN), 0.95, RESAMPLES);
    vec![
        arm.to_owned(),
        figure(summary.mean),
        figure(summary.median),
        interval.map_or("one seed".into(), |interval| format!("{} to {}", figure(interval.low), figure(interval.high))),
        format!("{} to {}", figure(summary.minimum), figure(summary.maximum)),
        summary.count.to_string(),
        naive(data, arm, metric).map_or("none".into(), figure),
    ]
}

/// A model that does not beat the naive forecast has learnt nothing that a reader should admire.
fn naive_remarks(data: &TrialTable, arms: &[&str]) -> String {
    let mut worse = Vec::new();
    let mut barely = Vec::new();
    for arm in arms {
        let (Some(middle), Some(naive)) =
            (median(&values(data, arm, Metric::TestRmse)), naive(data, arm, Metric::TestRmse))
        else {
            continue;
        };
        if middle > 1.2 * naive {
            worse.push(format!("`{arm}`"));
        } else if middle > 0.8 * naive {
            barely.push(format!("`{arm}`"));
        }
    }
    let mut text = String::new();
    if !barely.is_empty() {
        text.push_str(&format!(
            "**{} barely reaches the naive forecast**: predicting the last value would do as well.\n\n",
            barely.join(", ")
        ));
    }
    if !worse.is_empty() {
        text.push_str(&format!(
            "**{} is worse than the naive forecast**: predicting the last value would do better.\n\n",
            worse.join(", ")
        ));
    }
    text
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
