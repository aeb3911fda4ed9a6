//! Every plot of a report, by file name.

use crate::diagnose::Diagnosis;
use crate::results::TrialTable;
use crate::spec::{Experiment, Metric};

use super::arms::values;
use super::axes::{axes, heat_maps};
use super::figures::counted;
use super::plots::{Curve, ForecastPlot, LossCurve, PlotError, RmseBySeed, SeedGroup, Waterfall, WaterfallStep};

/// Arms past this many get no plot of their own.
const PLOTTED: usize = 8;

/// What one arm left in Parquet files.
pub struct ArmHistory {
    pub arm: String,
    pub devices: usize,
    pub updates_an_epoch: usize,
    /// `[trials][epochs]`.
    pub losses: Vec<Vec<f32>>,
    /// The series in data units.
    pub series: Vec<f64>,
    /// Predictions of the trial whose test RMSE is the median, by step.
    pub train: Vec<(usize, f64)>,
    pub test: Vec<(usize, f64)>,
}

/// File names and SVG texts.
pub fn draw(
    experiment: &Experiment,
    table: &TrialTable,
    diagnosis: Option<&Diagnosis>,
    histories: &[ArmHistory],
) -> Result<Vec<(String, String)>, PlotError> {
    let mut plots = Vec::new();
    let arms = table.arms();
    if experiment.swept {
        plots.extend(heat_maps(table, &axes(table))?);
    }
    if arms.len() <= PLOTTED {
        for metric in [Metric::TrainRmse, Metric::TestRmse] {
            if let Some(plot) = rmse_by_seed(experiment, table, metric)? {
                plots.push((format!("{}.svg", metric.name().replace('_', "-")), plot));
            }
        }
    }
    if let Some(diagnosis) = diagnosis.filter(|diagnosis| diagnosis.shares.iter().any(|share| share.share != 0.0)) {
        plots.push(("shares.svg".into(), waterfall(diagnosis)?));
    }
    if arms.len() <= PLOTTED {
        for history in histories {
            let count = counted(history.devices, "device");
            let plot = ForecastPlot {
                title: format!("{}: {count}, the seed with the median test RMSE", history.arm),
                series: history.series.clone(),
                train: history.train.clone(),
                test: history.test.clone(),
            };
            plots.push((forecast_file(&history.arm), plot.draw()?));
        }
        let curves: Vec<Curve> = histories.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect();
        if !curves.is_empty() {
            let plot = LossCurve { title: "Training loss by update: median and middle 80% of seeds".into(), curves };
            plots.push(("loss.svg".into(), plot.draw()?));
        }
    }
    Ok(plots)
}

fn rmse_by_seed(experiment: &Experiment, table: &TrialTable, metric: Metric) -> Result<Option<String>, PlotError> {
    let claim = |arm: &str| experiment.claims.iter().find(|claim| claim.arm == arm && claim.metric == metric);
    let groups: Vec<SeedGroup> = table
        .arms()
        .into_iter()
        .map(|arm| SeedGroup {
            arm: arm.into(),
            values: values(table, arm, metric),
            claim: claim(arm).and_then(|claim| claim.value),
        })
        .filter(|group| !group.values.is_empty())
        .collect();
    if groups.is_empty() {
        return Ok(None);
    }
    let naive =
        table.rows.iter().find_map(|row| row.status.figures()).map(|figures| {
            if metric == Metric::TrainRmse { figures.naive_train_rmse } else { figures.naive_test_rmse }
        });
    let title = format!("{} of every seed", metric.words());
    RmseBySeed { title, metric: metric.words().into(), groups, naive }.draw().map(Some)
}

fn waterfall(diagnosis: &Diagnosis) -> Result<String, PlotError> {
    let steps = diagnosis
        .shares
        .iter()
        .filter(|share| share.share != 0.0 && share.low.is_finite() && share.high.is_finite())
        .map(|share| WaterfallStep {
            label: share.factor.name().replace('_', " "),
            share: share.share,
            low: share.low - share.share,
            high: share.high - share.share,
        })
        .map(|step| WaterfallStep { low: step.share + step.low, high: step.share + step.high, ..step })
        .collect();
    Waterfall {
        title: format!(
            "From {} to {}: shares of the gap in mean {}",
            diagnosis.baseline,
            diagnosis.suspect,
            diagnosis.metric.words()
        ),
        baseline: (diagnosis.baseline.clone(), diagnosis.baseline_mean),
        suspect: (diagnosis.suspect.clone(), diagnosis.suspect_mean),
        steps,
    }
    .draw()
}

fn curve(history: &ArmHistory) -> Curve {
    let epochs = history.losses.iter().map(Vec::len).max().unwrap_or(0);
    let points = (0..epochs)
        .filter_map(|epoch| {
            let mut losses: Vec<f64> = history
                .losses
                .iter()
                .filter_map(|trial| trial.get(epoch))
                .map(|loss| f64::from(*loss))
                .filter(|loss| loss.is_finite())
                .collect();
            losses.sort_unstable_by(f64::total_cmp);
            let at = |share: f64| crate::diagnose::statistics::quantile(&losses, share);
            let update = ((epoch + 1) * history.updates_an_epoch) as f64;
            (!losses.is_empty()).then(|| (update, at(0.1), at(0.5), at(0.9)))
        })
        .collect();
    Curve { arm: history.arm.clone(), points }
}

/// The file that an arm's forecast stands in.
pub fn forecast_file(arm: &str) -> String {
    let name: String =
        arm.chars().map(|letter| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' }).collect();
    format!("forecast-{name}.svg")
}
