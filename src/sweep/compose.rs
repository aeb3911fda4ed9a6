//! The files that an arm made by swapping factors reads.

use std::sync::Arc;

use crate::data::Source;
use crate::spec::{DataFacts, ResolvedArm};

/// A source with the arm's series, initial weights and order, taken from those at hand; `None` where one is missing.
pub fn compose_source<'a>(
    arm: &ResolvedArm,
    at_hand: impl Iterator<Item = &'a Arc<Source>> + Clone,
) -> Option<Arc<Source>> {
    let with_series = |source: &&Arc<Source>| {
        let facts = &source.facts;
        facts.series_hash == arm.series_hash
            && facts.train_windows == arm.train_windows
            && source.split.look_back == arm.look_back
    };
    let fits = |source: &&Arc<Source>| {
        with_series(source)
            && source.facts.initial_weights_hash == arm.initial_weights_hash
            && source.facts.order_hash == arm.order_hash
    };
    if let Some(whole) = at_hand.clone().find(fits) {
        return Some(whole.clone());
    }
    let series = at_hand.clone().find(with_series)?;
    let weights = match &arm.initial_weights_hash {
        None => None,
        Some(hash) => Some(
            at_hand
                .clone()
                .find(|source| source.facts.initial_weights_hash.as_ref() == Some(hash))?
                .initial_weights
                .clone()?,
        ),
    };
    let order = match &arm.order_hash {
        None => None,
        Some(hash) => {
            Some(at_hand.clone().find(|source| source.facts.order_hash.as_ref() == Some(hash))?.order.clone()?)
        }
    };
    Some(Arc::new(Source {
        series: series.series.clone(),
        split: series.split,
        initial_weights: weights,
        order,
        facts: DataFacts {
            initial_weights_hash: arm.initial_weights_hash.clone(),
            order_hash: arm.order_hash.clone(),
            ..series.facts.clone()
        },
    }))
}
