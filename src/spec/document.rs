//! The YAML text of a spec, with places in every error and limits against alias bombs.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_yaml::Spanned;

use super::arms::ArmFields;
use super::claim::{Claim, DiagnoseSection};
use super::error::{Place, SpecError, nearest};
use super::fault::Faults;
use super::settings::{Data, DeviceKind, Model, Parallel, PredictWith, Scaler, Seeds, Settings, Train};
use super::sweep::SweepSection;

/// A spec as written: one YAML file under `experiments/`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(title = "A scaleproof experiment")]
#[serde(deny_unknown_fields)]
pub struct ExperimentDocument {
    /// The name of the experiment and of its results folder.
    #[schemars(with = "String")]
    pub name: Spanned<String>,
    /// One sentence for the head of the report.
    #[serde(default)]
    pub about: String,
    pub data: Data,
    #[serde(default)]
    pub scaler: Scaler,
    pub model: Model,
    #[serde(default)]
    pub train: Train,
    #[serde(default)]
    pub parallel: Parallel,
    #[serde(default)]
    pub predict_with: PredictWith,
    #[serde(default)]
    pub device: DeviceKind,
    #[serde(default)]
    pub faults: Faults,
    #[serde(default)]
    pub seeds: Seeds,
    /// Arms by name, each with the fields in which it differs.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, IndexMap<String, Value>>")]
    pub arms: IndexMap<String, ArmFields>,
    /// Arms by what they vary, instead of `arms`.
    #[serde(default)]
    #[schemars(with = "Option<SweepSection>")]
    pub sweep: Option<Spanned<SweepSection>>,
    #[serde(default)]
    #[schemars(with = "Vec<Claim>")]
    pub claims: Vec<Spanned<Claim>>,
    #[serde(default)]
    #[schemars(with = "Option<DiagnoseSection>")]
    pub diagnose: Option<Spanned<DiagnoseSection>>,
}

impl ExperimentDocument {
    /// Reads and checks the file; nothing that it refers to is opened.
    pub fn read(file: &Path) -> Result<Self, SpecError> {
        let text = std::fs::read_to_string(file).map_err(|error| {
            SpecError::new(
                Place::file(file),
                format!("cannot read the spec: {error}"),
                "name an existing YAML file, or write one with `scaleproof new`",
            )
        })?;
        Self::parse(file, &text)
    }

    pub fn parse(file: &Path, text: &str) -> Result<Self, SpecError> {
        let options = serde_yaml::options! { strict_booleans: true, with_snippet: false };
        serde_yaml::from_str_with_options(text, options).map_err(|error| explain(file, &error))
    }

    /// The fields of an arm that changes nothing.
    pub fn settings(&self) -> Settings {
        Settings {
            data: self.data.clone(),
            scaler: self.scaler.clone(),
            model: self.model.clone(),
            train: self.train.clone(),
            parallel: self.parallel.clone(),
            predict_with: self.predict_with,
            device: self.device,
            faults: self.faults.clone(),
        }
    }
}

/// A YAML scalar or collection from a command line.
pub fn value(text: &str) -> Result<Value, String> {
    let options = serde_yaml::options! { strict_booleans: true, with_snippet: false };
    serde_yaml::from_str_with_options(text, options).map_err(|error| error.without_snippet().to_string())
}

fn explain(file: &Path, error: &serde_yaml::Error) -> SpecError {
    let error = error.without_snippet();
    let place = match error.location() {
        Some(location) => Place::at(file, location),
        None => Place::file(PathBuf::from(file)),
    };
    match error {
        serde_yaml::Error::SerdeUnknownField { field, expected, .. } => {
            let remedy = remedy(field, expected);
            SpecError::new(place, format!("unknown key `{field}`"), remedy)
        }
        serde_yaml::Error::SerdeUnknownVariant { variant, expected, .. } => SpecError::new(
            place,
            format!("`{variant}` is not one of the values that stand here"),
            remedy(variant, expected),
        ),
        serde_yaml::Error::SerdeMissingField { field, .. } => SpecError::new(
            place,
            format!("the key `{field}` is missing"),
            format!("add `{field}:`; `scaleproof new` writes a complete spec"),
        ),
        other => {
            let message = other.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            SpecError::new(place, message, "`scaleproof schema` describes every field")
        }
    }
}

fn remedy(wrong: &str, expected: &[&'static str]) -> String {
    match nearest(wrong, expected.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("write one of: {}", expected.join(", ")),
    }
}
