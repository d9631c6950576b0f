//! The state of one run's loop: what it was started with, and how far it has come.
//!
//! Nothing here is stored; the journal is, and this is rebuilt by replaying the same events through the same step.

use std::collections::HashMap;
use std::collections::VecDeque;
use std::sync::Arc;

use innkeeper_policy::{AskRule, Decision};
use innkeeper_protocol::approval::ApprovalId;
use innkeeper_protocol::call::{CommitMode, PlannedCommit, PlannedEffect, Reply, ToolError, ToolResult};
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::event::{CheckpointReason, InputBoundary, PreservedCommit};
use innkeeper_protocol::id::{
    CommitId, InvocationId, ModelAlias, ProfileId, RunId, StableChatId, StateId, ToolId, WorkspaceId,
};
use innkeeper_protocol::model::{Message, ModelInfo, ProviderState, ToolCallRequest, ToolOffer};
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::run::{ChatRef, GenerationType, Presentation, RunError, RunStatus};
use innkeeper_protocol::skill::{EffectiveSkill, SkillScope, SkillScopeRefs};
use serde_json::{Map, Value};

use crate::prompt::Conversation;

/// A tool that the invocation knows. The model is offered it where the decision says that it is visible; a call of one that is not
/// offered is answered with the reason for that.
#[derive(Debug, Clone)]
pub struct OfferedTool {
    /// The tool.
    pub id: ToolId,
    /// What goes into requests: alias, description, schema.
    pub offer: ToolOffer,
    /// What policy says of it.
    pub decision: Decision,
    /// Calls in this invocation, if capped.
    pub max_calls: Option<u32>,
}

/// What the loop goes by; frozen when the run starts.
#[derive(Debug, Clone)]
pub struct LoopRules {
    /// Model rounds, at least 1.
    pub max_rounds: u32,
    /// Calls, at least 1.
    pub max_calls: u32,
    /// Reminders to a model that answers without a call.
    pub drift_attempts: u32,
    /// Further tries of a request that failed in passing.
    pub max_retries: u32,
    /// Pause before each of them in milliseconds.
    pub retry_interval_ms: u64,
    /// Whether the host shows a file in the chat while the model is still writing it: then a written file needs no commit ahead.
    pub shows_live_writes: bool,
    /// Whether a call that policy denies ends the run.
    pub denial_is_fatal: bool,
    /// Where the message is drafted.
    pub message_path: WorkspacePath,
    /// Whether a blank message cannot be committed.
    pub message_required: bool,
    /// Newest tool results that stay whole in requests.
    pub keep_full_results: u32,
    /// Longest tool result in requests, in characters.
    pub max_result_chars: Option<u32>,
    /// Longest result of a tool that does not page by itself, in characters.
    pub inline_result_chars: u32,
    /// The same settings as the journal shows them.
    pub context_policy: Value,
}

/// The skills that apply to a run.
#[derive(Debug, Clone, Default)]
pub struct RunSkills {
    /// Scopes that were looked into, in their order.
    pub scopes: Vec<SkillScope>,
    /// What the preset and character scopes stand for.
    pub refs: SkillScopeRefs,
    /// The skills.
    pub effective: Vec<EffectiveSkill>,
}

/// What a run is started with.
#[derive(Debug, Clone)]
pub struct RunSetup {
    /// The run.
    pub run_id: RunId,
    /// The folder of the chat's runs.
    pub workspace_id: WorkspaceId,
    /// The chat.
    pub stable_chat_id: StableChatId,
    /// Where the chat lies.
    pub chat_ref: ChatRef,
    /// What kind of message is wanted.
    pub generation_type: GenerationType,
    /// Who writes it.
    pub profile_id: ProfileId,
    /// Where the profile came from: `built_in` or `file:<id>`.
    pub profile_source: String,
    /// The persistent state to start from.
    pub persist_base_state_id: Option<StateId>,
    /// Messages that the run may see.
    pub input_message_count: u32,
    /// The chat file at the start, where the host's chats are files.
    pub input_boundary: Option<InputBoundary>,
    /// Whether a person watches.
    pub presentation: Presentation,
    /// The skills that apply.
    pub skills: RunSkills,
    /// What the loop goes by.
    pub rules: LoopRules,
    /// The tools, in the order of the profile.
    pub tools: Vec<OfferedTool>,
    /// The first request's messages.
    pub messages: Vec<Message>,
    /// Generation settings that are passed on as they are.
    pub settings: Map<String, Value>,
    /// What the front end says about why it asks; recorded, never read.
    pub generation_intent: Option<Value>,
    /// The model.
    pub model: ModelInfo,
}

/// A commit that the host has confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LedgerEntry {
    pub(crate) path: WorkspacePath,
    pub(crate) mode: CommitMode,
    pub(crate) message_id: Option<String>,
    pub(crate) round: u32,
    pub(crate) is_explicit: bool,
}

impl LedgerEntry {
    pub(crate) fn preserved(&self) -> PreservedCommit {
        PreservedCommit {
            path: self.path.clone(),
            mode: self.mode,
            message_id: self.message_id.clone(),
            round: self.round,
        }
    }
}

/// The call that is being worked on.
#[derive(Debug, Clone)]
pub(crate) struct OpenCall {
    pub(crate) request: ToolCallRequest,
    pub(crate) tool_id: ToolId,
    pub(crate) alias: ModelAlias,
    /// Where its arguments lie, once they are kept.
    pub(crate) arguments_ref: String,
    /// Whether the journal says that it was requested.
    pub(crate) is_requested: bool,
    pub(crate) elapsed_ms: Option<u64>,
}

/// The file that was written or patched last in a round, which an automatic commit would take.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) commit: PlannedCommit,
    pub(crate) call_id: innkeeper_protocol::id::CallId,
    pub(crate) is_blank: bool,
}

/// The model's turn that is being carried out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turn {
    pub(crate) answer: Option<Message>,
    /// The provider's id of the answer.
    pub(crate) response_id: Option<String>,
    /// The model that answered, by its own account.
    pub(crate) answered_by: Option<String>,
    pub(crate) response_path: String,
    pub(crate) calls: VecDeque<ToolCallRequest>,
    pub(crate) open: Option<OpenCall>,
    pub(crate) results: Vec<Message>,
    pub(crate) is_finished: bool,
    pub(crate) candidate: Option<Candidate>,
}

/// A commit on its way.
#[derive(Debug, Clone)]
pub(crate) struct PendingCommit {
    pub(crate) commit_id: CommitId,
    pub(crate) call_id: innkeeper_protocol::id::CallId,
    pub(crate) planned: PlannedCommit,
    pub(crate) is_explicit: bool,
    /// The reply that asked for it; none for an automatic commit.
    pub(crate) reply: Option<Reply>,
}

/// What a checkpoint that was cut is followed by.
#[derive(Debug, Clone)]
pub(crate) enum AfterCheckpoint {
    /// The rest of a reply.
    Reply(Reply),
    /// The host is asked.
    Commit(PendingCommit),
    /// The model is reminded, or given up.
    Drift(Option<WorkspacePath>),
}

/// What the loop waits for. Each state has the one event that takes it on.
#[derive(Debug, Clone)]
pub(crate) enum Phase {
    Created,
    PreparingWorkspace,
    TakingGuidance,
    AwaitingModel { attempt: u32 },
    WaitingToRetry { attempt: u32 },
    StoringTurn,
    StoringArguments,
    PreparingApproval(AskRule),
    AwaitingApproval(ApprovalId),
    RunningTool,
    Applying(Reply),
    Checkpointing(AfterCheckpoint),
    AwaitingCommit(PendingCommit),
    StoringResult { result: ToolResult, how: ResultKind },
    CapturingText(WorkspacePath),
    Promoting,
    UpdatingMetadata(Box<crate::ending::MetadataNames>),
    Ended,
}

impl Phase {
    /// The phase without what it carries, which may be whole texts.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Created => "Created",
            Self::PreparingWorkspace => "PreparingWorkspace",
            Self::TakingGuidance => "TakingGuidance",
            Self::AwaitingModel { .. } => "AwaitingModel",
            Self::WaitingToRetry { .. } => "WaitingToRetry",
            Self::StoringTurn => "StoringTurn",
            Self::StoringArguments => "StoringArguments",
            Self::PreparingApproval(_) => "PreparingApproval",
            Self::AwaitingApproval(_) => "AwaitingApproval",
            Self::RunningTool => "RunningTool",
            Self::Applying(_) => "Applying",
            Self::Checkpointing(_) => "Checkpointing",
            Self::AwaitingCommit(_) => "AwaitingCommit",
            Self::StoringResult { .. } => "StoringResult",
            Self::CapturingText(_) => "CapturingText",
            Self::Promoting => "Promoting",
            Self::UpdatingMetadata(_) => "UpdatingMetadata",
            Self::Ended => "Ended",
        }
    }
}

/// Which event follows a stored result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ResultKind {
    Completed {
        finishes: bool,
    },
    Failed,
    Refused,
    /// Policy forbids it and the profile says that this ends the run.
    RefusedForGood(Box<RunError>),
}

/// One run.
#[derive(Debug, Clone)]
pub struct Run {
    pub(crate) setup: RunSetup,
    pub(crate) phase: Phase,
    pub(crate) status: RunStatus,
    pub(crate) conversation: Conversation,
    /// The visible tools, as each request offers them.
    pub(crate) offers: Arc<[ToolOffer]>,
    /// What the next request continues from.
    pub(crate) provider_state: ProviderState,
    pub(crate) round: u32,
    pub(crate) drift_attempts: u32,
    pub(crate) calls_made: u32,
    pub(crate) calls_by_tool: HashMap<ToolId, u32>,
    pub(crate) ledger: Vec<LedgerEntry>,
    pub(crate) turn: Turn,
    pub(crate) commits_started: u32,
    /// Questions to people so far.
    pub(crate) approvals: u32,
    /// Whether the journal says that the root invocation exists, and not yet that it is over.
    pub(crate) is_invocation_live: bool,
    pub(crate) is_promoted: bool,
    pub(crate) error: Option<RunError>,
}

impl Run {
    /// A run that has not begun.
    #[must_use]
    pub fn new(mut setup: RunSetup) -> Self {
        let rules = &setup.rules;
        let opening = std::mem::take(&mut setup.messages);
        let conversation = Conversation::new(opening, rules.keep_full_results, rules.max_result_chars);
        let visible = setup.tools.iter().filter(|tool| tool.decision.visible);
        let offers = visible.map(|tool| tool.offer.clone()).collect();
        let provider_state = ProviderState::new(&setup.run_id, &root());
        Self {
            setup,
            phase: Phase::Created,
            status: RunStatus::Created,
            conversation,
            offers,
            provider_state,
            round: 0,
            drift_attempts: 0,
            calls_made: 0,
            calls_by_tool: HashMap::new(),
            ledger: Vec::new(),
            turn: Turn::default(),
            commits_started: 0,
            approvals: 0,
            is_invocation_live: false,
            is_promoted: false,
            error: None,
        }
    }

    /// How far the run has come.
    #[must_use]
    pub fn status(&self) -> RunStatus {
        self.status
    }

    /// The error that ended the run, if one did; a cancel is none.
    #[must_use]
    pub fn error(&self) -> Option<&RunError> {
        self.error.as_ref()
    }

    /// Whether nothing more will happen.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Ended)
    }

    /// Whether a cancel can still stop the run: until persistence has been promoted.
    #[must_use]
    pub fn is_cancellable(&self) -> bool {
        !self.is_promoted && !self.is_over()
    }

    pub(crate) fn is_foreground(&self) -> bool {
        self.setup.presentation == Presentation::Foreground
    }

    pub(crate) fn explicit_commits(&self) -> usize {
        self.ledger.iter().filter(|entry| entry.is_explicit).count()
    }

    /// The tools that the model is told of.
    pub(crate) fn offered(&self) -> impl Iterator<Item = &OfferedTool> {
        self.setup.tools.iter().filter(|tool| tool.decision.visible)
    }

    pub(crate) fn tool(&self, id: &ToolId) -> Option<&OfferedTool> {
        self.setup.tools.iter().find(|tool| tool.id == *id)
    }

    pub(crate) fn tool_by_alias(&self, alias: &str) -> Option<&OfferedTool> {
        self.setup.tools.iter().find(|tool| tool.offer.alias.as_str() == alias)
    }

    /// An id that is unique in the run and the same whenever the run is replayed.
    pub(crate) fn derived_id(&self, what: &str, number: u32) -> String {
        let digest = Sha256::of(format!("{}\n{what}\n{number}", self.setup.run_id).as_bytes());
        format!("{what}_{}", digest.as_str().get(..32).unwrap_or_default())
    }
}

/// The root invocation; a run's loop has no other.
pub(crate) fn root() -> InvocationId {
    InvocationId::root()
}

/// Errors that the loop itself can give.
pub(crate) fn internal(message: impl Into<String>) -> RunError {
    RunError::internal("agent.internal_error", message)
}

/// The effects of a reply that change files.
pub(crate) fn file_effects(reply: &Reply) -> impl Iterator<Item = &PlannedEffect> {
    reply.effects.iter().filter(|effect| {
        matches!(
            effect,
            PlannedEffect::Write { .. } | PlannedEffect::Patch { .. } | PlannedEffect::Delete { .. }
        )
    })
}

/// Whether a reply changes files in places.
pub(crate) fn patches(reply: &Reply) -> bool {
    reply
        .effects
        .iter()
        .any(|effect| matches!(effect, PlannedEffect::Patch { .. }))
}

/// Why a checkpoint is cut after a reply's files were changed.
pub(crate) fn checkpoint_reason(reply: &Reply) -> CheckpointReason {
    if patches(reply) {
        CheckpointReason::ToolWorkspacePatch
    } else {
        CheckpointReason::ToolWorkspaceWrite
    }
}

/// The commit that a reply asks for.
pub(crate) fn planned_commit(reply: &Reply) -> Option<&PlannedCommit> {
    reply.effects.iter().find_map(|effect| match effect {
        PlannedEffect::Commit(planned) => Some(planned),
        _ => None,
    })
}

/// Whether a reply asks for the end of the run.
pub(crate) fn finishes(reply: &Reply) -> bool {
    reply
        .effects
        .iter()
        .any(|effect| matches!(effect, PlannedEffect::Finish { .. }))
}

/// A reply that could not be carried out.
pub(crate) fn refused(code: &str, message: impl Into<String>, reply: &Reply) -> ToolError {
    ToolError {
        code: code.to_owned(),
        message: message.into(),
        told: Box::new(reply.told.clone()),
        usage: Some(reply.usage),
    }
}
