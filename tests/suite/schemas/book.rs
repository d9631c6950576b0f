//! The exported schemas, ready to judge values.
//!
//! A value that is no object of a known kind has no schema; that is said, not passed over.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use innkeeper::protocol::envelope::Envelope;
use innkeeper::schema_files;
use jsonschema::Validator;
use serde_json::{Value, json};

/// The validator of each file.
fn validators() -> &'static BTreeMap<String, Validator> {
    static VALIDATORS: OnceLock<BTreeMap<String, Validator>> = OnceLock::new();
    VALIDATORS.get_or_init(|| {
        let schemas = schema_files().into_iter().filter(|file| file.path != "index.json");
        schemas
            .map(|file| {
                let validator = jsonschema::validator_for(&file.content);
                let validator = validator.unwrap_or_else(|error| panic!("{}: {error}", file.path));
                (file.path, validator)
            })
            .collect()
    })
}

/// What says whose each schema is.
pub fn index() -> Value {
    let index = schema_files().into_iter().find(|file| file.path == "index.json");
    index.unwrap().content
}

/// What a value has that its schema does not allow.
pub fn complaints(path: &str, value: &Value) -> Vec<String> {
    match validators().get(path) {
        None => vec![format!("there is no schema {path}")],
        Some(validator) => validator
            .iter_errors(value)
            .map(|error| format!("{path}{}: {error}", error.instance_path()))
            .collect(),
    }
}

/// The same for an event and its payload.
pub fn event_complaints(event: &Envelope) -> Vec<String> {
    let mut found = complaints("output/Envelope.json", &json!(event));
    found.extend(complaints(&format!("events/{}.json", event.kind), &event.payload));
    found
}

/// Fails where some event does not fit.
pub fn check_events(events: &[Envelope]) {
    let found: Vec<String> = events.iter().flat_map(event_complaints).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Fails where what a command gives does not fit.
#[track_caller]
pub fn check_given(name: &str, value: impl serde::Serialize) {
    let found = complaints(&format!("output/{name}.json"), &json!(value));
    assert!(found.is_empty(), "{}", found.join("\n"));
}
