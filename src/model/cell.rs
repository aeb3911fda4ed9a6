//! One time step of a recurrent cell over `[trials, batch, units]`.

use burn::tensor::Tensor;
use burn::tensor::activation;

use crate::spec::{Cell, Preset};

/// What squashes a gate to the range from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GateActivation {
    /// `clip(0.2 x + 0.5, 0, 1)`, as Keras 2.2 has it.
    HardSigmoid,
    Sigmoid,
}

impl GateActivation {
    fn apply(self, gate: Tensor<3>) -> Tensor<3> {
        match self {
            GateActivation::HardSigmoid => gate.mul_scalar(0.2).add_scalar(0.5).clamp(0.0, 1.0),
            GateActivation::Sigmoid => activation::sigmoid(gate),
        }
    }
}

/// A cell with its gate order: LSTM `i, f, c, o`; GRU `z, r, h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recurrence {
    Lstm(GateActivation),
    /// The reset gate acts on the state before the recurrent product (Cho et al. 2014).
    GruResetBefore(GateActivation),
    /// The reset gate acts on the recurrent product (cuDNN, PyTorch, Keras' `reset_after`).
    GruResetAfter(GateActivation),
    Rnn,
}

/// Hidden state and, for an LSTM, cell state; `[trials, batch, units]` each.
#[derive(Clone)]
pub struct State {
    pub hidden: Tensor<3>,
    pub memory: Option<Tensor<3>>,
}

/// Recurrent weights as one step needs them.
pub struct StepWeights {
    /// `[trials, units, gates * units]`.
    pub recurrent: Tensor<3>,
    /// `[trials, 1, gates * units]`, only where the recurrent product has a bias of its own.
    pub recurrent_bias: Option<Tensor<3>>,
}

impl Recurrence {
    pub fn new(preset: Preset, cell: Cell) -> Self {
        let gate = match preset {
            Preset::Keras22 => GateActivation::HardSigmoid,
            Preset::Keras24 | Preset::Pytorch => GateActivation::Sigmoid,
        };
        match (cell, preset) {
            (Cell::Lstm, _) => Recurrence::Lstm(gate),
            (Cell::Gru, Preset::Keras22) => Recurrence::GruResetBefore(gate),
            (Cell::Gru, _) => Recurrence::GruResetAfter(gate),
            (Cell::Rnn, _) => Recurrence::Rnn,
        }
    }

    pub fn gates(self) -> usize {
        match self {
            Recurrence::Lstm(_) => 4,
            Recurrence::GruResetBefore(_) | Recurrence::GruResetAfter(_) => 3,
            Recurrence::Rnn => 1,
        }
    }

    /// A reset-after GRU keeps the recurrent bias apart, since the reset gate multiplies it.
    pub fn bias_rows(self) -> usize {
        if matches!(self, Recurrence::GruResetAfter(_)) { 2 } else { 1 }
    }

    /// The next state; `projected` is the input times the kernel plus the input bias,
    /// `[trials, batch, gates * units]`.
    pub fn step(self, projected: Tensor<3>, weights: &StepWeights, state: State) -> State {
        let units = state.hidden.dims()[2];
        let part = |tensor: &Tensor<3>, gate: usize| tensor.clone().narrow(2, gate * units, units);
        match self {
            Recurrence::Lstm(gate) => {
                let sum = projected + state.hidden.matmul(weights.recurrent.clone());
                let input = gate.apply(part(&sum, 0));
                let fresh = input * part(&sum, 2).tanh();
                let memory = match state.memory {
                    Some(memory) => gate.apply(part(&sum, 1)) * memory + fresh,
                    None => fresh,
                };
                let hidden = gate.apply(part(&sum, 3)) * memory.clone().tanh();
                State { hidden, memory: Some(memory) }
            }
            Recurrence::GruResetBefore(gate) => {
                let recurrent = &weights.recurrent;
                let first_two = recurrent.clone().narrow(2, 0, 2 * units);
                let last = recurrent.clone().narrow(2, 2 * units, units);
                let sum = state.hidden.clone().matmul(first_two);
                let update = gate.apply(part(&projected, 0) + part(&sum, 0));
                let reset = gate.apply(part(&projected, 1) + part(&sum, 1));
                let candidate = (part(&projected, 2) + (reset * state.hidden.clone()).matmul(last)).tanh();
                gru_state(update, state.hidden, candidate)
            }
            Recurrence::GruResetAfter(gate) => {
                let mut inner = state.hidden.clone().matmul(weights.recurrent.clone());
                if let Some(bias) = &weights.recurrent_bias {
                    inner = inner + bias.clone();
                }
                let update = gate.apply(part(&projected, 0) + part(&inner, 0));
                let reset = gate.apply(part(&projected, 1) + part(&inner, 1));
                let candidate = (part(&projected, 2) + reset * part(&inner, 2)).tanh();
                gru_state(update, state.hidden, candidate)
            }
            Recurrence::Rnn => {
                let hidden = (projected + state.hidden.matmul(weights.recurrent.clone())).tanh();
                State { hidden, memory: None }
            }
        }
    }
}

fn gru_state(update: Tensor<3>, before: Tensor<3>, candidate: Tensor<3>) -> State {
    let kept = update.clone() * before;
    let hidden = kept + update.neg().add_scalar(1.0) * candidate;
    State { hidden, memory: None }
}
