//! The weights of many trials on the host, the trial axis first.

use crate::spec::{Cell, Preset};

use super::cell::Recurrence;

/// What each parameter is called, in the order of [`Parameters`].
pub const PARAMETER_NAMES: [&str; 5] = ["kernel", "recurrent_kernel", "bias", "dense_kernel", "dense_bias"];

/// The shape of a forecaster: one recurrent layer and one dense output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    pub recurrence: Recurrence,
    pub units: usize,
    pub features: usize,
}

impl Shape {
    pub fn new(preset: Preset, cell: Cell, units: usize, features: usize) -> Self {
        Shape { recurrence: Recurrence::new(preset, cell), units, features }
    }

    /// `[rows, columns]` of each parameter: kernel `[features, gates * units]`, recurrent kernel
    /// `[units, gates * units]`, bias `[1 or 2, gates * units]`, dense kernel `[units, 1]`, dense bias `[1, 1]`.
    pub fn parameters(&self) -> [[usize; 2]; 5] {
        let wide = self.recurrence.gates() * self.units;
        [[self.features, wide], [self.units, wide], [self.recurrence.bias_rows(), wide], [self.units, 1], [1, 1]]
    }
}

/// One parameter of many trials: `values` is `[trials, rows, columns]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub size: [usize; 2],
    pub values: Vec<f32>,
}

/// All parameters of many trials.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    pub trials: usize,
    pub list: Vec<Parameter>,
}

impl Parameters {
    /// Stacks the parameters of single trials; all must have the same shape.
    pub fn stack(single: &[Parameters]) -> Self {
        let list = (0..PARAMETER_NAMES.len())
            .map(|index| Parameter {
                size: single[0].list[index].size,
                values: single.iter().flat_map(|trial| trial.list[index].values.iter().copied()).collect(),
            })
            .collect();
        Parameters { trials: single.iter().map(|one| one.trials).sum(), list }
    }

    /// The Euclidean norm over all parameters of the difference of one trial's weights.
    pub fn distance(&self, other: &Parameters, trial: usize) -> f64 {
        let squares: f64 = self
            .list
            .iter()
            .zip(&other.list)
            .flat_map(|(mine, theirs)| {
                let length = mine.size[0] * mine.size[1];
                let range = trial * length..(trial + 1) * length;
                mine.values[range.clone()].iter().zip(&theirs.values[range])
            })
            .map(|(mine, theirs)| f64::from(mine - theirs).powi(2))
            .sum();
        squares.sqrt()
    }
}
