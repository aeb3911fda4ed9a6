//! Adam and SGD over stacked trials, with each framework's place for epsilon.

use burn::tensor::Tensor;

use crate::spec::{Optimizer, OptimizerKind, Preset};

/// The scalars of one update, worked out in double precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepSize {
    optimizer: OptimizerKind,
    beta_1: f64,
    beta_2: f64,
    epsilon: f64,
    /// What the ratio of moments is multiplied by.
    rate: f64,
    /// What the root of the second moment is divided by before epsilon is added.
    root: f64,
}

impl StepSize {
    /// The scalars of update `update`, counted from 1.
    ///
    /// Keras: `p -= lr sqrt(1 - b2^t) / (1 - b1^t) * m / (sqrt(v) + epsilon)` (Keras 2.2.4, `optimizers.py`).
    /// Keras 2.2.4 reads its update counter after raising it: its measured first step, 0.744 lr where
    /// the gradient is large, is that of `t = 2`. TensorFlow 2.4 and PyTorch start at `t = 1`.
    /// PyTorch: `p -= lr / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + epsilon)` (Kingma & Ba 2015).
    pub fn new(preset: Preset, optimizer: &Optimizer, learning_rate: f64, update: usize) -> Self {
        let exponent = if preset == Preset::Keras22 { update as i32 + 1 } else { update as i32 };
        let first = 1.0 - optimizer.beta_1.powi(exponent);
        let second = (1.0 - optimizer.beta_2.powi(exponent)).sqrt();
        let (rate, root) = match (optimizer.kind, preset) {
            (OptimizerKind::Sgd, _) => (learning_rate, 1.0),
            (OptimizerKind::Adam, Preset::Pytorch) => (learning_rate / first, second),
            (OptimizerKind::Adam, _) => (learning_rate * second / first, 1.0),
        };
        StepSize {
            optimizer: optimizer.kind,
            beta_1: optimizer.beta_1,
            beta_2: optimizer.beta_2,
            epsilon: optimizer.epsilon.get(),
            rate,
            root,
        }
    }
}

/// First and second moments of every parameter; empty before the first update.
#[derive(Default)]
pub struct OptimizerState {
    moments: Vec<(Tensor<3>, Tensor<3>)>,
}

impl OptimizerState {
    /// The weight after one update; parameters are stepped in order of their index.
    pub fn step(&mut self, index: usize, weight: Tensor<3>, gradient: Tensor<3>, step: &StepSize) -> Tensor<3> {
        if step.optimizer == OptimizerKind::Sgd {
            return weight - gradient.mul_scalar(step.rate);
        }
        if self.moments.len() <= index {
            let zeros = gradient.zeros_like();
            self.moments.push((zeros.clone(), zeros));
        }
        let (first, second) = &mut self.moments[index];
        *first = first.clone().mul_scalar(step.beta_1) + gradient.clone().mul_scalar(1.0 - step.beta_1);
        let square = gradient.clone() * gradient;
        *second = second.clone().mul_scalar(step.beta_2) + square.mul_scalar(1.0 - step.beta_2);
        let mut root = second.clone().sqrt();
        if step.root != 1.0 {
            root = root.div_scalar(step.root);
        }
        weight - first.clone().mul_scalar(step.rate) / root.add_scalar(step.epsilon)
    }
}
