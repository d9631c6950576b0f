//! What can go wrong with checkpoints. Each names the checkpoint or the file.

use std::io;

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::path::WorkspacePath;

use crate::tree::TreeError;

/// Why a checkpoint could not be made or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The run's files could not be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// No such checkpoint.
    #[error("there is no checkpoint {id}")]
    NotFound {
        /// Its identifier.
        id: String,
    },
    /// The number was used before.
    #[error("checkpoint {id} exists already")]
    AlreadyExists {
        /// Its identifier.
        id: String,
    },
    /// The list cannot be trusted.
    #[error("{file} is damaged: {problem}")]
    Damaged {
        /// The list, from the run's folder.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A content is not there.
    #[error("the stored content of `{path}` ({sha256}) is missing")]
    BlobMissing {
        /// Whose content.
        path: WorkspacePath,
        /// Its digest.
        sha256: Sha256,
    },
    /// A content is not what its name says.
    #[error("the stored content of `{path}` ({sha256}) is damaged: it is {actual}, {bytes} bytes")]
    BlobDamaged {
        /// Whose content.
        path: WorkspacePath,
        /// Its digest.
        sha256: Sha256,
        /// The digest of what is stored.
        actual: Sha256,
        /// The length of what is stored.
        bytes: u64,
    },
    /// The disk refused.
    #[error("cannot read or write checkpoint {id}")]
    Io {
        /// Its identifier, or the folder of all.
        id: String,
        /// What the system said.
        source: io::Error,
    },
}

impl CheckpointError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Tree(error) => error.code(),
            Self::NotFound { .. } => "agent.checkpoint_not_found",
            Self::AlreadyExists { .. } => "store.checkpoint_exists",
            Self::Damaged { .. } | Self::BlobMissing { .. } | Self::BlobDamaged { .. } => "agent.checkpoint_invalid",
            Self::Io { .. } => "store.io_failed",
        }
    }
}
