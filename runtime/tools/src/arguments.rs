//! The argument gate: what a model sent, against a tool's input schema, before any guest starts.
//!
//! `null` for an optional property counts as absent, a whole-number float is an integer, a string is never a number. Ranges are not
//! checked here; tools have codes of their own for those.

use jsonschema::Validator;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::{Map, Number, Value};

/// Faults that one message lists.
const MAX_FAULTS: usize = 5;
/// Characters of a value that a message quotes.
const MAX_QUOTED_CHARS: usize = 60;
/// Floats up to here are exact integers.
const MAX_EXACT_FLOAT: f64 = 9_007_199_254_740_992.0;

/// A tool's input schema, ready to check with.
pub struct ArgumentGate {
    schema: Value,
    validator: Validator,
}

impl ArgumentGate {
    /// Prepares a schema.
    ///
    /// # Errors
    /// A sentence, when the schema cannot be used; references to other documents cannot.
    pub fn new(schema: &Value) -> Result<Self, String> {
        let validator =
            jsonschema::validator_for(schema).map_err(|e| format!("its input schema cannot be used: {e}"))?;
        Ok(Self {
            schema: schema.clone(),
            validator,
        })
    }

    /// The arguments in normal form.
    ///
    /// # Errors
    /// A message for the model that names each place by its JSON pointer, what came and what was expected.
    pub fn check(&self, arguments: &Value) -> Result<Value, String> {
        let normal = match arguments {
            Value::Null => Value::Object(Map::new()),
            Value::Object(_) => normalise(arguments, &self.schema),
            other => {
                return Err(format!(
                    "The arguments must be one JSON object, but {} came. Send an object such as {{}} with the tool's arguments as keys.",
                    describe(other)
                ));
            }
        };
        let mut faults: Vec<String> = self.validator.iter_errors(&normal).map(|error| fault(&error)).collect();
        if faults.is_empty() {
            return Ok(normal);
        }
        let more = faults.len().saturating_sub(MAX_FAULTS);
        faults.truncate(MAX_FAULTS);
        let tail = if more > 0 {
            format!("\n- and {more} more")
        } else {
            String::new()
        };
        Err(format!(
            "The arguments do not fit the tool's schema, so it was not started:\n- {}{tail}\nCorrect them and call the tool again.",
            faults.join("\n- ")
        ))
    }
}

/// Drops `null` where a property is optional and makes whole floats integers, following the schema as far as it is plain.
fn normalise(value: &Value, schema: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let required = |name: &str| {
                let listed = schema.get("required").and_then(Value::as_array);
                listed.is_some_and(|names| names.iter().any(|n| n.as_str() == Some(name)))
            };
            let kept = map.iter().filter_map(|(name, value)| {
                let Some(schema) = properties.and_then(|p| p.get(name)) else {
                    return Some((name.clone(), value.clone()));
                };
                let drop = value.is_null() && !required(name) && !allows_null(schema);
                (!drop).then(|| (name.clone(), normalise(value, schema)))
            });
            Value::Object(kept.collect())
        }
        Value::Array(items) => {
            let schema = schema.get("items").unwrap_or(&Value::Null);
            Value::Array(items.iter().map(|item| normalise(item, schema)).collect())
        }
        Value::Number(number) if expects(schema, "integer") => Value::Number(whole(number)),
        other => other.clone(),
    }
}

fn expects(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(several)) => several.iter().any(|k| k.as_str() == Some(kind)),
        _ => false,
    }
}

/// Where a schema itself speaks of `null`, it is a value like any other.
fn allows_null(schema: &Value) -> bool {
    expects(schema, "null")
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "the float is whole and small enough to be exact"
)]
fn whole(number: &Number) -> Number {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() <= MAX_EXACT_FLOAT => {
            Number::from(float as i64)
        }
        _ => number.clone(),
    }
}

fn fault(error: &jsonschema::ValidationError<'_>) -> String {
    let at = error.instance_path().as_str();
    let place = if at.is_empty() {
        "the arguments".to_owned()
    } else {
        format!("`{at}`")
    };
    let came = describe(error.instance());
    match error.kind() {
        ValidationErrorKind::Type { kind } => format!("{place}: expected {}, got {came}", expected(kind)),
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            format!("`{at}/{name}`: this argument is required and is missing")
        }
        ValidationErrorKind::Enum { options } => format!("{place}: expected one of {options}, got {came}"),
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let names: Vec<_> = unexpected
                .iter()
                .map(|name| format!("`{at}/{}`", quote(name)))
                .collect();
            format!("{}: no such argument exists; remove it", names.join(", "))
        }
        _ => format!("{place}: {error}"),
    }
}

fn expected(kind: &TypeKind) -> String {
    let article = |name: String| {
        if name.starts_with(['a', 'i', 'o']) {
            format!("an {name}")
        } else {
            format!("a {name}")
        }
    };
    match kind {
        TypeKind::Single(one) => article(one.to_string()),
        TypeKind::Multiple(several) => {
            let names: Vec<_> = several.into_iter().map(|one| article(one.to_string())).collect();
            names.join(" or ")
        }
    }
}

/// A value in words: its type and, for short ones, the value.
fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => format!("the boolean {flag}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string \"{}\"", quote(text)),
        Value::Array(items) => format!("an array of {} items", items.len()),
        Value::Object(map) => format!("an object with {} keys", map.len()),
    }
}

/// A text that came from outside, short and without invisible characters.
fn quote(text: &str) -> String {
    let shown: String = text
        .chars()
        .take(MAX_QUOTED_CHARS)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().nth(MAX_QUOTED_CHARS).is_some() {
        format!("{shown}...")
    } else {
        shown
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn gate() -> ArgumentGate {
        let item = json!({
            "type": "object", "required": ["index"], "additionalProperties": false,
            "properties": { "index": { "type": "integer" }, "start_line": { "type": "integer" } },
        });
        ArgumentGate::new(&json!({
            "type": "object", "required": ["query"], "additionalProperties": false,
            "properties": {
                "query": { "type": "string" },
                "limit": { "type": "integer" },
                "mode": { "type": "string", "enum": ["replace", "append"] },
                "items": { "type": "array", "items": item },
            },
        }))
        .unwrap()
    }

    #[test]
    fn null_is_absent_where_a_property_is_optional() {
        let sent = json!({ "query": "x", "limit": null, "items": [{ "index": 1, "start_line": null }] });
        assert_eq!(
            gate().check(&sent),
            Ok(json!({ "query": "x", "items": [{ "index": 1 }] }))
        );
        assert!(
            gate()
                .check(&json!({ "query": null }))
                .unwrap_err()
                .contains("`/query`: expected a string, got null")
        );
    }

    #[test]
    fn a_whole_float_is_an_integer_and_nothing_else_is() {
        assert_eq!(
            gate().check(&json!({ "query": "x", "limit": 2.0 })),
            Ok(json!({ "query": "x", "limit": 2 }))
        );
        for (bad, came) in [(json!(2.5), "the number 2.5"), (json!("2"), "the string \"2\"")] {
            let message = gate().check(&json!({ "query": "x", "limit": bad })).unwrap_err();
            assert!(
                message.contains(&format!("`/limit`: expected an integer, got {came}")),
                "{message}"
            );
        }
    }

    #[test]
    fn each_fault_names_its_place() {
        let message = gate()
            .check(&json!({ "limt": 1, "mode": "Replace", "items": [{ "indx": 3 }] }))
            .unwrap_err();
        for part in [
            "`/query`: this argument is required and is missing",
            "`/limt`: no such argument exists",
            "`/mode`: expected one of [\"replace\",\"append\"], got the string \"Replace\"",
            "`/items/0/index`: this argument is required",
            "`/items/0/indx`: no such argument exists",
        ] {
            assert!(message.contains(part), "{part} is not in: {message}");
        }
    }

    #[test]
    fn at_most_five_faults_are_listed() {
        let sent: Map<String, Value> = (0..9).map(|n| (format!("x{n}"), json!(n))).collect();
        let items: Vec<Value> = (0..9).map(|_| json!({})).collect();
        let mut sent = Value::Object(sent);
        sent["items"] = json!(items);
        let message = gate().check(&sent).unwrap_err();
        assert!(message.contains("- and 6 more"), "{message}");
    }

    #[test]
    fn what_is_no_object_is_refused_and_nothing_is_an_empty_object() {
        let free = ArgumentGate::new(&json!({ "type": "object" })).unwrap();
        assert_eq!(free.check(&Value::Null), Ok(json!({})));
        for (sent, came) in [
            (json!("{"), "the string"),
            (json!([1]), "an array"),
            (json!(7), "the number 7"),
        ] {
            assert!(free.check(&sent).unwrap_err().contains(came));
        }
    }
}
