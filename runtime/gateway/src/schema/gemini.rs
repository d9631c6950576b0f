//! A tool's schema in the subset that Gemini takes for `parameters`.
//!
//! What the subset cannot say is left out, or put into the description where a number or a choice would be lost. References are
//! followed inside of the schema and never over a network.

use serde_json::{Map, Value, json};

/// Keywords that the subset has. A list of what is taken, because the server refuses the whole request for one that it does not know.
const TAKEN: [&str; 14] = [
    "type",
    "format",
    "description",
    "nullable",
    "enum",
    "items",
    "properties",
    "maxItems",
    "minItems",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
];

/// Formats that the subset has.
const FORMATS: [&str; 6] = ["date-time", "double", "enum", "float", "int32", "int64"];

/// Keywords of which one alternative stands for all.
const UNIONS: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// Most references and alternatives that are followed into each other: deeper than any real schema, and the end of a circle.
const MAX_FOLLOWED: u32 = 16;

/// Most schemas in the result: references to references could make a small source endless.
const MAX_SCHEMAS: usize = 5_000;

/// The schema for Gemini; none where a tool has no parameters.
pub(crate) fn for_gemini(source: &Value) -> Option<Value> {
    let mut subset = Subset {
        root: source,
        left: MAX_SCHEMAS,
    };
    let root = subset.followed(source.as_object()?, MAX_FOLLOWED);
    let mut schema = subset.kept(&root, MAX_FOLLOWED);
    schema.insert("type".to_owned(), json!("object"));
    schema
        .get("properties")?
        .as_object()
        .filter(|named| !named.is_empty())?;
    add_required(&root, &mut schema);
    Some(Value::Object(schema))
}

/// The names that must be there, as far as they are declared: the server refuses any other.
fn add_required(source: &Map<String, Value>, kept: &mut Map<String, Value>) {
    let properties = kept.get("properties").and_then(Value::as_object);
    let is_declared = |name: &&Value| {
        let name = name.as_str();
        name.is_some_and(|name| properties.is_some_and(|named| named.contains_key(name)))
    };
    let required = source.get("required").and_then(Value::as_array);
    let required: Vec<Value> = required.into_iter().flatten().filter(is_declared).cloned().collect();
    if !required.is_empty() {
        kept.insert("required".to_owned(), Value::Array(required));
    }
}

struct Subset<'a> {
    root: &'a Value,
    left: usize,
}

impl Subset<'_> {
    /// A schema below the root. `follow` is how many more references lead on.
    fn nested(&mut self, schema: &Value, follow: u32) -> Value {
        let Some(schema) = schema.as_object().filter(|_| self.left > 0) else {
            return json!({ "type": "string" });
        };
        self.left = self.left.saturating_sub(1);
        let source = self.followed(schema, follow);
        let left_to_follow = if source == *schema {
            follow
        } else {
            follow.saturating_sub(1)
        };
        let mut kept = self.kept(&source, left_to_follow);
        let kind = kind_of(&source, &kept);
        if kind == "object"
            && kept
                .get("properties")
                .and_then(Value::as_object)
                .is_none_or(Map::is_empty)
        {
            kept.shift_remove("properties");
            kept.insert("type".to_owned(), json!("string"));
        } else {
            kept.insert("type".to_owned(), json!(kind));
            add_required(&source, &mut kept);
        }
        if kind == "array" {
            kept.entry("items").or_insert_with(|| json!({ "type": "string" }));
        }
        Value::Object(kept)
    }

    /// The schema with its reference and its union replaced by what they mean.
    fn followed(&self, schema: &Map<String, Value>, follow: u32) -> Map<String, Value> {
        let mut merged = schema.clone();
        for _ in 0..follow {
            let target = match merged.shift_remove("$ref") {
                Some(reference) => self.referred(&reference),
                None if merged.contains_key("type") => None,
                None => alternative(&mut merged),
            };
            let Some(target) = target else { break };
            for (key, value) in target {
                merged.entry(key).or_insert(value);
            }
        }
        merged
    }

    fn referred(&self, reference: &Value) -> Option<Map<String, Value>> {
        let pointer = reference.as_str()?.strip_prefix('#')?;
        self.root.pointer(pointer)?.as_object().cloned()
    }

    /// The keywords of the subset, in the source's order.
    fn kept(&mut self, source: &Map<String, Value>, follow: u32) -> Map<String, Value> {
        let mut kept = Map::new();
        for (key, value) in source.iter().filter(|(key, _)| TAKEN.contains(&key.as_str())) {
            let value = match (key.as_str(), value) {
                ("properties", Value::Object(named)) => named
                    .iter()
                    .map(|(name, schema)| (name.clone(), self.nested(schema, follow)))
                    .collect(),
                // A list of schemas for the places of a tuple.
                ("items", Value::Array(places)) => self.nested(places.first().unwrap_or(&Value::Null), follow),
                ("items", schema) => self.nested(schema, follow),
                ("enum", choices) if !is_list_of_texts(choices) => continue,
                ("format", Value::String(format)) if !FORMATS.contains(&format.as_str()) => continue,
                ("properties", _) => continue,
                ("type", kinds) => match single_type(kinds) {
                    Some(kind) => kind,
                    None => continue,
                },
                (_, value) => value.clone(),
            };
            kept.insert(key.clone(), value);
        }
        if source
            .get("type")
            .and_then(Value::as_array)
            .is_some_and(|kinds| kinds.contains(&json!("null")))
        {
            kept.insert("nullable".to_owned(), Value::Bool(true));
        }
        add_bounds(source, &mut kept);
        kept
    }
}

/// The first alternative of a union that is not null; null as an alternative makes the schema nullable.
fn alternative(schema: &mut Map<String, Value>) -> Option<Map<String, Value>> {
    let union = UNIONS.into_iter().find_map(|key| schema.shift_remove(key))?;
    let is_null = |schema: &Value| schema.get("type") == Some(&json!("null"));
    let alternatives = union.as_array()?;
    if alternatives.iter().any(is_null) {
        schema.insert("nullable".to_owned(), Value::Bool(true));
    }
    alternatives
        .iter()
        .find(|schema| !is_null(schema))?
        .as_object()
        .cloned()
}

/// The one type; of a list, the first that is not null.
fn single_type(kinds: &Value) -> Option<Value> {
    match kinds {
        Value::String(_) => Some(kinds.clone()),
        Value::Array(kinds) => kinds
            .iter()
            .find(|kind| kind.is_string() && **kind != json!("null"))
            .cloned(),
        _ => None,
    }
}

/// The type that is named, or the one that the other keywords mean.
fn kind_of(source: &Map<String, Value>, kept: &Map<String, Value>) -> String {
    match kept.get("type").and_then(Value::as_str) {
        Some(kind) => kind.to_owned(),
        None if source.contains_key("properties") => "object".to_owned(),
        None if source.contains_key("items") => "array".to_owned(),
        None => "string".to_owned(),
    }
}

fn is_list_of_texts(choices: &Value) -> bool {
    choices
        .as_array()
        .is_some_and(|choices| choices.iter().all(Value::is_string))
}

/// Bounds that exclude their own number, and choices that are no texts: the former in another form where they are whole numbers,
/// everything else in words.
fn add_bounds(source: &Map<String, Value>, kept: &mut Map<String, Value>) {
    let is_whole = kept.get("type") == Some(&json!("integer"));
    let mut words = Vec::new();
    for (key, name, step, word) in [
        ("exclusiveMinimum", "minimum", 1, "Greater than"),
        ("exclusiveMaximum", "maximum", -1, "Less than"),
    ] {
        let Some(bound) = source.get(key).filter(|bound| bound.is_number()) else {
            continue;
        };
        match bound
            .as_i64()
            .and_then(|bound| bound.checked_add(step))
            .filter(|_| is_whole)
        {
            Some(included) => {
                kept.entry(name).or_insert_with(|| json!(included));
            }
            None => words.push(format!("{word} {bound}.")),
        }
    }
    let choices = source.get("enum").filter(|choices| !is_list_of_texts(choices));
    if let Some(choices) = choices.and_then(Value::as_array) {
        let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
        words.push(format!("One of: {}.", choices.join(", ")));
    }
    if words.is_empty() {
        return;
    }
    let described = kept.get("description").and_then(Value::as_str).map(str::to_owned);
    let all: Vec<String> = described.into_iter().chain(words).collect();
    kept.insert("description".to_owned(), json!(all.join(" ")));
}

#[cfg(test)]
mod tests;
