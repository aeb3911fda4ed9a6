//! One figure for every pair of two axes' values.

use plotters::prelude::*;

use super::style::{FAINT, INK, PlotError, TEXT, TITLE, WIDTH, extent, figure, sheet, shorten, words};

pub struct HeatMap {
    pub title: String,
    pub row_label: String,
    pub column_label: String,
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// `[rows][columns]`; `None` where no trial finished.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Cividis (Nuñez et al. 2018) at five points: rises evenly in lightness, so it reads in grey too.
const CIVIDIS: [(f64, f64, f64); 5] =
    [(0.0, 34.0, 78.0), (65.0, 77.0, 107.0), (124.0, 123.0, 120.0), (188.0, 174.0, 108.0), (255.0, 234.0, 70.0)];

impl HeatMap {
    pub fn draw(&self) -> Result<String, PlotError> {
        let values = self.values.iter().flatten().flatten().copied();
        let (low, high) = extent(values).ok_or(PlotError::Empty)?;
        let logarithmic = low > 0.0 && high / low > 8.0;
        let scale = |value: f64| if logarithmic { value.ln() } else { value };
        let spread = (scale(high) - scale(low)).max(f64::MIN_POSITIVE);
        let longest = self.rows.iter().map(|row| row.chars().count()).max().unwrap_or(0) as i32;
        let left = (longest * 8 + 30).clamp(190, 300);
        let cell_width = (WIDTH as i32 - left - 24) / self.columns.len().max(1) as i32;
        // Many rows are set closer, so that the map still fits a page.
        let cell_height = if self.rows.len() > 12 { 30 } else { 44 };
        let bottom = 78 + cell_height * self.rows.len() as i32;
        sheet(bottom as u32 + 30, |area| {
            area.draw(&Text::new(self.title.clone(), (14, 10), words(TITLE)))?;
            area.draw(&Text::new(format!("{} ↓   {} →", self.row_label, self.column_label), (14, 52), words(TEXT)))?;
            for (column, name) in self.columns.iter().enumerate() {
                let most = (cell_width / 8).max(4) as usize;
                area.draw(&Text::new(shorten(name, most), (left + column as i32 * cell_width + 8, 52), words(TEXT)))?;
            }
            for (row, name) in self.rows.iter().enumerate() {
                let top = 76 + row as i32 * cell_height;
                area.draw(&Text::new(
                    shorten(name, ((left - 20) / 8) as usize),
                    (14, top + cell_height / 2 - 9),
                    words(TEXT),
                ))?;
                for (column, value) in self.values[row].iter().enumerate() {
                    let x = left + column as i32 * cell_width;
                    let corners = [(x, top), (x + cell_width - 3, top + cell_height - 3)];
                    let Some(value) = value.filter(|value| value.is_finite()) else {
                        area.draw(&Rectangle::new(corners, FAINT))?;
                        area.draw(&Text::new("none", (x + 8, top + cell_height / 2 - 9), words(TEXT)))?;
                        continue;
                    };
                    let share = (scale(value) - scale(low)) / spread;
                    area.draw(&Rectangle::new(corners, cividis(share).filled()))?;
                    let ink = if share > 0.5 { INK } else { WHITE };
                    area.draw(&Text::new(figure(value), (x + 8, top + cell_height / 2 - 9), words(TEXT).color(&ink)))?;
                }
            }
            Ok(())
        })
    }
}

fn cividis(share: f64) -> RGBColor {
    let place = share.clamp(0.0, 1.0) * (CIVIDIS.len() - 1) as f64;
    let below = (place as usize).min(CIVIDIS.len() - 2);
    let (from, to, part) = (CIVIDIS[below], CIVIDIS[below + 1], place - below as f64);
    let mix = |from: f64, to: f64| (from + (to - from) * part).round() as u8;
    RGBColor(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}
