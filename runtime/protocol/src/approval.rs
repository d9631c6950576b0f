//! Approvals: what a person is asked about a call, and what the answer covers.
//!
//! Whether a question is needed is decided in `innkeeper-policy`; nothing here asks or answers.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::digest::Sha256;
use crate::id::{ToolId, ToolIdError, text_id};

/// How a rollback is named where a tool would be. No tool can have this name: `runtime` provides none.
const ROLLBACK: &str = "runtime:workspace.rollback";

text_id!(
    /// A question about a call, and the answer that may still stand: `approval_<32 hex>`.
    ApprovalId, "approval id", crate::id::is_segment, "1 to 128 ASCII letters, digits, `_` or `-`",
    crate::id::SEGMENT_PATTERN);

/// What a person is asked about; on the wire a tool's id, or `runtime:workspace.rollback`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ApprovalSubject {
    /// A call of this tool.
    Tool(ToolId),
    /// Bringing the workspace of an ended run back to a checkpoint. It is no tool, so that no model, profile or extension can name it.
    Rollback,
}

impl ApprovalSubject {
    /// Its name on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Tool(id) => id.as_str(),
            Self::Rollback => ROLLBACK,
        }
    }

    /// The part after the colon.
    #[must_use]
    pub fn name(&self) -> &str {
        self.as_str().split_once(':').map_or("", |(_, name)| name)
    }
}

impl From<ToolId> for ApprovalSubject {
    fn from(id: ToolId) -> Self {
        Self::Tool(id)
    }
}

impl TryFrom<String> for ApprovalSubject {
    type Error = ToolIdError;
    fn try_from(text: String) -> Result<Self, ToolIdError> {
        if text == ROLLBACK {
            return Ok(Self::Rollback);
        }
        ToolId::parse(&text).map(Self::Tool)
    }
}

impl From<ApprovalSubject> for String {
    fn from(subject: ApprovalSubject) -> Self {
        subject.as_str().to_owned()
    }
}

impl fmt::Display for ApprovalSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl JsonSchema for ApprovalSubject {
    fn schema_name() -> Cow<'static, str> {
        "ApprovalSubject".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "What a person is asked about: a call of a tool, or a rollback, which is no tool.",
            "anyOf": [generator.subschema_for::<ToolId>(), { "const": ROLLBACK }],
        })
    }
}

/// What an approval covers. It always binds to the tool's digest and the arguments' digest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalScope {
    /// This call.
    #[default]
    Once,
    /// The same call until the run ends.
    Run,
    /// The same call in every run, until it is revoked.
    Always,
}

/// Who asks: nobody, a person, or an application that answers for everybody.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ApprovalMode {
    /// Calls wait for a person's answer, without a time limit.
    #[default]
    Ask,
    /// Nobody is there; such calls are refused.
    Never,
    /// The application has agreed beforehand.
    Always,
}

/// What a call's approval binds to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalBinding {
    /// Digest of the tool's identity: id, source, component, title, description, input schema and annotations, as RFC 8785 writes them.
    pub tool_digest: Sha256,
    /// Digest of the arguments, as RFC 8785 writes them.
    pub arguments_digest: Sha256,
}

/// What a person is told of a call before it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalQuestion {
    /// The tool's title.
    pub title: String,
    /// `builtin`, `mcp`, `extension` or `runtime`.
    pub source: String,
    /// Who publishes the tool, where that is known.
    pub publisher: Option<String>,
    /// What a call may do, in words.
    pub side_effect: String,
    /// What the answer binds to.
    pub binding: ApprovalBinding,
    /// Where the change lies that the call would make, where it can be told before.
    pub diff_ref: Option<String>,
}

/// What is known of a call's approval before anybody is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalFinding {
    /// A person is there to be asked.
    Ask(Box<ApprovalQuestion>),
    /// An earlier answer covers the call.
    Standing {
        /// The earlier question.
        approval_id: ApprovalId,
        /// What its answer covers: [`ApprovalScope::Run`] or [`ApprovalScope::Always`].
        scope: ApprovalScope,
    },
    /// The application has agreed beforehand.
    Granted,
    /// Nobody can be asked.
    Nobody,
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalAnswer {
    /// Whether the call may be made.
    pub approved: bool,
    /// What the answer covers; counts only for an approval.
    pub scope: ApprovalScope,
    /// Why, in the person's words.
    pub reason: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rollback_is_no_tool_and_has_its_own_name() {
        let read = |text: &str| serde_json::from_value::<ApprovalSubject>(text.into()).ok();
        let tool = ToolId::parse("builtin:dice.roll").unwrap();
        assert_eq!(read("builtin:dice.roll"), Some(ApprovalSubject::Tool(tool)));
        assert_eq!(read(ROLLBACK), Some(ApprovalSubject::Rollback));
        assert_eq!(["runtime:dice.roll", "runtime:", ""].map(read), [None, None, None]);
        assert!(ToolId::parse(ROLLBACK).is_err());
        assert_eq!(serde_json::to_value(ApprovalSubject::Rollback).unwrap(), ROLLBACK);
        assert_eq!(ApprovalSubject::Rollback.name(), "workspace.rollback");
    }
}
