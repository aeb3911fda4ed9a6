//! The forecaster of many trials on one device: a recurrent layer and `Dense(1)`.

use burn::tensor::{Device, Tensor, TensorData};

use super::adam::{OptimizerState, StepSize};
use super::cell::{State, StepWeights};
use super::parameters::{Parameter, Parameters, Shape};

/// Gradients, laid out as [`Parameters`] are: one `[trials, rows, columns]` list a parameter.
pub type Gradients = Vec<Vec<f32>>;

/// What one replica computes gradients from.
#[derive(Clone, Debug, Default)]
pub struct Shard {
    /// `[trials, batch, time, features]`.
    pub inputs: Vec<f32>,
    /// `[trials, batch, 1]`.
    pub targets: Vec<f32>,
    pub batch: usize,
    /// What the summed squared error is divided by.
    pub normalizer: f32,
    /// Factors on the last hidden state for dropout, `[trials, batch, units]`.
    pub dropout: Option<Vec<f32>>,
    /// The hidden state that every window starts from, `[trials, 1, units]`, instead of zeros.
    pub carried: Option<Vec<f32>>,
}

/// What one replica made of its shard.
pub struct ShardResult {
    /// `[trials, batch]`.
    pub predictions: Vec<f32>,
    pub gradients: Gradients,
    /// The hidden state of the shard's last window, `[trials, 1, units]`; empty for an empty shard.
    pub last_hidden: Vec<f32>,
}

/// Weights on a device, `[trials, rows, columns]` each, without a gradient graph.
pub struct Forecaster {
    shape: Shape,
    trials: usize,
    weights: Vec<Tensor<3>>,
    plain: Device,
    tracked: Device,
}

impl Forecaster {
    pub fn new(shape: Shape, parameters: &Parameters, device: &Device) -> Self {
        let tracked = device.clone().autodiff();
        let weights = parameters
            .list
            .iter()
            .map(|parameter| {
                let [rows, columns] = parameter.size;
                tensor(parameter.values.clone(), [parameters.trials, rows, columns], device)
            })
            .collect();
        Forecaster { shape, trials: parameters.trials, weights, plain: device.clone(), tracked }
    }

    /// Predictions `[trials, batch]` for inputs `[trials, batch, time, features]`, without a graph:
    /// a tracked forward that never sees a backward would keep its graph alive.
    ///
    /// `scaling` is a factor and an offset that the device applies to what it receives.
    pub fn predict(&self, inputs: &[f32], batch: usize, time: usize, scaling: Option<(f32, f32)>) -> Vec<f32> {
        if batch == 0 {
            return Vec::new();
        }
        let steps = self.steps(inputs, batch, time, scaling, &self.plain);
        let hidden = hidden_state(self.shape, &self.weights, steps, None);
        host(dense(&self.weights, hidden))
    }

    /// Predictions and the gradients of `sum((prediction - target)^2) / normalizer`.
    pub fn gradients(&self, shard: &Shard, time: usize, scaling: Option<(f32, f32)>) -> ShardResult {
        let batch = shard.batch;
        if batch == 0 {
            let zeros = |size: &[usize; 2]| vec![0.0; self.trials * size[0] * size[1]];
            let gradients = self.shape.parameters().iter().map(zeros).collect();
            return ShardResult { predictions: Vec::new(), gradients, last_hidden: Vec::new() };
        }
        let weights: Vec<Tensor<3>> =
            self.weights.iter().map(|weight| Tensor::from_inner(weight.clone()).require_grad()).collect();
        let steps = self.steps(&shard.inputs, batch, time, scaling, &self.tracked);
        let (trials, units) = (self.trials, self.shape.units);
        let start = shard.carried.clone().map(|carried| tensor(carried, [trials, 1, units], &self.tracked));
        let mut hidden = hidden_state(self.shape, &weights, steps, start);
        let last_hidden = host(hidden.clone().inner().narrow(1, batch - 1, 1));
        if let Some(factors) = shard.dropout.clone() {
            hidden = hidden * tensor(factors, [trials, batch, units], &self.tracked);
        }
        let prediction = dense(&weights, hidden);
        let target: Tensor<3> = tensor(shard.targets.clone(), [trials, batch, 1], &self.tracked);
        let target = scaled(target, scaling);
        let error = prediction.clone() - target;
        // Trials do not share weights, so one sum over all of them keeps their gradients apart.
        let loss = (error.clone() * error).sum().div_scalar(shard.normalizer);
        let graph = loss.backward();
        let gradients = weights
            .iter()
            .map(|weight| match weight.grad(&graph) {
                Some(gradient) => host(gradient),
                // A parameter that the loss does not touch, such as a recurrent kernel over one time step.
                None => vec![0.0; weight.dims().iter().product()],
            })
            .collect();
        ShardResult { predictions: host(prediction.inner()), gradients, last_hidden }
    }

    /// One optimizer step with reduced gradients.
    pub fn update(&mut self, state: &mut OptimizerState, gradients: &Gradients, step: &StepSize) {
        for (index, (weight, gradient)) in self.weights.iter_mut().zip(gradients).enumerate() {
            let gradient = tensor(gradient.clone(), weight.dims(), &self.plain);
            *weight = state.step(index, weight.clone(), gradient, step);
        }
    }

    pub fn parameters(&self) -> Parameters {
        let list = self
            .weights
            .iter()
            .map(|weight| {
                let [_, rows, columns] = weight.dims();
                Parameter { size: [rows, columns], values: host(weight.clone()) }
            })
            .collect();
        Parameters { trials: self.trials, list }
    }

    /// Inputs cut into time steps, `[trials, batch, features]` each.
    fn steps(
        &self,
        inputs: &[f32],
        batch: usize,
        time: usize,
        scaling: Option<(f32, f32)>,
        device: &Device,
    ) -> Vec<Tensor<3>> {
        let features = self.shape.features;
        let all: Tensor<4> =
            Tensor::from_data(TensorData::new(inputs.to_vec(), [self.trials, batch, time, features]), device);
        let all = scaled(all, scaling);
        (0..time).map(|step| all.clone().narrow(2, step, 1).reshape([self.trials, batch, features])).collect()
    }
}

fn dense(weights: &[Tensor<3>], hidden: Tensor<3>) -> Tensor<3> {
    let [_, _, _, kernel, bias] = weights else { unreachable!("a forecaster is made with five parameters") };
    hidden.matmul(kernel.clone()) + bias.clone()
}

/// The hidden state after the last step, `[trials, batch, units]`, from `start` (`[trials, 1, units]`) or zeros.
fn hidden_state(shape: Shape, weights: &[Tensor<3>], steps: Vec<Tensor<3>>, start: Option<Tensor<3>>) -> Tensor<3> {
    let [kernel, recurrent, bias, _, _] = weights else { unreachable!("a forecaster is made with five parameters") };
    let [trials, batch, _] = steps[0].dims();
    let input_bias = bias.clone().narrow(1, 0, 1);
    let recurrent_bias = (shape.recurrence.bias_rows() == 2).then(|| bias.clone().narrow(1, 1, 1));
    let step_weights = StepWeights { recurrent: recurrent.clone(), recurrent_bias };
    let zeros = Tensor::zeros([trials, batch, shape.units], &steps[0].device());
    let hidden = match start {
        Some(start) => zeros + start,
        None => zeros,
    };
    let mut state = State { hidden, memory: None };
    for step in steps {
        // One feature is a broadcast product, which is cheaper than a matrix product.
        let product = match shape.features {
            1 => step * kernel.clone(),
            _ => step.matmul(kernel.clone()),
        };
        state = shape.recurrence.step(product + input_bias.clone(), &step_weights, state);
    }
    state.hidden
}

fn scaled<const D: usize>(received: Tensor<D>, scaling: Option<(f32, f32)>) -> Tensor<D> {
    match scaling {
        Some((scale, offset)) => received.mul_scalar(scale).add_scalar(offset),
        None => received,
    }
}

fn tensor(values: Vec<f32>, size: [usize; 3], device: &Device) -> Tensor<3> {
    Tensor::from_data(TensorData::new(values, size), device)
}

fn host<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().into_vec::<f32>().unwrap_or_else(|_| unreachable!("every tensor here is made of f32"))
}
