//! Every file that one arm reads, opened once and hashed.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::spec::{DataFacts, Settings};

use super::series::{DataError, Series};
use super::window::Split;

/// One weight as a JSON file holds it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct StoredWeight {
    pub shape: Vec<usize>,
    pub data: Vec<f32>,
}

/// What `model.initial_weights` names: weights in the order kernel, recurrent kernel, bias, dense kernel, dense bias.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct StoredWeights {
    pub template_initial_weights: Vec<StoredWeight>,
    pub trained_initial_weights: Vec<StoredWeight>,
}

/// What `train.order` names: the numbers of the training windows in the order of each epoch.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct StoredOrder {
    epoch_order: Vec<Vec<u32>>,
}

/// The files of one arm.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub series: Series,
    pub split: Split,
    pub initial_weights: Option<StoredWeights>,
    /// `[epochs][windows]`.
    pub order: Option<Vec<Vec<u32>>>,
    pub facts: DataFacts,
}

impl Source {
    /// Reads what `settings` name, taking relative paths from `folder`.
    pub fn read(settings: &Settings, folder: &Path) -> Result<Self, DataError> {
        let data = &settings.data;
        let path = folder.join(&data.path);
        let series = Series::read_csv(&path, &data.target)?;
        let rows = series.values.len();
        let split = Split::new(rows, data.train_fraction.get(), data.look_back.get(), data.windows);
        for (part, windows) in [("training", split.train_windows()), ("test", split.test_windows())] {
            if windows == 0 {
                return Err(DataError::TooShort { path, rows, part, look_back: data.look_back.get() });
            }
        }
        let weights = stored::<StoredWeights>(folder, settings.model.initial_weights.as_deref())?;
        let order = stored::<StoredOrder>(folder, settings.train.order.as_deref())?;
        if let Some((order, _)) = &order {
            check_order(&order.epoch_order, settings, &split, folder)?;
        }
        let facts = DataFacts {
            rows,
            train_windows: split.train_windows(),
            series_hash: series.hash(),
            initial_weights_hash: weights.as_ref().map(|(_, hash)| hash.clone()),
            order_hash: order.as_ref().map(|(_, hash)| hash.clone()),
        };
        Ok(Source {
            series,
            split,
            initial_weights: weights.map(|(weights, _)| weights),
            order: order.map(|(order, _)| order.epoch_order),
            facts,
        })
    }
}

/// A JSON file and the hash of its bytes.
fn stored<T: serde::de::DeserializeOwned>(
    folder: &Path,
    path: Option<&Path>,
) -> Result<Option<(T, String)>, DataError> {
    let Some(path) = path else { return Ok(None) };
    let path: PathBuf = folder.join(path);
    let bytes = std::fs::read(&path)
        .map_err(|error| DataError::Unreadable { path: path.clone(), reason: error.to_string() })?;
    let value =
        serde_json::from_slice(&bytes).map_err(|error| DataError::NotStored { path, reason: error.to_string() })?;
    Ok(Some((value, blake3::hash(&bytes).to_hex()[..32].to_owned())))
}

fn check_order(order: &[Vec<u32>], settings: &Settings, split: &Split, folder: &Path) -> Result<(), DataError> {
    let path = folder.join(settings.train.order.as_deref().unwrap_or(Path::new("")));
    let epochs = settings.train.epochs.get();
    if order.len() < epochs {
        let reason = format!("it orders {} epochs, but `train.epochs` is {epochs}", order.len());
        return Err(DataError::NotStored { path, reason });
    }
    let windows = split.train_windows();
    match order.iter().position(|epoch| epoch.len() != windows || epoch.iter().any(|index| *index as usize >= windows))
    {
        Some(epoch) => Err(DataError::NotStored {
            path,
            reason: format!("epoch {epoch} must name {windows} training windows by numbers from 0 to {}", windows - 1),
        }),
        None => Ok(()),
    }
}
