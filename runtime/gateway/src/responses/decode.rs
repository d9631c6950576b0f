//! An answer in the Responses format as a canonical turn.
//!
//! The items are kept whole beside what is read out of them, because the server wants its sealed thoughts back before their calls.
//! What is missing stays missing; above all, no call id is made up.

use innkeeper_protocol::model::{
    Excerpt, ModelError, ModelInfo, ModelResponse, Part, ResponseFault, ToolCallFault, ToolCallRequest,
};
use serde_json::{Map, Value};

use super::{ITEMS, NATIVE, RESPONSE_ID};
use crate::calls::{self, Cut, SentCall};
use crate::http::status;
use crate::native;
use crate::turn::{MetadataFields, Pieces, thought};

/// Where this format tells about an answer.
const FIELDS: MetadataFields = MetadataFields {
    id: "id",
    model: "model",
    usage: "usage",
};

/// Calls of kinds that are never offered: nothing here can answer them, and the conversation cannot go on without an answer.
const UNANSWERABLE: [&str; 6] = [
    "apply_patch_call",
    "computer_call",
    "custom_tool_call",
    "local_shell_call",
    "mcp_approval_request",
    "shell_call",
];

/// Makes a turn of a body. `excerpt` cuts a server's words and takes our secrets out of them.
pub(crate) fn turn(
    body: Map<String, Value>,
    info: &ModelInfo,
    excerpt: impl Fn(&str) -> Excerpt,
) -> Result<ModelResponse, ModelError> {
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        return Err(status::reported(error, excerpt));
    }
    let status = body.get("status").and_then(Value::as_str);
    if let Some(status @ ("failed" | "cancelled")) = status {
        return Err(status::reported(&Value::from(status), excerpt));
    }
    let items = match body.get("output") {
        Some(Value::Array(items)) => items,
        None | Some(Value::Null) => return Err(refusal(ResponseFault::NoMessage)),
        Some(_) => return Err(refusal(ResponseFault::Content)),
    };
    let pieces = Pieces {
        text: text(items),
        thoughts: items.iter().filter_map(reasoning).collect(),
        natives: kept(&body, items, info).into_iter().collect(),
        calls: tool_calls(items, status == Some("incomplete"))?,
    };
    Ok(pieces.response(body, &FIELDS, info))
}

fn refusal(fault: ResponseFault) -> ModelError {
    ModelError::InvalidResponse { fault }
}

fn kind_of(item: &Value) -> Option<&str> {
    item.get("type").and_then(Value::as_str)
}

/// The texts of a list of parts that are of a kind.
fn texts<'a>(item: &'a Value, list: &str, kind: &'a str, field: &'a str) -> impl Iterator<Item = &'a str> {
    let parts = item.get(list).and_then(Value::as_array).into_iter().flatten();
    parts
        .filter(move |part| kind_of(part) == Some(kind))
        .filter_map(move |part| part.get(field)?.as_str())
}

/// All texts of all messages. A refusal counts as text where there is no other.
fn text(items: &[Value]) -> String {
    let messages = || items.iter().filter(|item| kind_of(item) == Some("message"));
    let said: String = messages()
        .flat_map(|item| texts(item, "content", "output_text", "text"))
        .collect();
    if said.trim().is_empty() {
        let refused: String = messages()
            .flat_map(|item| texts(item, "content", "refusal", "refusal"))
            .collect();
        if !refused.is_empty() {
            return refused;
        }
    }
    said
}

/// What the model shows of its thoughts: their summaries, or where there are none, their text.
fn reasoning(item: &Value) -> Option<Part> {
    if kind_of(item) != Some("reasoning") {
        return None;
    }
    let joined = |list, kind| texts(item, list, kind, "text").collect::<Vec<_>>().join("\n\n");
    thought(&joined("summary", "summary_text"), "summary")
        .or_else(|| thought(&joined("content", "reasoning_text"), "content"))
}

fn kept(body: &Map<String, Value>, items: &[Value], info: &ModelInfo) -> Option<Part> {
    if items.is_empty() {
        return None;
    }
    let mut fields = Map::new();
    if let Some(id) = body.get("id").filter(|id| id.is_string()) {
        fields.insert(RESPONSE_ID.to_owned(), id.clone());
    }
    fields.insert(ITEMS.to_owned(), Value::Array(items.to_vec()));
    Some(native::part(NATIVE, fields, info))
}

fn tool_calls(items: &[Value], is_cut: bool) -> Result<Vec<ToolCallRequest>, ModelError> {
    let mut calls = Vec::new();
    for item in items {
        let position = calls.len().saturating_add(1);
        let refuse = |fault| Err(ModelError::InvalidToolCall { position, fault });
        let Some(fields) = item.as_object() else {
            return refuse(ToolCallFault::NotObject);
        };
        match kind_of(item) {
            Some("function_call") => calls.push(calls::accept(position, &function_call(fields, is_cut))?),
            Some(kind) if UNANSWERABLE.contains(&kind) => return refuse(ToolCallFault::NoFunction),
            _ => {}
        }
    }
    calls::refuse_repeated_ids(&calls)?;
    Ok(calls)
}

/// `call_id` pairs a call with its output; `id` names the item, and stands in where a server knows only one of them.
fn function_call(fields: &Map<String, Value>, is_cut: bool) -> SentCall<'_> {
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    let is_whole = text("status").is_none_or(|status| status == "completed");
    SentCall {
        id: text("call_id")
            .filter(|id| !id.trim().is_empty())
            .or_else(|| text("id")),
        name: text("name"),
        arguments: fields.get("arguments"),
        cut: match (is_whole, is_cut) {
            (false, _) => Cut::Here,
            (true, true) => Cut::Perhaps,
            (true, false) => Cut::No,
        },
    }
}

#[cfg(test)]
mod tests;
