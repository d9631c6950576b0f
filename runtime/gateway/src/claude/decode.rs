//! An answer in the messages format as a canonical turn.
//!
//! The blocks are kept whole beside what is read out of them, because the server wants its thoughts back unchanged. What is missing
//! stays missing; above all, no call id is made up.

use innkeeper_protocol::model::{
    Excerpt, ModelError, ModelInfo, ModelResponse, Part, ProviderAnswer, ResponseFault, ToolCallFault, ToolCallRequest,
};
use serde_json::{Map, Value, json};

use super::{BLOCKS, NATIVE};
use crate::calls::{self, Cut, SentCall};
use crate::http::status;
use crate::turn::{MetadataFields, Pieces, thought};
use crate::{message, native};

/// Where this format tells about an answer.
const FIELDS: MetadataFields = MetadataFields {
    id: "id",
    model: "model",
    usage: "usage",
};

/// Reasons for the end of a turn after which all of it is whole.
const WHOLE: [&str; 4] = ["end_turn", "tool_use", "stop_sequence", "pause_turn"];

/// The reason that tells that prompt and answer together filled the context.
const CONTEXT_FULL: &str = "model_context_window_exceeded";

/// Makes a turn of a body. `excerpt` cuts a server's words and takes our secrets out of them.
pub(crate) fn turn(
    body: Map<String, Value>,
    info: &ModelInfo,
    excerpt: impl Fn(&str) -> Excerpt,
) -> Result<ModelResponse, ModelError> {
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        return Err(status::reported(error, excerpt));
    }
    let blocks = blocks(&body)?;
    let stop_reason = body.get("stop_reason").and_then(Value::as_str);
    if blocks.is_empty() && stop_reason == Some(CONTEXT_FULL) {
        return Err(ModelError::ContextOverflow(ProviderAnswer {
            status: None,
            detail: excerpt(CONTEXT_FULL),
            retry_after_ms: None,
        }));
    }
    let is_whole = stop_reason.is_none_or(|reason| WHOLE.contains(&reason));
    let pieces = Pieces {
        text: joined(&blocks),
        thoughts: blocks.iter().filter_map(thinking).collect(),
        natives: kept(&blocks, info).into_iter().collect(),
        calls: tool_calls(&blocks, is_whole)?,
    };
    Ok(pieces.response(body, &FIELDS, info))
}

/// The blocks of the turn; a plain text is one block.
fn blocks(body: &Map<String, Value>) -> Result<Vec<Value>, ModelError> {
    let refuse = |fault| ModelError::InvalidResponse { fault };
    match body.get("content") {
        Some(Value::Array(blocks)) => Ok(blocks.clone()),
        Some(Value::String(text)) => Ok(vec![json!({ "type": "text", "text": text })]),
        None | Some(Value::Null) => Err(refuse(ResponseFault::NoMessage)),
        Some(_) => Err(refuse(ResponseFault::Content)),
    }
}

fn is_of(block: &Value, kind: &str) -> bool {
    block.get("type").and_then(Value::as_str) == Some(kind)
}

fn joined(blocks: &[Value]) -> String {
    let texts = blocks.iter().filter(|block| is_of(block, "text"));
    texts.filter_map(|block| block.get("text")?.as_str()).collect()
}

/// What the model shows of its thoughts; sealed ones (`redacted_thinking`) are only kept.
fn thinking(block: &Value) -> Option<Part> {
    let text = block.get("thinking").filter(|_| is_of(block, "thinking"))?.as_str()?;
    thought(text, "thinking")
}

/// All blocks as they came, unless they are plain text, which anyone can give back. Only arguments that are no object, which a
/// stream can leave behind, are put into one: the server would refuse its own turn.
fn kept(blocks: &[Value], info: &ModelInfo) -> Option<Part> {
    let is_plain = |block: &Value| is_of(block, "text") && block.as_object().is_some_and(|fields| fields.len() == 2);
    if blocks.iter().all(is_plain) {
        return None;
    }
    let fields = Map::from_iter([(BLOCKS.to_owned(), blocks.iter().map(acceptable).collect())]);
    Some(native::part(NATIVE, fields, info))
}

fn acceptable(block: &Value) -> Value {
    let mut block = block.clone();
    if is_of(&block, "tool_use")
        && let Some(input) = block.get_mut("input").filter(|input| !input.is_object())
    {
        *input = message::object_arguments(input);
    }
    block
}

/// The calls. A turn that did not come to its end was cut in its last block, and nothing in a call tells whether it is whole.
fn tool_calls(blocks: &[Value], is_whole: bool) -> Result<Vec<ToolCallRequest>, ModelError> {
    let mut calls = Vec::new();
    let last = blocks.len().saturating_sub(1);
    for (index, block) in blocks.iter().enumerate() {
        let position = calls.len().saturating_add(1);
        let Some(fields) = block.as_object() else {
            let fault = ToolCallFault::NotObject;
            return Err(ModelError::InvalidToolCall { position, fault });
        };
        if !is_of(block, "tool_use") {
            continue;
        }
        let sent = SentCall {
            id: fields.get("id").and_then(Value::as_str),
            name: fields.get("name").and_then(Value::as_str),
            arguments: fields.get("input"),
            cut: if is_whole || index < last { Cut::No } else { Cut::Here },
        };
        calls.push(calls::accept(position, &sent)?);
    }
    calls::refuse_repeated_ids(&calls)?;
    Ok(calls)
}

#[cfg(test)]
mod tests;
