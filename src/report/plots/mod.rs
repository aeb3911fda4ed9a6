//! Plots as SVG text, readable without colour and the same bytes for the same input.

mod forecast;
mod heat_map;
mod loss_curve;
mod rmse_by_seed;
mod style;
mod waterfall;

pub use forecast::ForecastPlot;
pub use heat_map::HeatMap;
pub use loss_curve::{Curve, LossCurve};
pub use rmse_by_seed::{RmseBySeed, SeedGroup};
pub use style::PlotError;
pub use waterfall::{Waterfall, WaterfallStep};
