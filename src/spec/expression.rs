//! Arithmetic that a spec may hold: names and numbers in, a number or a truth value out.

use std::collections::BTreeSet;

use minijinja::value::{Serde, Value};
use minijinja::{Environment, UndefinedBehavior};

use super::error::nearest;

/// The names that an expression may use, with what they stand for.
pub const DOCUMENTED_NAMES: [(&str, &str); 5] = [
    ("rows", "values in the series"),
    ("windows", "training windows"),
    ("devices", "devices of the arm"),
    ("base", "the base of the rule that the expression stands in"),
    ("epochs", "epochs of the arm"),
];

/// An instruction limit: an expression is arithmetic, so anything near it is a mistake.
const FUEL: u64 = 10_000;

/// Values for [`DOCUMENTED_NAMES`].
#[derive(Clone, Copy, Debug)]
pub struct Names {
    pub rows: usize,
    pub windows: usize,
    pub devices: usize,
    pub base: f64,
    pub epochs: usize,
}

/// An expression whose grammar has been checked; it cannot run code or reach anything but its names.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression(String);

impl Expression {
    /// Checks the grammar and that only the documented names stand in it.
    pub fn arithmetic(text: &str) -> Result<Self, String> {
        let used = undeclared(text)?;
        let known = DOCUMENTED_NAMES.map(|(name, _)| name);
        for name in used {
            if !known.contains(&name.as_str()) {
                return Err(match nearest(&name, known) {
                    Some(near) => format!("unknown name `{name}` in `{text}`; did you mean `{near}`?"),
                    None => format!("unknown name `{name}` in `{text}`; an expression may use {}", known.join(", ")),
                });
            }
        }
        Ok(Expression(text.to_owned()))
    }

    /// Checks the grammar and that every name is a field of a spec or a documented name.
    pub fn condition(text: &str, fields: &[&str]) -> Result<Self, String> {
        let documented = DOCUMENTED_NAMES.map(|(name, _)| name);
        for name in undeclared(text)? {
            let known = || fields.iter().copied().chain(documented);
            if !known().any(|field| field == name) {
                return Err(match nearest(&name, known()) {
                    Some(near) => format!("unknown name `{name}` in `{text}`; did you mean `{near}`?"),
                    None => format!("unknown name `{name}` in `{text}`"),
                });
            }
        }
        Ok(Expression(text.to_owned()))
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    /// The number that the expression gives.
    pub fn number(&self, names: Names) -> Result<f64, String> {
        let context = minijinja::context! {
            rows => names.rows, windows => names.windows, devices => names.devices,
            base => names.base, epochs => names.epochs,
        };
        let value = evaluate(&self.0, context)?;
        f64::try_from(value.clone()).map_err(|_| format!("`{}` gives {value}, not a number", self.0))
    }

    /// Whether the condition holds for the settings of one arm, given as a tree of fields.
    pub fn holds(&self, settings: &serde_json::Value) -> Result<bool, String> {
        let value = evaluate(&self.0, Value::from(Serde(settings)))?;
        bool::try_from(value.clone()).map_err(|_| format!("`{}` gives {value}, neither true nor false", self.0))
    }
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment.add_function("floor", |x: f64| x.floor());
    environment.add_function("ceil", |x: f64| x.ceil());
    environment.add_function("round", |x: f64| x.round());
    environment.add_function("sqrt", |x: f64| x.sqrt());
    environment.add_function("min", |a: f64, b: f64| a.min(b));
    environment.add_function("max", |a: f64, b: f64| a.max(b));
    environment
}

const FUNCTIONS: [&str; 6] = ["floor", "ceil", "round", "sqrt", "min", "max"];

fn undeclared(text: &str) -> Result<BTreeSet<String>, String> {
    let environment = environment();
    let compiled = environment
        .compile_expression(text)
        .map_err(|error| format!("`{text}` is not an expression: {}", describe(&error)))?;
    Ok(compiled.undeclared_variables(false).into_iter().filter(|name| !FUNCTIONS.contains(&name.as_str())).collect())
}

fn evaluate(text: &str, context: Value) -> Result<Value, String> {
    environment()
        .compile_expression(text)
        .and_then(|compiled| compiled.eval(context))
        .map_err(|error| format!("`{text}` cannot be computed: {}", describe(&error)))
}

fn describe(error: &minijinja::Error) -> String {
    match error.detail() {
        Some(detail) => detail.to_owned(),
        None => error.kind().to_string(),
    }
}
