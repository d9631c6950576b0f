//! The input schema of a tool, from its argument table.
//!
//! Properties keep the table's order. There are no bounds in it: ranges are checked by the tools,
//! which have their own codes and better words for them.

use serde_json::{Map, Value, json};

use crate::document::{Argument, Kind};

/// The JSON Schema (2020-12) of an object with these fields and no others.
pub(crate) fn object(arguments: &[Argument]) -> Value {
    let properties: Map<String, Value> = arguments
        .iter()
        .map(|argument| (argument.name.clone(), property(argument)))
        .collect();
    let required: Vec<&str> = arguments
        .iter()
        .filter(|argument| argument.required)
        .map(|argument| argument.name.as_str())
        .collect();
    let mut schema = Map::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    schema.insert("additionalProperties".into(), json!(false));
    Value::Object(schema)
}

fn property(argument: &Argument) -> Value {
    let kind = match argument.kind {
        Kind::String => "string",
        Kind::Integer => "integer",
        Kind::Boolean => "boolean",
        Kind::Array => "array",
    };
    let mut schema = Map::new();
    schema.insert("type".into(), json!(kind));
    if !argument.values.is_empty() {
        schema.insert("enum".into(), json!(argument.values));
    }
    schema.insert("description".into(), json!(argument.description.trim()));
    if argument.kind == Kind::Array {
        schema.insert("items".into(), object(&argument.item));
    }
    Value::Object(schema)
}
