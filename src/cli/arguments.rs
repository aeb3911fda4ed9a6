//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Does this training give the same answer on 1 device and on N, and if not, why?
#[derive(Debug, Parser)]
#[command(name = "scaleproof", version, after_help = EXIT_CODES)]
pub struct Arguments {
    #[command(subcommand)]
    pub verb: Verb,
}

const EXIT_CODES: &str = "Exit codes:
  0        done, and every claim and check held
  1        unexpected error
  2        bad usage or bad spec
  4        nothing matched the selection
  100      a trial failed
  120/121  a claim was not reproduced / the evidence does not decide
  122      a parity check is violated that the spec does not expect
  123      the committed report differs from what the results give
  130/143  interrupted; what was finished is kept";

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Train what is missing, diagnose, and write the report
    Sweep {
        #[command(flatten)]
        common: Common,
        /// Train trials again that failed before
        #[arg(long)]
        retry_failed: bool,
    },
    /// List arms, trials and update budgets without training
    Plan {
        #[command(flatten)]
        common: Common,
    },
    /// Say why two arms differ, of a spec or of a finished results folder
    Diagnose {
        #[command(flatten)]
        common: Common,
        /// The arm to compare with; the spec's when left out
        #[arg(long)]
        baseline: Option<String>,
        /// The arm to explain; the spec's when left out
        #[arg(long)]
        suspect: Option<String>,
    },
    /// Write reports from finished results, without training
    Report {
        #[command(flatten)]
        common: Common,
        /// Change nothing; fail with 123 where the committed report differs
        #[arg(long)]
        check: bool,
    },
    /// Train afresh into a scratch folder and compare with the committed results
    Check {
        #[command(flatten)]
        common: Common,
    },
    /// Say what a results folder holds and what is missing
    Status {
        #[command(flatten)]
        common: Common,
    },
    /// Line up two results folders arm by arm
    Compare {
        /// A folder with a trials.csv
        first: PathBuf,
        second: PathBuf,
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// List the devices that this machine and this build have
    Devices {
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// List the faults that a spec can switch on
    Faults {
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Inject every fault, and write which check finds it and what it does
    Scorecard {
        /// Folder that scorecard.md and scorecard.csv go to
        #[arg(long, value_name = "DIR", default_value = "docs")]
        out: PathBuf,
        /// Change nothing; fail with 123 where a figure is worse than the committed one
        #[arg(long)]
        check: bool,
    },
    /// Print the JSON Schema of a spec
    Schema,
    /// Write a commented starter spec
    New {
        /// The file to write, such as experiments/mine.yaml
        path: PathBuf,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Human,
    Json,
}

#[derive(Debug, Args)]
pub struct Common {
    /// Spec files; all of experiments/*.yaml when left out
    #[arg(value_name = "SPEC")]
    pub specs: Vec<PathBuf>,
    /// Change a field, such as train.epochs=50 or arms.four-gpu.predict_with=trained
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Only arms whose name matches this pattern
    #[arg(long, value_name = "GLOB")]
    pub only: Option<String>,
    /// Seeds an arm, instead of the spec's
    #[arg(long, value_name = "N")]
    pub seeds: Option<i64>,
    /// Kind of device: cpu or cuda
    #[arg(long, value_name = "KIND")]
    pub device: Option<String>,
    /// Cores to use; all when left out
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Folder that results go to
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// No progress, and only what went wrong
    #[arg(long, short)]
    pub quiet: bool,
}
