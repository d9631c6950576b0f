//! What a tool call brings back: blocks, results, the error that a model reads, and the effects that a reply plans.
//!
//! Three outcomes are three types: a [`Reply`], a [`ToolError`] that goes to the model, and a [`RunError`](crate::run::RunError) that
//! ends the run. None of them is ever read back out of a text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::Sha256;
use crate::id::{CallId, ToolId};
use crate::limits::Usage;
use crate::network::RecordedRequest;
use crate::path::WorkspacePath;
use crate::run::RunError;

/// A pointer to something stored elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    /// `workspace:PATH#L1-L9`, `chat:current#4`, `skills/NAME/PATH`, or a URI.
    pub uri: String,
    /// Media type, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Shown to people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// A piece of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// Plain text or Markdown.
    Text {
        /// The text.
        text: String,
    },
    /// A JSON value.
    Json {
        /// The value.
        value: Value,
    },
    /// An image.
    Image(Reference),
    /// A sound.
    Audio(Reference),
    /// A file.
    File(Reference),
    /// Any other resource.
    Resource(Reference),
    /// A unified diff.
    Diff {
        /// The diff.
        diff: String,
    },
}

/// How a commit meets the message that the run has already written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommitMode {
    /// The message becomes the file's text.
    Replace,
    /// The file's text is added to the run's message.
    Append,
}

/// How a file was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteMode {
    /// The whole file is new.
    Replace,
    /// Text was added to the end.
    Append,
}

/// What a reply asks the host to carry out once the call is over; in the order in which they were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum PlannedEffect {
    /// A file is created, replaced or appended to.
    Write {
        /// Physical path in the run's workspace.
        path: WorkspacePath,
        /// Whole or at the end.
        mode: WriteMode,
        /// Unicode scalars of the resulting file.
        chars: u32,
        /// Words of the resulting file.
        words: u32,
        /// Digest of the resulting file.
        sha256: Sha256,
        /// Whether the resulting file holds nothing but white space.
        #[serde(skip)]
        is_blank: bool,
    },
    /// A file is changed in places.
    Patch {
        /// Physical path in the run's workspace.
        path: WorkspacePath,
        /// Unicode scalars of the resulting file.
        chars: u32,
        /// Words of the resulting file.
        words: u32,
        /// Digest before.
        old_sha256: Sha256,
        /// Digest after.
        sha256: Sha256,
        /// Places that were replaced.
        replacements: u32,
        /// Whether the resulting file holds nothing but white space.
        #[serde(skip)]
        is_blank: bool,
    },
    /// A file is removed.
    Delete {
        /// Physical path in the run's workspace.
        path: WorkspacePath,
        /// Digest before.
        old_sha256: Sha256,
    },
    /// A file's text goes into the chat.
    Commit(PlannedCommit),
    /// The run ends.
    Finish {
        /// The model's own words, if any.
        reason: Option<String>,
    },
}

/// A commit that is asked of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlannedCommit {
    /// Physical path in the run's workspace.
    pub path: WorkspacePath,
    /// Replace or append.
    pub mode: CommitMode,
    /// The model's own words, if any.
    pub reason: Option<String>,
    /// Unicode scalars of the file.
    pub chars: u32,
    /// Words of the file.
    pub words: u32,
    /// Digest of the file; the host refuses other content.
    pub sha256: Sha256,
}

/// A number that the host gave a tool, so that the call can be replayed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedDraw {
    /// The number lies in `0..bound`.
    pub bound: u64,
    /// The number.
    pub value: u64,
}

/// What the host told a tool that another call would be told differently, kept so that the call can be replayed and accounted for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Told {
    /// Random numbers that the call drew.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub draws: Vec<RecordedDraw>,
    /// Times that the call was told, milliseconds since 1970-01-01T00:00:00Z.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<u64>,
    /// Requests that the call had sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<RecordedRequest>,
}

/// A successful call, before its planned effects are carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What the tool says, in order.
    pub content: Vec<Block>,
    /// For programs; never sent to the model.
    pub structured: Option<Value>,
    /// What the reply refers to.
    pub resource_refs: Vec<String>,
    /// What the host is asked to carry out.
    pub effects: Vec<PlannedEffect>,
    /// What the host told the call.
    pub told: Told,
    /// What the call used of its limits.
    pub usage: Usage,
}

/// An error that the model can act on: what happened, why, what to do next. The run goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    /// Stable, dotted, lower case.
    pub code: String,
    /// One or more sentences for the model.
    pub message: String,
    /// What the host told the call.
    pub told: Box<Told>,
    /// What the call used of its limits, if it started.
    pub usage: Option<Usage>,
}

impl ToolError {
    /// An error of a call that did not start.
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            told: Box::default(),
            usage: None,
        }
    }
}

/// How a call ended. Three outcomes, three types.
#[derive(Debug, Clone, PartialEq)]
pub enum CallOutcome {
    /// It worked; the plan is still to be carried out.
    Reply(Reply),
    /// It did not, and the model can act on it.
    Error(ToolError),
    /// It did not, and the run cannot go on.
    Fault(RunError),
}

/// The whole result of a call, as it is stored. The model reads only `model_text`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The provider's id of the call.
    pub call_id: CallId,
    /// The tool that ran.
    pub tool_id: ToolId,
    /// The tool's native name.
    pub name: String,
    /// Typed blocks.
    pub content: Vec<Block>,
    /// The only thing that the model reads.
    pub model_text: String,
    /// For programs.
    pub structured: Option<Value>,
    /// Whether this is an error that the model can act on.
    pub is_error: bool,
    /// Set when `is_error` is.
    pub error_code: Option<String>,
    /// Paths and `scheme:` references.
    pub resource_refs: Vec<String>,
    /// Limits used by the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What the host told the call.
    #[serde(flatten)]
    pub told: Told,
}

impl ToolResult {
    /// The result of a call that replied; the model reads its blocks.
    #[must_use]
    pub fn of_reply(call_id: CallId, tool_id: ToolId, reply: Reply) -> Self {
        let name = tool_id.name().to_owned();
        Self {
            call_id,
            tool_id,
            name,
            model_text: model_text(&reply.content),
            content: reply.content,
            structured: reply.structured,
            is_error: false,
            error_code: None,
            resource_refs: reply.resource_refs,
            usage: Some(reply.usage),
            told: reply.told,
        }
    }

    /// The result of a call that failed in a way that the model can act on.
    #[must_use]
    pub fn of_error(call_id: CallId, tool_id: ToolId, error: ToolError) -> Self {
        let name = tool_id.name().to_owned();
        Self {
            call_id,
            tool_id,
            name,
            content: vec![Block::Text {
                text: error.message.clone(),
            }],
            model_text: format!("## Tool error\n\n{}", error.message),
            structured: Some(serde_json::json!({ "error": { "code": error.code, "message": error.message } })),
            is_error: true,
            error_code: Some(error.code),
            resource_refs: Vec::new(),
            usage: error.usage,
            told: *error.told,
        }
    }
}

/// The blocks as the model reads them: texts as they are, JSON under `## Details`, diffs fenced, references as bullets under `## Notes`;
/// joined by blank lines.
#[must_use]
pub fn model_text(blocks: &[Block]) -> String {
    let parts: Vec<String> = blocks.iter().map(block_text).collect();
    parts.join("\n\n")
}

fn block_text(block: &Block) -> String {
    match block {
        Block::Text { text } => text.clone(),
        Block::Json { value } => {
            format!(
                "## Details\n\n```json\n{}\n```",
                serde_json::to_string_pretty(value).unwrap_or_default()
            )
        }
        Block::Diff { diff } => format!("```diff\n{}\n```", diff.trim_end_matches('\n')),
        Block::Image(to) => note("image", to),
        Block::Audio(to) => note("audio", to),
        Block::File(to) => note("file", to),
        Block::Resource(to) => note("resource", to),
    }
}

fn note(kind: &str, to: &Reference) -> String {
    let title = to.title.as_deref().unwrap_or(kind);
    let media = to.media_type.as_deref().map(|m| format!(" ({m})")).unwrap_or_default();
    format!("## Notes\n\n- {title}{media}: {}", to.uri)
}
