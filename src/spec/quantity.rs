//! Numbers that cannot hold nonsense: each says in its error what is allowed.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! positive_integer {
    ($(#[$doc:meta])* $name:ident, $what:literal, $most:literal) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(try_from = "i64", into = "i64")]
        #[schemars(with = "u32", extend("minimum" = 1, "maximum" = $most))]
        pub struct $name(u32);

        impl $name {
            pub fn get(self) -> usize {
                self.0 as usize
            }
        }

        impl TryFrom<i64> for $name {
            type Error = String;
            fn try_from(number: i64) -> Result<Self, String> {
                if (1..=$most).contains(&number) {
                    // The range check above keeps the number inside u32.
                    Ok($name(number as u32))
                } else {
                    Err(format!(
                        "{} must be between 1 and {}, got {number}",
                        $what, $most
                    ))
                }
            }
        }

        impl From<$name> for i64 {
            fn from(value: $name) -> i64 {
                i64::from(value.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}", self.0)
            }
        }
    };
}

positive_integer!(
    /// How many devices, and so replicas, train together.
    DeviceCount, "a device count", 1024
);
positive_integer!(
    /// How many windows one update sees, over all replicas.
    GlobalBatch, "a global batch", 1_000_000_000
);
positive_integer!(
    /// Hidden units of a recurrent cell.
    Units, "units", 4096
);
positive_integer!(
    /// How many past values one window holds.
    LookBack, "a look-back", 100_000
);
positive_integer!(
    /// How many seeds each arm is run with.
    SeedCount, "a seed count", 1_000_000
);
positive_integer!(
    /// A count of epochs, updates or the like.
    Count, "a count", 1_000_000_000
);

/// A share strictly between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(with = "f64", extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
pub struct Fraction(f64);

impl Fraction {
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Fraction {
    type Error = String;
    fn try_from(number: f64) -> Result<Self, String> {
        if number > 0.0 && number < 1.0 {
            Ok(Fraction(number))
        } else {
            Err(format!("a fraction must lie strictly between 0 and 1, got {number}"))
        }
    }
}

impl From<Fraction> for f64 {
    fn from(value: Fraction) -> f64 {
        value.0
    }
}

/// A finite number above 0, such as a learning rate.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
pub struct PositiveNumber(f64);

impl PositiveNumber {
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for PositiveNumber {
    type Error = String;
    fn try_from(number: f64) -> Result<Self, String> {
        if number.is_finite() && number > 0.0 {
            Ok(PositiveNumber(number))
        } else {
            Err(format!("a finite number above 0 is needed, got {number}"))
        }
    }
}

impl From<PositiveNumber> for f64 {
    fn from(value: PositiveNumber) -> f64 {
        value.0
    }
}
