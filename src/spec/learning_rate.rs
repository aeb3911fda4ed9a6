//! The learning rate at every update: base, rule, warm-up, schedule.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::{Count, PositiveNumber};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LearningRateRule {
    /// The base on any number of devices.
    Constant,
    /// The base times the growth of the global batch over that of one device (Goyal et al. 2017).
    Linear,
    /// The base times the root of that growth (Krizhevsky 2014).
    Sqrt,
}

/// A stretch of training, counted in updates or in epochs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Span {
    Updates(Count),
    Epochs(Count),
}

impl Span {
    fn updates(self, updates_an_epoch: usize) -> usize {
        match self {
            Span::Updates(count) => count.get(),
            Span::Epochs(count) => count.get().saturating_mul(updates_an_epoch),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScheduleKind {
    Constant,
    /// Multiplied by `factor` after every `every`.
    Step,
    /// Half a cosine from the rate down to `end` times the rate, over `over`.
    Cosine,
    /// A straight line from the rate down to `end` times the rate, over `over`.
    Linear,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Schedule {
    pub kind: ScheduleKind,
    /// Step: how long the rate stays before the next drop.
    pub every: Option<Span>,
    /// Step: what each drop multiplies the rate by.
    pub factor: PositiveNumber,
    /// Cosine and linear: how long the decay takes; all of training when left out.
    pub over: Option<Span>,
    /// Cosine and linear: the share of the rate that is left at the end.
    pub end: f64,
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule { kind: ScheduleKind::Constant, every: None, factor: positive(0.1), over: None, end: 0.0 }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LearningRate {
    pub base: PositiveNumber,
    pub rule: LearningRateRule,
    /// A straight climb from 0 to the rate.
    pub warmup: Option<Span>,
    pub schedule: Schedule,
}

impl Default for LearningRate {
    fn default() -> Self {
        LearningRate {
            base: positive(1e-3),
            rule: LearningRateRule::Constant,
            warmup: None,
            schedule: Schedule::default(),
        }
    }
}

fn positive(number: f64) -> PositiveNumber {
    // Called with positive literals only.
    PositiveNumber::try_from(number).unwrap_or_else(|_| unreachable!())
}

impl LearningRate {
    /// The rates of a whole training. `batch_growth` is the global batch over that of one device.
    pub fn resolve(
        &self,
        batch_growth: f64,
        updates_an_epoch: usize,
        epochs: usize,
    ) -> Result<LearningRateTrace, String> {
        let factor = match self.rule {
            LearningRateRule::Constant => 1.0,
            LearningRateRule::Linear => batch_growth,
            LearningRateRule::Sqrt => batch_growth.sqrt(),
        };
        let total = updates_an_epoch.saturating_mul(epochs);
        let schedule = &self.schedule;
        if !(0.0..=1.0).contains(&schedule.end) {
            return Err(format!("schedule `end` is a share of the rate between 0 and 1, got {}", schedule.end));
        }
        let span = |span: Option<Span>| span.map(|span| span.updates(updates_an_epoch));
        let shape = match schedule.kind {
            ScheduleKind::Constant => Shape::Constant,
            ScheduleKind::Step => Shape::Step {
                every: span(schedule.every).ok_or("a step schedule needs `every`, such as `every: { epochs: 30 }`")?,
                factor: schedule.factor.get(),
            },
            ScheduleKind::Cosine => Shape::Cosine { over: span(schedule.over).unwrap_or(total), end: schedule.end },
            ScheduleKind::Linear => Shape::Linear { over: span(schedule.over).unwrap_or(total), end: schedule.end },
        };
        Ok(LearningRateTrace { rate: self.base.get() * factor, warmup: span(self.warmup).unwrap_or(0), shape })
    }
}

/// A learning rate as a function of the update, with every rule worked out; part of a trial's identity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearningRateTrace {
    /// The rate after warm-up and before decay.
    pub rate: f64,
    /// Updates of warm-up.
    pub warmup: usize,
    shape: Shape,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Shape {
    Constant,
    Step { every: usize, factor: f64 },
    Cosine { over: usize, end: f64 },
    Linear { over: usize, end: f64 },
}

impl LearningRateTrace {
    /// The rate of one update; updates count from 0.
    pub fn at(&self, update: usize) -> f64 {
        if update < self.warmup {
            return self.rate * (update + 1) as f64 / self.warmup as f64;
        }
        let since = update - self.warmup;
        let share = match self.shape {
            Shape::Constant => 1.0,
            Shape::Step { every, factor } => factor.powi((since / every) as i32),
            Shape::Cosine { over, end } => {
                let passed = passed(since, over, self.warmup);
                end + (1.0 - end) * 0.5 * (1.0 + (std::f64::consts::PI * passed).cos())
            }
            Shape::Linear { over, end } => 1.0 - (1.0 - end) * passed(since, over, self.warmup),
        };
        self.rate * share
    }

    /// How many times the rate changes over `updates` updates.
    pub fn steps(&self, updates: usize) -> usize {
        match self.shape {
            Shape::Constant => self.warmup.min(updates.saturating_sub(1)),
            _ => (1..updates).filter(|update| self.at(*update) != self.at(update - 1)).count(),
        }
    }

    /// The mean rate over `updates` updates.
    pub fn mean(&self, updates: usize) -> f64 {
        if updates == 0 || (matches!(self.shape, Shape::Constant) && self.warmup == 0) {
            return self.rate;
        }
        (0..updates).map(|update| self.at(update)).sum::<f64>() / updates as f64
    }
}

/// How much of the decay has passed, from 0 to 1; warm-up counts as part of `over`.
fn passed(since: usize, over: usize, warmup: usize) -> f64 {
    let length = over.saturating_sub(warmup).max(1);
    (since as f64 / length as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(yaml: &str, growth: f64) -> LearningRateTrace {
        let rate: LearningRate = serde_yaml::from_str(yaml).unwrap();
        rate.resolve(growth, 10, 10).unwrap()
    }

    #[test]
    fn rules_scale_with_the_batch() {
        // 0.001 times 4, and times the root of 4.
        assert_eq!(rate("{ base: 0.001, rule: linear }", 4.0).at(0), 0.004);
        assert_eq!(rate("{ base: 0.001, rule: sqrt }", 4.0).at(99), 0.002);
        assert_eq!(rate("{ base: 1e-3, rule: constant }", 4.0).at(5), 0.001);
    }

    #[test]
    fn warm_up_climbs_in_a_straight_line() {
        // Two epochs of ten updates: the first update has a twentieth, the twentieth all of it.
        let trace = rate("{ base: 1.0, rule: constant, warmup: { epochs: 2 } }", 1.0);
        assert_eq!(trace.at(0), 0.05);
        assert_eq!(trace.at(19), 1.0);
        assert_eq!(trace.at(20), 1.0);
    }

    #[test]
    fn schedules_decay_as_written() {
        let step = rate("{ base: 1.0, schedule: { kind: step, every: { updates: 30 }, factor: 0.5 } }", 1.0);
        assert_eq!((step.at(29), step.at(30), step.at(90)), (1.0, 0.5, 0.125));
        let cosine = rate("{ base: 1.0, schedule: { kind: cosine } }", 1.0);
        // Halfway down, half a cosine is at one half.
        assert!((cosine.at(50) - 0.5).abs() < 1e-12);
        let linear = rate("{ base: 1.0, schedule: { kind: linear, over: { epochs: 5 }, end: 0.2 } }", 1.0);
        assert!((linear.at(25) - 0.6).abs() < 1e-12);
        assert!((linear.at(99) - 0.2).abs() < 1e-12);
    }
}
