//! Exit codes and the errors that lead to them.

use std::process::ExitCode;

use crate::device::DeviceError;
use crate::report::plots::PlotError;
use crate::results::ResultsError;
use crate::spec::SpecError;
use crate::sweep::{PlanError, RunError};
use crate::train::TrainError;

/// How a verb ended; the larger reasons to worry come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done,
    Interrupted,
    Terminated,
    TrialFailed,
    ClaimNotReproduced,
    ClaimUndecided,
    CheckViolated,
    ReportDiffers,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::TrialFailed => 100,
            Exit::ClaimNotReproduced => 120,
            Exit::ClaimUndecided => 121,
            Exit::CheckViolated => 122,
            Exit::ReportDiffers => 123,
            Exit::Interrupted => 130,
            Exit::Terminated => 143,
        }
    }

    /// The one that matters more: whatever comes first of interruption, failure, claims, checks, reports.
    pub fn or(self, other: Exit) -> Exit {
        let rank = |exit: Exit| match exit {
            Exit::Done => 9,
            Exit::Interrupted => 0,
            Exit::Terminated => 0,
            Exit::TrialFailed => 1,
            Exit::ClaimNotReproduced => 2,
            Exit::ClaimUndecided => 3,
            Exit::CheckViolated => 4,
            Exit::ReportDiffers => 5,
        };
        if rank(other) < rank(self) { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// What ends a verb before its time.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error("{message}\n  help: {remedy}")]
    Usage { message: String, remedy: String },
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(transparent)]
    Results(#[from] ResultsError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error(transparent)]
    Plot(#[from] PlotError),
}

impl CliError {
    pub fn usage(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        CliError::Usage { message: message.into(), remedy: remedy.into() }
    }

    pub fn code(&self) -> u8 {
        match self {
            CliError::Plan(PlanError::NothingSelected { .. }) => 4,
            CliError::Spec(_) | CliError::Plan(_) | CliError::Usage { .. } | CliError::Device(_) => 2,
            CliError::Run(RunError::Train(TrainError::Device(_))) | CliError::Train(TrainError::Device(_)) => 2,
            CliError::Train(TrainError::Interrupted) | CliError::Run(RunError::Train(TrainError::Interrupted)) => 130,
            _ => 1,
        }
    }
}
