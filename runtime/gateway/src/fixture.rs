//! What the tests of several formats build their conversations from.
//!
//! Test code only; nothing of a wire format is in here.

use std::sync::Mutex;

use innkeeper_protocol::id::{CallId, ModelAlias};
use innkeeper_protocol::model::{
    LiveDelta, LiveSink, Message, ModelError, ModelInfo, ModelRequest, ModelResponse, Part, Role, ToolCallRequest,
    ToolOffer, ToolResultPart,
};
use serde_json::{Map, Value, json};

use crate::provider::Provider;
use crate::stream::StreamDecoder;

pub(crate) fn info(provider: Provider) -> ModelInfo {
    ModelInfo {
        source: provider.source().into(),
        format: provider.format().into(),
        model: "m".into(),
        can_stream: true,
    }
}

/// The same provider's other model, which cannot read the first one's native parts.
pub(crate) fn other_model(provider: Provider) -> ModelInfo {
    ModelInfo {
        model: "other".into(),
        ..info(provider)
    }
}

pub(crate) fn alias(text: &str) -> ModelAlias {
    ModelAlias::parse(text).unwrap()
}

pub(crate) fn call(id: &str, arguments: Value) -> ToolCallRequest {
    ToolCallRequest {
        call_id: CallId::parse(id).unwrap(),
        alias: "dice_roll".into(),
        arguments,
        provider_metadata: Map::new(),
    }
}

pub(crate) fn result(id: &str, content: &str) -> ToolResultPart {
    ToolResultPart {
        call_id: CallId::parse(id).unwrap(),
        alias: "dice_roll".into(),
        content: content.into(),
        is_error: content.starts_with("## Tool error"),
        error_code: content
            .starts_with("## Tool error")
            .then(|| "dice.invalid_request".into()),
    }
}

pub(crate) fn text(text: &str) -> Part {
    Part::Text { text: text.into() }
}

pub(crate) fn assistant(said: &str, calls: Vec<ToolCallRequest>) -> Message {
    let calls = calls.into_iter().map(|call| Part::ToolCall { call });
    Message::new(Role::Assistant, std::iter::once(text(said)).chain(calls).collect())
}

pub(crate) fn answered(id: &str, content: &str) -> Message {
    Message::of_tool_result(result(id, content))
}

pub(crate) fn user(said: &str) -> Message {
    Message::of_text(Role::User, said)
}

pub(crate) fn image(value: &str) -> Part {
    Part::Media {
        mime_type: "image/png".into(),
        value: value.into(),
    }
}

pub(crate) fn dice() -> ToolOffer {
    ToolOffer {
        alias: alias("dice_roll"),
        description: "Rolls.".into(),
        input_schema: json!({"$schema": "x", "type": "object", "properties": {"title": {"type": "string", "title": "T"}},
                             "required": ["title"], "additionalProperties": false}),
    }
}

pub(crate) fn with_settings(messages: Vec<Message>, settings: Value) -> ModelRequest {
    ModelRequest {
        settings: settings.as_object().unwrap().clone(),
        ..ModelRequest::new(messages)
    }
}

/// Keeps what it is shown.
#[derive(Default)]
pub(crate) struct Watcher(Mutex<Vec<LiveDelta>>);

impl LiveSink for Watcher {
    fn show(&self, delta: LiveDelta) {
        self.0.lock().unwrap().push(delta);
    }
}

impl Watcher {
    pub(crate) fn seen(&self) -> Vec<LiveDelta> {
        self.0.lock().unwrap().clone()
    }
}

/// What a stream of these events becomes. The tools on offer are `dice_roll` and `look`.
pub(crate) fn streamed(provider: Provider, events: &[Value]) -> Result<(Vec<LiveDelta>, ModelResponse), ModelError> {
    let lines = events.iter().map(|event| format!("data: {event}\n\n"));
    fed(provider, &[lines.collect::<String>().as_bytes()])
}

/// What a stream of these pieces becomes.
pub(crate) fn fed(provider: Provider, pieces: &[&[u8]]) -> Result<(Vec<LiveDelta>, ModelResponse), ModelError> {
    let tools = ["dice_roll", "look"].map(alias);
    let mut decoder = StreamDecoder::new(provider, info(provider), tools, None);
    let watcher = Watcher::default();
    for piece in pieces {
        decoder.feed(piece, &watcher)?;
    }
    let response = decoder.finish(&watcher)?;
    Ok((watcher.seen(), response))
}
