//! What a factor means to someone who has to mend it.

use super::case::Case;
use super::factor::Factor;
use crate::spec::Fault;

/// Why the factor moves the metric here, in one sentence.
pub fn reason(factor: Factor, case: &Case<'_>) -> String {
    let (baseline, suspect) = (case.baseline, case.suspect);
    let switched: Vec<&str> = Fault::ALL
        .iter()
        .filter(|fault| {
            Factor::of_fault(**fault) == factor && suspect.faults.has(**fault) && !baseline.faults.has(**fault)
        })
        .map(|fault| fault.sentence().trim_end_matches('.'))
        .collect();
    if !switched.is_empty() {
        return switched.join(", and ");
    }
    match factor {
        Factor::PredictingWeights => {
            "the model that answers is not the model that was trained: the wrapper trains a clone, and the template keeps its initial weights".into()
        }
        Factor::UpdateBudget => format!(
            "a global batch of {} instead of {} makes {} updates instead of {} over the same data",
            suspect.global_batch, baseline.global_batch, suspect.updates(), baseline.updates()
        ),
        Factor::LearningRate => format!(
            "the learning rate averages {:.3e} instead of {:.3e}",
            suspect.learning_rate.mean(suspect.updates()),
            baseline.learning_rate.mean(baseline.updates())
        ),
        Factor::DeviceSplit => format!("a batch is split over {} devices instead of {}", suspect.devices, baseline.devices),
        Factor::Reduction => format!(
            "gradients are joined by {} instead of {}",
            word(&suspect.all_reduce), word(&baseline.all_reduce)
        ),
        Factor::Scaler => format!(
            "the scaler is fitted on `{}` (scalers: {}) instead of `{}` (scalers: {})",
            word(&suspect.scaler.fit), suspect.scaler_parts, word(&baseline.scaler.fit), baseline.scaler_parts
        ),
        Factor::Cell => format!("the cell is {} instead of {}", word(&suspect.cell), word(&baseline.cell)),
        Factor::Optimizer => "the optimizer or one of its settings differs".into(),
        Factor::Data => "the series or its windows differ".into(),
        Factor::Order => "the windows come in another order".into(),
        Factor::InitialWeights => "training starts from other weights".into(),
        Factor::RandomNumbers => "replicas draw the same random numbers".into(),
        Factor::InitialState => "windows start from another window's state".into(),
        Factor::Precision => "a replica computes in another precision".into(),
        Factor::Evaluation => "the metric is not taken from each window's own prediction once".into(),
        Factor::DeviceKind => format!("it ran on {} instead of {}", word(&suspect.device), word(&baseline.device)),
    }
}

/// The change that removes the factor.
pub fn remedy(factor: Factor, case: &Case<'_>) -> String {
    let baseline = case.baseline;
    match factor {
        Factor::PredictingWeights => {
            "predict with the trained model (`predict_with: trained`), or copy its weights to the template before predicting".into()
        }
        Factor::UpdateBudget => format!(
            "hold the global batch at {} (`train.batch: {{ rule: fixed, value: {} }}`), or train {:.1} times the epochs",
            baseline.global_batch,
            baseline.global_batch,
            baseline.updates() as f64 / case.suspect.updates().max(1) as f64
        ),
        Factor::LearningRate => "use one learning-rate rule for both, or scale it with the batch on purpose".into(),
        Factor::DeviceSplit => "compare the first update on 1 and N devices: equal batches must give equal gradients".into(),
        Factor::Reduction => "join gradients by the mean weighted by shard size (`parallel.all_reduce: mean`)".into(),
        Factor::Scaler => "fit one scaler before sharding and give it to every replica (`scaler.fit: train`)".into(),
        Factor::Cell => "use one cell for both arms".into(),
        Factor::Optimizer => "use one optimizer for both arms".into(),
        Factor::Data => "use one series and one window rule for both arms".into(),
        Factor::Order => "shuffle both arms from one seed".into(),
        Factor::InitialWeights => "start both arms from the same weights".into(),
        Factor::RandomNumbers => "seed each replica's generator with its rank".into(),
        Factor::InitialState => "reset the state between shards".into(),
        Factor::Precision => "compute gradients on all replicas in one precision".into(),
        Factor::Evaluation => "take one root of the mean over all windows, each once, in order, in data units".into(),
        Factor::DeviceKind => "run both arms on one kind of device".into(),
    }
}

/// A field's value as specs write it.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
