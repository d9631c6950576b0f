//! Canonical messages in the messages format.
//!
//! It adds no words of its own. Thoughts without their provider's signature are not sent: the server would refuse them.

use innkeeper_protocol::id::CallId;
use innkeeper_protocol::model::{
    Message, MessageFault, ModelError, ModelInfo, ModelRequest, Part, Role, ToolCallRequest, ToolChoice, ToolOffer,
    ToolResultPart,
};
use serde_json::{Map, Value, json};

use super::{BLOCKS, NATIVE};
use crate::schema::for_claude;
use crate::settings::Known;
use crate::transcript::Orphans;
use crate::{message, native, settings};

/// Generation settings, and what they are called here.
const SETTINGS: [Known; 12] = [
    ("context_management", "context_management"),
    ("max_tokens", "max_tokens"),
    ("max_completion_tokens", "max_tokens"),
    ("metadata", "metadata"),
    ("output_config", "output_config"),
    ("service_tier", "service_tier"),
    ("stop_sequences", "stop_sequences"),
    ("stop", "stop_sequences"),
    ("temperature", "temperature"),
    ("thinking", "thinking"),
    ("top_k", "top_k"),
    ("top_p", "top_p"),
];

/// The setting that chat completions have for several calls beside each other; here it is a part of the choice.
const PARALLEL: &str = "parallel_tool_calls";

/// Most tokens of an answer where no setting says it; the format wants a number. Every model
/// since Claude 3.5 accepts this one.
const DEFAULT_MAX_TOKENS: u32 = 8_192;

/// Stands where the format wants a text and there is none: empty and blank texts are refused, this character is not.
const NO_TEXT: &str = "\u{200B}";

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
            system.extend(texts(message));
            return Ok(());
        }
        conversation.add(message, info)
    })?;
    let mut settings = settings::known(&request.settings, &SETTINGS);
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(info.model));
    let max_tokens = settings.shift_remove("max_tokens");
    body.insert(
        "max_tokens".to_owned(),
        max_tokens.unwrap_or_else(|| json!(DEFAULT_MAX_TOKENS)),
    );
    if !system.is_empty() {
        body.insert("system".to_owned(), Value::Array(system));
    }
    body.insert("messages".to_owned(), conversation.finish());
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
        let mut choice = tool_choice(&request.tool_choice);
        if settings::is_off(request, PARALLEL) && request.tool_choice != ToolChoice::None {
            choice.insert("disable_parallel_tool_use".to_owned(), Value::Bool(true));
        }
        body.insert("tool_choice".to_owned(), Value::Object(choice));
    }
    if let Some(stop) = settings.get_mut("stop_sequences") {
        *stop = settings::listed(stop.take());
    }
    body.extend(settings);
    body.insert("stream".to_owned(), Value::Bool(false));
    Ok(Value::Object(body))
}

fn tool(offer: &ToolOffer) -> Value {
    let mut encoded = Map::new();
    encoded.insert("name".to_owned(), json!(offer.alias));
    if !offer.description.is_empty() {
        encoded.insert("description".to_owned(), json!(offer.description));
    }
    encoded.insert("input_schema".to_owned(), for_claude(&offer.input_schema));
    Value::Object(encoded)
}

/// "None" is said, not left out: a request without a choice means that the model may call as it likes, and the tools themselves must
/// stay in a request whose conversation holds calls.
fn tool_choice(choice: &ToolChoice) -> Map<String, Value> {
    let (kind, name) = match choice {
        ToolChoice::Auto => ("auto", None),
        ToolChoice::None => ("none", None),
        ToolChoice::Required => ("any", None),
        ToolChoice::Specific { alias } => ("tool", Some(alias)),
    };
    let name = name.map(|alias| ("name".to_owned(), json!(alias)));
    std::iter::once(("type".to_owned(), json!(kind))).chain(name).collect()
}

/// The messages so far. Neighbours of one role become one message, so that all results of a turn stand together.
#[derive(Default)]
struct Conversation {
    turns: Vec<(&'static str, Vec<Value>)>,
    /// Images of the assistant, which only a user can send.
    images: Vec<Value>,
    /// Whether the last turn of the assistant went out as it came, and so with its ids as they came.
    is_verbatim: bool,
}

impl Conversation {
    fn add(&mut self, message: &Message, info: &ModelInfo) -> Result<(), MessageFault> {
        match message.role {
            Role::Tool => {
                let result = message::result(message)?;
                let id = self.wire_id(&result.call_id);
                self.push("user", vec![tool_result(result, id)]);
            }
            Role::Assistant => self.add_assistant(message, info)?,
            Role::System | Role::Developer | Role::User => {
                message::check_speech(message)?;
                let mut blocks = std::mem::take(&mut self.images);
                blocks.extend(speech(message)?);
                self.push("user", blocks);
            }
        }
        Ok(())
    }

    fn add_assistant(&mut self, message: &Message, info: &ModelInfo) -> Result<(), MessageFault> {
        message::check_speech(message)?;
        self.flush_images();
        if self.turns.is_empty() {
            // The format lets the user speak first.
            self.push("user", vec![text(NO_TEXT)]);
        }
        self.images.extend(images(message)?);
        let own = native::of_message(message, NATIVE, info).and_then(|kept| kept.get(BLOCKS)?.as_array());
        self.is_verbatim = own.is_some();
        let blocks = match own {
            Some(blocks) => blocks.clone(),
            None => texts(message).chain(message.tool_calls().map(tool_use)).collect(),
        };
        self.push("assistant", blocks);
        Ok(())
    }

    fn wire_id(&self, id: &CallId) -> String {
        if self.is_verbatim {
            id.as_str().to_owned()
        } else {
            wire_id(id)
        }
    }

    fn push(&mut self, role: &'static str, blocks: Vec<Value>) {
        match self.turns.last_mut() {
            Some((last, before)) if *last == role => before.extend(blocks),
            _ => self.turns.push((role, blocks)),
        }
    }

    fn flush_images(&mut self) {
        let images = std::mem::take(&mut self.images);
        if !images.is_empty() {
            self.push("user", images);
        }
    }

    fn finish(mut self) -> Value {
        self.flush_images();
        let encoded = self.turns.into_iter().map(|(role, mut blocks)| {
            if blocks.is_empty() {
                blocks.push(text(NO_TEXT));
            }
            message::object([("role", json!(role)), ("content", Value::Array(blocks))])
        });
        encoded.collect()
    }
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// The texts that the format accepts.
fn texts(message: &Message) -> impl Iterator<Item = Value> {
    message.parts.iter().filter_map(|part| match part {
        Part::Text { text: said } if !said.trim().is_empty() => Some(text(said)),
        _ => None,
    })
}

/// Texts and images, in their order.
fn speech(message: &Message) -> Result<Vec<Value>, MessageFault> {
    let mut blocks = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text { text: said } if !said.trim().is_empty() => blocks.push(text(said)),
            Part::Media { mime_type, value } => blocks.push(image(mime_type, value)?),
            _ => {}
        }
    }
    Ok(blocks)
}

fn images(message: &Message) -> Result<Vec<Value>, MessageFault> {
    let media = message.parts.iter().filter_map(|part| match part {
        Part::Media { mime_type, value } => Some(image(mime_type, value)),
        _ => None,
    });
    media.collect()
}

fn image(mime_type: &str, value: &str) -> Result<Value, MessageFault> {
    let data = message::base64_of(value).filter(|_| mime_type.starts_with("image/"));
    let data = data.ok_or(MessageFault::UnsupportedMedia)?;
    Ok(json!({ "type": "image", "source": { "type": "base64", "media_type": mime_type, "data": data } }))
}

fn tool_use(call: &ToolCallRequest) -> Value {
    message::object([
        ("type", json!("tool_use")),
        ("id", Value::String(wire_id(&call.call_id))),
        ("name", json!(call.alias)),
        ("input", message::object_arguments(&call.arguments)),
    ])
}

fn tool_result(result: &ToolResultPart, id: String) -> Value {
    let mut encoded = Map::new();
    encoded.insert("type".to_owned(), json!("tool_result"));
    encoded.insert("tool_use_id".to_owned(), Value::String(id));
    encoded.insert("content".to_owned(), json!(result.content));
    if result.is_error {
        encoded.insert("is_error".to_owned(), Value::Bool(true));
    }
    Value::Object(encoded)
}

/// The format takes letters, digits, `_` and `-` only. Ids of its own models are sent as they came; another provider's id with other
/// bytes goes out with those in hexadecimal, the same way for a call and for its result.
fn wire_id(id: &CallId) -> String {
    let mut wire = String::new();
    for byte in id.as_str().bytes() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'_' => wire.push(char::from(byte)),
            _ => wire.push_str(&format!("_{byte:02x}")),
        }
    }
    wire
}

#[cfg(test)]
mod tests;
