//! What each axis of a sweep does to the metric.

use indexmap::IndexMap;

use crate::diagnose::statistics::median;
use crate::results::{TrialRow, TrialTable};

use super::figures::figure;
use super::plots::{HeatMap, PlotError};
use super::table::table;

/// A varied field with its values, in the order in which they are run.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub path: String,
    pub values: Vec<String>,
    column: usize,
}

/// The axes that took more than one value.
pub fn axes(data: &TrialTable) -> Vec<Axis> {
    data.varied
        .iter()
        .enumerate()
        .map(|(column, path)| {
            let mut values = indexmap::IndexSet::new();
            values.extend(data.rows.iter().map(|row| row.values[column].clone()));
            Axis { path: path.clone(), values: values.into_iter().collect(), column }
        })
        .filter(|axis| axis.values.len() > 1)
        .collect()
}

/// Test RMSE of all finished trials by a key of their row.
fn grouped(data: &TrialTable, key: impl Fn(&TrialRow) -> Vec<String>) -> IndexMap<Vec<String>, Vec<f64>> {
    let mut groups: IndexMap<Vec<String>, Vec<f64>> = IndexMap::new();
    for row in &data.rows {
        if let Some(figures) = row.status.figures() {
            groups.entry(key(row)).or_default().push(figures.test_rmse);
        }
    }
    groups
}

/// Median test RMSE at every value of an axis that has one.
fn effects(data: &TrialTable, axis: &Axis) -> Vec<(String, f64)> {
    let groups = grouped(data, |row| vec![row.values[axis.column].clone()]);
    axis.values
        .iter()
        .filter_map(|value| Some((value.clone(), median(groups.get(std::slice::from_ref(value))?)?)))
        .collect()
}

fn range(effects: &[(String, f64)]) -> (f64, f64) {
    let low = effects.iter().map(|effect| effect.1).fold(f64::INFINITY, f64::min);
    let high = effects.iter().map(|effect| effect.1).fold(f64::NEG_INFINITY, f64::max);
    (low, high)
}

/// Which axis moves the error most, in one sentence.
pub fn sentence(data: &TrialTable) -> String {
    let largest = axes(data)
        .into_iter()
        .map(|axis| (range(&effects(data, &axis)), axis.path))
        .max_by(|left, right| (left.0.1 - left.0.0).total_cmp(&(right.0.1 - right.0.0)));
    match largest {
        Some(((low, high), path)) if high > low => format!(
            "Of the axes, `{path}` moves the error most: its values' median test RMSE runs from {} to {}.\n",
            figure(low),
            figure(high)
        ),
        _ => String::new(),
    }
}

/// The median at every value of every axis, and how far apart those medians lie.
pub fn section(data: &TrialTable, axes: &[Axis]) -> String {
    let mut rows = Vec::new();
    let mut spreads: Vec<(f64, &str)> = Vec::new();
    for axis in axes {
        let effects = effects(data, axis);
        let (low, high) = range(&effects);
        spreads.push((high - low, &axis.path));
        for (value, middle) in &effects {
            rows.push(vec![format!("`{}`", axis.path), value.clone(), figure(*middle), figure(middle - low)]);
        }
    }
    spreads.sort_by(|left, right| right.0.total_cmp(&left.0));
    let ranked: Vec<String> = spreads.iter().map(|(spread, path)| format!("`{path}` ({})", figure(*spread))).collect();
    format!(
        "## Main effects\n\nMedian test RMSE over everything else that the sweep varies. By how far an axis moves it: {}.\n\n{}\n",
        ranked.join(", "),
        table(&["axis", "value", "median test RMSE", "above the best value"], 2, &rows)
    )
}

/// One heat map for every pair of axes: file name and picture.
pub fn heat_maps(data: &TrialTable, axes: &[Axis]) -> Result<Vec<(String, String)>, PlotError> {
    let mut maps = Vec::new();
    for (index, first) in axes.iter().enumerate() {
        for second in &axes[index + 1..] {
            let groups = grouped(data, |row| vec![row.values[first.column].clone(), row.values[second.column].clone()]);
            let cell = |row: &String, column: &String| median(groups.get(&vec![row.clone(), column.clone()])?);
            let map = HeatMap {
                title: format!("Median test RMSE by {} and {}", first.path, second.path),
                row_label: last(&first.path).into(),
                column_label: last(&second.path).into(),
                rows: first.values.clone(),
                columns: second.values.clone(),
                values: first
                    .values
                    .iter()
                    .map(|row| second.values.iter().map(|column| cell(row, column)).collect())
                    .collect(),
            };
            maps.push((
                format!("heat-{}-{}.svg", first.path.replace('.', "-"), second.path.replace('.', "-")),
                map.draw()?,
            ));
        }
    }
    Ok(maps)
}

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}
