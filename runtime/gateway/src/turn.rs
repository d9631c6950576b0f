//! A decoded answer, put together the same way for every format.
//!
//! What belongs into it is found by the formats' own decoders.

use innkeeper_protocol::model::{
    Continuation, Message, ModelInfo, ModelResponse, Part, ProviderMetadata, Role, ToolCallRequest,
};
use serde_json::{Map, Value};

/// Where a format keeps what it says about an answer.
pub(crate) struct MetadataFields {
    /// The answer's id.
    pub(crate) id: &'static str,
    /// The model that answered.
    pub(crate) model: &'static str,
    /// Token counts.
    pub(crate) usage: &'static str,
}

/// The pieces of an answer.
#[derive(Default)]
pub(crate) struct Pieces {
    /// The visible text.
    pub(crate) text: String,
    /// Reasoning parts, in order.
    pub(crate) thoughts: Vec<Part>,
    /// What only the provider understands.
    pub(crate) natives: Vec<Part>,
    /// The calls, in order.
    pub(crate) calls: Vec<ToolCallRequest>,
}

impl Pieces {
    /// Orders the parts: text unless blank, thoughts, native parts, calls.
    pub(crate) fn response(self, body: Map<String, Value>, fields: &MetadataFields, info: &ModelInfo) -> ModelResponse {
        let mut parts = Vec::new();
        if !self.text.trim().is_empty() {
            parts.push(Part::Text {
                text: self.text.clone(),
            });
        }
        let reasoning = visible(&self.thoughts);
        parts.extend(self.thoughts);
        parts.extend(self.natives);
        parts.extend(self.calls.iter().cloned().map(|call| Part::ToolCall { call }));
        ModelResponse {
            message: Message::new(Role::Assistant, parts),
            tool_calls: self.calls,
            text: self.text,
            reasoning,
            provider_metadata: metadata(&body, fields, info),
            raw_response: Value::Object(body),
            continuation: Continuation::default(),
        }
    }
}

/// A thought that is shown; none where it is blank.
pub(crate) fn thought(text: &str, source: &str) -> Option<Part> {
    let provider_metadata = Map::from_iter([("source".to_owned(), Value::from(source))]);
    (!text.trim().is_empty()).then(|| Part::Reasoning {
        text: Some(text.to_owned()),
        provider_metadata,
    })
}

fn visible(thoughts: &[Part]) -> Option<String> {
    let texts = thoughts.iter().filter_map(|part| match part {
        Part::Reasoning { text, .. } => text.as_deref(),
        _ => None,
    });
    let texts: Vec<&str> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn metadata(body: &Map<String, Value>, fields: &MetadataFields, info: &ModelInfo) -> ProviderMetadata {
    let text = |key: &str| body.get(key).and_then(Value::as_str).map(str::to_owned);
    ProviderMetadata {
        id: text(fields.id),
        model: text(fields.model),
        usage: body.get(fields.usage).filter(|usage| !usage.is_null()).cloned(),
        source: info.source.clone(),
        format: info.format.clone(),
    }
}
