//! The ports: what a host must supply so that runs can happen. `store` supplies files, an application its own chats.
//!
//! Ports state what can go wrong in types; they hold no policy. The model's port is in [`crate::model`].

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::call::{CommitMode, PlannedCommit};
use crate::digest::Sha256;
use crate::event::PersistentChange;
use crate::id::{CheckpointId, CommitId, ProfileId, RunId, StableChatId, StateId, WorkspaceId};
use crate::path::WorkspacePath;
use crate::run::{ChatRef, GenerationType, RunError};

/// Time. The only way in which the library learns it.
pub trait Clock: Send + Sync {
    /// Wall clock, milliseconds since 1970-01-01T00:00:00Z. May jump; never used for durations or order.
    fn wall_ms(&self) -> u64;
    /// Monotonic microseconds since some fixed moment.
    fn monotonic_micros(&self) -> u64;
}

/// Unpredictable bits for ids and seeds. The only way in which the library gets them.
pub trait Entropy: Send + Sync {
    /// 16 random bytes, as a version 4 UUID has them.
    fn uuid_bytes(&self) -> [u8; 16];
    /// A seed for the random numbers of a run.
    fn seed(&self) -> u64;
}

/// Random numbers for tools, recorded by whoever asks.
pub trait Randomness: Send + Sync {
    /// A uniform number in `0..bound`; `bound` is at least 1.
    fn below(&mut self, bound: u64) -> u64;
}

/// Who speaks in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatRole {
    /// The person.
    User,
    /// The character.
    Assistant,
    /// A note or a hidden message.
    System,
}

/// One message of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatMessage {
    /// 0-based; a header line has none.
    pub index: u32,
    /// Who speaks.
    pub role: ChatRole,
    /// Speaker as stored; may be empty.
    pub name: String,
    /// The text.
    pub text: String,
    /// As stored, never interpreted.
    pub send_date: Option<String>,
}

/// Why the chat cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// The run has no chat, or its file is gone.
    #[error("the run's chat is not there")]
    Unavailable,
    /// The chat is not what the run started with, or cannot be read; ends the run.
    #[error(transparent)]
    Fault(#[from] RunError),
}

/// The chat of a run, cut at its input boundary.
#[async_trait]
pub trait ChatHistory: Send + Sync {
    /// How many messages the run may see.
    async fn count(&self) -> Result<u32, HistoryError>;
    /// Messages from `start`, at most `count`.
    async fn page(&self, start: u32, count: u32) -> Result<Vec<ChatMessage>, HistoryError>;
}

/// The chats of an application, when a run over one of them starts.
#[async_trait]
pub trait ChatSource: Send + Sync {
    /// A chat as it is now, in SillyTavern's format: one JSON object a line; a header line may come first. Empty for a new chat. A chat
    /// that cannot be read is an error, never an empty one.
    async fn lines(&self, chat: &ChatRef, stable_chat_id: &StableChatId) -> Result<Vec<u8>, HistoryError>;
}

/// The presets of an application: settings from which a front end puts a prompt together.
#[async_trait]
pub trait PresetSource: Send + Sync {
    /// A preset as the application stores it, the user's own before one that was shipped; none where there is no such preset.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be read.
    async fn preset(&self, api_id: &str, name: &str) -> Result<Option<serde_json::Value>, RunError>;
}

/// What is wrong with a path, seen from storage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileProblem {
    /// A link, a special file, or a component on the way that is a file; the text says which.
    #[error("{0}")]
    Invalid(String),
    /// Nothing there.
    #[error("there is no such file")]
    NotFound,
    /// A directory stands there.
    #[error("it is a directory")]
    IsDirectory,
    /// Not UTF-8.
    #[error("it is not UTF-8 text")]
    NotText,
    /// More bytes than the host reads at once.
    #[error("it has {0} bytes, more than the host reads at once")]
    TooLarge(u64),
    /// Differs only by case or Unicode form from this existing name.
    #[error("it differs only by case or Unicode form from the existing {0:?}")]
    NameConflict(String),
}

/// Why a file could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// Something that the model can act on.
    #[error(transparent)]
    Problem(#[from] FileProblem),
    /// A fault that ends the run.
    #[error(transparent)]
    Fault(#[from] RunError),
}

/// A text file as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    /// The whole text.
    pub text: String,
    /// Digest of its bytes.
    pub sha256: Sha256,
}

/// What stands at a listed path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
}

/// One line of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Where.
    pub path: WorkspacePath,
    /// What.
    pub kind: FileKind,
    /// Size in bytes; 0 for a directory.
    pub bytes: u64,
}

/// A listing: directories first, then files, each bytewise by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The entries.
    pub entries: Vec<FileEntry>,
    /// More entries exist than were asked for.
    pub truncated: bool,
    /// Links, special files and names that are no workspace path.
    pub skipped: u32,
}

/// What must hold when a change is applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guard {
    /// Nothing.
    Unchecked,
    /// The file does not exist.
    MustNotExist,
    /// The file has this digest.
    MustMatch(Sha256),
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Which file.
    pub path: WorkspacePath,
    /// The new text, or none to remove the file.
    pub content: Option<String>,
    /// What must hold.
    pub guard: Guard,
}

/// Why a set of changes was not applied. Nothing of it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// The guard of this path did not hold.
    #[error("{path} is not in the state that was expected")]
    Conflict {
        /// Which file.
        path: WorkspacePath,
        /// Its digest now, if it exists.
        actual: Option<Sha256>,
    },
    /// This path cannot be written.
    #[error("{path}: {problem}")]
    Problem {
        /// Which file.
        path: WorkspacePath,
        /// Why.
        problem: FileProblem,
    },
    /// A fault that ends the run.
    #[error(transparent)]
    Fault(#[from] RunError),
}

/// The files of one run's workspace, by physical path.
#[async_trait]
pub trait WorkspaceFiles: Send + Sync {
    /// Lists below `path` (a file: just that file); depth 0 is the immediate children.
    async fn list(&self, path: &WorkspacePath, depth: u32, limit: u32) -> Result<Listing, FileError>;
    /// Reads a text file of at most 16 MiB.
    async fn read(&self, path: &WorkspacePath) -> Result<FileText, FileError>;
    /// Applies all changes or none.
    async fn apply(&self, changes: Vec<FileChange>) -> Result<(), ApplyError>;
}

/// Everything that a host needs to know to put a commit into the chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitRequest {
    /// Names this commit; the host applies it at most once.
    pub commit_id: CommitId,
    /// 1 for the run's first commit.
    pub sequence: u32,
    /// The run that asks.
    pub run_id: RunId,
    /// The folder of the chat's runs.
    pub workspace_id: WorkspaceId,
    /// The chat.
    pub stable_chat_id: StableChatId,
    /// Where the chat lies.
    pub chat_ref: ChatRef,
    /// Where the first commit goes.
    pub generation_type: GenerationType,
    /// The profile that wrote the text.
    pub profile_id: ProfileId,
    /// The persistent state that the run started from.
    pub persist_base_state_id: Option<StateId>,
    /// The checkpoint cut before the host was asked.
    pub checkpoint_id: CheckpointId,
    /// Path, mode, reason and digest.
    pub planned: PlannedCommit,
    /// The text itself; its digest is `planned.sha256`.
    pub text: String,
    /// Whether the model asked for it.
    pub is_explicit: bool,
    /// What the model thought on the way, if the chat may show it.
    pub reasoning: Option<String>,
}

/// A commit that stands in the chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitReceipt {
    /// The host's name of the message, usually its index as text.
    pub message_id: Option<String>,
}

/// A commit that the host refused; the chat is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct CommitRefusal {
    /// Why, for the model and the person.
    pub reason: String,
}

/// A promoted state that the committed message should name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataUpdate {
    /// Names this update.
    pub update_id: String,
    /// The run.
    pub run_id: RunId,
    /// The chat.
    pub stable_chat_id: StableChatId,
    /// The message of the latest commit.
    pub message_id: String,
    /// The new state.
    pub state_id: StateId,
    /// The state that it grew from.
    pub base_state_id: Option<StateId>,
    /// What changed.
    pub changes: Vec<PersistentChange>,
}

/// The side that owns the chat. Answers may take as long as they like.
#[async_trait]
pub trait ChatHost: Send + Sync {
    /// Puts a text into the chat, at most once for a commit id.
    async fn commit(&self, request: &CommitRequest) -> Result<CommitReceipt, CommitRefusal>;
    /// Writes the promoted state's id into the committed message.
    async fn update_metadata(&self, update: &MetadataUpdate) -> Result<(), CommitRefusal>;
    /// This commit is about to be asked for. Whoever reads the journal may learn of it before [`commit`](Self::commit) is called.
    fn announce_commit(&self, _run_id: &RunId, _commit_id: &CommitId) {}
    /// The same for an update.
    fn announce_update(&self, _run_id: &RunId, _update_id: &str) {}
    /// What this run has asked and nobody has answered is asked no more: it is over, or found out that it cannot go through with it.
    fn withdraw(&self, _run_id: &RunId) {}
}

/// How a commit of a given mode is named in words.
#[must_use]
pub const fn commit_mode_name(mode: CommitMode) -> &'static str {
    match mode {
        CommitMode::Replace => "replace",
        CommitMode::Append => "append",
    }
}
