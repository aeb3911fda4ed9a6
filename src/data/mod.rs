//! Series in, windows and scaled values out.

mod scaler;
mod series;
mod source;
mod window;

pub use scaler::MinMaxScaler;
pub use series::{DataError, Series};
pub use source::{Source, StoredWeight, StoredWeights};
pub use window::{Split, Windows, naive_forecast_rmse};
