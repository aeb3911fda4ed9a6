//! One combination of axis values, named.

use std::path::Path;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;
use serde_yaml::Spanned;

use super::error::{Place, SpecError};
use super::override_path::{Override, settings};
use super::settings::Settings;

/// The value of one varied field in one arm, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArmValue {
    pub path: String,
    pub label: String,
}

/// One combination of axis values, named.
#[derive(Clone, Debug)]
pub struct Arm {
    pub name: String,
    pub settings: Settings,
    /// The fields that this arm changes.
    pub values: Vec<ArmValue>,
    /// Where a complaint about the arm as a whole points.
    pub place: Option<Place>,
}

/// `path: value` pairs as an arm lists them, each with its place.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct ArmFields(pub IndexMap<String, Spanned<Value>>);

impl ArmFields {
    pub fn overrides(&self, file: &Path) -> Vec<Override> {
        self.0
            .iter()
            .map(|(path, value)| Override {
                path: path.clone(),
                value: value.value.clone(),
                place: Place::at(file, value.referenced),
            })
            .collect()
    }
}

/// The arm that `overrides` make of `base`, with its tree of fields.
pub fn arm(name: String, base: &Value, overrides: &[Override]) -> Result<(Arm, Value), SpecError> {
    let mut tree = base.clone();
    for change in overrides {
        change.apply(&mut tree)?;
    }
    let settings = match settings(&tree) {
        Ok(settings) => settings,
        Err(message) => return Err(blame(base, overrides, message)),
    };
    let values =
        overrides.iter().map(|change| ArmValue { path: change.path.clone(), label: label(&change.value) }).collect();
    let place = overrides.first().map(|change| change.place.clone());
    Ok((Arm { name, settings, values, place }, tree))
}

/// The first override after which the tree no longer holds.
fn blame(base: &Value, overrides: &[Override], message: String) -> SpecError {
    let mut tree = base.clone();
    for change in overrides {
        if let Err(error) = change.apply(&mut tree) {
            return error;
        }
        if let Err(error) = change.typed(&tree) {
            return error;
        }
    }
    let place = overrides.first().map_or_else(|| Place::file(""), |change| change.place.clone());
    SpecError::new(place, message, "write values that the fields can hold")
}

/// A value as it stands in names and tables.
pub fn label(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        // An expression says what its rule does better than the word `expression`.
        Value::Object(fields) if fields.get("rule").is_some_and(|rule| rule == "expression") => {
            fields.get("value").map(label).unwrap_or_default()
        }
        Value::Object(fields) => fields.values().map(label).collect::<Vec<_>>().join(":"),
        Value::Array(items) => items.iter().map(label).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}
