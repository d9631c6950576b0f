//! What a run is to the world outside: its kind, its status, and the error that ends it.
//!
//! The loop's own state lives in `agent`; what is on disk lives in `store`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a chat lies in the application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum ChatRef {
    /// A chat with one character.
    Character {
        /// The character's id, in SillyTavern the avatar's file name.
        character_id: String,
        /// The chat's file name.
        file_name: String,
    },
    /// A group chat.
    Group {
        /// The group chat's id.
        chat_id: String,
    },
}

impl ChatRef {
    /// The kind's name, part of the workspace id.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Character { .. } => "character",
            Self::Group { .. } => "group",
        }
    }
}

/// Whether a person watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Presentation {
    /// The result is a chat message; the run needs an explicit commit to finish.
    Foreground,
    /// The result stays in the workspace.
    Background,
}

/// What kind of message the run is to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GenerationType {
    /// A new message.
    Normal,
    /// The last assistant message is written anew.
    Regenerate,
    /// The last assistant message gets one more swipe.
    Swipe,
    /// The last assistant message goes on.
    Continue,
}

impl GenerationType {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Regenerate => "regenerate",
            Self::Swipe => "swipe",
            Self::Continue => "continue",
        }
    }
}

/// How far a run has come; a fold of its journal, never a second truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// The journal exists.
    Created,
    /// The workspace is being made.
    InitializingWorkspace,
    /// The first request is being put together.
    AssemblingContext,
    /// The model works.
    CallingModel,
    /// A call has passed its gates.
    DispatchingTool,
    /// A patch is being applied.
    ApplyingWorkspacePatch,
    /// A checkpoint is being cut.
    CreatingCheckpoint,
    /// The host has been asked to commit.
    #[serde(alias = "awaiting_commit")]
    AwaitingHostCommit,
    /// Finish was accepted; persistence is being promoted.
    Finishing,
    /// A cancel was accepted.
    Cancelling,
    /// The finish path succeeded.
    Completed,
    /// An error after at least one confirmed commit.
    PartialSuccess,
    /// Cancelled.
    Cancelled,
    /// An error without a commit.
    Failed,
}

impl RunStatus {
    /// Whether nothing may follow.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::PartialSuccess | Self::Cancelled | Self::Failed
        )
    }
}

/// The kind of an error, which decides retries and what a command answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// What came cannot be used.
    Validation,
    /// What was named is not there.
    NotFound,
    /// No valid credentials.
    Unauthorized,
    /// Not allowed.
    PermissionDenied,
    /// Too many requests; try later.
    RateLimited,
    /// A passing fault of the other side.
    Transient,
    /// The network between.
    UpstreamFailure,
    /// Stopped on purpose.
    Cancelled,
    /// A fault of ours or of the machine.
    Internal,
}

impl ErrorKind {
    /// Whether the same thing may work when tried again.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::RateLimited | Self::Transient | Self::UpstreamFailure)
    }
}

/// An error that ends a run, or refuses a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RunError {
    /// Stable, dotted, lower case.
    pub code: &'static str,
    /// What it means for retries and answers.
    pub kind: ErrorKind,
    /// What failed and why.
    pub message: String,
    /// What to do about it, if there is something to do.
    pub hint: Option<String>,
}

impl RunError {
    /// An error without a hint.
    #[must_use]
    pub fn new(code: &'static str, kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            code,
            kind,
            message: message.into(),
            hint: None,
        }
    }

    /// A fault of ours or of the machine.
    #[must_use]
    pub fn internal(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, ErrorKind::Internal, message)
    }

    /// Something that came from outside and cannot be used.
    #[must_use]
    pub fn invalid(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, ErrorKind::Validation, message)
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Whether a person may usefully start the same run again.
    #[must_use]
    pub fn is_user_retryable(&self) -> bool {
        const AGAIN: [&str; 4] = [
            "model.tool_call_required",
            "agent.tool_after_finish",
            "agent.max_tool_rounds_exceeded",
            "agent.process_restarted",
        ];
        self.kind.is_retryable() || AGAIN.contains(&self.code)
    }
}
