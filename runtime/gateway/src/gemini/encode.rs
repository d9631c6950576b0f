//! Canonical messages as contents of the Gemini format.
//!
//! It adds no words of its own. Thoughts without their provider's signature are not sent.

use innkeeper_protocol::model::{
    Message, MessageFault, ModelError, ModelInfo, ModelRequest, Part, Role, ToolCallRequest, ToolChoice, ToolOffer,
    ToolResultPart,
};
use serde_json::{Map, Value, json};

use super::{CONTENT, NATIVE, SIGNATURE};
use crate::provider::bare_gemini_name;
use crate::schema::for_gemini;
use crate::settings::Known;
use crate::transcript::Orphans;
use crate::{message, native, settings};

/// Generation settings, and what they are called here.
const SETTINGS: [Known; 19] = [
    ("frequencyPenalty", "frequencyPenalty"),
    ("frequency_penalty", "frequencyPenalty"),
    ("maxOutputTokens", "maxOutputTokens"),
    ("max_completion_tokens", "maxOutputTokens"),
    ("max_tokens", "maxOutputTokens"),
    ("presencePenalty", "presencePenalty"),
    ("presence_penalty", "presencePenalty"),
    ("responseMimeType", "responseMimeType"),
    ("responseModalities", "responseModalities"),
    ("responseSchema", "responseSchema"),
    ("seed", "seed"),
    ("stopSequences", STOP),
    ("stop", STOP),
    ("temperature", "temperature"),
    ("thinkingConfig", "thinkingConfig"),
    ("topK", "topK"),
    ("top_k", "topK"),
    ("topP", "topP"),
    ("top_p", "topP"),
];

/// Texts that end an answer.
const STOP: &str = "stopSequences";

/// A host's switch for the provider's own web search.
const WEB_SEARCH: &str = "enable_web_search";

/// The provider's filters. All are switched off: what a story may tell is the person's decision.
const HARM_CATEGORIES: [&str; 5] = [
    "HARM_CATEGORY_HARASSMENT",
    "HARM_CATEGORY_HATE_SPEECH",
    "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "HARM_CATEGORY_DANGEROUS_CONTENT",
    "HARM_CATEGORY_CIVIC_INTEGRITY",
];

/// Models that refuse a call without a signature begin with this name.
const SIGNING_MODELS: &str = "gemini-3";

/// What the provider's documentation gives for calls that its own model did not make.
const SKIP_SIGNATURE: &str = "skip_thought_signature_validator";

/// The request's body. Its keys come in the same order each time: prompt caches of servers depend on it.
pub(crate) fn body(request: &ModelRequest, info: &ModelInfo) -> Result<Value, ModelError> {
    let rules = if settings::uses_system_prompt(request) {
        message::leading_rules(&request.messages)
    } else {
        0
    };
    let mut system = Vec::new();
    let mut conversation = Conversation::default();
    let mut left = rules;
    message::each(&request.messages, Orphans::Refused, |message| {
        if left > 0 {
            left = left.saturating_sub(1);
            message::check_speech(message)?;
            system.push(message.text());
            return Ok(());
        }
        conversation.add(message, info)
    })?;
    system.retain(|text| !text.trim().is_empty());
    let mut body = Map::new();
    if !system.is_empty() {
        let text = system.join("\n\n");
        body.insert("systemInstruction".to_owned(), json!({ "parts": [{ "text": text }] }));
    }
    body.insert("contents".to_owned(), Value::Array(conversation.contents));
    add_tools(&mut body, request);
    body.insert(
        "safetySettings".to_owned(),
        HARM_CATEGORIES.into_iter().map(unfiltered).collect(),
    );
    body.insert("generationConfig".to_owned(), generation_config(request));
    Ok(Value::Object(body))
}

fn unfiltered(category: &str) -> Value {
    json!({ "category": category, "threshold": "OFF" })
}

fn generation_config(request: &ModelRequest) -> Value {
    let mut config = Map::from_iter([("candidateCount".to_owned(), json!(1))]);
    config.extend(settings::known(&request.settings, &SETTINGS));
    if let Some(stop) = config.get_mut(STOP) {
        *stop = settings::listed(stop.take());
    }
    Value::Object(config)
}

/// The tools and the choice among them. The provider's own search cannot stand beside them.
fn add_tools(body: &mut Map<String, Value>, request: &ModelRequest) {
    if request.tools.is_empty() {
        if settings::is_on(request, WEB_SEARCH) {
            body.insert("tools".to_owned(), json!([{ "googleSearch": {} }]));
        }
        return;
    }
    let declarations: Vec<Value> = request.tools.iter().map(declaration).collect();
    body.insert("tools".to_owned(), json!([{ "functionDeclarations": declarations }]));
    let config = calling_config(&request.tool_choice);
    body.insert("toolConfig".to_owned(), json!({ "functionCallingConfig": config }));
}

fn declaration(offer: &ToolOffer) -> Value {
    let mut encoded = Map::new();
    encoded.insert("name".to_owned(), json!(offer.alias));
    encoded.insert("description".to_owned(), json!(offer.description));
    if let Some(parameters) = for_gemini(&offer.input_schema) {
        encoded.insert("parameters".to_owned(), parameters);
    }
    Value::Object(encoded)
}

fn calling_config(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!({ "mode": "AUTO" }),
        ToolChoice::None => json!({ "mode": "NONE" }),
        ToolChoice::Required => json!({ "mode": "ANY" }),
        ToolChoice::Specific { alias } => json!({ "mode": "ANY", "allowedFunctionNames": [alias] }),
    }
}

/// The contents so far. Neighbours of one role stay apart, but the results of one turn stand together: the server counts them against
/// the calls.
#[derive(Default)]
struct Conversation {
    contents: Vec<Value>,
    /// Whether the last content holds results.
    ends_in_results: bool,
}

impl Conversation {
    fn add(&mut self, message: &Message, info: &ModelInfo) -> Result<(), MessageFault> {
        match message.role {
            Role::Tool => {
                let response = function_response(message::result(message)?);
                self.add_result(response);
                return Ok(());
            }
            Role::Assistant => self.contents.push(model(message, info)?),
            Role::System | Role::Developer | Role::User => {
                message::check_speech(message)?;
                let parts = or_empty_text(speech(message)?);
                self.contents.push(content("user", parts));
            }
        }
        self.ends_in_results = false;
        Ok(())
    }

    fn add_result(&mut self, response: Value) {
        let parts = self.contents.last_mut().and_then(|last| last.get_mut("parts"));
        match parts.and_then(Value::as_array_mut).filter(|_| self.ends_in_results) {
            Some(parts) => parts.push(response),
            None => self.contents.push(content("user", vec![response])),
        }
        self.ends_in_results = true;
    }
}

/// The content as it came, or one made of the portable parts.
fn model(message: &Message, info: &ModelInfo) -> Result<Value, MessageFault> {
    message::check_speech(message)?;
    let own = native::of_message(message, NATIVE, info).and_then(|kept| kept.get(CONTENT)?.get("parts")?.as_array());
    if let Some(parts) = own {
        return Ok(content("model", parts.clone()));
    }
    let mut parts = speech(message)?;
    parts.extend(message.tool_calls().map(|call| function_call(call, info)));
    Ok(content("model", or_empty_text(parts)))
}

fn content(role: &str, parts: Vec<Value>) -> Value {
    message::object([("role", json!(role)), ("parts", Value::Array(parts))])
}

/// Texts and media, in their order.
fn speech(message: &Message) -> Result<Vec<Value>, MessageFault> {
    let mut parts = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text { text } if !text.is_empty() => parts.push(json!({ "text": text })),
            Part::Media { mime_type, value } => {
                let data = message::base64_of(value).ok_or(MessageFault::UnsupportedMedia)?;
                parts.push(json!({ "inlineData": { "mimeType": mime_type, "data": data } }));
            }
            _ => {}
        }
    }
    Ok(parts)
}

fn or_empty_text(mut parts: Vec<Value>) -> Vec<Value> {
    if parts.is_empty() {
        parts.push(json!({ "text": "" }));
    }
    parts
}

fn function_call(call: &ToolCallRequest, info: &ModelInfo) -> Value {
    let mut encoded = Map::new();
    let function = message::object([
        ("id", json!(call.call_id)),
        ("name", json!(call.alias)),
        ("args", message::object_arguments(&call.arguments)),
    ]);
    encoded.insert("functionCall".to_owned(), function);
    let own = native::own(&call.provider_metadata, SIGNATURE, info).cloned();
    let must_sign = bare_gemini_name(&info.model).starts_with(SIGNING_MODELS);
    if let Some(signature) = own.or_else(|| must_sign.then(|| json!(SKIP_SIGNATURE))) {
        encoded.insert(SIGNATURE.to_owned(), signature);
    }
    Value::Object(encoded)
}

/// The response must be an object: a text that is one is taken as it is, any other stands in one.
fn function_response(result: &ToolResultPart) -> Value {
    let response = match serde_json::from_str(&result.content) {
        Ok(Value::Object(response)) => Value::Object(response),
        _ => json!({ "content": result.content }),
    };
    let answer = message::object([
        ("id", json!(result.call_id)),
        ("name", json!(result.alias)),
        ("response", response),
    ]);
    message::object([("functionResponse", answer)])
}

#[cfg(test)]
mod tests;
