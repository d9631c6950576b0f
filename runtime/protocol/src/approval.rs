//! Approvals: what a person is asked about a call, and what the answer covers.
//!
//! Whether a question is needed is decided in `innkeeper-policy`; nothing here asks or answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::digest::Sha256;
use crate::id::text_id;

text_id!(
    /// A question about a call, and the answer that may still stand: `approval_<32 hex>`.
    ApprovalId, "approval id", crate::id::is_segment, "1 to 128 ASCII letters, digits, `_` or `-`",
    crate::id::SEGMENT_PATTERN);

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
