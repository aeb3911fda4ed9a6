//! Initial weights, drawn on the host from a generator of each trial's own.

use rand::{Rng, RngExt};
use rand_chacha::ChaCha20Rng;

use crate::spec::Preset;

use super::cell::Recurrence;
use super::parameters::{Parameter, Parameters, Shape};

/// One trial's initial parameters as the preset's framework draws them.
pub fn initial_parameters(preset: Preset, shape: Shape, generator: &mut ChaCha20Rng) -> Parameters {
    let sizes = shape.parameters();
    let values = match preset {
        Preset::Keras22 | Preset::Keras24 => keras(shape, &sizes, generator),
        Preset::Pytorch => pytorch(shape, &sizes, generator),
    };
    let list = sizes.into_iter().zip(values).map(|(size, values)| Parameter { size, values }).collect();
    Parameters { trials: 1, list }
}

/// Glorot uniform kernels, an orthogonal recurrent kernel, zero biases but for the LSTM's forget gate.
fn keras(shape: Shape, sizes: &[[usize; 2]; 5], generator: &mut ChaCha20Rng) -> [Vec<f32>; 5] {
    let [kernel, recurrent, bias, dense, dense_bias] = *sizes;
    let mut bias = vec![0.0; bias[0] * bias[1]];
    if matches!(shape.recurrence, Recurrence::Lstm(_)) {
        bias[shape.units..2 * shape.units].fill(1.0);
    }
    [
        glorot_uniform(kernel, generator),
        orthogonal(recurrent, generator),
        bias,
        glorot_uniform(dense, generator),
        vec![0.0; dense_bias[0] * dense_bias[1]],
    ]
}

/// Everything uniform in ± 1 / sqrt(units), and PyTorch's two LSTM and RNN biases added into one.
fn pytorch(shape: Shape, sizes: &[[usize; 2]; 5], generator: &mut ChaCha20Rng) -> [Vec<f32>; 5] {
    let bound = 1.0 / (shape.units as f64).sqrt();
    let mut drawn = sizes.map(|[rows, columns]| uniform(rows * columns, bound, generator));
    if shape.recurrence.bias_rows() == 1 {
        let second = uniform(drawn[2].len(), bound, generator);
        for (bias, other) in drawn[2].iter_mut().zip(second) {
            *bias += other;
        }
    }
    drawn
}

/// Uniform in ± sqrt(6 / (fan in + fan out)) (Glorot & Bengio 2010).
fn glorot_uniform([rows, columns]: [usize; 2], generator: &mut ChaCha20Rng) -> Vec<f32> {
    uniform(rows * columns, (6.0 / (rows + columns) as f64).sqrt(), generator)
}

fn uniform(count: usize, bound: f64, generator: &mut ChaCha20Rng) -> Vec<f32> {
    (0..count).map(|_| generator.random_range(-bound..bound) as f32).collect()
}

/// Rows that are orthonormal (Saxe et al. 2014); `rows <= columns`, as a recurrent kernel has it.
///
/// Gram-Schmidt on rows of normal numbers gives the same (Haar) distribution as the singular value
/// decomposition that Keras takes.
fn orthogonal([rows, columns]: [usize; 2], generator: &mut ChaCha20Rng) -> Vec<f32> {
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(rows);
    while basis.len() < rows {
        let mut row: Vec<f64> = (0..columns).map(|_| standard_normal(generator)).collect();
        // Twice is enough for orthogonality to rounding (Giraud et al. 2005).
        for _ in 0..2 {
            for done in &basis {
                let overlap: f64 = row.iter().zip(done).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(done).for_each(|(a, b)| *a -= overlap * b);
            }
        }
        let norm = row.iter().map(|a| a * a).sum::<f64>().sqrt();
        // A row that all but vanished is drawn again.
        if norm > 1e-6 {
            basis.push(row.into_iter().map(|a| a / norm).collect());
        }
    }
    basis.into_iter().flatten().map(|value| value as f32).collect()
}

/// Box and Muller (1958).
fn standard_normal(generator: &mut impl Rng) -> f64 {
    let radius = (-2.0 * (1.0 - generator.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * generator.random::<f64>()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Cell;
    use rand::SeedableRng;

    fn drawn(preset: Preset, cell: Cell) -> Parameters {
        let mut generator = ChaCha20Rng::seed_from_u64(3);
        initial_parameters(preset, Shape::new(preset, cell, 4, 1), &mut generator)
    }

    #[test]
    fn keras_recurrent_rows_are_orthonormal() {
        for cell in [Cell::Lstm, Cell::Gru, Cell::Rnn] {
            let recurrent = &drawn(Preset::Keras22, cell).list[1];
            let [rows, columns] = recurrent.size;
            for i in 0..rows {
                for j in 0..rows {
                    let dot: f32 = (0..columns)
                        .map(|k| recurrent.values[i * columns + k] * recurrent.values[j * columns + k])
                        .sum();
                    let wanted = if i == j { 1.0 } else { 0.0 };
                    assert!((dot - wanted).abs() < 1e-5, "{cell:?} rows {i} and {j}: {dot}");
                }
            }
        }
    }

    #[test]
    fn keras_lstm_forgets_nothing_at_first() {
        let bias = &drawn(Preset::Keras22, Cell::Lstm).list[2];
        assert_eq!(bias.values[..4], [0.0; 4]);
        assert_eq!(bias.values[4..8], [1.0; 4]);
        assert_eq!(bias.values[8..], [0.0; 8]);
    }

    #[test]
    fn uniform_draws_stay_in_their_bounds() {
        // Glorot for a kernel of [1, 16]: sqrt(6 / 17) = 0.594; PyTorch for 4 units: 1 / sqrt(4) = 0.5.
        let glorot = &drawn(Preset::Keras22, Cell::Lstm).list[0];
        assert!(glorot.values.iter().all(|value| value.abs() < 0.5941));
        let torch = drawn(Preset::Pytorch, Cell::Gru);
        assert!(torch.list.iter().flat_map(|p| &p.values).all(|value| value.abs() <= 0.5));
        assert!(torch.list[4].values[0] != 0.0);
    }
}
