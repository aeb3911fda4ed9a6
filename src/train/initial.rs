//! Initial weights of a cohort: drawn a trial, or taken from a file.

use crate::data::{Source, StoredWeight};
use crate::model::{PARAMETER_NAMES, Parameter, Parameters, Shape, initial_parameters};
use crate::spec::ResolvedArm;

use super::random::{Purpose, generator};

/// The template's and the trained model's weights before the first update.
pub struct Initial {
    pub template: Parameters,
    pub trained: Parameters,
}

impl Initial {
    pub fn of(arm: &ResolvedArm, shape: Shape, seeds: &[u64], source: &Source) -> Self {
        if let Some(stored) = &source.initial_weights {
            let repeat =
                |weights: &[StoredWeight]| Parameters::stack(&vec![stored_parameters(weights, shape); seeds.len()]);
            return Initial {
                template: repeat(&stored.template_initial_weights),
                trained: repeat(if arm.relocate {
                    &stored.trained_initial_weights
                } else {
                    &stored.template_initial_weights
                }),
            };
        }
        let draw = |purpose: Purpose| {
            let single: Vec<Parameters> = seeds
                .iter()
                .map(|seed| initial_parameters(arm.preset, shape, &mut generator(*seed, purpose)))
                .collect();
            Parameters::stack(&single)
        };
        let trained = draw(Purpose::TrainedWeights);
        // With relocation the wrapper trains a clone, and the template keeps initial weights of its own.
        let template = if arm.relocate { draw(Purpose::TemplateWeights) } else { trained.clone() };
        Initial { template, trained }
    }
}

fn stored_parameters(weights: &[StoredWeight], shape: Shape) -> Parameters {
    let list = weights
        .iter()
        .zip(shape.parameters())
        .map(|(weight, size)| Parameter { size, values: weight.data.clone() })
        .collect();
    Parameters { trials: 1, list }
}

/// Says what is wrong with stored weights for a model of this shape.
pub fn check_stored_weights(shape: Shape, source: &Source) -> Result<(), String> {
    let Some(stored) = &source.initial_weights else { return Ok(()) };
    for (field, weights) in [
        ("template_initial_weights", &stored.template_initial_weights),
        ("trained_initial_weights", &stored.trained_initial_weights),
    ] {
        if weights.len() != PARAMETER_NAMES.len() {
            return Err(format!("`{field}` has {} weights, the model has {}", weights.len(), PARAMETER_NAMES.len()));
        }
        for ((weight, size), name) in weights.iter().zip(shape.parameters()).zip(PARAMETER_NAMES) {
            if weight.data.len() != size[0] * size[1] {
                return Err(format!("`{field}`: {name} has {} numbers, the model needs {size:?}", weight.data.len()));
            }
        }
    }
    Ok(())
}
