//! Messages and their parts, as the loop keeps them between turns.
//!
//! Parts that only one provider understands are carried unread; nothing here decides whether they are sent.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::call::ToolResult;
use crate::id::{CallId, ModelAlias};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Rules for the model.
    System,
    /// Rules for the model, in the formats that tell the two apart.
    Developer,
    /// The person, or the host on the person's behalf.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// A tool call, as the model asked for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallRequest {
    /// The provider's id, unchanged; it pairs the call with its result.
    pub call_id: CallId,
    /// The name that the model used. Not checked: it may name nothing that was offered.
    pub alias: String,
    /// The arguments: any JSON. A text that is no JSON stays a string, so that the check of arguments refuses it.
    pub arguments: Value,
    /// What only the provider understands (signatures and the like); opaque, never shown.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub provider_metadata: Map<String, Value>,
}

/// The answer to a tool call, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultPart {
    /// The id of the call that this answers.
    pub call_id: CallId,
    /// The name that the model used for the call.
    pub alias: String,
    /// Everything that the model reads.
    pub content: String,
    /// Whether `content` tells an error.
    pub is_error: bool,
    /// The error's stable code; never sent to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
}

impl ToolResultPart {
    /// The model's view of a stored result.
    #[must_use]
    pub fn of_result(result: &ToolResult, alias: &ModelAlias) -> Self {
        Self {
            call_id: result.call_id.clone(),
            alias: alias.as_str().to_owned(),
            content: result.model_text.clone(),
            is_error: result.is_error,
            error_code: result.error_code.clone(),
        }
    }
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Part {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// What the model thought, where it shows it.
    Reasoning {
        /// The visible text; none where the provider keeps it sealed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// What only the provider understands; opaque, never shown.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        provider_metadata: Map<String, Value>,
    },
    /// A tool call, in a message of the assistant.
    ToolCall {
        /// The call.
        call: ToolCallRequest,
    },
    /// A tool's answer, in a message of role tool.
    ToolResult {
        /// The answer.
        result: ToolResultPart,
    },
    /// An image, a sound or another medium.
    Media {
        /// Its media type (RFC 6838).
        mime_type: String,
        /// A URL, a data URL (RFC 2397), or bare base64.
        value: String,
    },
    /// A pointer to something that is stored elsewhere; not sent to a model.
    ResourceRef {
        /// The pointer.
        uri: String,
    },
    /// A part in one provider's own form, sent back only to that provider.
    Native {
        /// Whose form it is.
        provider: String,
        /// The part, opaque.
        value: Value,
    },
}

/// One message of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
    /// What came with the message and is not text, such as `name`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub provider_metadata: Map<String, Value>,
}

impl Message {
    /// A message of these parts.
    #[must_use]
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self {
            role,
            parts,
            provider_metadata: Map::new(),
        }
    }

    /// A message of one text.
    #[must_use]
    pub fn of_text(role: Role, text: impl Into<String>) -> Self {
        Self::new(role, vec![Part::Text { text: text.into() }])
    }

    /// The message that answers a tool call.
    #[must_use]
    pub fn of_tool_result(result: ToolResultPart) -> Self {
        Self::new(Role::Tool, vec![Part::ToolResult { result }])
    }

    /// All text parts, one after the other.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// The tool calls of this message, in the model's order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCallRequest> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolCall { call } => Some(call),
            _ => None,
        })
    }
}
