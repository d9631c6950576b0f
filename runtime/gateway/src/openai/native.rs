//! What only the server understands, kept beside a call or a thought and sent back to the same model alone.
//!
//! Nothing here looks into it. It is marked with where it came from, since another model would refuse it.

use innkeeper_protocol::model::ModelInfo;
use serde_json::{Map, Value, json};

/// The provider of a content part that is kept as it came.
pub(super) const CONTENT_PART: &str = "openai.content_part";

/// Fields of a call, beside id and function, that are sent back with it.
pub(super) const CALL_FIELDS: [&str; 2] = ["signature", "extra_content"];

/// The field of a message that holds sealed or structured thoughts.
pub(super) const REASONING_DETAILS: &str = "reasoning_details";

/// The key under which the mark stands.
const ORIGIN: &str = "origin";

/// Keeps the named fields of a JSON object that are there, marked; empty when none is.
pub(super) fn keep(object: &Map<String, Value>, fields: &[&str], info: &ModelInfo) -> Map<String, Value> {
    let present = |field: &&str| object.get(*field).filter(|value| !value.is_null());
    let mut kept: Map<String, Value> = fields
        .iter()
        .filter_map(|field| Some(((*field).to_owned(), present(field)?.clone())))
        .collect();
    if !kept.is_empty() {
        kept.insert(ORIGIN.to_owned(), mark(info));
    }
    kept
}

/// A kept field, if it came from this very model.
pub(super) fn own<'a>(metadata: &'a Map<String, Value>, field: &str, info: &ModelInfo) -> Option<&'a Value> {
    if metadata.get(ORIGIN) == Some(&mark(info)) {
        metadata.get(field)
    } else {
        None
    }
}

fn mark(info: &ModelInfo) -> Value {
    json!({ "source": info.source, "format": info.format, "model": info.model })
}
