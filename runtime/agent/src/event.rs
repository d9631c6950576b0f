//! What has happened, as the loop is told: the answers to its effects, and what comes from outside.
//!
//! These are not the events of the journal: those are effects of the loop.

use innkeeper_protocol::approval::{ApprovalAnswer, ApprovalFinding};
use innkeeper_protocol::call::{CallOutcome, ToolError};
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::event::PersistentChange;
use innkeeper_protocol::guidance::Guidance;
use innkeeper_protocol::id::{CheckpointId, StateId};
use innkeeper_protocol::model::{ModelError, ModelResponse};
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::port::{CommitReceipt, CommitRefusal};
use innkeeper_protocol::run::RunError;

/// A promoted state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promotion {
    /// The new state.
    pub state_id: StateId,
    /// The one that it grew from.
    pub base_state_id: Option<StateId>,
    /// What changed.
    pub changes: Vec<PersistentChange>,
}

/// A file as it stands after it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenText {
    /// Unicode scalars.
    pub chars: u32,
    /// Words.
    pub words: u32,
    /// Digest.
    pub sha256: Sha256,
}

/// Something that has happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// The run begins.
    Started,
    /// The roots exist; these are the persistent ones.
    WorkspaceReady {
        /// Names of the roots that are carried from run to run.
        persistent_roots: Vec<String>,
    },
    /// What a person has said since the last request, in order.
    GuidanceTaken(Vec<Guidance>),
    /// The model has answered, or not.
    ModelAnswered(Result<Box<ModelResponse>, ModelError>),
    /// The pause is over.
    WaitOver,
    /// The turn lies here.
    TurnStored {
        /// Path in the run's folder.
        path: String,
    },
    /// The arguments lie here.
    ArgumentsStored {
        /// Path in the run's folder.
        path: String,
        /// Whether they fit the tool's input schema, where that was asked: nobody is asked to approve a call that must fail.
        fit: bool,
    },
    /// It is known whether a person has to be asked.
    ApprovalPrepared(ApprovalFinding),
    /// A person has answered.
    ApprovalAnswered(ApprovalAnswer),
    /// The tool is done.
    ToolReturned {
        /// How it ended.
        outcome: CallOutcome,
        /// How long it took, in milliseconds.
        elapsed_ms: u64,
    },
    /// The staged changes stand, or none of them does.
    EffectsApplied(Result<(), ToolError>),
    /// The workspace is saved under this id.
    CheckpointCreated(CheckpointId),
    /// The host has answered.
    CommitAnswered(Result<CommitReceipt, CommitRefusal>),
    /// The result lies here.
    ResultStored {
        /// Path in the run's folder.
        path: WorkspacePath,
        /// Path of its readable form, if one was asked for.
        view: Option<WorkspacePath>,
    },
    /// The text stands in its file.
    TextCaptured(WrittenText),
    /// The persistent roots are a new state, or not.
    Promoted(Result<Promotion, RunError>),
    /// The host has answered.
    MetadataUpdated(Result<(), CommitRefusal>),
    /// Someone wants the run to stop. Whatever was going on has been stopped already.
    CancelRequested,
    /// The last effect could not be performed at all. An error of kind `Cancelled` counts as [`Event::CancelRequested`].
    Failed(RunError),
}

impl Event {
    /// The event without what it carries, which may be whole texts.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Started => "Started",
            Self::WorkspaceReady { .. } => "WorkspaceReady",
            Self::GuidanceTaken(_) => "GuidanceTaken",
            Self::ModelAnswered(_) => "ModelAnswered",
            Self::WaitOver => "WaitOver",
            Self::TurnStored { .. } => "TurnStored",
            Self::ArgumentsStored { .. } => "ArgumentsStored",
            Self::ApprovalPrepared(_) => "ApprovalPrepared",
            Self::ApprovalAnswered(_) => "ApprovalAnswered",
            Self::ToolReturned { .. } => "ToolReturned",
            Self::EffectsApplied(_) => "EffectsApplied",
            Self::CheckpointCreated(_) => "CheckpointCreated",
            Self::CommitAnswered(_) => "CommitAnswered",
            Self::ResultStored { .. } => "ResultStored",
            Self::TextCaptured(_) => "TextCaptured",
            Self::Promoted(_) => "Promoted",
            Self::MetadataUpdated(_) => "MetadataUpdated",
            Self::CancelRequested => "CancelRequested",
            Self::Failed(_) => "Failed",
        }
    }
}
