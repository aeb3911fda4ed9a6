//! One field changed by its dotted path, on the tree of fields of an arm.

use serde_json::Value;

use super::error::{Place, SpecError, nearest};
use super::settings::Settings;

/// `path: value`, as an arm, an axis or `--set` gives it.
#[derive(Clone, Debug)]
pub struct Override {
    pub path: String,
    pub value: Value,
    pub place: Place,
}

impl Override {
    /// Changes the field in `tree`, which holds every field that a spec has.
    pub fn apply(&self, tree: &mut Value) -> Result<(), SpecError> {
        let mut node = &mut *tree;
        for segment in self.path.split('.') {
            let found = match node {
                Value::Object(fields) if fields.contains_key(segment) => fields.get_mut(segment),
                _ => None,
            };
            match found {
                Some(child) => node = child,
                None => return Err(self.unknown(tree)),
            }
        }
        merge(node, &self.value);
        Ok(())
    }

    fn unknown(&self, tree: &Value) -> SpecError {
        let paths = paths(tree);
        let remedy = match nearest(&self.path, paths.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`scaleproof schema` lists every field".to_owned(),
        };
        SpecError::new(self.place.clone(), format!("unknown field `{}`", self.path), remedy)
    }

    /// Types the changed tree; an impossible value is blamed on this override.
    pub fn typed(&self, tree: &Value) -> Result<Settings, SpecError> {
        settings(tree).map_err(|message| {
            SpecError::new(
                self.place.clone(),
                format!("`{}: {}`: {message}", self.path, self.value),
                "write a value that this field can hold",
            )
        })
    }
}

/// The typed fields of a tree.
pub fn settings(tree: &Value) -> Result<Settings, String> {
    use serde::Deserialize;
    Settings::deserialize(tree).map_err(|error| error.to_string())
}

/// The names a span of training goes by: one replaces the other instead of standing beside it.
fn is_span(value: &Value) -> bool {
    value
        .as_object()
        .is_some_and(|fields| fields.len() == 1 && (fields.contains_key("updates") || fields.contains_key("epochs")))
}

fn merge(node: &mut Value, value: &Value) {
    match (node, value) {
        (Value::Object(fields), Value::Object(changes)) if !is_span(value) => {
            for (name, change) in changes {
                match fields.get_mut(name) {
                    Some(field) => merge(field, change),
                    None => {
                        fields.insert(name.clone(), change.clone());
                    }
                }
            }
        }
        (node, value) => *node = value.clone(),
    }
}

/// Every dotted path of a tree, inner fields and leaves.
pub fn paths(tree: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect("", tree, &mut found);
    found
}

fn collect(prefix: &str, tree: &Value, found: &mut Vec<String>) {
    if let Value::Object(fields) = tree {
        for (name, field) in fields {
            let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            found.push(path.clone());
            collect(&path, field, found);
        }
    }
}

/// The field at a dotted path.
pub fn field<'a>(tree: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(tree, |node, segment| node.get(segment))
}
