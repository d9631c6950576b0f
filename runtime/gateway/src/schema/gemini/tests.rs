//! Each keyword that Gemini refuses, and what becomes of it.

use super::*;

/// The one property that a schema becomes.
fn property(schema: Value) -> Value {
    let source = json!({"type": "object", "properties": {"p": schema}});
    for_gemini(&source).unwrap()["properties"]["p"].take()
}

#[test]
fn keywords_that_the_server_refuses_go_at_every_depth() {
    let mut source = json!({"type": "object", "properties": {
        "p": {"type": "array", "items": {"type": "object", "properties": {"q": {"type": "integer"}}}},
    }});
    let expected = source.clone();
    for key in [
        "$schema",
        "$id",
        "$defs",
        "definitions",
        "additionalProperties",
        "patternProperties",
        "unevaluatedProperties",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "const",
        "default",
        "examples",
        "title",
        "multipleOf",
        "uniqueItems",
        "propertyNames",
    ] {
        for place in [
            "",
            "/properties/p",
            "/properties/p/items",
            "/properties/p/items/properties/q",
        ] {
            let schema = source.pointer_mut(place).unwrap().as_object_mut().unwrap();
            schema.insert(key.into(), json!({"type": "string"}));
        }
    }
    assert_eq!(for_gemini(&source), Some(expected));
}

#[test]
fn parameters_with_the_names_of_keywords_survive_in_their_order() {
    let source = json!({"type": "object", "required": ["title", "gone", "not"], "properties": {
        "title": {"type": "string", "title": "T"}, "default": {"type": "boolean"}, "not": {"type": "number"},
        "$ref": {"type": "string"}, "properties": {"type": "integer"},
    }});
    let expected = json!({"type": "object", "properties": {
        "title": {"type": "string"}, "default": {"type": "boolean"}, "not": {"type": "number"},
        "$ref": {"type": "string"}, "properties": {"type": "integer"},
    }, "required": ["title", "not"]});
    assert_eq!(for_gemini(&source).unwrap().to_string(), expected.to_string());
}

#[test]
fn required_stays_at_every_depth_and_goes_where_it_names_nothing() {
    let item = |required: Value| json!({"type": "object", "properties": {"required": {"type": "string"}}, "required": required});
    let source = json!({"type": "object", "required": ["gone"], "properties": {
        "p": {"type": "array", "items": item(json!(["required", "gone"]))},
        "free": {"type": "object", "required": ["gone"]},
    }});
    let expected = json!({"type": "object", "properties": {
        "p": {"type": "array", "items": item(json!(["required"]))},
        "free": {"type": "string"},
    }});
    assert_eq!(for_gemini(&source), Some(expected));
}

#[test]
fn a_free_object_becomes_a_string_and_a_tool_without_parameters_has_none() {
    assert_eq!(
        property(json!({"type": "object", "description": "d"})),
        json!({"type": "string", "description": "d"})
    );
    assert_eq!(
        property(json!({"type": "object", "properties": {}})),
        json!({"type": "string"})
    );
    for none in [
        json!({"type": "object", "properties": {}}),
        json!({"type": "object"}),
        json!(null),
        json!(true),
    ] {
        assert_eq!(for_gemini(&none), None, "{none}");
    }
}

#[test]
fn types_that_are_lists_or_unions_become_one_type() {
    assert_eq!(
        property(json!({"type": ["null", "integer"]})),
        json!({"nullable": true, "type": "integer"})
    );
    let optional = json!({"anyOf": [{"type": "null"}, {"type": "number", "minimum": 0}], "description": "d"});
    assert_eq!(
        property(optional),
        json!({"description": "d", "nullable": true, "type": "number", "minimum": 0})
    );
    assert_eq!(
        property(json!({"oneOf": [{"type": "boolean"}, {"type": "string"}]})),
        json!({"type": "boolean"})
    );
    assert_eq!(
        property(json!({"items": {"type": "string"}})),
        json!({"items": {"type": "string"}, "type": "array"})
    );
    assert_eq!(
        property(json!({"type": "array"})),
        json!({"type": "array", "items": {"type": "string"}})
    );
    assert_eq!(property(json!(true)), json!({"type": "string"}));
}

#[test]
fn what_the_subset_cannot_count_is_said_in_words() {
    assert_eq!(
        property(json!({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10})),
        json!({"type": "integer", "minimum": 1, "maximum": 9})
    );
    assert_eq!(
        property(json!({"type": "number", "exclusiveMinimum": 0, "description": "Speed."})),
        json!({"type": "number", "description": "Speed. Greater than 0."})
    );
    assert_eq!(
        property(json!({"type": "integer", "exclusiveMaximum": i64::MIN})),
        json!({"type": "integer", "description": "Less than -9223372036854775808."})
    );
    assert_eq!(
        property(json!({"type": "integer", "enum": [1, 2]})),
        json!({"type": "integer", "description": "One of: 1, 2."})
    );
    assert_eq!(
        property(json!({"enum": ["a"], "format": "uri"})),
        json!({"enum": ["a"], "type": "string"})
    );
}

#[test]
fn references_are_followed_and_circles_end() {
    let source = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/name", "description": "mine"}, "b": {"$ref": "https://x.example/s"}},
        "$defs": {"name": {"type": "string", "maxLength": 9, "description": "theirs"}},
    });
    let expected = json!({"type": "object", "properties": {
        "a": {"description": "mine", "type": "string", "maxLength": 9}, "b": {"type": "string"},
    }});
    assert_eq!(for_gemini(&source), Some(expected));
    let circle = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
    let text = for_gemini(&circle).unwrap().to_string();
    assert!(
        text.len() < 2_000 && text.contains(r#"{"next":{"type":"string"}}"#),
        "{text}"
    );
    let explosion =
        json!({"type": "object", "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}, "c": {"$ref": "#"}}});
    assert!(for_gemini(&explosion).unwrap().to_string().len() < 1_000_000);
}
