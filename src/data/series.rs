//! One column of a CSV file as numbers.

use std::fs::File;
use std::path::{Path, PathBuf};

use polars::prelude::{CsvReadOptions, DataType, PolarsError, SerReader, StringChunked};

/// Data that cannot be used: where, what is wrong, and what to write instead.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    #[error("{}: cannot read the data: {reason}\n  help: `data.path` is taken from the spec's folder; check the name", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("{}: not a CSV table: {reason}\n  help: write a header line and one row a time step, separated by commas", path.display())]
    NotCsv { path: PathBuf, reason: String },
    #[error("{}: there is no column `{column}`\n  help: `data.target` must name one of: {}", path.display(), present.join(", "))]
    NoColumn { path: PathBuf, column: String, present: Vec<String> },
    #[error("{}:{line}: `{cell}` in column `{column}` is not a finite number\n  help: write a number such as 59.97, or remove the row", path.display())]
    NotANumber { path: PathBuf, line: usize, column: String, cell: String },
    #[error("{}: cannot be used: {reason}\n  help: docs/reference.md shows the fields of such a file", path.display())]
    NotStored { path: PathBuf, reason: String },
    #[error("{}: {rows} values give no {part} windows with look-back {look_back}\n  help: lower `data.look_back`, change `data.train_fraction`, or give more data", path.display())]
    TooShort { path: PathBuf, rows: usize, part: &'static str, look_back: usize },
}

/// The values of one column, in file order.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub values: Vec<f64>,
}

impl Series {
    /// Reads `column` of the CSV file at `path`.
    pub fn read_csv(path: &Path, column: &str) -> Result<Self, DataError> {
        // The system's own words for a missing file are clearer than the reader's.
        File::open(path).map_err(|error| DataError::Unreadable { path: path.into(), reason: error.to_string() })?;
        let not_csv = |error: PolarsError| DataError::NotCsv { path: path.into(), reason: error.to_string() };
        // Text first: a cell that is no number must be shown, not turned into a null.
        let table = CsvReadOptions::default()
            .with_has_header(true)
            .with_infer_schema_length(Some(0))
            .try_into_reader_with_file_path(Some(path.into()))
            .and_then(|reader| reader.finish())
            .map_err(not_csv)?;
        let found = table.column(column).map_err(|_| DataError::NoColumn {
            path: path.into(),
            column: column.into(),
            present: table.get_column_names().iter().map(|name| name.to_string()).collect(),
        })?;
        let text = found.cast(&DataType::String).map_err(not_csv)?;
        let cells: &StringChunked = text.str().map_err(not_csv)?;
        let values = cells
            .iter()
            .enumerate()
            .map(|(row, cell)| {
                let cell = cell.unwrap_or("");
                cell.trim().parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(|| {
                    // The header is line 1.
                    DataError::NotANumber { path: path.into(), line: row + 2, column: column.into(), cell: cell.into() }
                })
            })
            .collect::<Result<Vec<f64>, DataError>>()?;
        Ok(Series { values })
    }

    /// A hash of the values, for trial ids.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for value in &self.values {
            hasher.update(&value.to_le_bytes());
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }
}
