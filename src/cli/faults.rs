//! `faults`: what a spec can break on purpose.

use serde_json::json;

use crate::diagnose::Factor;
use crate::spec::Fault;

use super::arguments::Format;
use super::exit::{CliError, Exit};

pub fn faults(format: Format) -> Result<Exit, CliError> {
    match format {
        Format::Human => {
            for fault in Fault::ALL {
                println!("{}\n    {}", fault.name(), fault.sentence());
            }
            println!("\nswitch them on with `faults: [{}]`, in a spec, an arm or an axis", Fault::ALL[0].name());
        }
        Format::Json => {
            let list: Vec<_> = Fault::ALL
                .iter()
                .map(|fault| json!({ "fault": fault.name(), "sentence": fault.sentence(), "factor": Factor::of_fault(*fault) }))
                .collect();
            println!("{}", serde_json::Value::Array(list));
        }
    }
    Ok(Exit::Done)
}
