//! What the loop asks to be done. Whoever performs effects does so in order, and answers those that have an answer with an event.
//!
//! How an effect is performed is not said here; no effect holds a path of the machine, an id that is drawn, or a time.

use innkeeper_protocol::approval::ApprovalId;
use innkeeper_protocol::call::{PlannedCommit, ToolResult};
use innkeeper_protocol::event::{CheckpointReason, DiscardReason, PersistentChange, RunEvent};
use innkeeper_protocol::id::{CallId, CheckpointId, CommitId, StateId, ToolId};
use innkeeper_protocol::model::{ModelRequest, StoredTurn};
use innkeeper_protocol::path::WorkspacePath;
use serde_json::Value;

/// One thing to do. All but [`Effect::Append`], [`Effect::CloseMailbox`] and [`Effect::End`] are answered by an [`Event`](crate::Event); at most one of those
/// stands in a list, and it stands last.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// The journal says this, durably, before anything else is done.
    Append(Box<RunEvent>),
    /// The roots are made and the input is frozen. Answer: [`WorkspaceReady`](crate::Event::WorkspaceReady).
    PrepareWorkspace,
    /// What a person has said since the last request is taken along. It leaves the mailbox once the journal says that it was applied.
    /// Answer: [`GuidanceTaken`](crate::Event::GuidanceTaken).
    TakeGuidance,
    /// The mailbox takes nothing more. What is still in it is discarded, and the journal says so.
    CloseMailbox {
        /// Why.
        reason: DiscardReason,
    },
    /// The model is asked. May be interrupted. Answer: [`ModelAnswered`](crate::Event::ModelAnswered).
    CallModel(Box<ModelRequest>),
    /// Nothing happens for a while. May be interrupted. Answer: [`WaitOver`](crate::Event::WaitOver).
    Wait {
        /// Milliseconds.
        ms: u64,
    },
    /// The model's turn is kept. Answer: [`TurnStored`](crate::Event::TurnStored).
    StoreTurn(Box<StoredTurn>),
    /// What the model sent is kept, before anything else is known of the call. Answer:
    /// [`ArgumentsStored`](crate::Event::ArgumentsStored).
    StoreArguments {
        /// The call.
        call_id: CallId,
        /// The tool.
        tool_id: ToolId,
        /// As the model sent them.
        arguments: Value,
        /// Whether the answer must say if they fit the tool's schema; otherwise that is found out when the tool runs.
        must_fit: bool,
    },
    /// It is found out whether a person has to be asked about a call. Answer:
    /// [`ApprovalPrepared`](crate::Event::ApprovalPrepared).
    PrepareApproval {
        /// The call.
        call_id: CallId,
        /// The tool.
        tool_id: ToolId,
        /// As the model sent them.
        arguments: Value,
    },
    /// A person is asked, for as long as it takes. May be interrupted. Answer: [`ApprovalAnswered`](crate::Event::ApprovalAnswered).
    AskApproval {
        /// Names the question.
        approval_id: ApprovalId,
        /// The call.
        call_id: CallId,
    },
    /// The tool runs. May be interrupted. Answer: [`ToolReturned`](crate::Event::ToolReturned).
    RunTool {
        /// The call.
        call_id: CallId,
        /// The tool.
        tool_id: ToolId,
        /// As the model sent them.
        arguments: Value,
    },
    /// What the tool has staged is applied, all or nothing. Answer: [`EffectsApplied`](crate::Event::EffectsApplied).
    ApplyStaged,
    /// The workspace is saved. Answer: [`CheckpointCreated`](crate::Event::CheckpointCreated).
    CreateCheckpoint {
        /// Why.
        reason: CheckpointReason,
    },
    /// The host is asked to commit. May be interrupted. Answer: [`CommitAnswered`](crate::Event::CommitAnswered).
    AskCommit {
        /// Names the commit.
        commit_id: CommitId,
        /// 1 for the run's first.
        sequence: u32,
        /// What is committed.
        planned: PlannedCommit,
        /// Cut before the host is asked.
        checkpoint_id: CheckpointId,
        /// Whether the model asked for it.
        is_explicit: bool,
    },
    /// The result is kept. What the call has shown and written counts from now on if `counts`. Answer:
    /// [`ResultStored`](crate::Event::ResultStored).
    StoreResult {
        /// The result.
        result: Box<ToolResult>,
        /// Whether the call succeeded.
        counts: bool,
        /// The readable form of a result that is too long to be shown.
        view: Option<String>,
    },
    /// The model's plain text is kept as a file. Answer: [`TextCaptured`](crate::Event::TextCaptured).
    CaptureText {
        /// Where.
        path: WorkspacePath,
        /// The text.
        text: String,
    },
    /// The persistent roots become a new state. May be refused before it starts when the run is being cancelled. Answer:
    /// [`Promoted`](crate::Event::Promoted).
    Promote,
    /// The host is asked to name the new state in the message. Answer: [`MetadataUpdated`](crate::Event::MetadataUpdated).
    UpdateMetadata {
        /// Names the update.
        update_id: String,
        /// The message of the latest commit.
        message_id: String,
        /// The new state.
        state_id: StateId,
        /// What changed.
        changes: Vec<PersistentChange>,
    },
    /// The run is over.
    End,
}
