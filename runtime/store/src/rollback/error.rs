//! What can go wrong with going back to a checkpoint.

use innkeeper_protocol::path::WorkspacePath;

use crate::checkpoint::CheckpointError;
use crate::tree::TreeError;

/// Why a workspace could not go back. Nothing was changed, except where [`RollbackError::Incomplete`] says so.
#[derive(Debug, thiserror::Error)]
pub enum RollbackError {
    /// A checkpoint is missing or damaged.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The run's files refused it.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The folder in a file's place holds a link or something else that is no file of ours.
    #[error("`{path}` cannot be brought back: the folder in its place holds what is no file of the workspace")]
    InTheWay {
        /// The file.
        path: WorkspacePath,
    },
    /// Files were changed after the question was put.
    #[error("the workspace was changed after the rollback was asked for; nothing was overwritten")]
    ChangedSince,
    /// The rollback failed, and so did undoing it.
    #[error("the rollback failed ({cause}), and the workspace is not as before; what it was is in checkpoint {safety}")]
    Incomplete {
        /// The checkpoint of the state before.
        safety: String,
        /// Why the rollback failed.
        cause: Box<RollbackError>,
        /// Why undoing failed.
        #[source]
        second: Box<RollbackError>,
    },
}

impl RollbackError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Checkpoint(error) => error.code(),
            Self::Tree(error) => error.code(),
            Self::InTheWay { .. } => "workspace.invalid_path",
            Self::ChangedSince => "workspace.write_stale_file",
            Self::Incomplete { .. } => "workspace.rollback_incomplete",
        }
    }
}
