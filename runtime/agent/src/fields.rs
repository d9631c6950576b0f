//! Reading JSON objects that other programs wrote: a missing field and `null` are the same, a wrong type is told with the field's name.
//!
//! It knows no format. Fields that nobody asks for are left alone.

use std::fmt;

use serde_json::{Map, Value};

/// A field that holds something else than it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} must be {expected}, and is {found}")]
pub struct WrongType {
    /// The field, with what it lies in, such as `data.name`.
    pub field: String,
    /// What belongs there, with its article.
    pub expected: &'static str,
    /// What is there, with its article.
    pub found: Found,
}

/// What a JSON value is, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// `null`.
    Null,
    /// `true` or `false`.
    Flag,
    /// A number.
    Number,
    /// A string.
    Text,
    /// An array.
    List,
    /// An object.
    Object,
}

impl Found {
    /// Names the kind of a value.
    #[must_use]
    pub const fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Flag,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::Text,
            Value::Array(_) => Self::List,
            Value::Object(_) => Self::Object,
        }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Flag => "a boolean",
            Self::Number => "a number",
            Self::Text => "a text",
            Self::List => "a list",
            Self::Object => "an object",
        })
    }
}

/// An object, and where it lies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'a> {
    object: &'a Map<String, Value>,
    /// In front of a field's name in errors: empty, or ending in a dot.
    path: &'a str,
}

impl<'a> Fields<'a> {
    pub(crate) const fn new(object: &'a Map<String, Value>, path: &'a str) -> Self {
        Self { object, path }
    }

    /// The value, unless it is missing or `null`.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.object.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn wrong(&self, name: &str, expected: &'static str, value: &Value) -> WrongType {
        WrongType {
            field: format!("{}{name}", self.path),
            expected,
            found: Found::of(value),
        }
    }

    /// A text; empty where there is none.
    pub(crate) fn text(&self, name: &str) -> Result<String, WrongType> {
        match self.get(name) {
            None => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(other) => Err(self.wrong(name, "a text", other)),
        }
    }

    /// An object, if there is one.
    pub(crate) fn object(&self, name: &str) -> Result<Option<&'a Map<String, Value>>, WrongType> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Object(object)) => Ok(Some(object)),
            Some(other) => Err(self.wrong(name, "an object", other)),
        }
    }

    /// Texts. One text stands for several, separated by commas: some programs write lists so.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<String>, WrongType> {
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(split_at_commas(text)),
            Some(Value::Array(items)) => items
                .iter()
                .enumerate()
                .filter(|(_, item)| !item.is_null())
                .map(|(index, item)| match item {
                    Value::String(text) => Ok(text.clone()),
                    other => Err(self.wrong(&format!("{name}[{index}]"), "a text", other)),
                })
                .collect(),
            Some(other) => Err(self.wrong(name, "a list of texts", other)),
        }
    }

    /// A flag, if it is one; anything else counts as not set.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.get(name).and_then(Value::as_bool)
    }

    /// A whole number, also where it is written as a fraction or a text; anything else counts as not set.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        match self.get(name)? {
            Value::Number(number) => number.as_i64().or_else(|| number.as_f64().and_then(whole)),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// A number from 0; what is larger than any counts as the largest.
    pub(crate) fn count(&self, name: &str) -> Option<u32> {
        let number = self.number(name).filter(|number| *number >= 0)?;
        Some(u32::try_from(number).unwrap_or(u32::MAX))
    }
}

/// The part of a number before its point, if it is one that an `i64` holds.
fn whole(number: f64) -> Option<i64> {
    /// Whole numbers up to here are exact in a double (IEEE 754).
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the range was checked, and the fraction is to go"
    )]
    (number.abs() <= EXACT).then_some(number as i64)
}

/// The parts of a text between commas, without space at their ends; empty ones are left out.
pub(crate) fn split_at_commas(text: &str) -> Vec<String> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_wrong_type_names_its_field() {
        let object = object(json!({"a": 1, "b": null, "c": ["x", {}]}));
        let fields = Fields::new(&object, "data.");
        assert_eq!(fields.text("b"), Ok(String::new()));
        let told = |error: WrongType| error.to_string();
        assert_eq!(
            fields.text("a").map_err(told),
            Err("data.a must be a text, and is a number".to_owned())
        );
        assert_eq!(
            fields.texts("c").map_err(told),
            Err("data.c[1] must be a text, and is an object".to_owned())
        );
    }

    #[test]
    fn numbers_come_in_every_dress() {
        let object =
            object(json!({"a": 4, "b": "7 ", "c": 2.9, "d": -1, "e": 1e300, "f": true, "g": 5_000_000_000_u64}));
        let fields = Fields::new(&object, "");
        let found = ["a", "b", "c", "d", "e", "f", "g"].map(|name| (fields.number(name), fields.count(name)));
        let expected = [
            (Some(4), Some(4)),
            (Some(7), Some(7)),
            (Some(2), Some(2)),
            (Some(-1), None),
            (None, None),
            (None, None),
            (Some(5_000_000_000), Some(u32::MAX)),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn one_text_may_be_several() {
        let object = object(json!({"a": "one, two ,,", "b": ["one, two", null]}));
        let fields = Fields::new(&object, "");
        assert_eq!(fields.texts("a"), Ok(vec!["one".to_owned(), "two".to_owned()]));
        assert_eq!(fields.texts("b"), Ok(vec!["one, two".to_owned()]));
    }
}
