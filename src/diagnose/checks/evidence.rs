use crate::results::ProbeRecord;

use super::super::case::Case;
use super::super::statistics::median;
use super::super::verdict::Outcome;

/// What checks read.
pub struct Evidence<'a> {
    pub baseline: Option<ProbeRecord>,
    pub suspect: Option<ProbeRecord>,
    /// The suspect on one device, as it is and with inputs moved by one rounding step.
    pub single: Option<ProbeRecord>,
    pub single_perturbed: Option<ProbeRecord>,
    pub case: &'a Case<'a>,
    pub outcome: Outcome,
}

impl Evidence<'_> {
    /// Median metric of both arms.
    pub fn medians(&self) -> Option<(f64, f64)> {
        let middle = |arm| median(&self.case.values(arm).into_iter().flatten().collect::<Vec<f64>>());
        Some((middle(self.case.baseline)?, middle(self.case.suspect)?))
    }
}
