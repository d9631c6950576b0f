//! What can go wrong with the files of profiles. What is wrong inside one is not known here.

use std::io;
use std::path::PathBuf;

use innkeeper_protocol::id::InvalidId;

/// Why profiles cannot be listed, or one of them cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfilesError {
    /// The folder cannot be read; it is never taken for an empty one.
    #[error("the folder of profiles {} cannot be read", path.display())]
    FolderUnreadable {
        /// The folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file that can be no profile's.
    #[error("the file {} cannot be a profile: its name is no profile id", path.display())]
    NameInvalid {
        /// The file.
        path: PathBuf,
        /// What its name lacks.
        source: InvalidId,
    },
    /// The file could not be read, is no regular file, or is too large.
    #[error("the profile {} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file could not be written or removed; it is as it was.
    #[error("the profile {} could not be written; it is unchanged", path.display())]
    WriteFailed {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Another process keeps the lock.
    #[error("another process is changing the profiles in {}", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
}

impl ProfilesError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::FolderUnreadable { .. } => "store.profiles_unreadable",
            Self::NameInvalid { .. } => "agent.profile_id_invalid",
            Self::Unreadable { .. } => "store.profile_unreadable",
            Self::WriteFailed { .. } => "store.profile_write_failed",
            Self::Locked { .. } => "store.profiles_locked",
        }
    }

    /// What the person can do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::FolderUnreadable { .. } => "Check the folder's permissions and the disk.",
            Self::NameInvalid { .. } => {
                "Rename it to at most 128 of a-z, 0-9, _ and - before .json, or move it out of the folder."
            }
            Self::Unreadable { .. } => "Check the file's permissions and size, or move away what has its name.",
            Self::WriteFailed { .. } => "Check free space and permissions of the data folder.",
            Self::Locked { .. } => "Wait until the other process is done and try again.",
        }
    }

    /// Whether the machine failed, and not a file that somebody put there.
    #[must_use]
    pub fn is_machine_fault(&self) -> bool {
        let by_hand = |error: &io::Error| {
            matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::FileTooLarge | io::ErrorKind::PermissionDenied
            )
        };
        match self {
            Self::NameInvalid { .. } | Self::Locked { .. } => false,
            Self::FolderUnreadable { source, .. }
            | Self::Unreadable { source, .. }
            | Self::WriteFailed { source, .. } => !by_hand(source),
        }
    }
}
