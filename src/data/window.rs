//! A series cut into a training and a test part, and each part into windows.

use std::ops::Range;

use crate::spec::WindowRule;

/// Where the training part ends and which windows each part has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    pub rows: usize,
    /// Values in the training part.
    pub train_length: usize,
    pub look_back: usize,
    rule: WindowRule,
}

impl Split {
    /// `train_fraction` of `rows`, rounded down as `int(len * 0.67)` does.
    pub fn new(rows: usize, train_fraction: f64, look_back: usize, rule: WindowRule) -> Self {
        Split { rows, train_length: (rows as f64 * train_fraction) as usize, look_back, rule }
    }

    fn count(&self, length: usize) -> usize {
        let dropped = match self.rule {
            WindowRule::KerasTutorial => 1,
            WindowRule::All => 0,
        };
        length.saturating_sub(self.look_back + dropped)
    }

    pub fn train_windows(&self) -> usize {
        self.count(self.train_length)
    }

    pub fn test_windows(&self) -> usize {
        self.count(self.rows - self.train_length)
    }

    /// The steps of the training part.
    pub fn train_part(&self) -> Range<usize> {
        0..self.train_length
    }

    /// The steps of the test part.
    pub fn test_part(&self) -> Range<usize> {
        self.train_length..self.rows
    }

    /// The contiguous steps of the training part that replica `rank` of `replicas` calls its own.
    pub fn replica_part(&self, rank: usize, replicas: usize) -> Range<usize> {
        let step = self.train_length / replicas;
        let end = if rank + 1 == replicas { self.train_length } else { (rank + 1) * step };
        rank * step..end
    }
}

/// Windows over one part of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Windows {
    /// `[windows, look_back, 1]`.
    pub inputs: Vec<f32>,
    /// `[windows, 1]`.
    pub targets: Vec<f32>,
    pub count: usize,
    pub look_back: usize,
}

impl Windows {
    /// The first `count` windows over `part`.
    pub fn cut(part: &[f32], look_back: usize, count: usize) -> Self {
        let mut inputs = Vec::with_capacity(count * look_back);
        for start in 0..count {
            inputs.extend_from_slice(&part[start..start + look_back]);
        }
        Windows { inputs, targets: part[look_back..look_back + count].to_vec(), count, look_back }
    }
}

/// RMSE, in data units, of predicting each window's target by the value before it.
pub fn naive_forecast_rmse(part: &[f64], look_back: usize, count: usize) -> f64 {
    let squares: f64 =
        (0..count).map(|start| part[start + look_back] - part[start + look_back - 1]).map(|e| e * e).sum();
    (squares / count as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_has_105_and_51_windows() {
        // 160 * 0.67 = 107.2; 107 - 1 - 1 = 105; 53 - 1 - 1 = 51.
        let split = Split::new(160, 0.67, 1, WindowRule::KerasTutorial);
        assert_eq!((split.train_length, split.train_windows(), split.test_windows()), (107, 105, 51));
        let all = Split::new(160, 0.67, 1, WindowRule::All);
        assert_eq!((all.train_windows(), all.test_windows()), (106, 52));
    }

    #[test]
    fn a_window_holds_the_values_before_its_target() {
        let windows = Windows::cut(&[1.0, 2.0, 3.0, 4.0], 2, 2);
        assert_eq!(windows.inputs, [1.0, 2.0, 2.0, 3.0]);
        assert_eq!(windows.targets, [3.0, 4.0]);
    }

    #[test]
    fn replica_parts_cover_the_training_part_once() {
        let split = Split::new(160, 0.67, 1, WindowRule::KerasTutorial);
        let parts: Vec<_> = (0..4).flat_map(|rank| split.replica_part(rank, 4)).collect();
        assert_eq!(parts, (0..107).collect::<Vec<_>>());
    }

    #[test]
    fn the_naive_forecast_errs_by_each_step() {
        // Steps of 1, 2 and 3: the root of (1 + 4 + 9) / 3.
        let rmse = naive_forecast_rmse(&[0.0, 1.0, 3.0, 6.0], 1, 3);
        assert!((rmse - (14.0f64 / 3.0).sqrt()).abs() < 1e-12);
    }
}
