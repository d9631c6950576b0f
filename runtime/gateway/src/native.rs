//! What only a provider understands, kept beside a message, a call or a thought and sent back to the same model alone.
//!
//! Nothing here looks into it. It is marked with where it came from, since another model would refuse it; it is never shown or logged.

use innkeeper_protocol::model::{Message, ModelError, ModelInfo, ModelResponse, NativeContinuation, Part};
use serde_json::{Map, Value, json};

/// The key under which the mark stands.
const ORIGIN: &str = "origin";

/// A whole turn in its provider's form.
pub(crate) fn part(provider: &str, fields: Map<String, Value>, info: &ModelInfo) -> Part {
    let mut value = fields;
    value.insert(ORIGIN.to_owned(), mark(info));
    Part::Native {
        provider: provider.to_owned(),
        value: Value::Object(value),
    }
}

/// What [`part`] kept in a message, if it came from this very model.
pub(crate) fn of_message<'a>(message: &'a Message, provider: &str, info: &ModelInfo) -> Option<&'a Map<String, Value>> {
    message.parts.iter().find_map(|part| match part {
        Part::Native { provider: whose, value } if whose == provider => {
            value.as_object().filter(|value| value.get(ORIGIN) == Some(&mark(info)))
        }
        _ => None,
    })
}

/// What a turn keeps in its provider's form, for the state of the conversation.
pub(crate) fn continuation(message: &Message) -> Option<NativeContinuation> {
    let kept = message.parts.iter().filter_map(|part| match part {
        Part::Native { provider, value } if value.get(ORIGIN).is_some() => Some(provider),
        _ => None,
    });
    let kept: Vec<&String> = kept.collect();
    Some(NativeContinuation {
        provider: (*kept.first()?).clone(),
        part_count: kept.len(),
    })
}

/// Refuses a turn that calls tools but lost its provider's own form: the next request could not give it back.
pub(crate) fn require(response: ModelResponse) -> Result<ModelResponse, ModelError> {
    if response.tool_calls.is_empty() || continuation(&response.message).is_some() {
        return Ok(response);
    }
    Err(ModelError::NativeMetadataLost {
        format: response.provider_metadata.format,
    })
}

/// Keeps the named fields of a JSON object that are there, marked; empty when none is.
pub(crate) fn keep(object: &Map<String, Value>, fields: &[&str], info: &ModelInfo) -> Map<String, Value> {
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
pub(crate) fn own<'a>(metadata: &'a Map<String, Value>, field: &str, info: &ModelInfo) -> Option<&'a Value> {
    if metadata.get(ORIGIN) == Some(&mark(info)) {
        metadata.get(field)
    } else {
        None
    }
}

fn mark(info: &ModelInfo) -> Value {
    json!({ "source": info.source, "format": info.format, "model": info.model })
}
