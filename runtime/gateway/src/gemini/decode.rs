//! An answer in the Gemini format as a canonical turn.
//!
//! The content is kept whole beside what is read out of it, because signatures must come back on the very parts that they came on.
//! What is missing stays missing; above all, no call id is made up.

use innkeeper_protocol::model::{
    Excerpt, ModelError, ModelInfo, ModelResponse, Part, ResponseFault, ToolCallFault, ToolCallRequest,
};
use serde_json::{Map, Value};

use super::{CONTENT, NATIVE, SIGNATURE};
use crate::calls::{self, Cut, SentCall};
use crate::http::status;
use crate::native;
use crate::turn::{MetadataFields, Pieces, thought};

/// Where this format tells about an answer.
const FIELDS: MetadataFields = MetadataFields {
    id: "responseId",
    model: "modelVersion",
    usage: "usageMetadata",
};

/// Ends of a turn in which the model failed at writing a call. Asking again often helps.
const BROKEN_CALL: [&str; 3] = ["MALFORMED_FUNCTION_CALL", "TOO_MANY_TOOL_CALLS", "UNEXPECTED_TOOL_CALL"];

/// Ends of a turn that has no content because the model had nothing to say, or no room left to say it.
const NOTHING_SAID: [&str; 2] = ["MAX_TOKENS", "STOP"];

/// Makes a turn of a body. `excerpt` cuts a server's words and takes our secrets out of them.
pub(crate) fn turn(
    body: Map<String, Value>,
    info: &ModelInfo,
    excerpt: impl Fn(&str) -> Excerpt,
) -> Result<ModelResponse, ModelError> {
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        return Err(status::reported(error, excerpt));
    }
    let candidate = candidate(&body)?;
    let reason = candidate.get("finishReason").and_then(Value::as_str);
    if let Some(reason) = reason.filter(|reason| BROKEN_CALL.contains(reason)) {
        let words = candidate
            .get("finishMessage")
            .and_then(Value::as_str)
            .unwrap_or_default();
        return Err(status::reported(&Value::from(format!("{reason} {words}")), excerpt));
    }
    let parts = parts(candidate, reason)?;
    let is_whole = reason.is_none_or(|reason| reason == "STOP");
    let pieces = Pieces {
        text: texts(parts, false).collect(),
        thoughts: texts(parts, true).filter_map(|text| thought(text, "thought")).collect(),
        natives: kept(candidate, parts, info).into_iter().collect(),
        calls: tool_calls(parts, is_whole, info)?,
    };
    Ok(pieces.response(body, &FIELDS, info))
}

/// The one candidate; none where the provider's filter withheld the prompt.
fn candidate(body: &Map<String, Value>) -> Result<&Map<String, Value>, ModelError> {
    let candidate = body.get("candidates").and_then(|candidates| candidates.get(0));
    let is_blocked = body
        .get("promptFeedback")
        .is_some_and(|told| told.get("blockReason").is_some());
    candidate.and_then(Value::as_object).ok_or(ModelError::InvalidResponse {
        fault: if is_blocked {
            ResponseFault::Withheld
        } else {
            ResponseFault::NoMessage
        },
    })
}

/// The parts of a candidate's content.
fn parts<'a>(candidate: &'a Map<String, Value>, reason: Option<&str>) -> Result<&'a [Value], ModelError> {
    let refuse = |fault| Err(ModelError::InvalidResponse { fault });
    let has_content = candidate.get(CONTENT).is_some_and(Value::is_object);
    match candidate.get(CONTENT).and_then(|content| content.get("parts")) {
        Some(Value::Array(parts)) => Ok(parts),
        Some(other) if !other.is_null() => refuse(ResponseFault::Content),
        _ => match reason {
            Some(reason) if NOTHING_SAID.contains(&reason) => Ok(&[]),
            Some(_) => refuse(ResponseFault::Withheld),
            None if has_content => Ok(&[]),
            None => refuse(ResponseFault::NoMessage),
        },
    }
}

/// The texts of the parts that are thoughts, or of those that are not.
fn texts(parts: &[Value], are_thoughts: bool) -> impl Iterator<Item = &str> {
    let is_thought = |part: &Value| part.get("thought") == Some(&Value::Bool(true));
    parts
        .iter()
        .filter(move |part| is_thought(part) == are_thoughts)
        .filter_map(|part| part.get("text")?.as_str())
}

/// The content as it came, unless it is plain text, which anyone can give back.
fn kept(candidate: &Map<String, Value>, parts: &[Value], info: &ModelInfo) -> Option<Part> {
    let is_plain =
        |part: &Value| part.get("text").is_some() && part.as_object().is_some_and(|fields| fields.len() == 1);
    if parts.iter().all(is_plain) {
        return None;
    }
    let content = candidate.get(CONTENT)?.clone();
    Some(native::part(
        NATIVE,
        Map::from_iter([(CONTENT.to_owned(), content)]),
        info,
    ))
}

/// The calls. In a turn that did not come to its end, nothing tells whether the last part is whole.
fn tool_calls(parts: &[Value], is_whole: bool, info: &ModelInfo) -> Result<Vec<ToolCallRequest>, ModelError> {
    let mut calls = Vec::new();
    let last = parts.len().saturating_sub(1);
    for (index, part) in parts.iter().enumerate() {
        let position = calls.len().saturating_add(1);
        let refuse = |fault| ModelError::InvalidToolCall { position, fault };
        let fields = part.as_object().ok_or_else(|| refuse(ToolCallFault::NotObject))?;
        let Some(function) = fields.get("functionCall") else {
            continue;
        };
        let function = function.as_object().ok_or_else(|| refuse(ToolCallFault::NoFunction))?;
        let id = |object: &'_ Map<String, Value>| object.get("id").and_then(Value::as_str).map(str::to_owned);
        let id = id(function).filter(|id| !id.trim().is_empty()).or_else(|| id(fields));
        let sent = SentCall {
            id: id.as_deref(),
            name: function.get("name").and_then(Value::as_str),
            arguments: function.get("args"),
            cut: if is_whole || index < last { Cut::No } else { Cut::Here },
        };
        calls.push(ToolCallRequest {
            provider_metadata: native::keep(fields, &[SIGNATURE], info),
            ..calls::accept(position, &sent)?
        });
    }
    calls::refuse_repeated_ids(&calls)?;
    Ok(calls)
}

#[cfg(test)]
mod tests;
