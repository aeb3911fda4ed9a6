//! How the global batch follows from the number of devices.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::expression::{Expression, Names};
use super::quantity::GlobalBatch;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BatchRule {
    /// The global batch is `value` on any number of devices.
    Fixed,
    /// The global batch is `value` times the devices.
    PerDevice,
    /// The global batch is `value` times the square root of the devices, rounded down.
    Sqrt,
    /// The global batch is what the expression `value` gives, rounded down.
    Expression,
}

/// A number of windows, or an expression over `rows`, `windows`, `devices`, `base` and `epochs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "serde_json::Value", into = "serde_json::Value")]
pub enum BatchValue {
    Number(GlobalBatch),
    Expression(Expression),
}

impl JsonSchema for BatchValue {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "BatchValue".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A number of windows, or an expression over rows, windows, devices, base and epochs.",
            "oneOf": [{ "type": "integer", "minimum": 1 }, { "type": "string" }],
        })
    }
}

impl TryFrom<serde_json::Value> for BatchValue {
    type Error = String;

    fn try_from(value: serde_json::Value) -> Result<Self, String> {
        match &value {
            serde_json::Value::String(text) => Ok(BatchValue::Expression(Expression::arithmetic(text)?)),
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(whole) => GlobalBatch::try_from(whole).map(BatchValue::Number),
                None => Err(format!("a batch is a whole number of windows, got {number}")),
            },
            other => Err(format!("a batch value is a number or an expression, got {other}")),
        }
    }
}

impl From<BatchValue> for serde_json::Value {
    fn from(value: BatchValue) -> Self {
        match value {
            BatchValue::Number(batch) => i64::from(batch).into(),
            BatchValue::Expression(expression) => expression.text().into(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    pub rule: BatchRule,
    pub value: BatchValue,
}

impl Default for Batch {
    fn default() -> Self {
        Batch {
            rule: BatchRule::Fixed,
            // 8 lies between 1 and the largest batch, so this cannot fail.
            value: BatchValue::try_from(serde_json::Value::from(8)).unwrap_or_else(|_| unreachable!()),
        }
    }
}

impl Batch {
    /// The global batch on `names.devices` devices.
    pub fn resolve(&self, names: Names) -> Result<GlobalBatch, String> {
        let devices = names.devices as f64;
        let number = match (self.rule, &self.value) {
            (BatchRule::Expression, BatchValue::Expression(expression)) => expression.number(names)?,
            (BatchRule::Expression, BatchValue::Number(batch)) => batch.get() as f64,
            (BatchRule::Fixed, BatchValue::Number(batch)) => batch.get() as f64,
            (BatchRule::PerDevice, BatchValue::Number(batch)) => batch.get() as f64 * devices,
            (BatchRule::Sqrt, BatchValue::Number(batch)) => batch.get() as f64 * devices.sqrt(),
            (rule, BatchValue::Expression(expression)) => {
                return Err(format!(
                    "batch rule `{}` takes a number, got the expression `{}`; use `rule: expression`",
                    rule_name(rule),
                    expression.text()
                ));
            }
        };
        // Rounding down is what `int(..)` does in the scripts that such rules come from.
        GlobalBatch::try_from(number.floor() as i64).map_err(|_| {
            format!("the batch rule gives a global batch of {number} on {devices} devices; it must be at least 1")
        })
    }
}

fn rule_name(rule: BatchRule) -> &'static str {
    match rule {
        BatchRule::Fixed => "fixed",
        BatchRule::PerDevice => "per_device",
        BatchRule::Sqrt => "sqrt",
        BatchRule::Expression => "expression",
    }
}
