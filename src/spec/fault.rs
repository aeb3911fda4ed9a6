//! Deliberate deviations, switched on from a spec, that a diagnosis must find.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! faults {
    ($($variant:ident $name:literal $sentence:literal;)*) => {
        /// One way in which training on N devices goes wrong in public reports.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Fault {
            $(#[doc = $sentence] #[serde(rename = $name)] $variant,)*
        }

        impl Fault {
            pub const ALL: &'static [Fault] = &[$(Fault::$variant,)*];

            pub fn name(self) -> &'static str {
                match self { $(Fault::$variant => $name,)* }
            }

            /// What goes wrong, in one sentence.
            pub fn sentence(self) -> &'static str {
                match self { $(Fault::$variant => $sentence,)* }
            }
        }
    };
}

faults! {
    StaleCheckpoint "stale-checkpoint" "Predictions come from weights that were saved half-way.";
    ReplicasNotBroadcast "replicas-not-broadcast" "Each replica starts from initial weights of its own.";
    RateScaledTwice "rate-scaled-twice" "The learning rate is multiplied by the devices once too often.";
    ScheduleSteppedPerReplica "schedule-stepped-per-replica" "The learning-rate schedule moves on once a replica instead of once an update.";
    GradientsSummed "gradients-summed" "Means over shards are added and not averaged.";
    MeanOfMeans "mean-of-means" "Means over uneven shards are averaged without weights.";
    UnsynchronisedUpdate "unsynchronised-update" "Every second update each replica applies its own gradient.";
    UnsynchronisedParameter "unsynchronised-parameter" "The dense kernel's gradient is left out of the reduction.";
    ClippedBeforeReduction "clipped-before-reduction" "Each replica clips its own gradient, and the reduced one is not clipped.";
    NormReducedTwice "norm-reduced-twice" "The norm that clipping compares with has been added over the replicas once more.";
    LossDividedByLocalBatch "loss-divided-by-local-batch" "Each replica divides its loss by its shard, and the parts are added.";
    LossDividedByDevicesTwice "loss-divided-by-devices-twice" "The averaged gradient is divided by the devices again.";
    LossScaleNotDivided "loss-scale-not-divided" "A loss scale of 1024 for mixed precision is never divided out.";
    MicroBatchMeans "micro-batch-means" "Under accumulation the means of uneven micro-batches are averaged without weights.";
    SameDropoutMask "same-dropout-mask" "Every replica draws the first replica's dropout mask.";
    StateCarried "state-carried" "The hidden state of the shard before is carried into an unrelated one.";
    ReplicasSeeAllData "replicas-see-all-data" "Every replica is given the whole batch.";
    ReplicasSeeSameShard "replicas-see-same-shard" "Every replica is given the first shard.";
    ShuffleDiffersPerReplica "shuffle-differs-per-replica" "Each replica shuffles the windows with a seed of its own before taking its shard.";
    NoReshuffle "no-reshuffle" "The order of the first epoch is used in every epoch.";
    LastBatchDropped "last-batch-dropped" "An incomplete last batch is left out.";
    WindowsCutInsideShards "windows-cut-inside-shards" "The series is cut into shards first, and windows across the cuts are lost.";
    EmptyShardMean "empty-shard-mean" "The mean over an empty shard, 0 by 0, takes part in the reduction.";
    ReplicaInHalfPrecision "replica-in-half-precision" "The last replica computes its gradient in bfloat16.";
    PaddedWindowsCounted "padded-windows-counted" "Windows that pad the last evaluation batch count in the metric.";
    PredictionsOutOfOrder "predictions-out-of-order" "The replicas' predictions are joined in the wrong order.";
    OneRankEvaluated "one-rank-evaluated" "The metric covers the first replica's windows only.";
    MetricAveragedOverShards "metric-averaged-over-shards" "The RMSEs of unequal shards are averaged.";
    PredictionShifted "prediction-shifted" "Predictions stand one step late.";
    InvertedByOtherReplica "inverted-by-other-replica" "Predictions are inverted with the last replica's scaler.";
    InvertedByOtherColumn "inverted-by-other-column" "Predictions are inverted with the scaler of the time column.";
    MetricInScaledUnits "metric-in-scaled-units" "The metric is reported in scaled units.";
}

/// The faults of an arm; empty in a clean one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Faults(BTreeSet<Fault>);

impl Faults {
    pub fn is_clean(&self) -> bool {
        self.0.is_empty()
    }

    pub fn has(&self, fault: Fault) -> bool {
        self.0.contains(&fault)
    }

    pub fn set(&mut self, fault: Fault, on: bool) {
        if on {
            self.0.insert(fault);
        } else {
            self.0.remove(&fault);
        }
    }
}
