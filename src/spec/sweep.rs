//! Axes to arms: `grid`, `zip`, `where` and `include`.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_yaml::Spanned;

use super::arms::{Arm, ArmFields, ArmValue, arm, label};
use super::error::{Place, SpecError};
use super::expression::Expression;
use super::override_path::{Override, paths};

/// Values of one axis, in the order in which they are run and shown.
type Axis = Spanned<Vec<Value>>;

/// Which arms an experiment has, by what it varies.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SweepSection {
    /// Every combination of these axes' values.
    #[schemars(with = "IndexMap<String, Vec<Value>>")]
    pub grid: IndexMap<String, Axis>,
    /// Axes that move together: the first values, the second values, and so on.
    #[schemars(with = "IndexMap<String, Vec<Value>>")]
    pub zip: IndexMap<String, Axis>,
    /// Keeps only the combinations for which this holds; it sees every field by its path.
    #[serde(rename = "where")]
    #[schemars(rename = "where", with = "Option<String>")]
    pub condition: Option<Spanned<String>>,
    /// Arms added by name.
    #[schemars(with = "IndexMap<String, IndexMap<String, Value>>")]
    pub include: IndexMap<String, ArmFields>,
}

impl SweepSection {
    /// All arms, in the order of the axes as written, the last axis moving fastest.
    pub fn arms(&self, base: &Value, file: &std::path::Path) -> Result<Vec<Arm>, SpecError> {
        let mut combinations: Vec<Vec<Override>> = vec![Vec::new()];
        for (path, axis) in &self.grid {
            let choices = choices(path, axis, file)?;
            combinations = combinations
                .iter()
                .flat_map(|combination| {
                    choices.iter().map(move |choice| {
                        let mut longer = combination.clone();
                        longer.push(choice.clone());
                        longer
                    })
                })
                .collect();
        }
        if let Some(rows) = self.zipped(file)? {
            combinations = combinations
                .iter()
                .flat_map(|combination| rows.iter().map(move |row| [combination.as_slice(), row.as_slice()].concat()))
                .collect();
        }
        if self.grid.is_empty() && self.zip.is_empty() {
            combinations.clear();
        }
        let names = short_names(self.grid.keys().chain(self.zip.keys()));
        let condition = self.checked_condition(base, file)?;
        let mut arms = Vec::with_capacity(combinations.len());
        for overrides in combinations {
            let values: Vec<ArmValue> = overrides
                .iter()
                .map(|change| ArmValue { path: change.path.clone(), label: label(&change.value) })
                .collect();
            let name = values
                .iter()
                .map(|value| format!("{}={}", names[&value.path], value.label))
                .collect::<Vec<_>>()
                .join(" ");
            let (arm, tree) = arm(name, base, &overrides)?;
            let keep = match &condition {
                Some((condition, place)) => condition.holds(&tree).map_err(|message| {
                    SpecError::new(place.clone(), message, "compare fields with ==, <, <=, and, or")
                })?,
                None => true,
            };
            if keep {
                arms.push(arm);
            }
        }
        if arms.is_empty()
            && let Some((condition, place)) = condition
        {
            return Err(SpecError::new(
                place,
                format!("no combination fulfils `{}`", condition.text()),
                "loosen the condition, or add values to the axes",
            ));
        }
        for (name, fields) in &self.include {
            arms.push(arm(name.clone(), base, &fields.overrides(file))?.0);
        }
        Ok(arms)
    }

    fn zipped(&self, file: &std::path::Path) -> Result<Option<Vec<Vec<Override>>>, SpecError> {
        let mut rows: Option<Vec<Vec<Override>>> = None;
        for (path, axis) in &self.zip {
            let choices = choices(path, axis, file)?;
            let rows = rows.get_or_insert_with(|| vec![Vec::new(); choices.len()]);
            if rows.len() != choices.len() {
                return Err(SpecError::new(
                    Place::at(file, axis.referenced),
                    format!(
                        "`zip` pairs its lists, but `{path}` has {} values and the one before {}",
                        choices.len(),
                        rows.len()
                    ),
                    "give every list of `zip` the same length",
                ));
            }
            for (row, choice) in rows.iter_mut().zip(choices) {
                row.push(choice);
            }
        }
        Ok(rows)
    }

    fn checked_condition(
        &self,
        base: &Value,
        file: &std::path::Path,
    ) -> Result<Option<(Expression, Place)>, SpecError> {
        let Some(text) = &self.condition else { return Ok(None) };
        let place = Place::at(file, text.referenced);
        let known = paths(base);
        let fields: Vec<&str> = known.iter().map(String::as_str).filter(|path| !path.contains('.')).collect();
        let expression = Expression::condition(&text.value, &fields).map_err(|message| {
            SpecError::new(place.clone(), message, "name a field by its path, such as parallel.devices")
        })?;
        Ok(Some((expression, place)))
    }
}

fn choices(path: &str, axis: &Axis, file: &std::path::Path) -> Result<Vec<Override>, SpecError> {
    let place = Place::at(file, axis.referenced);
    if axis.value.is_empty() {
        return Err(SpecError::new(place, format!("axis `{path}` has no values"), "list at least one value"));
    }
    Ok(axis
        .value
        .iter()
        .map(|value| Override { path: path.to_owned(), value: value.clone(), place: place.clone() })
        .collect())
}

/// The shortest ends of the paths that tell them apart.
pub fn short_names<'a>(paths: impl Iterator<Item = &'a String> + Clone) -> IndexMap<String, String> {
    let ending = |path: &str, segments: usize| {
        let parts: Vec<&str> = path.split('.').collect();
        parts[parts.len().saturating_sub(segments)..].join(".")
    };
    paths
        .clone()
        .map(|path| {
            let length = (1..=path.split('.').count())
                .find(|length| {
                    let end = ending(path, *length);
                    paths.clone().filter(|other| ending(other, *length) == end).count() == 1
                })
                .unwrap_or(path.split('.').count());
            (path.clone(), ending(path, length))
        })
        .collect()
}
