//! The request and the response of one turn, and the form in which a turn is stored.
//!
//! Which tools are offered, and what goes into the messages, is decided by whoever fills the request.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::message::{Message, ToolCallRequest};
use super::state::{Continuation, ProviderState};
use crate::id::{InvocationId, ModelAlias};

/// A tool, as it is offered to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolOffer {
    /// The name to call it by.
    pub alias: ModelAlias,
    /// What it does, in words for the model.
    pub description: String,
    /// The JSON Schema of its arguments, as the tool gave it; clean-up belongs to the wire format.
    pub input_schema: Value,
}

/// Whether the model must, may or must not call a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ToolChoice {
    /// As the model likes.
    #[default]
    Auto,
    /// No call.
    None,
    /// At least one call.
    Required,
    /// A call of this tool.
    Specific {
        /// The offered name of the tool.
        alias: ModelAlias,
    },
}

/// What a model is asked. It is never stored; the journal and the kept turns tell what went into it.
///
/// Messages and tools are shared with the conversation that the request belongs to: asking again, a turn later, copies no text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelRequest {
    /// The conversation, oldest message first.
    pub messages: Vec<Arc<Message>>,
    /// The tools on offer, in a fixed order: prompt caches depend on it.
    pub tools: Arc<[ToolOffer]>,
    /// Counts only when tools are on offer.
    pub tool_choice: ToolChoice,
    /// Generation settings under their wire names (`temperature`, `max_tokens`, ...); a wire format takes those that it knows.
    pub settings: Map<String, Value>,
    /// Where the conversation stands with its provider; none: it is told whole.
    pub provider_state: Option<ProviderState>,
}

impl ModelRequest {
    /// A request of these messages, without tools and settings.
    #[must_use]
    pub fn new(messages: Vec<Message>) -> Self {
        Self {
            messages: messages.into_iter().map(Arc::new).collect(),
            ..Self::default()
        }
    }
}

/// Where a response came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderMetadata {
    /// The provider's id of the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The model that answered, which may be another name than the one asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Token counts, as the provider gives them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Value>,
    /// See [`ModelInfo::source`](super::ModelInfo::source).
    #[serde(rename = "chatCompletionSource")]
    pub source: String,
    /// See [`ModelInfo::format`](super::ModelInfo::format).
    #[serde(rename = "providerFormat")]
    pub format: String,
}

/// A model's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelResponse {
    /// The assistant's message, to be appended to the conversation unchanged. Parts: text, reasoning, native, calls.
    pub message: Message,
    /// The calls of `message`, in the model's order.
    pub tool_calls: Vec<ToolCallRequest>,
    /// The text of `message`; empty when there is none.
    pub text: String,
    /// The visible thoughts of `message`, joined by blank lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Where it came from.
    pub provider_metadata: ProviderMetadata,
    /// The provider's whole answer; kept for looking into it, never shown to a model.
    pub raw_response: Value,
    /// For the state that the next request brings along; no part of a stored turn.
    #[serde(skip)]
    pub continuation: Continuation,
}

/// A turn, as `model-responses/round-NNN.json` holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredTurn {
    /// Counts from 1 in each invocation.
    pub round: u32,
    /// The invocation that asked.
    pub invocation_id: InvocationId,
    /// The answer.
    pub response: ModelResponse,
}

#[cfg(test)]
mod tests;
