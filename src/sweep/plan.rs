//! An experiment with its rules worked out: every arm, every trial, every id.

use std::collections::HashMap;
use std::sync::Arc;

use crate::data::{DataError, Source};
use crate::model::Shape;
use crate::spec::{Experiment, Place, ResolvedArm, Settings, SpecError, TrialId};
use crate::train::check_stored_weights;

/// A plan that cannot be made; all of these are mistakes in a spec or its data.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error(transparent)]
    Data(#[from] DataError),
    #[error("no arm matches `{pattern}`\n  help: the arms are {}", names.join(", "))]
    NothingSelected { pattern: String, names: Vec<String> },
}

/// One arm with its trials.
#[derive(Clone, Debug)]
pub struct PlannedArm {
    pub name: String,
    pub resolved: Arc<ResolvedArm>,
    pub source: Arc<Source>,
    /// One id a seed, in seed order.
    pub trials: Vec<TrialId>,
    /// One value a varied field.
    pub values: Vec<String>,
    /// Whether the command line lets this arm run; results of the others are kept and shown.
    pub selected: bool,
}

/// All arms and trials of an experiment.
#[derive(Clone, Debug)]
pub struct Plan {
    pub experiment: Experiment,
    pub arms: Vec<PlannedArm>,
}

/// Files read once, however many arms name them.
#[derive(Default)]
pub struct Sources {
    known: HashMap<String, Arc<Source>>,
}

impl Sources {
    pub fn get(&mut self, settings: &Settings, folder: &std::path::Path) -> Result<Arc<Source>, DataError> {
        let key = format!(
            "{:?} {:?} {:?} {}",
            settings.data, settings.model.initial_weights, settings.train.order, settings.train.epochs
        );
        if let Some(source) = self.known.get(&key) {
            return Ok(source.clone());
        }
        let source = Arc::new(Source::read(settings, folder)?);
        self.known.insert(key, source.clone());
        Ok(source)
    }
}

impl Plan {
    /// Works out all arms; those that `only`, a glob over their names, lets through are selected.
    pub fn make(
        experiment: Experiment,
        only: Option<&glob::Pattern>,
        sources: &mut Sources,
    ) -> Result<Self, PlanError> {
        let mut arms = Vec::with_capacity(experiment.arms.len());
        for arm in &experiment.arms {
            let source = sources.get(&arm.settings, experiment.folder())?;
            let wrong = |message: String| {
                let place = arm.place.clone().unwrap_or_else(|| Place::file(&experiment.file));
                SpecError::new(place, format!("arm `{}`: {message}", arm.name), "change the fields that this arm sets")
            };
            let resolved = ResolvedArm::resolve(&arm.settings, &source.facts).map_err(wrong)?;
            let shape = Shape::new(resolved.preset, resolved.cell, resolved.units, 1);
            check_stored_weights(shape, &source).map_err(wrong)?;
            let selected = only.is_none_or(|pattern| pattern.matches(&arm.name));
            let values = experiment.varied.iter().map(|path| experiment.label(arm, path)).collect();
            let trials = resolved.trial_ids(&experiment.seeds);
            arms.push(PlannedArm {
                name: arm.name.clone(),
                resolved: Arc::new(resolved),
                source,
                trials,
                values,
                selected,
            });
        }
        if !arms.iter().any(|arm: &PlannedArm| arm.selected) {
            return Err(PlanError::NothingSelected {
                pattern: only.map(glob::Pattern::to_string).unwrap_or_default(),
                names: experiment.arms.iter().take(12).map(|arm| arm.name.clone()).collect(),
            });
        }
        Ok(Plan { experiment, arms })
    }

    pub fn arm(&self, name: &str) -> Option<&PlannedArm> {
        self.arms.iter().find(|arm| arm.name == name)
    }

    /// The arms that the command line lets run.
    pub fn selected(&self) -> impl Iterator<Item = &PlannedArm> {
        self.arms.iter().filter(|arm| arm.selected)
    }

    /// Trials of the selected arms.
    pub fn trial_count(&self) -> usize {
        self.selected().map(|arm| arm.trials.len()).sum()
    }
}
