//! The `scaleproof` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    scaleproof::cli::run()
}
