//! A chat-completions answer as a canonical turn.
//!
//! The content counts, not `finish_reason`: many servers say `stop` beside tool calls, or `tool_calls` without any. What is missing
//! stays missing; above all, no call id is made up.

use innkeeper_protocol::model::{
    Excerpt, ModelError, ModelInfo, ModelResponse, Part, ResponseFault, ToolCallFault, ToolCallRequest,
};
use serde_json::{Map, Value, json};

use super::{CALL_FIELDS, CONTENT_PART, REASONING_DETAILS};
use crate::calls::{self, Cut, SentCall};
use crate::http::status;
use crate::native::keep;
use crate::turn::{MetadataFields, Pieces};

/// Where this format tells about an answer.
const FIELDS: MetadataFields = MetadataFields {
    id: "id",
    model: "model",
    usage: "usage",
};

/// Makes a turn of a body. `excerpt` cuts a server's words and takes our secrets out of them.
pub(crate) fn turn(
    body: Map<String, Value>,
    info: &ModelInfo,
    excerpt: impl Fn(&str) -> Excerpt,
) -> Result<ModelResponse, ModelError> {
    let choice = body.get("choices").and_then(|choices| choices.get(0));
    let errors = [body.get("error"), choice.and_then(|choice| choice.get("error"))];
    if let Some(error) = errors.into_iter().flatten().find(|error| !error.is_null()) {
        // Also beside a message: what there is of it may be cut anywhere.
        return Err(status::reported(error, excerpt));
    }
    let message = choice
        .and_then(|choice| choice.get("message"))
        .or_else(|| body.get("message"));
    let message = message.and_then(Value::as_object).ok_or(ModelError::InvalidResponse {
        fault: ResponseFault::NoMessage,
    })?;
    let is_cut = choice.and_then(|choice| choice.get("finish_reason")) == Some(&json!("length"));
    let cut = if is_cut { Cut::Perhaps } else { Cut::No };

    let (text, natives) = content(message)?;
    let pieces = Pieces {
        text,
        thoughts: reasoning(message, info).into_iter().collect(),
        natives,
        calls: tool_calls(message, cut, info)?,
    };
    Ok(pieces.response(body, &FIELDS, info))
}

/// The message's text, and the content parts that are no text. A refusal counts as text where there is no other.
fn content(message: &Map<String, Value>) -> Result<(String, Vec<Part>), ModelError> {
    let mut text = String::new();
    let mut natives = Vec::new();
    match message.get("content") {
        None | Some(Value::Null) => {}
        Some(Value::String(content)) => text.push_str(content),
        Some(Value::Array(parts)) => {
            for part in parts {
                match text_of(part) {
                    Some(piece) => text.push_str(piece),
                    None => natives.push(Part::Native {
                        provider: CONTENT_PART.to_owned(),
                        value: part.clone(),
                    }),
                }
            }
        }
        Some(_) => {
            return Err(ModelError::InvalidResponse {
                fault: ResponseFault::Content,
            });
        }
    }
    if text.trim().is_empty()
        && let Some(Value::String(refusal)) = message.get("refusal")
    {
        text.clone_from(refusal);
    }
    Ok((text, natives))
}

/// The text of a content part, if it is one.
fn text_of(part: &Value) -> Option<&str> {
    let is_text = matches!(part.get("type").and_then(Value::as_str), Some("text" | "output_text"));
    part.as_str()
        .or_else(|| part.get("text").filter(|_| is_text).and_then(Value::as_str))
}

/// The visible thoughts, with what the server wants back.
fn reasoning(message: &Map<String, Value>, info: &ModelInfo) -> Option<Part> {
    let mut provider_metadata = keep(message, &[REASONING_DETAILS], info);
    let plain = ["reasoning_content", "reasoning"].into_iter().find_map(|field| {
        let text = message.get(field)?.as_str().filter(|text| !text.trim().is_empty())?;
        Some((field, text.to_owned()))
    });
    let found = plain.or_else(|| Some((REASONING_DETAILS, detailed_reasoning(message)?)));
    if let Some((field, _)) = &found {
        provider_metadata.insert("source".to_owned(), json!(field));
    }
    (!provider_metadata.is_empty()).then(|| Part::Reasoning {
        text: found.map(|(_, text)| text),
        provider_metadata,
    })
}

/// The texts and summaries of `reasoning_details`, which also holds sealed entries.
fn detailed_reasoning(message: &Map<String, Value>) -> Option<String> {
    let entries = message.get(REASONING_DETAILS)?.as_array()?;
    let text_of = |entry: &'_ Value| -> Option<String> {
        let text = ["text", "summary"]
            .into_iter()
            .find_map(|field| entry.get(field).and_then(Value::as_str))?;
        (!text.trim().is_empty()).then(|| text.to_owned())
    };
    let texts: Vec<String> = entries.iter().filter_map(text_of).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn tool_calls(message: &Map<String, Value>, cut: Cut, info: &ModelInfo) -> Result<Vec<ToolCallRequest>, ModelError> {
    let sent = match message.get("tool_calls") {
        None | Some(Value::Null) => &[],
        Some(Value::Array(calls)) => calls.as_slice(),
        Some(_) => {
            return Err(ModelError::InvalidResponse {
                fault: ResponseFault::ToolCalls,
            });
        }
    };
    if sent.is_empty() && message.get("function_call").is_some_and(Value::is_object) {
        // The form before `tool_calls`; it has no id, so its result could not be told.
        return Err(ModelError::InvalidToolCall {
            position: 1,
            fault: ToolCallFault::BlankId,
        });
    }
    let mut calls = Vec::with_capacity(sent.len());
    for value in sent {
        calls.push(tool_call(calls.len().saturating_add(1), value, cut, info)?);
    }
    calls::refuse_repeated_ids(&calls)?;
    Ok(calls)
}

fn tool_call(position: usize, value: &Value, cut: Cut, info: &ModelInfo) -> Result<ToolCallRequest, ModelError> {
    let refuse = |fault| ModelError::InvalidToolCall { position, fault };
    let object = value.as_object().ok_or_else(|| refuse(ToolCallFault::NotObject))?;
    let function = object.get("function").and_then(Value::as_object);
    let function = function.ok_or_else(|| refuse(ToolCallFault::NoFunction))?;
    let sent = SentCall {
        id: object.get("id").and_then(Value::as_str),
        name: function.get("name").and_then(Value::as_str),
        arguments: function.get("arguments"),
        cut,
    };
    let provider_metadata = keep(object, &CALL_FIELDS, info);
    Ok(ToolCallRequest {
        provider_metadata,
        ..calls::accept(position, &sent)?
    })
}

#[cfg(test)]
mod tests;
