//! Whether two samples come from one distribution.

/// Result of a two-sample Kolmogorov-Smirnov test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KolmogorovSmirnov {
    /// The largest distance between the two empirical distribution functions.
    pub statistic: f64,
    pub p_value: f64,
}

/// Exact two-sided test, by counting lattice paths (Hodges 1958); `None` where a sample is empty.
pub fn two_sample(first: &[f64], second: &[f64]) -> Option<KolmogorovSmirnov> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let (a, b) = (super::summary::sorted(first), super::summary::sorted(second));
    let (n, m) = (a.len(), b.len());
    // In units of 1 / (n m), so that distances compare exactly.
    let (mut i, mut j, mut largest) = (0usize, 0usize, 0usize);
    while i < n && j < m {
        let value = a[i].min(b[j]);
        while i < n && a[i] <= value {
            i += 1;
        }
        while j < m && b[j] <= value {
            j += 1;
        }
        largest = largest.max((i * m).abs_diff(j * n));
    }
    Some(KolmogorovSmirnov { statistic: largest as f64 / (n * m) as f64, p_value: 1.0 - inside(n, m, largest) })
}

/// Probability that a random path from (0, 0) to (n, m) stays nearer than `largest` to the diagonal.
fn inside(n: usize, m: usize, largest: usize) -> f64 {
    // Path counts kept as probabilities: each step is weighted by the draws that are left.
    let mut row = vec![0.0f64; m + 1];
    for i in 0..=n {
        for j in 0..=m {
            if (i * m).abs_diff(j * n) >= largest && largest > 0 {
                row[j] = 0.0;
                continue;
            }
            let left = (n - i + m - j + 1) as f64;
            let from_above = if i > 0 { row[j] * (n - i + 1) as f64 / left } else { 0.0 };
            let from_left = if j > 0 { row[j - 1] * (m - j + 1) as f64 / left } else { 0.0 };
            row[j] = if i == 0 && j == 0 { 1.0 } else { from_above + from_left };
        }
    }
    if largest == 0 { 0.0 } else { row[m] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_cases_by_counting() {
        // Two of the 20 orders of three and three keep each sample together: p = 2 / 20.
        let apart = two_sample(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).unwrap();
        assert_eq!(apart.statistic, 1.0);
        assert!((apart.p_value - 0.1).abs() < 1e-12);
        // One against one is always one apart.
        assert!((two_sample(&[1.0], &[2.0]).unwrap().p_value - 1.0).abs() < 1e-12);
        // 1 2 | 3 against 2.5: paths of (2 of one, 1 of other): D = 1 in 2 of 3 orders.
        let three = two_sample(&[1.0, 2.0], &[2.5]).unwrap();
        assert!((three.p_value - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn equal_samples_do_not_differ() {
        assert_eq!(two_sample(&[1.0, 2.0], &[1.0, 2.0]).unwrap().p_value, 1.0);
    }
}
