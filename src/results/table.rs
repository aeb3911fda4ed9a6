//! `trials.csv` and `trials.parquet`: one row a trial, in arm order then seed.

use std::path::Path;

use polars::prelude::{
    Column, CsvReadOptions, CsvWriter, DataFrame, DataType, ParquetWriter, PolarsError, PolarsResult, SerReader,
    SerWriter,
};

use crate::spec::TrialId;

use super::error::ResultsError;
use super::files::write_if_changed;
use super::record::{Figures, Status};

/// Raised when a column changes its meaning.
pub const TABLE_FORMAT: u32 = 1;

/// The columns that every table starts with.
pub const COLUMNS: [&str; 17] = [
    "trial",
    "arm",
    "seed",
    "status",
    "devices",
    "device_kind",
    "global_batch",
    "updates",
    "samples_seen",
    "train_rmse",
    "test_rmse",
    "train_rmse_scaled",
    "test_rmse_scaled",
    "naive_train_rmse",
    "naive_test_rmse",
    "final_loss",
    "wall_seconds",
];

/// Where the figures stand among [`COLUMNS`].
const FIGURES: std::ops::Range<usize> = 9..16;

/// One trial as a table shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialRow {
    pub trial: TrialId,
    pub arm: String,
    pub seed: u64,
    pub status: Status,
    pub devices: u32,
    pub device_kind: String,
    pub global_batch: u32,
    pub updates: u64,
    pub samples_seen: u64,
    pub wall_seconds: f64,
    /// One value a varied field.
    pub values: Vec<String>,
}

/// All trials of an experiment.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TrialTable {
    /// Paths of the varied fields.
    pub varied: Vec<String>,
    pub rows: Vec<TrialRow>,
}

impl TrialTable {
    /// Writes both forms; an unchanged CSV file is left alone.
    pub fn write(&self, csv: &Path, parquet: &Path) -> Result<(), ResultsError> {
        let failed = |error: PolarsError| ResultsError::content(csv, error, "report this as a bug");
        let mut frame = self.frame().map_err(failed)?;
        let mut bytes = Vec::new();
        CsvWriter::new(&mut bytes).finish(&mut frame).map_err(failed)?;
        write_if_changed(csv, &bytes)?;
        let mut bytes = Vec::new();
        ParquetWriter::new(&mut bytes).finish(&mut frame).map_err(failed)?;
        write_if_changed(parquet, &bytes)?;
        Ok(())
    }

    fn frame(&self) -> PolarsResult<DataFrame> {
        let rows = &self.rows;
        fn text(rows: &[TrialRow], name: &str, of: impl Fn(&TrialRow) -> String) -> Column {
            Column::new(name.into(), rows.iter().map(of).collect::<Vec<_>>())
        }
        fn whole(rows: &[TrialRow], name: &str, of: impl Fn(&TrialRow) -> u64) -> Column {
            Column::new(name.into(), rows.iter().map(of).collect::<Vec<_>>())
        }
        let mut columns = vec![
            text(rows, "trial", |row| row.trial.to_string()),
            text(rows, "arm", |row| row.arm.clone()),
            whole(rows, "seed", |row| row.seed),
            text(rows, "status", |row| row.status.text()),
            whole(rows, "devices", |row| row.devices.into()),
            text(rows, "device_kind", |row| row.device_kind.clone()),
            whole(rows, "global_batch", |row| row.global_batch.into()),
            whole(rows, "updates", |row| row.updates),
            whole(rows, "samples_seen", |row| row.samples_seen),
        ];
        for (position, name) in COLUMNS[FIGURES].iter().enumerate() {
            let values: Vec<Option<f64>> = rows
                .iter()
                .map(|row| row.status.figures().map(|figures| six_digits(figures.list()[position])))
                .collect();
            columns.push(Column::new((*name).into(), values));
        }
        columns.push(Column::new(
            "wall_seconds".into(),
            rows.iter().map(|row| six_digits(row.wall_seconds)).collect::<Vec<_>>(),
        ));
        for (index, path) in self.varied.iter().enumerate() {
            columns.push(text(rows, path, |row| row.values[index].clone()));
        }
        DataFrame::new(rows.len(), columns)
    }

    /// Reads a table that [`TrialTable::write`] made.
    pub fn read(csv: &Path) -> Result<Self, ResultsError> {
        const REMEDY: &str = "run `scaleproof sweep` again to write it anew";
        if let Err(error) = std::fs::metadata(csv) {
            return Err(ResultsError::file(csv, "read", &error));
        }
        let failed = |error: PolarsError| ResultsError::content(csv, error, REMEDY);
        // Everything as text first: a column of arm names may look like numbers.
        let frame = CsvReadOptions::default()
            .with_infer_schema_length(Some(0))
            .try_into_reader_with_file_path(Some(csv.into()))
            .and_then(|reader| reader.finish())
            .map_err(failed)?;
        let names: Vec<String> = frame.get_column_names().iter().map(|name| name.to_string()).collect();
        if names.len() < COLUMNS.len() || names.iter().zip(COLUMNS).any(|(name, wanted)| name != wanted) {
            return Err(ResultsError::content(csv, "its columns are not those of a table of trials", REMEDY));
        }
        let texts: Vec<Vec<Option<String>>> = names
            .iter()
            .map(|name| {
                let column = frame.column(name)?.cast(&DataType::String)?;
                Ok(column.str()?.iter().map(|cell| cell.map(str::to_owned)).collect())
            })
            .collect::<PolarsResult<_>>()
            .map_err(failed)?;
        let rows = (0..frame.height())
            .map(|row| {
                parse_row(&texts, row)
                    .ok_or_else(|| ResultsError::content(csv, format!("line {} is not a trial", row + 2), REMEDY))
            })
            .collect::<Result<_, _>>()?;
        Ok(TrialTable { varied: names[COLUMNS.len()..].to_vec(), rows })
    }

    /// The rows of one arm.
    pub fn arm<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a TrialRow> + Clone {
        self.rows.iter().filter(move |row| row.arm == name)
    }

    /// Arm names in order of their first row.
    pub fn arms(&self) -> Vec<&str> {
        let mut names = indexmap::IndexSet::new();
        names.extend(self.rows.iter().map(|row| row.arm.as_str()));
        names.into_iter().collect()
    }
}

fn parse_row(texts: &[Vec<Option<String>>], row: usize) -> Option<TrialRow> {
    let cell = |column: usize| texts[column][row].as_deref();
    let status = match cell(3)?.strip_prefix("failed: ") {
        Some(reason) => Status::Failed(reason.to_owned()),
        None => {
            let figure = |column: usize| cell(column)?.parse::<f64>().ok();
            Status::Ok(Figures {
                train_rmse: figure(9)?,
                test_rmse: figure(10)?,
                train_rmse_scaled: figure(11)?,
                test_rmse_scaled: figure(12)?,
                naive_train_rmse: figure(13)?,
                naive_test_rmse: figure(14)?,
                final_loss: figure(15)?,
            })
        }
    };
    Some(TrialRow {
        trial: TrialId::try_from(cell(0)?.to_owned()).ok()?,
        arm: cell(1)?.to_owned(),
        seed: cell(2)?.parse().ok()?,
        status,
        devices: cell(4)?.parse().ok()?,
        device_kind: cell(5)?.to_owned(),
        global_batch: cell(6)?.parse().ok()?,
        updates: cell(7)?.parse().ok()?,
        samples_seen: cell(8)?.parse().ok()?,
        wall_seconds: cell(16)?.parse().ok()?,
        values: (COLUMNS.len()..texts.len()).map(|column| cell(column).unwrap_or_default().to_owned()).collect(),
    })
}

/// Six significant digits: what another processor reproduces, and what people read.
pub fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
