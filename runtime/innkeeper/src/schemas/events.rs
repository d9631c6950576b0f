//! The events of a run: the envelope, and what each type carries.
//!
//! The types are those of [`RunEvent`]; a journal may hold others, which are kept as they are.

use innkeeper_protocol::envelope::{Envelope, EventScope};
use innkeeper_protocol::event::RunEvent;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::document::{Document, members, used_definitions};

/// The envelope of every event.
pub(super) fn envelope() -> Document {
    Document::output::<Envelope>("Envelope")
}

/// The payload of each type, by the type's name, in the order of the catalogue.
pub(super) fn payloads() -> Vec<(String, Document)> {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut catalogue = generator.into_root_schema_for::<RunEvent>().to_value();
    let definitions = members(catalogue.get_mut("$defs").map_or(Value::Null, Value::take));
    let variants = catalogue.get_mut("oneOf").map_or(Value::Null, Value::take);
    let scope = scope();
    let payload = |variant: &Value| {
        let kind = variant.pointer("/properties/type/const")?.as_str()?;
        Some((kind.to_owned(), payload(kind, variant, &definitions, &scope)))
    };
    variants.as_array().into_iter().flatten().filter_map(payload).collect()
}

/// What one type carries. The journal adds the scope to every payload that is an object.
fn payload(kind: &str, variant: &Value, definitions: &Map<String, Value>, scope: &Value) -> Document {
    let mut schema = Map::new();
    if let Some(description) = variant.get("description") {
        schema.insert("description".to_owned(), description.clone());
    }
    match variant.pointer("/properties/payload") {
        None => {
            schema.insert("type".to_owned(), json!("null"));
        }
        Some(payload) => {
            schema.extend(members(payload.clone()));
            let properties = schema.entry("properties").or_insert_with(|| json!({}));
            if let Value::Object(properties) = properties {
                properties.insert("eventScope".to_owned(), scope.clone());
            }
            let used = used_definitions(&Value::Object(schema.clone()), definitions);
            if !used.is_empty() {
                schema.insert("$defs".to_owned(), Value::Object(used));
            }
        }
    }
    Document::new("events", kind, &camel(kind), schema)
}

fn scope() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let schema = members(generator.into_root_schema_for::<EventScope>().to_value());
    let kept = schema
        .into_iter()
        .filter(|(name, _)| !matches!(name.as_str(), "$schema" | "title"));
    Value::Object(kept.collect())
}

/// `run_created` as `RunCreated`: a title that code generators can make a name of.
fn camel(kind: &str) -> String {
    kind.split('_')
        .flat_map(|word| {
            word.chars()
                .take(1)
                .map(|c| c.to_ascii_uppercase())
                .chain(word.chars().skip(1))
        })
        .collect()
}
