//! From arguments to an exit code.

use std::process::ExitCode;

use clap::Parser;

use super::arguments::{Arguments, Verb};
use super::exit::{CliError, Exit};
use super::{check, compare, devices, diagnose, faults, new, plan, report, schema, scorecard, status, sweep};

/// Runs the verb that the command line names.
pub fn run() -> ExitCode {
    // Clap prints its own errors and ends with 2, as a bad usage should.
    let arguments = Arguments::parse();
    match dispatch(&arguments.verb) {
        Ok(exit) => exit.into(),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.code())
        }
    }
}

fn dispatch(verb: &Verb) -> Result<Exit, CliError> {
    match verb {
        Verb::Sweep { common, retry_failed } => sweep::sweep(common, *retry_failed),
        Verb::Plan { common } => plan::plan(common),
        Verb::Diagnose { common, baseline, suspect } => {
            diagnose::diagnose(common, baseline.as_deref(), suspect.as_deref())
        }
        Verb::Report { common, check } => report::report(common, *check),
        Verb::Check { common } => check::check(common),
        Verb::Status { common } => status::status(common),
        Verb::Compare { first, second, format } => compare::compare(first, second, *format),
        Verb::Devices { format } => devices::devices(*format),
        Verb::Faults { format } => faults::faults(*format),
        Verb::Scorecard { out, check } => scorecard::scorecard(out, *check),
        Verb::Schema => schema::schema(),
        Verb::New { path } => new::new(path),
    }
}
