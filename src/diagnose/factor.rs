//! The ways in which two arms can differ, each swapped on its own.

use serde::{Deserialize, Serialize};

use crate::spec::{Fault, ResolvedArm};

/// One way in which suspect and baseline differ. Fields that follow from others in a spec (a batch that grows
/// with the devices) are apart here, since resolved arms hold numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Factor {
    /// Whose weights answer, and whether a wrapper trains a clone.
    PredictingWeights,
    /// Global batch and epochs, and so the number of updates.
    UpdateBudget,
    LearningRate,
    /// On how many devices a batch is split, and by which strategy.
    DeviceSplit,
    /// How the replicas' gradients become one.
    Reduction,
    Scaler,
    Cell,
    Optimizer,
    Data,
    /// The order of the windows.
    Order,
    InitialWeights,
    /// CPU or GPU.
    DeviceKind,
    /// The precision that replicas compute in.
    Precision,
    /// How the metric is taken from the predictions.
    Evaluation,
    /// Random numbers that replicas should draw apart.
    RandomNumbers,
    /// The state that a window starts from.
    InitialState,
}

impl Factor {
    pub const ALL: [Factor; 16] = [
        Factor::PredictingWeights,
        Factor::UpdateBudget,
        Factor::LearningRate,
        Factor::DeviceSplit,
        Factor::Reduction,
        Factor::Scaler,
        Factor::Cell,
        Factor::Optimizer,
        Factor::Data,
        Factor::Order,
        Factor::InitialWeights,
        Factor::DeviceKind,
        Factor::Precision,
        Factor::Evaluation,
        Factor::RandomNumbers,
        Factor::InitialState,
    ];

    /// What people suspect first when devices change; cleared by name even where both arms share them.
    pub const USUAL_SUSPICIONS: [Factor; 6] = [
        Factor::PredictingWeights,
        Factor::UpdateBudget,
        Factor::LearningRate,
        Factor::DeviceSplit,
        Factor::Reduction,
        Factor::Scaler,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Factor::PredictingWeights => "predicting_weights",
            Factor::UpdateBudget => "update_budget",
            Factor::LearningRate => "learning_rate",
            Factor::DeviceSplit => "device_split",
            Factor::Reduction => "reduction",
            Factor::Scaler => "scaler",
            Factor::Cell => "cell",
            Factor::Optimizer => "optimizer",
            Factor::Data => "data",
            Factor::Order => "order",
            Factor::InitialWeights => "initial_weights",
            Factor::DeviceKind => "device_kind",
            Factor::Precision => "precision",
            Factor::Evaluation => "evaluation",
            Factor::RandomNumbers => "random_numbers",
            Factor::InitialState => "initial_state",
        }
    }

    /// The factor that a fault belongs to.
    pub fn of_fault(fault: Fault) -> Factor {
        match fault {
            Fault::StaleCheckpoint => Factor::PredictingWeights,
            Fault::ReplicasNotBroadcast => Factor::InitialWeights,
            Fault::RateScaledTwice | Fault::ScheduleSteppedPerReplica => Factor::LearningRate,
            Fault::GradientsSummed
            | Fault::MeanOfMeans
            | Fault::UnsynchronisedUpdate
            | Fault::UnsynchronisedParameter
            | Fault::ClippedBeforeReduction
            | Fault::NormReducedTwice
            | Fault::LossDividedByLocalBatch
            | Fault::LossDividedByDevicesTwice
            | Fault::LossScaleNotDivided
            | Fault::MicroBatchMeans
            | Fault::EmptyShardMean => Factor::Reduction,
            Fault::ReplicasSeeAllData
            | Fault::ReplicasSeeSameShard
            | Fault::ShuffleDiffersPerReplica
            | Fault::NoReshuffle
            | Fault::LastBatchDropped
            | Fault::WindowsCutInsideShards => Factor::Order,
            Fault::ReplicaInHalfPrecision => Factor::Precision,
            Fault::SameDropoutMask => Factor::RandomNumbers,
            Fault::StateCarried => Factor::InitialState,
            Fault::PaddedWindowsCounted
            | Fault::PredictionsOutOfOrder
            | Fault::OneRankEvaluated
            | Fault::MetricAveragedOverShards
            | Fault::PredictionShifted
            | Fault::MetricInScaledUnits => Factor::Evaluation,
            Fault::InvertedByOtherReplica | Fault::InvertedByOtherColumn => Factor::Scaler,
        }
    }

    /// Makes `into` like `from` in this factor alone.
    pub fn copy(self, from: &ResolvedArm, into: &mut ResolvedArm) {
        for fault in Fault::ALL.iter().filter(|fault| Factor::of_fault(**fault) == self) {
            into.faults.set(*fault, from.faults.has(*fault));
        }
        let from = from.clone();
        match self {
            Factor::PredictingWeights => {
                into.relocate = from.relocate;
                into.predict_with = from.predict_with;
            }
            Factor::UpdateBudget => {
                into.global_batch = from.global_batch;
                into.epochs = from.epochs;
            }
            Factor::LearningRate => into.learning_rate = from.learning_rate,
            Factor::DeviceSplit => {
                into.devices = from.devices;
                into.strategy = from.strategy;
            }
            Factor::Reduction => into.all_reduce = from.all_reduce,
            Factor::Scaler => {
                into.scaler = from.scaler;
                into.scaler_parts = from.scaler_parts;
            }
            Factor::Cell => {
                into.preset = from.preset;
                into.cell = from.cell;
                into.units = from.units;
                into.dropout = from.dropout;
            }
            Factor::Optimizer => {
                into.optimizer = from.optimizer;
                into.clip_norm = from.clip_norm;
            }
            Factor::Data => {
                into.series_hash = from.series_hash;
                into.rows = from.rows;
                into.train_windows = from.train_windows;
                into.train_fraction = from.train_fraction;
                into.look_back = from.look_back;
                into.windows = from.windows;
            }
            Factor::Order => {
                into.shuffle = from.shuffle;
                into.order_hash = from.order_hash;
            }
            Factor::InitialWeights => into.initial_weights_hash = from.initial_weights_hash,
            Factor::DeviceKind => into.device = from.device,
            // Only faults differ in these.
            Factor::Precision | Factor::Evaluation | Factor::RandomNumbers | Factor::InitialState => {}
        }
    }

    /// The factors in which two arms differ, in fixed order.
    pub fn between(baseline: &ResolvedArm, suspect: &ResolvedArm) -> Vec<Factor> {
        Factor::ALL
            .into_iter()
            .filter(|factor| {
                let mut swapped = baseline.clone();
                factor.copy(suspect, &mut swapped);
                swapped != *baseline
            })
            .collect()
    }
}

/// The baseline with the factors of `mask` taken from the suspect.
pub fn coalition(baseline: &ResolvedArm, suspect: &ResolvedArm, factors: &[Factor], mask: u64) -> ResolvedArm {
    let mut arm = baseline.clone();
    for (index, factor) in factors.iter().enumerate() {
        if mask >> index & 1 == 1 {
            factor.copy(suspect, &mut arm);
        }
    }
    arm
}
