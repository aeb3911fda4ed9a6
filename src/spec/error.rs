use std::fmt;
use std::path::PathBuf;

use serde_yaml::Location;

/// Where in a spec file something stands; lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: PathBuf,
    pub line: Option<u64>,
    pub column: Option<u64>,
}

impl Place {
    pub fn file(file: impl Into<PathBuf>) -> Self {
        Place { file: file.into(), line: None, column: None }
    }

    pub fn at(file: impl Into<PathBuf>, location: Location) -> Self {
        Place { file: file.into(), line: Some(location.line()), column: Some(location.column()) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.file.display())?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(formatter, ":{line}:{column}")?;
        }
        Ok(())
    }
}

/// A spec that cannot be used: the place, what is wrong, and what to write instead.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {message}\n  help: {remedy}")]
pub struct SpecError {
    pub place: Place,
    pub message: String,
    pub remedy: String,
}

impl SpecError {
    pub fn new(place: Place, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        SpecError { place, message: message.into(), remedy: remedy.into() }
    }
}

/// The known name closest to `wrong`, if one is close enough to be a misspelling of it.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(wrong, name), name))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, name)| name)
}
