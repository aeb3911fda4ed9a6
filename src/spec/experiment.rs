//! A spec with its arms worked out and every reference between its parts checked.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::arms::{Arm, arm, label};
use super::claim::{Claim, DiagnoseSection};
use super::document::{ExperimentDocument, value};
use super::error::{Place, SpecError, nearest};
use super::override_path::{Override, field, settings};
use super::quantity::SeedCount;
use super::settings::Seeds;

/// What a command line changes in a spec.
#[derive(Clone, Debug, Default)]
pub struct Adjustments {
    /// `path=value`, in the order given.
    pub set: Vec<String>,
    pub seeds: Option<SeedCount>,
    /// Device kind of every arm.
    pub device: Option<String>,
}

/// One experiment, ready to be planned.
#[derive(Clone, Debug)]
pub struct Experiment {
    pub name: String,
    pub about: String,
    /// The spec's file.
    pub file: PathBuf,
    pub seeds: Vec<u64>,
    pub arms: Vec<Arm>,
    /// Paths of the fields in which arms may differ.
    pub varied: Vec<String>,
    pub claims: Vec<Claim>,
    pub diagnose: Option<DiagnoseSection>,
    /// Whether the arms come from `sweep` axes.
    pub swept: bool,
    /// Changes from the command line, for the record.
    pub adjustments: Vec<String>,
}

impl Experiment {
    pub fn read(file: &Path, adjustments: &Adjustments) -> Result<Self, SpecError> {
        Self::build(ExperimentDocument::read(file)?, file, adjustments)
    }

    pub fn build(document: ExperimentDocument, file: &Path, adjustments: &Adjustments) -> Result<Self, SpecError> {
        let mut seeds = document.seeds.clone();
        let mut base = serde_json::to_value(document.settings())
            .map_err(|error| SpecError::new(Place::file(file), error.to_string(), "report this as a bug"))?;
        let mut arm_changes: Vec<(String, Override)> = Vec::new();
        for text in &adjustments.set {
            match Adjustment::parse(text, &document)? {
                Adjustment::Seeds(list) => seeds = list,
                Adjustment::Base(change) => {
                    change.apply(&mut base)?;
                    change.typed(&base)?;
                }
                Adjustment::Arm(name, change) => arm_changes.push((name, change)),
            }
        }
        if let Some(count) = adjustments.seeds {
            seeds = Seeds::first(count);
        }
        if let Some(device) = &adjustments.device {
            let change = Override {
                path: "device".into(),
                value: Value::String(device.clone()),
                place: Place::file("--device"),
            };
            change.apply(&mut base)?;
            change.typed(&base)?;
        }
        let arms = arms(&document, file, &base, &arm_changes)?;
        let mut varied: Vec<String> = Vec::new();
        for value in arms.iter().flat_map(|arm| &arm.values) {
            if !varied.contains(&value.path) {
                varied.push(value.path.clone());
            }
        }
        let experiment = Experiment {
            name: checked_name(&document, file)?,
            about: document.about.clone(),
            file: file.to_owned(),
            seeds: seeds.0,
            varied,
            claims: document.claims.iter().map(|claim| claim.value.clone()).collect(),
            diagnose: document.diagnose.as_ref().map(|section| section.value.clone()),
            swept: document.sweep.is_some(),
            adjustments: adjustments.set.clone(),
            arms,
        };
        experiment.check_references(&document, file)?;
        Ok(experiment)
    }

    pub fn arm(&self, name: &str) -> Option<&Arm> {
        self.arms.iter().find(|arm| arm.name == name)
    }

    /// The folder that relative paths of the spec start from.
    pub fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("."))
    }

    /// The value of a varied field in an arm, as text.
    pub fn label(&self, arm: &Arm, path: &str) -> String {
        if let Some(value) = arm.values.iter().find(|value| value.path == path) {
            return value.label.clone();
        }
        // An arm that leaves a varied field alone has the base's value.
        serde_json::to_value(&arm.settings).ok().and_then(|tree| field(&tree, path).map(label)).unwrap_or_default()
    }

    fn check_references(&self, document: &ExperimentDocument, file: &Path) -> Result<(), SpecError> {
        let known = |name: &str, place: Place| match self.arm(name) {
            Some(_) => Ok(()),
            None => {
                let names = self.arms.iter().map(|arm| arm.name.as_str());
                let remedy = match nearest(name, names.clone()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("name one of: {}", names.take(8).collect::<Vec<_>>().join(", ")),
                };
                Err(SpecError::new(place, format!("there is no arm `{name}`"), remedy))
            }
        };
        for claim in &document.claims {
            let place = Place::at(file, claim.referenced);
            known(&claim.value.arm, place.clone())?;
            if let Some(versus) = &claim.value.versus {
                known(versus, place.clone())?;
            }
            if let Some(problem) = claim.value.problem() {
                return Err(SpecError::new(place, problem, "write for example `value: 4.49`"));
            }
        }
        if let Some(section) = &document.diagnose {
            known(&section.value.baseline, Place::at(file, section.referenced))?;
            known(&section.value.suspect, Place::at(file, section.referenced))?;
        }
        Ok(())
    }
}

enum Adjustment {
    Seeds(Seeds),
    Base(Override),
    Arm(String, Override),
}

impl Adjustment {
    fn parse(text: &str, document: &ExperimentDocument) -> Result<Self, SpecError> {
        let place = Place::file(format!("--set {text}"));
        let Some((path, written)) = text.split_once('=') else {
            return Err(SpecError::new(place, "a change is `path=value`", "write for example --set train.epochs=50"));
        };
        let value = value(written)
            .map_err(|message| SpecError::new(place.clone(), message, "write the value as it would stand in YAML"))?;
        if path == "seeds" {
            let seeds = Seeds::try_from(value)
                .map_err(|message| SpecError::new(place, message, "write for example --set seeds=20"))?;
            return Ok(Adjustment::Seeds(seeds));
        }
        if let Some(rest) = path.strip_prefix("arms.") {
            let arm = document
                .arms
                .keys()
                .find(|name| rest.strip_prefix(name.as_str()).is_some_and(|after| after.starts_with('.')));
            let Some(arm) = arm else {
                let names: Vec<&str> = document.arms.keys().map(String::as_str).collect();
                return Err(SpecError::new(
                    place,
                    format!("`{rest}` does not start with the name of an arm"),
                    format!("name one of: {}", names.join(", ")),
                ));
            };
            let path = rest[arm.len() + 1..].to_owned();
            return Ok(Adjustment::Arm(arm.clone(), Override { path, value, place }));
        }
        Ok(Adjustment::Base(Override { path: path.to_owned(), value, place }))
    }
}

fn arms(
    document: &ExperimentDocument,
    file: &Path,
    base: &Value,
    changes: &[(String, Override)],
) -> Result<Vec<Arm>, SpecError> {
    match &document.sweep {
        Some(sweep) if document.arms.is_empty() => sweep.value.arms(base, file),
        Some(sweep) => Err(SpecError::new(
            Place::at(file, sweep.referenced),
            "a spec has `arms` or `sweep`, not both",
            "move the named arms to `sweep.include`",
        )),
        None if document.arms.is_empty() => {
            let settings =
                settings(base).map_err(|message| SpecError::new(Place::file(file), message, "mend the spec"))?;
            Ok(vec![Arm { name: "only".into(), settings, values: Vec::new(), place: None }])
        }
        None => document
            .arms
            .iter()
            .map(|(name, fields)| {
                let mut overrides = fields.overrides(file);
                for (_, change) in changes.iter().filter(|(arm, _)| arm == name) {
                    overrides.retain(|present| present.path != change.path);
                    overrides.push(change.clone());
                }
                Ok(arm(name.clone(), base, &overrides)?.0)
            })
            .collect(),
    }
}

/// A name becomes a folder, so it keeps to characters that every file system takes.
fn checked_name(document: &ExperimentDocument, file: &Path) -> Result<String, SpecError> {
    let name = &document.name.value;
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        return Err(SpecError::new(
            Place::at(file, document.name.referenced),
            format!("`{name}` cannot name a folder"),
            "use letters, digits, `-`, `_` and `.`, and do not start with a dot",
        ));
    }
    Ok(name.clone())
}
