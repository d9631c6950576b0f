//! What watchers of a run are told, in the words of the Agent Host API.
//!
//! Only shapes; what is told when is decided elsewhere.

use innkeeper_protocol::id::{InvocationId, ToolId};
use schemars::JsonSchema;
use serde::Serialize;

/// A text of a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LiveField {
    /// Which file.
    Path,
    /// What is written into it.
    Content,
    /// What a patch replaces.
    OldString,
    /// What it puts there.
    NewString,
}

/// What a call has brought so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum LiveDraft {
    /// A file.
    Write {
        /// Which.
        path: String,
        /// Its text.
        content: String,
        /// Words of `content`.
        content_words: u32,
    },
    /// A change of a file.
    Patch {
        /// Which.
        path: String,
        /// What is replaced.
        old_string: String,
        /// Words of `old_string`.
        old_string_words: u32,
        /// What is put there.
        new_string: String,
        /// Words of `new_string`.
        new_string_words: u32,
    },
}

/// A call that is being written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveCall {
    /// The tool.
    pub tool_id: ToolId,
    /// Who calls it.
    pub invocation_id: InvocationId,
    /// How that invocation may end: `run_finish_allowed` or `task_return_required`.
    pub invocation_exit_policy: String,
    /// Counts the calls of the turn from 0.
    pub tool_call_index: usize,
    /// What it has brought so far.
    #[serde(flatten)]
    pub draft: LiveDraft,
}

/// A change of what is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum LiveUpdate {
    /// Everything that is shown. Comes first, and again where a watcher fell behind.
    Snapshot {
        /// The calls, by invocation and index.
        calls: Vec<LiveCall>,
    },
    /// More of one text.
    Append {
        /// Whose call.
        invocation_id: InvocationId,
        /// Which call.
        tool_call_index: usize,
        /// Which text.
        field: LiveField,
        /// What comes after it.
        text: String,
        /// Words of `text` alone: a word that was cut counts on both sides.
        word_delta: u32,
    },
    /// A call that is new, or begins anew.
    Replace {
        /// The call.
        call: LiveCall,
    },
    /// A call that is shown no more.
    Remove {
        /// Whose call.
        invocation_id: InvocationId,
        /// Which call.
        tool_call_index: usize,
    },
}
