//! Training loss by update: the median over seeds, with the middle 80% as a band.

use plotters::prelude::*;

use super::style::{PlotError, TEXT, TITLE, colour, extent, sheet, short, words};

pub struct Curve {
    pub arm: String,
    /// `(update, low, median, high)` by epoch.
    pub points: Vec<(f64, f64, f64, f64)>,
}

pub struct LossCurve {
    pub title: String,
    pub curves: Vec<Curve>,
}

impl LossCurve {
    pub fn draw(&self) -> Result<String, PlotError> {
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let losses = points().flat_map(|point| [point.1, point.3]).filter(|loss| *loss > 0.0);
        let (low, high) = extent(losses).ok_or(PlotError::Empty)?;
        let (_, last) = extent(points().map(|point| point.0)).ok_or(PlotError::Empty)?;
        sheet(400, |area| {
            let mut chart = ChartBuilder::on(area)
                .caption(&self.title, words(TITLE))
                .margin(12)
                .margin_right(28)
                .x_label_area_size(44)
                .y_label_area_size(84)
                .build_cartesian_2d(0f64..last, (low * 0.8..high * 1.25).log_scale())?;
            chart
                .configure_mesh()
                .light_line_style(TRANSPARENT)
                .x_label_formatter(&|update| format!("{update:.0}"))
                .x_desc("update")
                .y_desc("loss of an epoch (logarithmic)")
                .y_label_formatter(&|loss| short(*loss))
                .label_style(words(TEXT))
                .axis_desc_style(words(TEXT))
                .draw()?;
            for (arm, curve) in self.curves.iter().enumerate() {
                let shown: Vec<_> = curve.points.iter().filter(|point| point.1 > 0.0 && point.3.is_finite()).collect();
                let upper = shown.iter().map(|point| (point.0, point.3));
                let band: Vec<(f64, f64)> = upper.chain(shown.iter().rev().map(|point| (point.0, point.1))).collect();
                chart.draw_series([Polygon::new(band, colour(arm).mix(0.2).filled())])?;
                let median = shown.iter().map(|point| (point.0, point.2));
                chart
                    .draw_series(LineSeries::new(median, colour(arm).stroke_width(3)))?
                    .label(&curve.arm)
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour(arm).stroke_width(3)));
            }
            chart
                .configure_series_labels()
                .position(SeriesLabelPosition::UpperRight)
                .background_style(WHITE.mix(0.85))
                .border_style(TRANSPARENT)
                .label_font(words(TEXT))
                .draw()?;
            Ok(())
        })
    }
}
