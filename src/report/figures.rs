//! Numbers as a report prints them.

/// Two decimals from 1 on, three significant digits below.
pub fn figure(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        "none".into()
    } else if size >= 1.0 || size == 0.0 {
        format!("{value:.2}")
    } else if size >= 0.001 {
        let decimals = (2 - size.log10().floor() as i32).max(0) as usize;
        format!("{value:.decimals$}")
    } else {
        format!("{value:.2e}")
    }
}

/// A count with its word, such as `1 seed` or `20 seeds`.
pub fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
