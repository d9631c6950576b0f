//! What events carry: the parts that more than one event or more than one reader uses.
//!
//! Which event carries what is said in [`super::RunEvent`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::approval::{ApprovalId, ApprovalScope, ApprovalSubject};
use crate::call::CommitMode;
use crate::digest::Sha256;
use crate::envelope::Level;
use crate::id::{CallId, InvocationId, ModelAlias, ProfileId, ToolId};
use crate::network::SentRequest;
use crate::path::WorkspacePath;

/// How the file of a chat began when the run started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InputBoundary {
    /// Bytes of the file.
    pub bytes: u64,
    /// Their digest.
    pub sha256: Sha256,
}

/// How a persistent file differs from the state before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// New.
    Added,
    /// Other content.
    Modified,
    /// Gone.
    Deleted,
}

/// One persistent file that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersistentChange {
    /// Which file.
    pub path: WorkspacePath,
    /// How.
    pub kind: ChangeKind,
    /// Digest after; of a deleted file before.
    pub sha256: Sha256,
}

/// Why a checkpoint was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckpointReason {
    /// After a tool wrote files.
    ToolWorkspaceWrite,
    /// After a tool patched a file.
    ToolWorkspacePatch,
    /// Before the host is asked to commit.
    ChatCommit,
    /// After a model's plain text was kept.
    DirectOutputCapture,
    /// Before the workspace was brought back to an earlier checkpoint.
    Rollback,
}

/// How a call that failed ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailedOutcome {
    /// Nothing happened.
    Error,
    /// It was not allowed.
    Denied,
    /// Something outside may have happened.
    OutcomeUnknown,
}

/// Which call an event belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallScope {
    /// The model's round, from 1.
    pub round: u32,
    /// The invocation.
    pub invocation_id: InvocationId,
    /// The provider's id.
    pub call_id: CallId,
    /// The tool.
    pub tool_id: ToolId,
}

/// A request to the network that a call is about to have sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentRequestPayload {
    /// The invocation.
    pub invocation_id: InvocationId,
    /// The provider's id of the call.
    pub call_id: CallId,
    /// The tool.
    pub tool_id: ToolId,
    /// The request, without anything that it says.
    #[serde(flatten)]
    pub request: SentRequest,
}

/// The tool of a request, by both names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferedTool {
    /// The tool.
    pub tool_id: ToolId,
    /// What the model calls it.
    pub model_alias: ModelAlias,
}

/// A summary of a request to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestSummary {
    /// Where the model is reached.
    pub chat_completion_source: String,
    /// Format of a custom source, if it is one.
    pub custom_api_format: Option<String>,
    /// The model.
    pub model: String,
    /// Messages of the request.
    pub message_count: usize,
    /// Tools offered.
    pub tool_count: usize,
}

/// A commit that survives an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreservedCommit {
    /// The file.
    pub path: WorkspacePath,
    /// Replace or append.
    pub mode: CommitMode,
    /// The message.
    pub message_id: Option<String>,
    /// The model's round.
    pub round: u32,
}

/// What ended a run early.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailurePayload {
    /// Stable code.
    pub code: String,
    /// What failed and why.
    pub message: String,
    /// The same with its kind.
    pub technical_message: String,
    /// Whether trying again by itself may help.
    pub retryable: bool,
    /// Whether a person may usefully try again.
    pub user_retryable: bool,
    /// Always an object.
    pub details: Map<String, Value>,
}

/// Text and reasoning of a model's answer, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerMetrics {
    /// Whether there is text that is not blank.
    pub has_assistant_text: bool,
    /// Unicode scalars of the text.
    pub assistant_text_chars: u32,
    /// Words of the text.
    pub assistant_text_words: u32,
    /// Whether there is visible reasoning.
    pub has_reasoning: bool,
    /// Unicode scalars of the reasoning.
    pub reasoning_chars: u32,
    /// Words of the reasoning.
    pub reasoning_words: u32,
    /// Text that came beside calls, shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narration: Option<Narration>,
    /// The same as `assistant_text_chars`.
    pub text_chars: u32,
    /// The same as `assistant_text_words`.
    pub text_words: u32,
}

/// What a model said beside its calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Narration {
    /// Where it comes from: `assistantText`.
    pub source: String,
    /// At most 280 characters.
    pub text: String,
    /// Unicode scalars of the whole.
    pub total_chars: u32,
    /// Words of the whole.
    pub total_words: u32,
    /// Whether `text` is not the whole.
    pub truncated: bool,
}

/// An invocation at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvocationPayload {
    /// The invocation.
    pub invocation_id: InvocationId,
    /// Who started it.
    pub parent_invocation_id: Option<InvocationId>,
    /// Its profile.
    pub profile_id: ProfileId,
    /// `root`, `subagent` or `handoff`.
    pub kind: String,
    /// Where it stands.
    pub status: String,
    /// How it may end.
    pub exit_policy: String,
}

/// A question to a person about one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequestPayload {
    /// Who asks.
    pub invocation_id: InvocationId,
    /// Names the question.
    pub approval_id: ApprovalId,
    /// The call.
    pub call_id: CallId,
    /// The tool, or the rollback.
    pub tool_id: ApprovalSubject,
    /// The tool's title.
    pub title: String,
    /// `builtin`, `mcp`, `extension` or `runtime`.
    pub source: String,
    /// Who publishes the tool, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// What a call may do, in words.
    pub side_effect: String,
    /// The rule that asks, in words.
    pub rule: String,
    /// Where the whole arguments lie.
    pub arguments_ref: String,
    /// Digest of the arguments.
    pub arguments_digest: Sha256,
    /// Digest of the tool's identity.
    pub tool_digest: Sha256,
    /// Where the change lies that the call would make, where it can be told before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff_ref: Option<String>,
}

/// Who answered the question about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnsweredBy {
    /// A person, about this call.
    User,
    /// An earlier answer of a person that covers this call.
    Standing,
    /// The application, which answers for everybody.
    Policy,
    /// The run itself, because it ends.
    Runtime,
}

/// The answer to the question about a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAnswerPayload {
    /// Who asked.
    pub invocation_id: InvocationId,
    /// The call.
    pub call_id: CallId,
    /// The question, or the earlier one whose answer still stands.
    pub approval_id: ApprovalId,
    /// What the answer covers; a denial covers one call.
    pub scope: ApprovalScope,
    /// Who answered.
    pub by: AnsweredBy,
    /// Why, in the words of whoever answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Why guidance was not given to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiscardReason {
    /// The run was cancelled by a person.
    RunCancelRequested,
    /// The loop was stopped before its next request.
    RunCancelledBeforeNextModelRequest,
    /// The run failed before its next request.
    RunFailedBeforeNextModelRequest,
    /// The same, after a commit.
    RunPartialSuccessBeforeNextModelRequest,
    /// The run finished before its next request.
    RunFinishedBeforeNextModelRequest,
    /// The mailbox closed while the guidance was being journalled.
    SubmitRejectedAfterJournalAppend,
    /// The run's process ended before its next request.
    ProcessRestarted,
}

impl DiscardReason {
    /// How much it matters: a run that went wrong took the person's words with it.
    #[must_use]
    pub const fn level(self) -> Level {
        match self {
            Self::RunCancelRequested
            | Self::RunCancelledBeforeNextModelRequest
            | Self::RunFinishedBeforeNextModelRequest => Level::Info,
            Self::RunFailedBeforeNextModelRequest
            | Self::RunPartialSuccessBeforeNextModelRequest
            | Self::SubmitRejectedAfterJournalAppend
            | Self::ProcessRestarted => Level::Warn,
        }
    }
}

/// What a person told a run while it was on its way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GuidanceSubmittedPayload {
    /// Names it.
    pub guidance_id: String,
    /// The name that the sender gave it.
    pub client_guidance_id: Option<String>,
    /// The root invocation.
    pub invocation_id: InvocationId,
    /// Unicode scalars.
    pub chars: u32,
    /// Words.
    pub words: u32,
    /// The beginning, on one line.
    pub preview: String,
    /// The whole.
    pub text: String,
    /// RFC 3339.
    pub submitted_at: String,
    /// Always `queued`.
    pub status: String,
}

/// Guidance that became a message to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GuidanceAppliedPayload {
    /// In the order of submission.
    pub guidance_ids: Vec<String>,
    /// The names that the senders gave.
    pub client_guidance_ids: Vec<Option<String>>,
    /// Whose model read it.
    pub invocation_id: InvocationId,
    /// The round whose request carries it.
    pub round: u32,
    /// Items.
    pub count: usize,
    /// Unicode scalars of all items.
    pub chars: u32,
    /// Words of all items.
    pub words: u32,
    /// The beginning of the first item, on one line.
    pub preview: String,
    /// Place of the message in the request, from 0.
    pub message_index: usize,
    /// Messages of the request.
    pub request_message_count: usize,
    /// Always `applied`.
    pub status: String,
}

/// Guidance that no model will read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GuidanceDiscardedPayload {
    /// In the order of submission.
    pub guidance_ids: Vec<String>,
    /// The names that the senders gave.
    pub client_guidance_ids: Vec<Option<String>>,
    /// The root invocation.
    pub invocation_id: InvocationId,
    /// Items.
    pub count: usize,
    /// Unicode scalars of all items.
    pub chars: u32,
    /// Words of all items.
    pub words: u32,
    /// The beginning of the first item, on one line.
    pub preview: String,
    /// Why.
    pub reason: DiscardReason,
    /// Always `discarded`.
    pub status: String,
}
