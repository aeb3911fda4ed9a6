//! `schema`: the JSON Schema of a spec.

use crate::spec::json_schema;

use super::exit::{CliError, Exit};

pub fn schema() -> Result<Exit, CliError> {
    print!("{}", json_schema());
    Ok(Exit::Done)
}
