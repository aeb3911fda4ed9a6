//! Every seed of every arm as a dot, with the published figure and the naive forecast beside them.

use plotters::prelude::*;

use super::style::{FAINT, INK, PlotError, TEXT, TITLE, colour, extent, figure, sheet, shorten, words};

pub struct SeedGroup {
    pub arm: String,
    /// One value a seed.
    pub values: Vec<f64>,
    /// The published figure.
    pub claim: Option<f64>,
}

pub struct RmseBySeed {
    pub title: String,
    pub metric: String,
    pub groups: Vec<SeedGroup>,
    pub naive: Option<f64>,
}

/// From this ratio on a linear axis would press the small values together.
const LOGARITHMIC_FROM: f64 = 8.0;
const ROW: u32 = 46;
const LEFT: i32 = 250;
const RIGHT: i32 = 40;

impl RmseBySeed {
    pub fn draw(&self) -> Result<String, PlotError> {
        let values = self.groups.iter().flat_map(|group| group.values.iter().copied().chain(group.claim));
        let (low, high) = extent(values.chain(self.naive)).ok_or(PlotError::Empty)?;
        let logarithmic = low > 0.0 && high / low > LOGARITHMIC_FROM;
        let scale = |value: f64| if logarithmic { value.ln() } else { value };
        let (from, to) = (scale(low), scale(high));
        let room = if to > from { (to - from) * 0.05 } else { 1.0 };
        let width = f64::from(super::style::WIDTH as i32 - LEFT - RIGHT);
        let x = |value: f64| LEFT + (width * (scale(value) - from + room) / (to - from + 2.0 * room)).round() as i32;
        let bottom = 66 + self.groups.len() as i32 * ROW as i32;
        sheet(bottom as u32 + 62, |area| {
            area.draw(&Text::new(self.title.clone(), (14, 12), words(TITLE)))?;
            for tick in ticks(low, high, logarithmic) {
                area.draw(&PathElement::new([(x(tick), 46), (x(tick), bottom)], FAINT))?;
                let label = tick.to_string();
                area.draw(&Text::new(label.clone(), (x(tick) - 4 * label.len() as i32, bottom + 8), words(TEXT)))?;
            }
            let axis = if logarithmic { format!("{} (logarithmic)", self.metric) } else { self.metric.clone() };
            area.draw(&Text::new(axis, (LEFT + 180, bottom + 32), words(TEXT)))?;
            if let Some(naive) = self.naive {
                for dash in (46..bottom).step_by(12) {
                    area.draw(&PathElement::new([(x(naive), dash), (x(naive), dash + 6)], INK.stroke_width(2)))?;
                }
                area.draw(&Text::new(format!("naive forecast {}", figure(naive)), (x(naive) - 40, 30), words(TEXT)))?;
            }
            for (row, group) in self.groups.iter().enumerate() {
                let middle = 46 + ROW as i32 * row as i32 + ROW as i32 / 2;
                area.draw(&Text::new(shorten(&group.arm, 31), (14, middle - 8), words(TEXT)))?;
                for (seed, value) in group.values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
                    // A fixed zigzag keeps equal values apart.
                    let shift = (seed as i32 % 5 - 2) * 4;
                    area.draw(&Circle::new((x(*value), middle + shift), 4, colour(row).mix(0.75).filled()))?;
                }
                if let Some(median) = crate::diagnose::statistics::median(&group.values) {
                    area.draw(&PathElement::new(
                        [(x(median), middle - 15), (x(median), middle + 15)],
                        INK.stroke_width(3),
                    ))?;
                }
                if let Some(claim) = group.claim {
                    let (cx, cy) = (x(claim), middle);
                    let diamond = [(cx, cy - 10), (cx + 10, cy), (cx, cy + 10), (cx - 10, cy), (cx, cy - 10)];
                    area.draw(&PathElement::new(diamond, INK.stroke_width(2)))?;
                }
            }
            area.draw(&Text::new("bar: median   diamond: published", (14, bottom + 32), words(TEXT)))?;
            Ok(())
        })
    }
}

fn ticks(low: f64, high: f64, logarithmic: bool) -> Vec<f64> {
    if logarithmic {
        let mut ticks = Vec::new();
        for power in low.log10().floor() as i32..=high.log10().ceil() as i32 {
            for step in [1.0, 2.0, 5.0] {
                // Parsed from text, so that 0.2 is 0.2.
                let tick: f64 = format!("{step}e{power}").parse().unwrap_or(f64::NAN);
                if tick >= low && tick <= high {
                    ticks.push(tick);
                }
            }
        }
        let step = ticks.len().div_ceil(9).max(1);
        return ticks.into_iter().step_by(step).collect();
    }
    let spread = if high > low { high - low } else { low.abs().max(1.0) };
    let power = (spread / 5.0).log10().floor() as i32;
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|step| step * 10f64.powi(power))
        .find(|step| spread / step <= 7.0)
        .unwrap_or(spread);
    let first = (low / step).ceil() as i64;
    (first..=(high / step).floor() as i64)
        .map(|count| format!("{:.6}", count as f64 * step).parse().unwrap_or(f64::NAN))
        .collect()
}
