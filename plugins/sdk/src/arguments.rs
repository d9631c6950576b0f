//! Typed arguments from JSON text, with errors that name the JSON pointer (RFC 6901).
//!
//! The host has checked types, required fields and unknown keys before a call. What is left for here
//! is what a JSON Schema without bounds lets through: numbers below zero or beyond 64 bits.

use std::fmt::{self, Write};

use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};
use serde_path_to_error::{Path, Segment};

use crate::{Failure, INVALID_ARGUMENTS, failure};

/// 2^64 as a float; whole floats below it are exact as `u64`.
const BEYOND_U64: f64 = 18_446_744_073_709_551_616.0;

/// Reads the arguments of a call into `T`.
///
/// # Errors
/// `tool.invalid_arguments`, naming the JSON pointer of the first field that does not fit.
pub fn arguments<T: DeserializeOwned>(json: &str) -> Result<T, Failure> {
    let mut source = serde_json::Deserializer::from_str(json);
    serde_path_to_error::deserialize(&mut source).map_err(|error| {
        let pointer = pointer(error.path());
        let reason = without_position(&error.into_inner());
        failure(
            INVALID_ARGUMENTS,
            format!("Argument {pointer} cannot be used: {reason}. Correct it and call again."),
        )
    })
}

/// What is wrong, without the place in the JSON text: a model sees the pointer, not the text.
fn without_position(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    words.strip_suffix(&position).unwrap_or(&words).to_owned()
}

/// Writes a path as a JSON pointer; the whole document is `/`, which reads better than nothing.
fn pointer(path: &Path) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => {
                // Writing to a `String` cannot fail.
                let _ = write!(text, "/{index}");
            }
            Segment::Map { key } => {
                text.push('/');
                text.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    if text.is_empty() {
        text.push('/');
    }
    text
}

/// A whole number from 0 to 2^64 - 1. A float without a fraction counts, as in JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Whole(pub u64);

impl Whole {
    /// The number, or the largest `u32` where it is greater.
    #[must_use]
    pub fn clamp_u32(self) -> u32 {
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }

    /// The number, or the largest `usize` where it is greater (components have 32 bits).
    #[must_use]
    pub fn clamp_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<'de> serde::Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor)
    }
}

const EXPECTED: &str = "a whole number, 0 or more";

struct WholeVisitor;

/// The words for a number that is none of these.
fn refused<E: Error>(value: impl fmt::Display) -> E {
    E::custom(format_args!("it must be {EXPECTED}, and is {value}"))
}

impl Visitor<'_> for WholeVisitor {
    type Value = Whole;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(EXPECTED)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Whole, E> {
        Ok(Whole(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Whole, E> {
        u64::try_from(value).map(Whole).map_err(|_| refused(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Whole, E> {
        if value.fract() == 0.0 && (0.0..BEYOND_U64).contains(&value) {
            // Exact: whole, not negative and below 2^64.
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the range was just checked"
            )]
            return Ok(Whole(value as u64));
        }
        if value >= BEYOND_U64 {
            return Err(E::custom(format_args!("it must be {EXPECTED}, at most {}", u64::MAX)));
        }
        Err(refused(value))
    }
}

#[cfg(test)]
mod tests;
