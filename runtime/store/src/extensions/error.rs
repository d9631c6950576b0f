//! What can go wrong with installed extensions on disk.

use std::io;
use std::path::{Path, PathBuf};

use innkeeper_protocol::extension::ExtensionId;

use super::package::PackageError;

/// Why extensions cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExtensionsError {
    /// The lock file makes no sense.
    #[error("the lock file of extensions {} cannot be used: {problem}", path.display())]
    LockDamaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: String,
    },
    /// The lock file cannot be read, or is no regular file. It is never taken for an empty one.
    #[error("the lock file of extensions {} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file of an installed extension is gone.
    #[error("the extension {id} is damaged: {} is missing", path.display())]
    FileMissing {
        /// The extension.
        id: ExtensionId,
        /// The file or folder.
        path: PathBuf,
    },
    /// A file of an installed extension has other bytes than it had.
    #[error("the extension {id} is damaged: {} was changed after it was installed", path.display())]
    FileChanged {
        /// The extension.
        id: ExtensionId,
        /// The file.
        path: PathBuf,
    },
    /// A file of an installed extension cannot be read.
    #[error("the extension {id} cannot be read: {}: {problem}", path.display())]
    FileUnreadable {
        /// The extension.
        id: ExtensionId,
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// Somebody else changed the extension between looking and acting.
    #[error("the extension {id} was changed by somebody else in the meantime; nothing was done")]
    ChangedMeanwhile {
        /// The extension.
        id: ExtensionId,
    },
    /// The disk refused; what is installed is as it was.
    #[error("the extensions in {} could not be changed; they are as they were", path.display())]
    WriteFailed {
        /// The folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Another process keeps the lock.
    #[error("another process is changing the extensions in {}", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
}

impl ExtensionsError {
    /// A file of an installed extension that cannot be had.
    pub(super) fn of_file(id: &ExtensionId, path: &Path, error: PackageError) -> Self {
        let (id, path) = (id.clone(), path.to_owned());
        match error {
            PackageError::Missing { .. } => Self::FileMissing { id, path },
            // It was within the limit when it was installed.
            PackageError::TooLarge { .. } => Self::FileChanged { id, path },
            PackageError::Unreadable { source, .. } => Self::FileUnreadable {
                id,
                path,
                problem: source.to_string(),
            },
            PackageError::NotRegular { found, .. } => Self::FileUnreadable {
                id,
                path,
                problem: format!("it is {found}"),
            },
            other => Self::FileUnreadable {
                id,
                path,
                problem: other.to_string(),
            },
        }
    }

    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::LockDamaged { .. } => "store.extensions_damaged",
            Self::Unreadable { .. } => "store.extensions_unreadable",
            Self::FileMissing { .. } | Self::FileChanged { .. } | Self::FileUnreadable { .. } => "extension.damaged",
            Self::ChangedMeanwhile { .. } => "store.extensions_changed",
            Self::WriteFailed { .. } => "store.extensions_write_failed",
            Self::Locked { .. } => "store.extensions_locked",
        }
    }

    /// What the person can do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::LockDamaged { .. } => {
                "Restore the file from a backup. Or move it away and install the extensions again; no other data depends on it."
            }
            Self::Unreadable { .. } => "Check the file's permissions, or move away what has its name.",
            Self::FileMissing { .. } | Self::FileChanged { .. } => {
                "Install the extension again from a source that you trust; its grants stay. Or remove it with `innkeeper extension remove`."
            }
            Self::FileUnreadable { .. } => "Check the file's permissions, or install the extension again.",
            Self::ChangedMeanwhile { .. } => {
                "Look at it again with `innkeeper extension list`, then repeat what you wanted."
            }
            Self::WriteFailed { .. } => "Check free space and permissions of the data folder.",
            Self::Locked { .. } => "Wait until the other process is done and try again.",
        }
    }
}
