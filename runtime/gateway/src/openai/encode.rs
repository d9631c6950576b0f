//! Canonical messages in the chat-completions form.
//!
//! It adds no words of its own. Fields that other servers of this format don't know are sent only where a message needs them.

use innkeeper_protocol::model::{
    Message, MessageFault, ModelError, ModelInfo, ModelRequest, Part, Role, ToolCallRequest, ToolChoice, ToolOffer,
};
use serde_json::{Map, Value, json};

use super::{CALL_FIELDS, CONTENT_PART, REASONING_DETAILS};
use crate::native::own;
use crate::transcript::Orphans;
use crate::{message, settings};

/// Generation settings that are passed on under their own names.
const SETTINGS: [&str; 47] = [
    "chat_template_kwargs",
    "enable_thinking",
    "frequency_penalty",
    "grammar",
    "include_reasoning",
    "json_schema",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "metadata",
    "min_p",
    "min_tokens",
    "mirostat",
    "mirostat_eta",
    "mirostat_tau",
    "modalities",
    "models",
    "parallel_tool_calls",
    "plugins",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "provider",
    "random_seed",
    "reasoning",
    "reasoning_effort",
    "repeat_penalty",
    "repetition_penalty",
    "response_format",
    "route",
    "safe_prompt",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "temperature",
    "thinking",
    "top_a",
    "top_k",
    "top_logprobs",
    "top_p",
    "transforms",
    "typical_p",
    "user",
    "verbosity",
];

/// The request's body. Its keys come in the same order each time: prompt caches of servers depend on it.
pub(crate) fn body(request: &ModelRequest, info: &ModelInfo) -> Result<Value, ModelError> {
    let mut messages = Vec::with_capacity(request.messages.len());
    message::each(&request.messages, Orphans::Refused, |message| {
        messages.push(Value::Object(encode(message, info)?));
        Ok(())
    })?;
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(info.model));
    body.insert("messages".to_owned(), Value::Array(messages));
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
        body.insert("tool_choice".to_owned(), tool_choice(&request.tool_choice));
    }
    let known = SETTINGS.map(|name| (name, name));
    body.extend(settings::known(&request.settings, &known));
    body.insert("stream".to_owned(), Value::Bool(false));
    Ok(Value::Object(body))
}

fn tool(offer: &ToolOffer) -> Value {
    json!({
        "type": "function",
        "function": { "name": offer.alias, "description": offer.description, "parameters": offer.input_schema },
    })
}

fn tool_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Specific { alias } => {
            json!({ "type": "function", "function": { "name": alias } })
        }
    }
}

fn encode(message: &Message, info: &ModelInfo) -> Result<Map<String, Value>, MessageFault> {
    match message.role {
        Role::System => speech("system", message),
        Role::Developer => speech("developer", message),
        Role::User => speech("user", message),
        Role::Assistant => assistant(message, info),
        Role::Tool => tool_result(message),
    }
}

/// A message of someone who can neither call nor answer.
fn speech(role: &str, message: &Message) -> Result<Map<String, Value>, MessageFault> {
    message::check_speech(message)?;
    let mut encoded = opening(role, message);
    encoded.insert("content".to_owned(), content(message)?);
    Ok(encoded)
}

fn assistant(message: &Message, info: &ModelInfo) -> Result<Map<String, Value>, MessageFault> {
    message::check_speech(message)?;
    let calls: Vec<Value> = message.tool_calls().map(|call| tool_call(call, info)).collect();
    let content = match content(message)? {
        Value::String(text) if text.is_empty() && !calls.is_empty() => Value::Null,
        content => content,
    };
    let mut encoded = opening("assistant", message);
    encoded.insert("content".to_owned(), content);
    add_reasoning(&mut encoded, message, info);
    if !calls.is_empty() {
        encoded.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    Ok(encoded)
}

/// Some models need their thoughts back while a tool loop goes on.
fn add_reasoning(encoded: &mut Map<String, Value>, message: &Message, info: &ModelInfo) {
    let mut texts = Vec::new();
    for part in &message.parts {
        let Part::Reasoning {
            text,
            provider_metadata,
        } = part
        else {
            continue;
        };
        texts.extend(text.as_deref().filter(|text| !text.trim().is_empty()));
        if let Some(details) = own(provider_metadata, REASONING_DETAILS, info) {
            encoded.insert(REASONING_DETAILS.to_owned(), details.clone());
        }
    }
    if !texts.is_empty() {
        encoded.insert("reasoning_content".to_owned(), Value::String(texts.join("\n\n")));
    }
}

/// Arguments always go out as a text of JSON: several servers parse it and refuse the whole request where they cannot, so a text that
/// was no JSON goes out as a JSON string.
fn tool_call(call: &ToolCallRequest, info: &ModelInfo) -> Value {
    let arguments = Value::String(call.arguments.to_string());
    let function = message::object([("name", json!(call.alias)), ("arguments", arguments)]);
    let mut encoded = Map::new();
    encoded.insert("id".to_owned(), json!(call.call_id));
    encoded.insert("type".to_owned(), json!("function"));
    encoded.insert("function".to_owned(), function);
    for field in CALL_FIELDS {
        if let Some(value) = own(&call.provider_metadata, field, info) {
            encoded.insert(field.to_owned(), value.clone());
        }
    }
    Value::Object(encoded)
}

fn tool_result(message: &Message) -> Result<Map<String, Value>, MessageFault> {
    let result = message::result(message)?;
    let mut encoded = Map::new();
    encoded.insert("role".to_owned(), json!("tool"));
    encoded.insert("tool_call_id".to_owned(), json!(result.call_id));
    encoded.insert("name".to_owned(), json!(result.alias));
    encoded.insert("content".to_owned(), json!(result.content));
    Ok(encoded)
}

/// Role, and the speaker's name where there is one.
fn opening(role: &str, message: &Message) -> Map<String, Value> {
    let mut encoded = Map::new();
    encoded.insert("role".to_owned(), json!(role));
    if let Some(Value::String(name)) = message.provider_metadata.get("name") {
        encoded.insert("name".to_owned(), json!(name));
    }
    encoded
}

/// A text, or a list of parts where there is more than text.
fn content(message: &Message) -> Result<Value, MessageFault> {
    let is_more = |part: &Part| match part {
        Part::Media { .. } => true,
        Part::Native { provider, .. } => provider == CONTENT_PART,
        _ => false,
    };
    if !message.parts.iter().any(is_more) {
        return Ok(Value::String(message.text()));
    }
    let mut parts = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text { text } => parts.push(json!({ "type": "text", "text": text })),
            Part::Media { mime_type, value } => parts.push(media(mime_type, value)?),
            Part::Native { provider, value } if provider == CONTENT_PART => parts.push(value.clone()),
            Part::Native { .. }
            | Part::Reasoning { .. }
            | Part::ToolCall { .. }
            | Part::ToolResult { .. }
            | Part::ResourceRef { .. } => {}
        }
    }
    Ok(Value::Array(parts))
}

/// An image goes as a URL, a sound as bare base64.
fn media(mime_type: &str, value: &str) -> Result<Value, MessageFault> {
    let format = match mime_type {
        "audio/wav" | "audio/x-wav" => "wav",
        "audio/mpeg" | "audio/mp3" => "mp3",
        _ => {
            let url = message::image_url(mime_type, value)?;
            let image = message::object([("url", Value::String(url))]);
            return Ok(message::object([("type", json!("image_url")), ("image_url", image)]));
        }
    };
    let data = message::base64_of(value).ok_or(MessageFault::UnsupportedMedia)?;
    Ok(json!({ "type": "input_audio", "input_audio": { "data": data, "format": format } }))
}

#[cfg(test)]
mod tests;
