//! `new`: a commented starter spec.

use std::path::Path;

use crate::results::ResultsError;

use super::exit::{CliError, Exit};

pub fn new(path: &Path) -> Result<Exit, CliError> {
    if path.exists() {
        return Err(CliError::usage(
            format!("{} is there already", path.display()),
            "name a file that is not there, or remove it first",
        ));
    }
    let stem = path.file_stem().map_or("mine".into(), |stem| stem.to_string_lossy().into_owned());
    let text = STARTER.replace("NAME", &stem);
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| ResultsError::file(folder, "make the folder", &error))?;
    std::fs::write(path, text).map_err(|error| ResultsError::file(path, "write", &error))?;
    println!(
        "{}\nnext: put your CSV file beside it, set `data.path` and `data.target`, then run\n  scaleproof plan {0}\n  scaleproof sweep {0}",
        path.display()
    );
    Ok(Exit::Done)
}

const STARTER: &str = "\
# yaml-language-server: $schema=../schemas/experiment.schema.json
name: NAME                        # also the name of the results folder
about: One sentence for the head of the report.

data:
  path: data/sine.csv             # a CSV file with a header, taken from this file's folder
  target: value                   # the column to forecast
  train_fraction: 0.67
  look_back: 1                    # past values that the model sees
scaler: { kind: min_max, range: [0, 1], fit: train, at: host }  # fit: all | train | replica
model: { preset: keras-2.4, cell: lstm, units: 4 }  # preset: keras-2.2 | keras-2.4 | pytorch; cell: lstm | gru | rnn
train:
  epochs: 100
  batch: { rule: fixed, value: 8 }                  # rule: fixed | per_device | sqrt | expression
  learning_rate: { base: 0.001, rule: constant }    # rule: constant | linear | sqrt
  optimizer: { kind: adam, epsilon: 1e-7 }
parallel: { devices: 1, strategy: mirrored, all_reduce: mean }  # strategy: mirrored | split_concat
predict_with: trained                               # or template
seeds: 10

arms:                             # each arm says how it differs from the fields above
  one-device: {}
  four-devices: { parallel.devices: 4 }
# Instead of arms, a sweep over axes:
# sweep:
#   grid: { parallel.devices: [1, 2, 4], model.cell: [lstm, gru] }
#   where: \"parallel.devices < 4 or model.cell == 'lstm'\"

# A published figure that the experiment should reproduce:
# claims:
#   - { arm: one-device, metric: test_rmse, value: 4.79, source: \"a paper\" }

diagnose: { baseline: one-device, suspect: four-devices, metric: test_rmse }
";
