//! What can go wrong with a run's files, in the words that reach the model. No text shows a physical path or a hash.

use std::io;

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::path::WorkspacePath;

/// Why an operation on a run's files failed. Nothing was changed, except where [`TreeError::RollbackIncomplete`] says so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// The target, or a component on the way, is a link.
    #[error("`{path}` cannot be used: `{at}` is a link, and links are never followed")]
    Link {
        /// What was asked for.
        path: WorkspacePath,
        /// Where the link is.
        at: WorkspacePath,
    },
    /// The target, or a component on the way, is neither a file nor a folder.
    #[error("`{path}` cannot be used: `{at}` is neither a file nor a folder")]
    Special {
        /// What was asked for.
        path: WorkspacePath,
        /// Where the odd file is.
        at: WorkspacePath,
    },
    /// A component on the way is a file.
    #[error("`{path}` cannot exist: `{at}` is a file, not a folder")]
    NotADirectory {
        /// What was asked for.
        path: WorkspacePath,
        /// Where the file is.
        at: WorkspacePath,
    },
    /// No such file, where a file was wanted.
    #[error("there is no file `{path}`")]
    FileNotFound {
        /// What was asked for.
        path: WorkspacePath,
    },
    /// Neither file nor folder, where either was wanted.
    #[error("there is no file or folder `{path}`")]
    PathNotFound {
        /// What was asked for.
        path: WorkspacePath,
    },
    /// A folder, where a file was wanted.
    #[error("`{path}` is a folder")]
    IsDirectory {
        /// What was asked for.
        path: WorkspacePath,
    },
    /// Not UTF-8.
    #[error("`{path}` is not a text file in UTF-8")]
    NotText {
        /// What was asked for.
        path: WorkspacePath,
    },
    /// Larger than what is read at once.
    #[error("`{path}` has {bytes} bytes; at most {limit} are read")]
    TooLarge {
        /// What was asked for.
        path: WorkspacePath,
        /// The file's length.
        bytes: u64,
        /// The most that was allowed.
        limit: u64,
    },
    /// A component differs from an existing name by case or Unicode form only.
    #[error("`{path}` differs only by case or Unicode form from the existing `{existing}`; use that spelling")]
    NameConflict {
        /// What was asked for.
        path: WorkspacePath,
        /// The path up to that component, in the existing spelling.
        existing: String,
    },
    /// The guard wanted no file there.
    #[error("`{path}` exists already")]
    AlreadyExists {
        /// What was to be created.
        path: WorkspacePath,
        /// The version that is there.
        actual: Sha256,
    },
    /// The guard wanted another version.
    #[error("`{path}` {}", if actual.is_some() { "has changed" } else { "is gone" })]
    Stale {
        /// What was to be changed.
        path: WorkspacePath,
        /// The version that the guard names.
        expected: Sha256,
        /// The version that is there, if the file still is.
        actual: Option<Sha256>,
    },
    /// Two changes of one call are about one place, or about a place and what would lie beneath it.
    #[error("`{path}` and `{other}` cannot be changed together")]
    Overlap {
        /// The later change.
        path: WorkspacePath,
        /// The earlier change.
        other: WorkspacePath,
    },
    /// The run's own folder is another one than at the start.
    #[error("the folder of this run was replaced or removed while the run was going on")]
    RootReplaced,
    /// The disk refused.
    #[error("cannot {operation} `{path}`")]
    Io {
        /// What was tried, as a verb.
        operation: &'static str,
        /// Where, below the run's folder.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// A change failed and so did undoing the ones before it.
    #[error("a change failed ({cause}), and `{path}` could not be put back")]
    RollbackIncomplete {
        /// The first place that is not as it was.
        path: String,
        /// Why the change failed.
        cause: Box<TreeError>,
        /// Why undoing failed.
        source: io::Error,
    },
}

impl TreeError {
    /// The stable code. A lost guard has the code of a whole write; a patch gives it its own.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Link { .. } | Self::Special { .. } | Self::NotADirectory { .. } | Self::Overlap { .. } => {
                "workspace.invalid_path"
            }
            Self::FileNotFound { .. } => "workspace.file_not_found",
            Self::PathNotFound { .. } => "workspace.path_not_found",
            Self::IsDirectory { .. } => "workspace.path_is_directory",
            Self::NotText { .. } => "workspace.file_not_text",
            Self::TooLarge { .. } => "workspace.file_too_large",
            Self::NameConflict { .. } => "workspace.name_conflict",
            Self::AlreadyExists { .. } => "workspace.write_requires_read",
            Self::Stale { .. } => "workspace.write_stale_file",
            Self::RootReplaced => "workspace.root_replaced",
            Self::Io { .. } => "workspace.io_failed",
            Self::RollbackIncomplete { .. } => "workspace.rollback_incomplete",
        }
    }

    /// Whether this is a fault of ours, which ends the run, rather than an answer to the model.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        matches!(
            self,
            Self::RootReplaced | Self::Io { .. } | Self::RollbackIncomplete { .. }
        )
    }

    /// Makes an [`Io`](Self::Io) out of what the system said.
    pub(crate) fn io(operation: &'static str, path: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            operation,
            path,
            source,
        }
    }
}
