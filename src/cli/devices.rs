//! `devices`: what there is to train on.

use serde_json::json;

use crate::device::list;

use super::arguments::Format;
use super::exit::{CliError, Exit};

pub fn devices(format: Format) -> Result<Exit, CliError> {
    let found = list();
    match format {
        Format::Human => {
            for (name, what) in found {
                println!("{name:<8} {what}");
            }
        }
        Format::Json => {
            let list: Vec<_> =
                found.iter().map(|(name, what)| json!({ "device": name, "description": what })).collect();
            println!("{}", serde_json::Value::Array(list));
        }
    }
    Ok(Exit::Done)
}
