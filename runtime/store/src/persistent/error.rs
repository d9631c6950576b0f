//! What can go wrong with persistent states. Each error names the state, the root or the file.

use std::io;

use innkeeper_protocol::id::{InvalidId, StateId, WorkspaceId};
use innkeeper_protocol::path::{RootName, WorkspacePath};

use crate::tree::TreeError;

/// Why a state could not be read or made. No state was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PersistentError {
    /// No such state in this chat.
    #[error("there is no persistent state {state_id}")]
    NotFound {
        /// The state.
        state_id: StateId,
    },
    /// A link or a file stands where the state's folder should be.
    #[error("persistent state {state_id} is no folder")]
    NotAFolder {
        /// The state.
        state_id: StateId,
    },
    /// Made by a later version.
    #[error("persistent state {state_id} has version {version}; this program reads version {supported}")]
    VersionUnsupported {
        /// The state.
        state_id: StateId,
        /// Its version, as it is written.
        version: String,
        /// The version that is read.
        supported: u32,
    },
    /// The list belongs to another state.
    #[error("the manifest of persistent state {state_id} says that it is {found:?}")]
    ManifestMismatch {
        /// The state that was wanted.
        state_id: StateId,
        /// What the manifest says.
        found: String,
    },
    /// The state belongs to another chat.
    #[error("persistent state {state_id} belongs to {found:?}, not to {expected}")]
    WorkspaceMismatch {
        /// The state.
        state_id: StateId,
        /// The chat that the manifest names.
        found: String,
        /// The chat in whose folder it lies.
        expected: WorkspaceId,
    },
    /// The manifest, or a file that it lists, cannot be trusted.
    #[error("{file} is damaged: {problem}")]
    Damaged {
        /// Which file, from the chat's folder.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A root is gone although it should hold files.
    #[error("`{root}` is missing in {}", holder(state_id.as_ref()))]
    RootMissing {
        /// Which root.
        root: RootName,
        /// The state that lacks it; `None` for the run's own files.
        state_id: Option<StateId>,
    },
    /// A link or a file stands where a root should be.
    #[error("`{root}` in {} is no folder", holder(state_id.as_ref()))]
    RootInvalid {
        /// Which root.
        root: RootName,
        /// The state that it is in; `None` for the run's own files.
        state_id: Option<StateId>,
    },
    /// A folder has the name of the file in which macOS keeps a folder's view, which is never copied.
    #[error("`{path}` is a folder; only a file may have that name, and it is not kept")]
    MetadataFolder {
        /// The folder.
        path: WorkspacePath,
    },
    /// The run has made its state already.
    #[error("persistent state {state_id} exists already")]
    Exists {
        /// The state.
        state_id: StateId,
    },
    /// The run's files, or a state's, could not be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A run's id is no state's id, which would be a defect.
    #[error(transparent)]
    Id(#[from] InvalidId),
    /// The disk refused.
    #[error("cannot use {path}")]
    Io {
        /// Where, from the chat's folder.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl PersistentError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "agent.persistent_state_not_found",
            Self::NotAFolder { .. } | Self::Damaged { .. } | Self::MetadataFolder { .. } => {
                "agent.persistent_state_invalid"
            }
            Self::VersionUnsupported { .. } => "agent.persistent_state_version_unsupported",
            Self::ManifestMismatch { .. } => "agent.persistent_state_manifest_mismatch",
            Self::WorkspaceMismatch { .. } => "agent.persistent_state_workspace_mismatch",
            Self::RootMissing { .. } => "agent.persistent_state_root_missing",
            Self::RootInvalid { .. } => "agent.persistent_state_root_invalid",
            Self::Exists { .. } => "agent.persistent_state_exists",
            Self::Tree(error) => error.code(),
            Self::Id(_) => "agent.internal_error",
            Self::Io { .. } => "store.io_failed",
        }
    }

    /// Makes an [`Io`](Self::Io) out of what the system said.
    pub(super) fn io(path: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

fn holder(state_id: Option<&StateId>) -> String {
    state_id.map_or_else(
        || "this run's workspace".to_owned(),
        |state_id| format!("persistent state {state_id}"),
    )
}
