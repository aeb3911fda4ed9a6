//! The picture of the question: the whole series with both predictions in their place.

use plotters::prelude::*;

use super::style::{INK, PlotError, TEXT, TITLE, colour, extent, roomy, sheet, short, words};

pub struct ForecastPlot {
    pub title: String,
    /// Values in data units by step.
    pub series: Vec<f64>,
    /// `(step, value)` of every prediction.
    pub train: Vec<(usize, f64)>,
    pub test: Vec<(usize, f64)>,
}

impl ForecastPlot {
    pub fn draw(&self) -> Result<String, PlotError> {
        let all = self.series.iter().copied().chain(self.train.iter().chain(&self.test).map(|point| point.1));
        let (low, high) = extent(all).ok_or(PlotError::Empty)?;
        // Room above the data keeps the legend off the lines.
        let top = high + (high - low).max(1.0) * 0.38;
        sheet(400, |area| {
            let mut chart = ChartBuilder::on(area)
                .caption(&self.title, words(TITLE))
                .margin(12)
                .margin_right(28)
                .x_label_area_size(44)
                .y_label_area_size(64)
                .build_cartesian_2d(0f64..self.series.len() as f64, roomy(low, top))?;
            chart
                .configure_mesh()
                .light_line_style(TRANSPARENT)
                .x_label_formatter(&|step| format!("{step:.0}"))
                .y_label_formatter(&|value| short(*value))
                .x_desc("step")
                .y_desc("value")
                .label_style(words(TEXT))
                .axis_desc_style(words(TEXT))
                .draw()?;
            let series = self.series.iter().enumerate().map(|(step, value)| (step as f64, *value));
            chart
                .draw_series(LineSeries::new(series, INK.stroke_width(1)))?
                .label("complete data")
                .legend(|(x, y)| PathElement::new([(x, y), (x + 22, y)], INK.stroke_width(1)));
            for (points, arm, label) in [(&self.train, 1, "training prediction"), (&self.test, 2, "test prediction")] {
                let line =
                    points.iter().filter(|point| point.1.is_finite()).map(|(step, value)| (*step as f64, *value));
                chart
                    .draw_series(LineSeries::new(line, colour(arm).stroke_width(3)))?
                    .label(label)
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour(arm).stroke_width(3)));
            }
            chart
                .configure_series_labels()
                .position(SeriesLabelPosition::UpperLeft)
                .background_style(WHITE.mix(0.85))
                .border_style(TRANSPARENT)
                .label_font(words(TEXT))
                .draw()?;
            Ok(())
        })
    }
}
