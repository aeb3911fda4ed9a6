//! The first update at which two arms' losses part beyond seed noise.

use super::case::Case;
use super::statistics::bootstrap_rows;

const RESAMPLES: usize = 400;

/// The update from which on the paired difference of the losses keeps away from 0 for three epochs.
///
/// Losses are compared at equal updates, the baseline's taken by straight lines between its epochs.
pub fn parting_update(case: &Case<'_>) -> Option<usize> {
    let curves = |arm: &crate::spec::ResolvedArm| -> Vec<Option<Vec<f32>>> {
        arm.trial_ids(case.seeds).into_iter().map(|trial| (case.losses)(trial)).collect()
    };
    let pairs: Vec<(Vec<f32>, Vec<f32>)> = curves(case.baseline)
        .into_iter()
        .zip(curves(case.suspect))
        .filter_map(|(baseline, suspect)| Some((baseline?, suspect?)))
        .collect();
    if pairs.len() < 3 {
        return None;
    }
    let (slow, fast) = (case.baseline.updates_an_epoch(), case.suspect.updates_an_epoch());
    let epochs = pairs.iter().map(|pair| pair.1.len()).min()?;
    let mut run = 0;
    for epoch in 0..epochs {
        let update = (epoch + 1) * fast;
        // Before the baseline's first epoch ends there is nothing to compare with.
        if update < slow {
            continue;
        }
        let differences: Vec<f64> = pairs
            .iter()
            .filter_map(|(baseline, suspect)| Some(f64::from(suspect[epoch]) - at(baseline, slow, update)?))
            .collect();
        if differences.len() < 3 {
            return None;
        }
        let mean = |rows: &[usize]| vec![rows.iter().map(|row| differences[*row]).sum::<f64>() / rows.len() as f64];
        let apart = bootstrap_rows(differences.len(), mean, 0.95, RESAMPLES)
            .first()
            .is_some_and(|interval| !interval.contains(0.0));
        run = if apart { run + 1 } else { 0 };
        if run == 3 {
            return Some(update - 2 * fast);
        }
    }
    None
}

fn at(losses: &[f32], updates_an_epoch: usize, update: usize) -> Option<f64> {
    let place = update as f64 / updates_an_epoch as f64 - 1.0;
    let (below, part) = (place.floor() as usize, place.fract());
    let (low, high) = (f64::from(*losses.get(below)?), f64::from(*losses.get(below + 1).or(losses.get(below))?));
    Some(low + (high - low) * part)
}
