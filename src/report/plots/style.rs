//! What all plots share: size, colours, text.

use plotters::prelude::*;

/// A plot that cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    #[error("there is nothing to plot")]
    Empty,
    #[error("internal error while drawing: {0}")]
    Drawing(String),
}

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for PlotError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        PlotError::Drawing(error.to_string())
    }
}

pub const WIDTH: u32 = 900;
pub const FONT: &str = "sans-serif";
pub const TEXT: u32 = 15;
pub const TITLE: u32 = 19;
pub const INK: RGBColor = RGBColor(40, 40, 40);
pub const FAINT: RGBColor = RGBColor(205, 205, 205);

/// Okabe & Ito (2008): told apart with every common kind of colour blindness, and by lightness in grey.
const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(90, 90, 90),
];

/// The colour of the arm with this number, the same in every plot of a report.
pub fn colour(arm: usize) -> RGBColor {
    PALETTE[arm % PALETTE.len()]
}

/// Draws on a white sheet, so that a dark page does not swallow the ink.
pub fn sheet(
    height: u32,
    draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, plotters::coord::Shift>) -> Result<(), PlotError>,
) -> Result<String, PlotError> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        area.fill(&WHITE)?;
        draw(&area)?;
        area.present()?;
    }
    Ok(text)
}

pub fn words<'a>(size: u32) -> TextStyle<'a> {
    (FONT, size).into_font().color(&INK)
}

/// A number with the digits that a reader can use.
pub fn figure(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        "0".into()
    } else if !(0.001..1000.0).contains(&size) {
        format!("{value:.1e}")
    } else if size >= 100.0 {
        format!("{value:.0}")
    } else if size >= 1.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.4}")
    }
}

/// A tick's number without idle zeros.
pub fn short(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.001 {
        format!("{value:e}")
    } else {
        format!("{:.4}", value).trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

/// A range with a little room on both sides, never empty.
pub fn roomy(low: f64, high: f64) -> std::ops::Range<f64> {
    let room = if high > low { (high - low) * 0.06 } else { low.abs().max(1.0) * 0.1 };
    low - room..high + room
}

/// Smallest and largest finite value.
pub fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|value| value.is_finite()).fold(None, |found, value| match found {
        None => Some((value, value)),
        Some((low, high)) => Some((low.min(value), high.max(value))),
    })
}

/// Names that do not fit are cut in the middle, where arms of one sweep are most alike.
pub fn shorten(name: &str, most: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= most {
        return name.to_owned();
    }
    let half = most.saturating_sub(1) / 2;
    let (head, tail) = (&letters[..half], &letters[letters.len() - half..]);
    format!("{}…{}", head.iter().collect::<String>(), tail.iter().collect::<String>())
}
