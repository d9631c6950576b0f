//! Run events: the closed list of what a journal can say.
//!
//! Large texts never stand here, only where they lie. How a line is stored is [`crate::envelope`]'s business.

mod payload;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::{CommitMode, WriteMode};
use crate::digest::Sha256;
use crate::envelope::{Draft, Level};
use crate::id::{CallId, CheckpointId, CommitId, InvocationId, ProfileId, RunId, StableChatId, StateId, WorkspaceId};
use crate::path::WorkspacePath;
use crate::run::{ChatRef, GenerationType, Presentation, RunStatus};
use crate::skill::{EffectiveSkill, SkillScope, SkillScopeRefs};

pub use payload::*;

/// One thing that happened in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "type",
    content = "payload",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
#[allow(
    missing_docs,
    reason = "the fields are the catalogue's own names; each variant says what happened"
)]
pub enum RunEvent {
    /// The journal begins.
    RunCreated {
        workspace_id: WorkspaceId,
        stable_chat_id: StableChatId,
        chat_ref: ChatRef,
        generation_type: GenerationType,
        profile_id: ProfileId,
        persist_base_state_id: Option<StateId>,
        input_message_count: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        input_boundary: Option<InputBoundary>,
        presentation: Presentation,
    },
    /// The profile is frozen.
    ProfileResolved { profile_id: ProfileId, source: String },
    /// The skills are frozen.
    SkillScopesResolved {
        scopes: Vec<SkillScope>,
        refs: SkillScopeRefs,
        effective_skills: Vec<EffectiveSkill>,
    },
    /// What the front end knows of why this run was wanted, word for word.
    GenerationIntentRecorded(Value),
    /// The run moved on.
    StatusChanged { status: RunStatus },
    /// Someone asked to stop.
    RunCancelRequested,
    /// The run is done.
    RunCompleted,
    /// The run was stopped.
    RunCancelled { message: Option<String> },
    /// An error ended the run; nothing was committed.
    RunFailed {
        #[serde(flatten)]
        failure: FailurePayload,
    },
    /// An error ended the run; these commits stand.
    RunPartialSuccess {
        #[serde(flatten)]
        failure: FailurePayload,
        preserved_commit_count: usize,
        preserved_commits: Vec<PreservedCommit>,
    },
    /// The roots exist.
    WorkspaceInitialized {
        workspace_id: WorkspaceId,
        stable_chat_id: StableChatId,
    },
    /// The persistent roots were laid out.
    PersistentProjectionInitialized { roots: Vec<String> },
    /// A tool wrote a file.
    WorkspaceFileWritten {
        invocation_id: InvocationId,
        call_id: CallId,
        path: WorkspacePath,
        mode: WriteMode,
        chars: u32,
        words: u32,
        sha256: Sha256,
    },
    /// A tool patched a file.
    WorkspacePatchApplied {
        invocation_id: InvocationId,
        call_id: CallId,
        path: WorkspacePath,
        chars: u32,
        words: u32,
        old_sha256: Sha256,
        sha256: Sha256,
        replacements: u32,
    },
    /// A tool removed a file.
    WorkspaceFileDeleted {
        invocation_id: InvocationId,
        call_id: CallId,
        path: WorkspacePath,
        old_sha256: Sha256,
    },
    /// A model's plain text was kept as a file.
    DirectOutputCaptured {
        invocation_id: InvocationId,
        round: u32,
        path: WorkspacePath,
        chars: u32,
        words: u32,
        sha256: Sha256,
        model_response_path: String,
    },
    /// The workspace can be had back as it is now.
    CheckpointCreated {
        checkpoint_id: CheckpointId,
        reason: CheckpointReason,
    },
    /// The persistent roots became a new state.
    PersistentChangesCommitted {
        state_id: StateId,
        base_state_id: Option<StateId>,
        change_count: usize,
        changes: Vec<PersistentChange>,
    },
    /// They could not.
    PersistentChangesCommitFailed { message: String },
    /// The host is asked to name the new state in the message.
    PersistentStateMetadataUpdateRequested {
        update_id: String,
        run_id: RunId,
        workspace_id: WorkspaceId,
        stable_chat_id: StableChatId,
        chat_ref: ChatRef,
        generation_type: GenerationType,
        profile_id: ProfileId,
        message_id: String,
        state_id: StateId,
        base_state_id: Option<StateId>,
        change_count: usize,
        changes: Vec<PersistentChange>,
    },
    /// It did.
    PersistentStateMetadataUpdated {
        update_id: String,
        message_id: String,
        state_id: StateId,
    },
    /// It refused.
    PersistentStateMetadataUpdateFailed {
        update_id: String,
        message_id: String,
        state_id: StateId,
        message: String,
    },
    /// Someone wants the workspace as it was at a checkpoint.
    WorkspaceRollbackRequested {
        rollback_id: String,
        checkpoint_id: CheckpointId,
    },
    /// It is.
    WorkspaceRollbackCompleted {
        rollback_id: String,
        checkpoint_id: CheckpointId,
        safety_checkpoint_id: CheckpointId,
        change_count: usize,
        changes: Vec<PersistentChange>,
    },
    /// It is not; the message says how the workspace stands.
    WorkspaceRollbackFailed {
        rollback_id: String,
        checkpoint_id: CheckpointId,
        code: String,
        message: String,
    },
    /// The model is known.
    AgentModelBindingResolved {
        mode: String,
        chat_completion_source: String,
        custom_api_format: Option<String>,
        model_id: String,
    },
    /// Messages and tools are ready.
    ContextAssembled {
        request: RequestSummary,
        invocation_id: InvocationId,
        tools: Vec<OfferedTool>,
        max_rounds: u32,
        context_policy: Value,
        model_retry: Value,
    },
    /// A request stands.
    ModelRequestCreated {
        round: u32,
        invocation_id: InvocationId,
        request: RequestSummary,
        tool_turn: Value,
    },
    /// The model is asked.
    ModelCallAttemptStarted {
        round: u32,
        invocation_id: InvocationId,
        attempt: u32,
        max_retries: u32,
    },
    /// It did not answer.
    ModelCallAttemptFailed {
        round: u32,
        invocation_id: InvocationId,
        attempt: u32,
        max_retries: u32,
        retryable: bool,
        will_retry: bool,
        code: String,
        message: String,
    },
    /// It will be asked again.
    ModelCallRetryScheduled {
        round: u32,
        invocation_id: InvocationId,
        next_attempt: u32,
        interval_ms: u64,
    },
    /// The answer is on disk.
    ModelResponseStored {
        round: u32,
        invocation_id: InvocationId,
        path: String,
        response_id: Option<String>,
        model: Option<String>,
    },
    /// What the next request continues from.
    ProviderStateUpdated {
        round: u32,
        invocation_id: InvocationId,
        provider_state: Value,
    },
    /// What the answer holds.
    ModelCompleted {
        round: u32,
        invocation_id: InvocationId,
        model_response_path: String,
        tool_call_count: usize,
        #[serde(flatten)]
        text: AnswerMetrics,
    },
    /// The model was reminded to use its tools.
    DriftRecoveryAttempted {
        attempt: u32,
        max_attempts: u32,
        max_rounds: u32,
        limit_reason: String,
        round: u32,
        invocation_id: InvocationId,
        committed_count: usize,
        reason_code: String,
    },
    /// The loop is over.
    AgentLoopFinished {
        commit_count: usize,
        round: u32,
        invocation_id: InvocationId,
    },
    /// The model asked for a call.
    ToolCallRequested {
        #[serde(flatten)]
        call: CallScope,
        name: String,
        snapshot_id: InvocationId,
        arguments_ref: String,
    },
    /// A person is asked whether the call may be made.
    ToolCallAwaitingApproval(ApprovalRequestPayload),
    /// It may.
    ToolCallApproved(ApprovalAnswerPayload),
    /// It may not.
    ToolCallDenied(ApprovalAnswerPayload),
    /// The call has passed its gates.
    ToolCallStarted {
        #[serde(flatten)]
        call: CallScope,
        name: String,
        snapshot_id: InvocationId,
    },
    /// The call is about to have something sent that may change something outside.
    ToolCallRequestStarted(SentRequestPayload),
    /// Its result is on disk.
    ToolResultStored {
        #[serde(flatten)]
        call: CallScope,
        path: String,
    },
    /// It was too long to be shown; a readable form is on disk too.
    ToolResultReadableViewStored {
        #[serde(flatten)]
        call: CallScope,
        path: String,
        audit_path: String,
    },
    /// It worked.
    ToolCallCompleted {
        #[serde(flatten)]
        call: CallScope,
        name: String,
        snapshot_id: InvocationId,
        is_error: bool,
        error_code: Option<String>,
        message: Option<String>,
        elapsed_ms: u64,
        resource_refs: Vec<String>,
    },
    /// It did not; the level tells whether the run goes on.
    ToolCallFailed {
        #[serde(flatten)]
        call: CallScope,
        name: String,
        snapshot_id: InvocationId,
        is_error: bool,
        error_code: String,
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        elapsed_ms: Option<u64>,
        resource_refs: Vec<String>,
        outcome: FailedOutcome,
        #[serde(skip)]
        is_fatal: bool,
    },
    /// A commit begins.
    ChatCommitStarted {
        commit_id: CommitId,
        invocation_id: InvocationId,
        call_id: CallId,
        path: WorkspacePath,
        mode: CommitMode,
        reason: Option<String>,
    },
    /// The host is asked.
    ChatCommitRequested {
        commit_id: CommitId,
        invocation_id: InvocationId,
        call_id: CallId,
        run_id: RunId,
        workspace_id: WorkspaceId,
        stable_chat_id: StableChatId,
        chat_ref: ChatRef,
        generation_type: GenerationType,
        profile_id: ProfileId,
        persist_base_state_id: Option<StateId>,
        path: WorkspacePath,
        mode: CommitMode,
        reason: Option<String>,
        chars: u32,
        words: u32,
        sha256: Sha256,
        checkpoint_id: CheckpointId,
        is_explicit: bool,
    },
    /// The chat holds the text.
    ChatCommitCompleted {
        commit_id: CommitId,
        invocation_id: InvocationId,
        call_id: CallId,
        path: WorkspacePath,
        mode: CommitMode,
        message_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        message_index: Option<u64>,
        is_explicit: bool,
    },
    /// The chat is unchanged.
    ChatCommitFailed {
        commit_id: CommitId,
        invocation_id: InvocationId,
        call_id: CallId,
        path: WorkspacePath,
        mode: CommitMode,
        message: String,
        is_explicit: bool,
    },
    /// The commit counts.
    ChatCommitRecorded {
        invocation_id: InvocationId,
        commit_count: usize,
        path: WorkspacePath,
        mode: CommitMode,
        message_id: Option<String>,
    },
    /// A person said something to the run; it waits for the next request.
    UserGuidanceSubmitted(GuidanceSubmittedPayload),
    /// It is part of a request now.
    UserGuidanceApplied(GuidanceAppliedPayload),
    /// No request will carry it.
    UserGuidanceDiscarded(GuidanceDiscardedPayload),
    /// An invocation exists.
    AgentInvocationCreated(InvocationPayload),
    /// It runs.
    AgentInvocationStarted(InvocationPayload),
    /// It is done.
    AgentInvocationCompleted(InvocationPayload),
    /// It failed.
    AgentInvocationFailed(InvocationPayload),
    /// It was stopped.
    AgentInvocationCancelled(InvocationPayload),
}

impl RunEvent {
    /// How much an event matters to a reader.
    #[must_use]
    pub const fn level(&self) -> Level {
        match self {
            Self::RunFailed { .. }
            | Self::PersistentChangesCommitFailed { .. }
            | Self::PersistentStateMetadataUpdateFailed { .. }
            | Self::WorkspaceRollbackFailed { .. }
            | Self::ModelCallAttemptFailed { will_retry: false, .. }
            | Self::ToolCallFailed { is_fatal: true, .. } => Level::Error,
            Self::RunPartialSuccess { .. }
            | Self::ModelCallAttemptFailed { .. }
            | Self::ModelCallRetryScheduled { .. }
            | Self::DriftRecoveryAttempted { .. }
            | Self::ToolCallFailed { .. }
            | Self::ChatCommitFailed { .. } => Level::Warn,
            Self::UserGuidanceDiscarded(payload) => payload.reason.level(),
            Self::ModelCallAttemptStarted { .. }
            | Self::ModelResponseStored { .. }
            | Self::ProviderStateUpdated { .. }
            | Self::ToolResultStored { .. }
            | Self::ToolResultReadableViewStored { .. } => Level::Debug,
            _ => Level::Info,
        }
    }

    /// Whether the run's status after this event is another one than before.
    #[must_use]
    pub const fn changes_status(&self) -> bool {
        matches!(
            self,
            Self::RunCreated { .. }
                | Self::StatusChanged { .. }
                | Self::RunCompleted
                | Self::RunCancelled { .. }
                | Self::RunFailed { .. }
                | Self::RunPartialSuccess { .. }
        )
    }

    /// The event as a journal takes it.
    ///
    /// # Errors
    /// What `serde_json` says; the types here can always be written.
    pub fn draft(&self) -> Result<Draft, serde_json::Error> {
        let mut value = serde_json::to_value(self)?;
        let kind = value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let payload = value.get_mut("payload").map_or(Value::Null, Value::take);
        Ok(Draft::new(self.level(), &kind, payload))
    }
}
