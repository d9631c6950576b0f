//! What is said between a run's owner and another process.
//!
//! Whether a request makes sense for the run is the owner's affair.

use innkeeper_protocol::approval::{ApprovalId, ApprovalScope};
use innkeeper_protocol::id::CallId;
use serde::{Deserialize, Serialize};

/// What another process asks of the run's owner. A member that is not known is refused: it may have been a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    content = "with",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum InboxRequest {
    /// A call that waits for a person may be made.
    Approve {
        /// The call.
        call_id: CallId,
        /// The question that is answered; any of this call's where it is left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        approval_id: Option<ApprovalId>,
        /// What the answer covers.
        scope: ApprovalScope,
        /// Why, in the person's words.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A call that waits for a person must not be made.
    Deny {
        /// The call.
        call_id: CallId,
        /// The question that is answered; any of this call's where it is left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        approval_id: Option<ApprovalId>,
        /// Why, in the person's words.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The run is to end.
    Cancel,
    /// The model is to be told something with its next request.
    Guide {
        /// In the person's words.
        text: String,
        /// The name that the sender gives it.
        #[serde(skip_serializing_if = "Option::is_none")]
        client_guidance_id: Option<String>,
    },
}

/// What the owner says to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InboxAnswer {
    /// Why the request had no effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<InboxFailure>,
    /// What came of it; null beside an error.
    pub value: serde_json::Value,
}

/// An error of the owner, as it would have told its own caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InboxFailure {
    /// The stable code.
    pub code: String,
    /// What failed and why.
    pub message: String,
    /// What the person can do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}
