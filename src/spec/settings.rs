//! The fields that an arm fixes; every one of them can be an axis.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::batch::Batch;
use super::fault::Faults;
use super::learning_rate::LearningRate;
use super::quantity::{Count, DeviceCount, Fraction, LookBack, PositiveNumber, SeedCount, Units};

/// Everything that one arm fixes, seeds aside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub data: Data,
    #[serde(default)]
    pub scaler: Scaler,
    pub model: Model,
    #[serde(default)]
    pub train: Train,
    #[serde(default)]
    pub parallel: Parallel,
    #[serde(default)]
    pub predict_with: PredictWith,
    #[serde(default)]
    pub device: DeviceKind,
    /// Deliberate deviations; `scaleproof faults` lists them.
    #[serde(default)]
    pub faults: Faults,
}

/// Which windows a series is cut into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowRule {
    /// `length - look_back - 1` windows: the last one is left out, as in the widely copied Keras script.
    #[default]
    KerasTutorial,
    /// `length - look_back` windows.
    All,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// A CSV file with a header, beside the spec.
    pub path: PathBuf,
    /// The column to forecast.
    pub target: String,
    /// The share of the series, from its start, that is trained on.
    #[serde(default = "two_thirds")]
    pub train_fraction: Fraction,
    #[serde(default = "one_step")]
    pub look_back: LookBack,
    #[serde(default)]
    pub windows: WindowRule,
}

fn two_thirds() -> Fraction {
    // 0.67 lies between 0 and 1.
    Fraction::try_from(0.67).unwrap_or_else(|_| unreachable!())
}

fn one_step() -> LookBack {
    // 1 is an allowed look-back.
    LookBack::try_from(1).unwrap_or_else(|_| unreachable!())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScalerKind {
    /// A linear map of the smallest and largest fitted value to `range`.
    MinMax,
    /// Values as they are.
    None,
}

/// What the scaler is fitted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScalerFit {
    /// The whole series, the test part included.
    All,
    /// The training part.
    Train,
    /// Each replica fits its own contiguous part of the training values; rank 0's inverts.
    Replica,
}

/// Where values are scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScalerPlace {
    /// In double precision, before the values reach a device.
    Host,
    /// In single precision, by each replica on its device.
    Device,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Scaler {
    pub kind: ScalerKind,
    pub range: [f64; 2],
    pub fit: ScalerFit,
    pub at: ScalerPlace,
}

impl Default for Scaler {
    fn default() -> Self {
        Scaler { kind: ScalerKind::MinMax, range: [0.0, 1.0], fit: ScalerFit::All, at: ScalerPlace::Host }
    }
}

/// A framework's conventions: gate activation, initialisers, GRU variant, and where Adam adds epsilon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Preset {
    /// Hard sigmoid gates, GRU resets before the matrix product.
    #[serde(rename = "keras-2.2")]
    Keras22,
    /// Sigmoid gates, GRU resets after the matrix product.
    #[serde(rename = "keras-2.4")]
    Keras24,
    /// Sigmoid gates, uniform initialisers, PyTorch's Adam.
    #[serde(rename = "pytorch")]
    Pytorch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cell {
    Lstm,
    Gru,
    Rnn,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Model {
    pub preset: Preset,
    pub cell: Cell,
    pub units: Units,
    /// The share of the last hidden state that is dropped in training.
    #[serde(default)]
    pub dropout: Option<Fraction>,
    /// A JSON file with `template_initial_weights` and `trained_initial_weights`, instead of drawn ones.
    #[serde(default)]
    pub initial_weights: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OptimizerKind {
    Adam,
    Sgd,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Optimizer {
    pub kind: OptimizerKind,
    pub beta_1: f64,
    pub beta_2: f64,
    pub epsilon: PositiveNumber,
}

impl Default for Optimizer {
    fn default() -> Self {
        Optimizer {
            kind: OptimizerKind::Adam,
            beta_1: 0.9,
            beta_2: 0.999,
            // A positive literal.
            epsilon: PositiveNumber::try_from(1e-7).unwrap_or_else(|_| unreachable!()),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Train {
    pub epochs: Count,
    pub batch: Batch,
    pub learning_rate: LearningRate,
    pub optimizer: Optimizer,
    /// The norm that the reduced gradient of a trial is clipped to.
    pub clip_norm: Option<PositiveNumber>,
    /// Whether the training windows are put in a new random order every epoch.
    pub shuffle: bool,
    /// A JSON file with `epoch_order`, a list of window numbers an epoch, instead of a drawn order.
    pub order: Option<PathBuf>,
}

impl Default for Train {
    fn default() -> Self {
        Train {
            // 100 is an allowed count.
            epochs: Count::try_from(100).unwrap_or_else(|_| unreachable!()),
            batch: Batch::default(),
            learning_rate: LearningRate::default(),
            optimizer: Optimizer::default(),
            clip_norm: None,
            shuffle: true,
            order: None,
        }
    }
}

/// How N replicas make one update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// The batch is cut in N, the outputs are joined, one loss is taken (Keras' `multi_gpu_model`).
    SplitConcat,
    /// A loss a replica, gradients all-reduced (TensorFlow's `MirroredStrategy`, PyTorch's DDP).
    Mirrored,
}

/// How a mirrored strategy joins the replicas' gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AllReduce {
    /// The mean, weighted by shard size.
    Mean,
    /// The sum, divided by nothing.
    Sum,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parallel {
    pub devices: DeviceCount,
    pub strategy: Strategy,
    /// What a mirrored strategy does with the replicas' gradients.
    pub all_reduce: AllReduce,
    /// Whether the wrapper trains a clone with initial weights of its own and leaves the template alone.
    pub relocate: bool,
}

impl Default for Parallel {
    fn default() -> Self {
        Parallel {
            // 1 is an allowed device count.
            devices: DeviceCount::try_from(1).unwrap_or_else(|_| unreachable!()),
            strategy: Strategy::SplitConcat,
            all_reduce: AllReduce::Mean,
            relocate: false,
        }
    }
}

/// Whose weights answer when a prediction is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PredictWith {
    /// The weights that training moved.
    #[default]
    Trained,
    /// The model that was handed to the parallel wrapper.
    Template,
}

/// What the tensors live on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    /// Logical CPU devices, one thread a replica.
    #[default]
    Cpu,
    /// NVIDIA GPUs; needs the feature `cuda`.
    Cuda,
}

/// A count, for seeds 0 to N-1, or a list of seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "serde_json::Value", into = "serde_json::Value")]
pub struct Seeds(pub Vec<u64>);

impl Seeds {
    pub fn first(count: SeedCount) -> Self {
        Seeds((0..count.get() as u64).collect())
    }
}

impl Default for Seeds {
    fn default() -> Self {
        Seeds(vec![0])
    }
}

impl TryFrom<serde_json::Value> for Seeds {
    type Error = String;

    fn try_from(value: serde_json::Value) -> Result<Self, String> {
        if let Some(count) = value.as_i64() {
            return SeedCount::try_from(count).map(Seeds::first);
        }
        let wrong = || format!("seeds are a count or a list of whole numbers from 0, got {value}");
        let list = value.as_array().ok_or_else(wrong)?;
        let seeds: Vec<u64> = list.iter().map(|seed| seed.as_u64().ok_or_else(wrong)).collect::<Result<_, _>>()?;
        let mut sorted = seeds.clone();
        sorted.sort_unstable();
        if sorted.is_empty() || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(format!("seeds must name each seed once and at least one, got {value}"));
        }
        Ok(Seeds(seeds))
    }
}

impl From<Seeds> for serde_json::Value {
    fn from(seeds: Seeds) -> Self {
        let counted = seeds.0.iter().enumerate().all(|(index, seed)| index as u64 == *seed);
        if counted { seeds.0.len().into() } else { seeds.0.into() }
    }
}

impl JsonSchema for Seeds {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Seeds".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A count, for seeds 0 to N-1, or a list of seeds.",
            "oneOf": [
                { "type": "integer", "minimum": 1, "maximum": 1_000_000 },
                { "type": "array", "items": { "type": "integer", "minimum": 0 }, "minItems": 1, "uniqueItems": true },
            ],
        })
    }
}
