//! The JSON Schema of a spec, generated from the types.

use super::document::ExperimentDocument;

/// The schema as indented JSON, for editors and for `schemas/`.
pub fn json_schema() -> String {
    let schema = schemars::schema_for!(ExperimentDocument);
    // A schema is a tree of plain JSON values, which always serialises.
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_else(|_| unreachable!());
    text.push('\n');
    text
}
