//! From the baseline's figure to the suspect's, one share after another.

use plotters::prelude::*;

use super::style::{FAINT, INK, PlotError, TEXT, TITLE, WIDTH, colour, extent, figure, sheet, words};

pub struct WaterfallStep {
    pub label: String,
    pub share: f64,
    /// 95% interval of the share.
    pub low: f64,
    pub high: f64,
}

pub struct Waterfall {
    pub title: String,
    pub baseline: (String, f64),
    pub suspect: (String, f64),
    pub steps: Vec<WaterfallStep>,
}

impl Waterfall {
    pub fn draw(&self) -> Result<String, PlotError> {
        let mut reached = self.baseline.1;
        // (label, from, to, whiskers, colour, text)
        let mut bars = vec![(self.baseline.0.clone(), 0.0, reached, None, 0, figure(reached))];
        for step in &self.steps {
            let whiskers = Some((reached + step.low, reached + step.high));
            let shade = if step.share < 0.0 { 2 } else { 1 };
            let sign = if step.share < 0.0 { "" } else { "+" };
            bars.push((
                step.label.clone(),
                reached,
                reached + step.share,
                whiskers,
                shade,
                format!("{sign}{}", figure(step.share)),
            ));
            reached += step.share;
        }
        bars.push((self.suspect.0.clone(), 0.0, self.suspect.1, None, 0, figure(self.suspect.1)));
        let ends = bars.iter().flat_map(|bar| {
            let (low, high) = bar.3.unwrap_or((bar.1, bar.2));
            [bar.1, bar.2, low, high]
        });
        let (low, high) = extent(ends).ok_or(PlotError::Empty)?;
        let (left, right) = (230, 90);
        let width = f64::from(WIDTH as i32 - left - right);
        let x = |value: f64| left + (width * (value - low) / (high - low).max(f64::MIN_POSITIVE)).round() as i32;
        sheet(60 + 44 * bars.len() as u32, |area| {
            area.draw(&Text::new(self.title.clone(), (14, 12), words(TITLE)))?;
            area.draw(&PathElement::new([(x(0.0), 46), (x(0.0), 50 + 44 * bars.len() as i32)], FAINT))?;
            for (row, (label, from, to, whiskers, shade, text)) in bars.iter().enumerate() {
                let top = 52 + 44 * row as i32;
                area.draw(&Text::new(label.clone(), (14, top + 7), words(TEXT)))?;
                let corners = [(x(from.min(*to)), top), (x(from.max(*to)).max(x(from.min(*to)) + 2), top + 28)];
                area.draw(&Rectangle::new(corners, colour(*shade).filled()))?;
                let mut end = corners[1].0;
                if let Some((low, high)) = whiskers {
                    let middle = top + 14;
                    area.draw(&PathElement::new([(x(*low), middle), (x(*high), middle)], INK.stroke_width(2)))?;
                    for tip in [*low, *high] {
                        area.draw(&PathElement::new(
                            [(x(tip), middle - 6), (x(tip), middle + 6)],
                            INK.stroke_width(2),
                        ))?;
                    }
                    end = end.max(x(*high));
                }
                area.draw(&Text::new(text.clone(), (end + 8, top + 7), words(TEXT)))?;
                if row + 1 < bars.len() {
                    area.draw(&PathElement::new([(x(*to), top + 28), (x(*to), top + 44)], INK))?;
                }
            }
            Ok(())
        })
    }
}
