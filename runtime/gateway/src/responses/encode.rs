//! Canonical messages as items of the Responses format.
//!
//! It adds no words of its own. Thoughts of other models are not sent: their seals mean nothing here.

use innkeeper_protocol::model::{
    LastAnswer, Message, MessageFault, ModelError, ModelInfo, ModelRequest, Part, ProviderState, ProviderStateFault,
    Role, ToolCallRequest, ToolChoice, ToolOffer,
};
use serde_json::{Map, Value, json};

use super::{ITEMS, NATIVE, PREVIOUS_RESPONSE};
use crate::settings::Known;
use crate::transcript::Orphans;
use crate::{message, native, settings};

/// Generation settings, and what they are called here.
const SETTINGS: [Known; 18] = [
    ("max_output_tokens", "max_output_tokens"),
    ("max_completion_tokens", "max_output_tokens"),
    ("max_tokens", "max_output_tokens"),
    ("metadata", "metadata"),
    ("parallel_tool_calls", "parallel_tool_calls"),
    ("prompt_cache_key", "prompt_cache_key"),
    ("reasoning", "reasoning"),
    ("reasoning_effort", EFFORT),
    ("safety_identifier", "safety_identifier"),
    ("service_tier", "service_tier"),
    ("store", STORE),
    ("temperature", "temperature"),
    ("text", "text"),
    ("top_logprobs", "top_logprobs"),
    ("top_p", "top_p"),
    ("truncation", "truncation"),
    ("user", "user"),
    ("verbosity", VERBOSITY),
];

/// Settings that stand by themselves in chat completions and inside of another one here.
const EFFORT: &str = "reasoning_effort";
const VERBOSITY: &str = "verbosity";

/// Whether the provider keeps the conversation.
const STORE: &str = "store";

/// What the answer shall hold beside its text: the model's thoughts, sealed, so that they can be sent back.
const SEALED_REASONING: &str = "reasoning.encrypted_content";

/// The request's body. Its keys come in the same order each time: prompt caches of servers depend on it.
pub(crate) fn body(request: &ModelRequest, info: &ModelInfo) -> Result<Value, ModelError> {
    let continued = continuation(request, info)?;
    let (skipped, orphans) = match &continued {
        Some((_, cursor)) => (*cursor, Orphans::OfEarlierCalls),
        None => (0, Orphans::Refused),
    };
    let mut input = Vec::new();
    let mut index = 0_usize;
    message::each(&request.messages, orphans, |message| {
        // What the model has said, the provider knows.
        let is_known = index < skipped || (continued.is_some() && message.role == Role::Assistant);
        index = index.saturating_add(1);
        if !is_known {
            input.extend(items(message, info)?);
        }
        Ok(())
    })?;
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(info.model));
    if let Some((response_id, _)) = continued {
        body.insert(PREVIOUS_RESPONSE.to_owned(), json!(response_id));
    }
    body.insert("input".to_owned(), Value::Array(input));
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
        body.insert("tool_choice".to_owned(), tool_choice(&request.tool_choice));
    }
    body.insert(STORE.to_owned(), Value::Bool(false));
    body.insert("include".to_owned(), json!([SEALED_REASONING]));
    body.extend(nested_settings(&request.settings));
    body.insert("stream".to_owned(), Value::Bool(false));
    Ok(Value::Object(body))
}

/// The settings, with those that this format keeps inside of others put there.
fn nested_settings(settings: &Map<String, Value>) -> Map<String, Value> {
    let mut known = settings::known(settings, &SETTINGS);
    for (name, outer, inner) in [(EFFORT, "reasoning", "effort"), (VERBOSITY, "text", "verbosity")] {
        let Some(value) = known.shift_remove(name) else {
            continue;
        };
        let outer = known.entry(outer).or_insert_with(|| json!({}));
        if let Some(outer) = outer.as_object_mut() {
            outer.entry(inner).or_insert(value);
        }
    }
    known
}

/// The stored response that the conversation goes on from, and how many messages came before it; none where the provider stores nothing,
/// has said nothing yet, or was another one.
fn continuation<'a>(request: &'a ModelRequest, info: &ModelInfo) -> Result<Option<(&'a str, usize)>, ModelError> {
    let last = request.provider_state.as_ref().and_then(ProviderState::last);
    let is_own = |last: &&LastAnswer| last.model == *info;
    let Some(last) = last.filter(is_own).filter(|_| settings::is_on(request, STORE)) else {
        return Ok(None);
    };
    let refuse = |fault| Err(ModelError::ProviderStateInvalid { fault });
    let Some(id) = last.response_id.as_deref().filter(|id| !id.trim().is_empty()) else {
        return refuse(ProviderStateFault::NoResponseId);
    };
    if last.message_cursor > request.messages.len() {
        return refuse(ProviderStateFault::CursorBeyondEnd);
    }
    Ok(Some((id, last.message_cursor)))
}

fn tool(offer: &ToolOffer) -> Value {
    json!({
        "type": "function",
        "name": offer.alias,
        "description": offer.description,
        "parameters": offer.input_schema,
        "strict": false,
    })
}

fn tool_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Specific { alias } => json!({ "type": "function", "name": alias }),
    }
}

fn items(message: &Message, info: &ModelInfo) -> Result<Vec<Value>, MessageFault> {
    match message.role {
        Role::System | Role::Developer => Ok(vec![speech("developer", message)?]),
        Role::User => Ok(vec![speech("user", message)?]),
        Role::Assistant => assistant(message, info),
        Role::Tool => {
            let result = message::result(message)?;
            Ok(vec![json!({
                "type": "function_call_output",
                "call_id": result.call_id,
                "output": result.content,
            })])
        }
    }
}

fn speech(role: &str, message: &Message) -> Result<Value, MessageFault> {
    message::check_speech(message)?;
    let mut content = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text { text } => content.push(json!({ "type": "input_text", "text": text })),
            Part::Media { mime_type, value } => {
                let url = message::image_url(mime_type, value)?;
                let url = Value::String(url);
                content.push(message::object([("type", json!("input_image")), ("image_url", url)]));
            }
            _ => {}
        }
    }
    if content.is_empty() {
        content.push(json!({ "type": "input_text", "text": "" }));
    }
    Ok(item(role, content))
}

fn item(role: &str, content: Vec<Value>) -> Value {
    let content = Value::Array(content);
    message::object([("type", json!("message")), ("role", json!(role)), ("content", content)])
}

/// The items as they came, or a message and calls made of the portable parts.
fn assistant(message: &Message, info: &ModelInfo) -> Result<Vec<Value>, MessageFault> {
    message::check_speech(message)?;
    let own = native::of_message(message, NATIVE, info).and_then(|kept| kept.get(ITEMS)?.as_array());
    if let Some(items) = own {
        return Ok(items.clone());
    }
    if message.parts.iter().any(|part| matches!(part, Part::Media { .. })) {
        return Err(MessageFault::UnsupportedMedia);
    }
    let mut items = Vec::new();
    let text = message.text();
    if !text.is_empty() || message.tool_calls().next().is_none() {
        let said = message::object([("type", json!("output_text")), ("text", Value::String(text))]);
        items.push(item("assistant", vec![said]));
    }
    items.extend(message.tool_calls().map(function_call));
    Ok(items)
}

fn function_call(call: &ToolCallRequest) -> Value {
    message::object([
        ("type", json!("function_call")),
        ("call_id", json!(call.call_id)),
        ("name", json!(call.alias)),
        ("arguments", Value::String(call.arguments.to_string())),
    ])
}

#[cfg(test)]
mod tests;
