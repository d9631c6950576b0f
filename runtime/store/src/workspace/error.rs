//! What can go wrong with the folder of a run. Each error names the file, from that folder.

use innkeeper_protocol::id::InvocationId;
use innkeeper_protocol::path::{PathRefusal, RootName, WorkspacePath};

use crate::persistent::PersistentError;
use crate::tree::TreeError;

/// Why a run's folder could not be prepared, or a record in it not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// A frozen input, or a record that is to be new, is there already.
    #[error("`{path}` exists already and is written only once")]
    AlreadyExists {
        /// The file.
        path: WorkspacePath,
    },
    /// A file of ours cannot be trusted.
    #[error("`{path}` is damaged: {problem}")]
    Damaged {
        /// The file.
        path: WorkspacePath,
        /// What is wrong with it.
        problem: String,
    },
    /// A file of ours that must be there is not.
    #[error("`{path}` is missing")]
    Missing {
        /// The file.
        path: WorkspacePath,
    },
    /// The run has no such invocation.
    #[error("this run has no invocation {id}")]
    InvocationNotFound {
        /// The id.
        id: InvocationId,
    },
    /// The record belongs to another run.
    #[error("invocation {id} belongs to another run")]
    ForeignInvocation {
        /// The id.
        id: InvocationId,
    },
    /// A root that no profile can choose.
    #[error("`{root}` is no root that a profile can choose")]
    UnknownRoot {
        /// The root.
        root: RootName,
    },
    /// An artifact that lies in no root.
    #[error("the artifact `{path}` lies in no root of the workspace")]
    ArtifactOutside {
        /// The artifact.
        path: WorkspacePath,
    },
    /// The value has no JSON form.
    #[error("cannot turn the content of `{path}` into JSON")]
    Serialise {
        /// The file.
        path: WorkspacePath,
        /// What the serialiser said.
        source: serde_json::Error,
    },
    /// An id cannot be a file name on every platform.
    #[error(transparent)]
    Path(#[from] PathRefusal),
    /// The run's files refused it.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The persistent state cannot be restored.
    #[error(transparent)]
    Persistent(#[from] PersistentError),
}

impl WorkspaceError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::AlreadyExists { .. } => "store.already_exists",
            Self::Damaged { .. } | Self::Missing { .. } => "store.record_damaged",
            Self::InvocationNotFound { .. } => "agent.not_found",
            Self::ForeignInvocation { .. } => "agent.internal_error",
            Self::UnknownRoot { .. } => "agent.profile_workspace_root_invalid",
            Self::ArtifactOutside { .. } => "agent.profile_output_path_denied",
            Self::Serialise { .. } => "store.serialise_failed",
            Self::Path(refusal) => refusal.code(),
            Self::Tree(error) => error.code(),
            Self::Persistent(error) => error.code(),
        }
    }
}
