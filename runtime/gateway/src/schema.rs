//! A tool's JSON Schema for a provider that does not take all of JSON Schema.
//!
//! Each is made from the same source, in the source's order of keys; the source itself never changes, and arguments are checked
//! against it. Schemas come out of parsed JSON, so their depth is bounded by the parser.

mod gemini;

use serde_json::{Map, Value, json};

pub(crate) use gemini::for_gemini;

/// Keywords whose value maps names to schemas: the keys below are names, and none of them is a keyword.
const NAME_MAPS: [&str; 5] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
];

/// Keywords whose value is data and no schema.
const DATA: [&str; 5] = ["const", "default", "enum", "examples", "required"];

/// Keywords that name a schema or its dialect.
const IDENTIFIERS: [&str; 2] = ["$schema", "$id"];

/// The schema for Claude: an object at the root, and no identifiers at any depth.
pub(crate) fn for_claude(source: &Value) -> Value {
    let Value::Object(source) = source else {
        return json!({ "type": "object", "properties": {} });
    };
    let mut schema = without_identifiers(source);
    schema.entry("type").or_insert_with(|| json!("object"));
    Value::Object(schema)
}

fn without_identifiers(schema: &Map<String, Value>) -> Map<String, Value> {
    let kept = schema.iter().filter(|(key, _)| !IDENTIFIERS.contains(&key.as_str()));
    kept.map(|(key, value)| (key.clone(), below(key, value))).collect()
}

/// The value of a keyword, cleaned as what it is.
fn below(key: &str, value: &Value) -> Value {
    if DATA.contains(&key) {
        return value.clone();
    }
    match value {
        Value::Object(named) if NAME_MAPS.contains(&key) => {
            named.iter().map(|(name, schema)| (name.clone(), any(schema))).collect()
        }
        other => any(other),
    }
}

fn any(value: &Value) -> Value {
    match value {
        Value::Object(schema) => Value::Object(without_identifiers(schema)),
        Value::Array(schemas) => schemas.iter().map(any).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_go_at_every_depth_and_everything_else_stays_in_its_order() {
        let source = json!({
            "$schema": "x", "$id": "y", "type": "object", "additionalProperties": false,
            "properties": {
                "z": {"$id": "n", "type": "array", "items": {"$schema": "x", "type": "string", "default": "d"}},
                "a": {"anyOf": [{"$id": "n", "const": 1}, {"type": "null"}]},
            },
            "$defs": {"$id": {"$id": "n", "title": "T"}}, "required": ["z"],
        });
        let expected = json!({
            "type": "object", "additionalProperties": false,
            "properties": {
                "z": {"type": "array", "items": {"type": "string", "default": "d"}},
                "a": {"anyOf": [{"const": 1}, {"type": "null"}]},
            },
            "$defs": {"$id": {"title": "T"}}, "required": ["z"],
        });
        assert_eq!(for_claude(&source).to_string(), expected.to_string());
    }

    #[test]
    fn parameters_with_the_names_of_keywords_survive_and_data_is_not_a_schema() {
        let source = json!({"type": "object", "properties": {
            "$id": {"type": "string"}, "$schema": {"type": "string"}, "title": {"default": {"$id": "kept"}},
        }});
        assert_eq!(for_claude(&source), source);
    }

    #[test]
    fn no_schema_is_an_object_without_properties() {
        assert_eq!(for_claude(&Value::Null), json!({"type": "object", "properties": {}}));
        assert_eq!(for_claude(&json!({})), json!({"type": "object"}));
    }
}
