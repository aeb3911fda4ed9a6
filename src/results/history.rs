//! Losses by epoch and predictions by step, one pair of Parquet files a cohort.

use std::path::{Path, PathBuf};

use polars::prelude::{Column, DataFrame, ParquetReader, ParquetWriter, PolarsError, PolarsResult, SerReader};

use crate::spec::TrialId;

use super::error::ResultsError;
use super::files::write_atomically;

/// The parts of a series that predictions are made for.
pub const PREDICTION_PARTS: [&str; 2] = ["train", "test"];

/// Mean loss of each epoch of one trial.
#[derive(Clone, Debug, PartialEq)]
pub struct LossHistory {
    pub trial: TrialId,
    pub losses: Vec<f32>,
}

/// One trial's predictions in data units, each part's from its first window on.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    pub trial: TrialId,
    pub train: Vec<f64>,
    pub test: Vec<f64>,
}

/// What one cohort leaves beside its journal records.
#[derive(Clone, Debug, PartialEq)]
pub struct CohortHistory {
    pub losses: Vec<LossHistory>,
    pub forecasts: Vec<Forecast>,
}

impl CohortHistory {
    pub fn write(&self, folder: &Path, cohort: TrialId) -> Result<(), ResultsError> {
        write_frame(&loss_path(folder, cohort), loss_frame(&self.losses))?;
        write_frame(&forecast_path(folder, cohort), forecast_frame(&self.forecasts))
    }

    /// `None` where the files are not there, as in a fresh checkout of committed results.
    pub fn read(folder: &Path, cohort: TrialId) -> Result<Option<Self>, ResultsError> {
        let (losses, forecasts) = (loss_path(folder, cohort), forecast_path(folder, cohort));
        if !losses.exists() || !forecasts.exists() {
            return Ok(None);
        }
        Ok(Some(CohortHistory {
            losses: read_frame(&losses)
                .and_then(|frame| losses_of(&frame))
                .map_err(|error| unreadable(&losses, error))?,
            forecasts: read_frame(&forecasts)
                .and_then(|frame| forecasts_of(&frame))
                .map_err(|error| unreadable(&forecasts, error))?,
        }))
    }
}

fn loss_path(folder: &Path, cohort: TrialId) -> PathBuf {
    folder.join(format!("{cohort}-losses.parquet"))
}

fn forecast_path(folder: &Path, cohort: TrialId) -> PathBuf {
    folder.join(format!("{cohort}-forecasts.parquet"))
}

fn unreadable(path: &Path, error: PolarsError) -> ResultsError {
    ResultsError::content(path, error, "remove the file; its plots are left out until the trials are run again")
}

fn write_frame(path: &Path, frame: PolarsResult<DataFrame>) -> Result<(), ResultsError> {
    let mut bytes = Vec::new();
    frame
        .and_then(|mut frame| ParquetWriter::new(&mut bytes).finish(&mut frame))
        .map_err(|error| ResultsError::content(path, error, "report this as a bug"))?;
    write_atomically(path, &bytes)
}

fn read_frame(path: &Path) -> PolarsResult<DataFrame> {
    ParquetReader::new(std::fs::File::open(path)?).finish()
}

fn loss_frame(histories: &[LossHistory]) -> PolarsResult<DataFrame> {
    let rows = || histories.iter().flat_map(|one| one.losses.iter().enumerate().map(move |row| (one, row)));
    let columns = vec![
        Column::new("trial".into(), rows().map(|(one, _)| one.trial.to_string()).collect::<Vec<_>>()),
        Column::new("epoch".into(), rows().map(|(_, (epoch, _))| epoch as u32 + 1).collect::<Vec<_>>()),
        Column::new("loss".into(), rows().map(|(_, (_, loss))| *loss).collect::<Vec<_>>()),
    ];
    DataFrame::new(rows().count(), columns)
}

fn losses_of(frame: &DataFrame) -> PolarsResult<Vec<LossHistory>> {
    let mut histories: Vec<LossHistory> = Vec::new();
    for (trial, loss) in trials(frame)?.into_iter().zip(frame.column("loss")?.f32()?.iter()) {
        let loss = loss.unwrap_or(f32::NAN);
        match histories.last_mut() {
            Some(last) if last.trial == trial => last.losses.push(loss),
            _ => histories.push(LossHistory { trial, losses: vec![loss] }),
        }
    }
    Ok(histories)
}

fn forecast_frame(forecasts: &[Forecast]) -> PolarsResult<DataFrame> {
    let rows = || {
        forecasts.iter().flat_map(|one| {
            [&one.train, &one.test].into_iter().zip(PREDICTION_PARTS).flat_map(move |(values, part)| {
                values.iter().enumerate().map(move |(window, value)| (one, part, window, *value))
            })
        })
    };
    let columns = vec![
        Column::new("trial".into(), rows().map(|row| row.0.trial.to_string()).collect::<Vec<_>>()),
        Column::new("part".into(), rows().map(|row| row.1).collect::<Vec<_>>()),
        Column::new("window".into(), rows().map(|row| row.2 as u32).collect::<Vec<_>>()),
        Column::new("prediction".into(), rows().map(|row| row.3).collect::<Vec<_>>()),
    ];
    DataFrame::new(rows().count(), columns)
}

fn forecasts_of(frame: &DataFrame) -> PolarsResult<Vec<Forecast>> {
    let mut forecasts: Vec<Forecast> = Vec::new();
    let (parts, values) = (frame.column("part")?.str()?, frame.column("prediction")?.f64()?);
    for ((trial, part), value) in trials(frame)?.into_iter().zip(parts.iter()).zip(values.iter()) {
        if forecasts.last().is_none_or(|last| last.trial != trial) {
            forecasts.push(Forecast { trial, train: Vec::new(), test: Vec::new() });
        }
        if let Some(last) = forecasts.last_mut() {
            let into = if part == Some(PREDICTION_PARTS[0]) { &mut last.train } else { &mut last.test };
            into.push(value.unwrap_or(f64::NAN));
        }
    }
    Ok(forecasts)
}

fn trials(frame: &DataFrame) -> PolarsResult<Vec<TrialId>> {
    frame
        .column("trial")?
        .str()?
        .iter()
        .map(|text| {
            TrialId::try_from(text.unwrap_or_default().to_owned())
                .map_err(|message| PolarsError::ComputeError(message.into()))
        })
        .collect()
}
