//! The messages of a payload as the loop keeps them.
//!
//! Text becomes text. What only the front end's own format knows, such as images, is kept as it is for the formats that understand it.

use innkeeper_protocol::model::{Message, Part, Role};
use serde_json::{Map, Value};

use super::error::SnapshotError;
use crate::fields::Found;

/// Where a front end's prompt manager puts something later; it must not be left.
const MARKER: &str = "_tauritavern_agent_prompt_marker";
/// Whose form a content part is in that is no text.
const CONTENT_PART: &str = "openai.content_part";

/// Converts `messages`, or where there are none the `prompt`.
pub(super) fn import(payload: &Map<String, Value>) -> Result<Vec<Message>, SnapshotError> {
    let given = |name| payload.get(name).filter(|value: &&Value| !value.is_null());
    match given("messages").or_else(|| given("prompt")) {
        Some(Value::Array(messages)) => {
            refuse_markers(messages)?;
            messages.iter().enumerate().map(message).collect()
        }
        Some(Value::String(text)) => Ok(vec![Message::of_text(Role::User, text.as_str())]),
        other => Err(SnapshotError::MessagesType {
            found: Found::of(other.unwrap_or(&Value::Null)),
        }),
    }
}

fn refuse_markers(messages: &[Value]) -> Result<(), SnapshotError> {
    for (index, message) in messages.iter().enumerate() {
        match message.get(MARKER) {
            None => {}
            Some(Value::String(marker)) => {
                return Err(SnapshotError::Marker {
                    index,
                    marker: marker.chars().take(80).collect(),
                });
            }
            Some(_) => return Err(SnapshotError::MarkerInvalid { index }),
        }
    }
    Ok(())
}

fn message((index, value): (usize, &Value)) -> Result<Message, SnapshotError> {
    let Value::Object(object) = value else {
        return Err(SnapshotError::Unusable(format!("message {index} is no object")));
    };
    let mut message = Message::new(role(object.get("role")), parts(object.get("content")));
    if let Some(name) = object.get("name").filter(|name| !name.is_null()) {
        message.provider_metadata.insert("name".to_owned(), name.clone());
    }
    Ok(message)
}

/// Case does not count; whoever is not known is the user.
fn role(value: Option<&Value>) -> Role {
    let word = value.and_then(Value::as_str).unwrap_or_default();
    match word.trim().to_ascii_lowercase().as_str() {
        "system" => Role::System,
        "developer" => Role::Developer,
        "assistant" => Role::Assistant,
        _ => Role::User,
    }
}

fn parts(content: Option<&Value>) -> Vec<Part> {
    match content {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) => vec![Part::Text { text: text.clone() }],
        Some(Value::Array(parts)) => parts.iter().map(part).collect(),
        // A number or a flag where a text belongs; an object is no less odd.
        Some(other) => vec![Part::Text {
            text: other.to_string(),
        }],
    }
}

fn part(value: &Value) -> Part {
    let text = match value {
        Value::String(text) => Some(text),
        Value::Object(object) if object.get("type").and_then(Value::as_str) == Some("text") => match object.get("text")
        {
            Some(Value::String(text)) => Some(text),
            _ => None,
        },
        _ => None,
    };
    match text {
        Some(text) => Part::Text { text: text.clone() },
        None => Part::Native {
            provider: CONTENT_PART.to_owned(),
            value: value.clone(),
        },
    }
}
