//! Which devices exist, opening them, and saying what they are.

mod open;

pub use open::{DeviceError, DeviceSet, describe, list};
