//! Why two arms differ, from files alone.

pub mod statistics;
