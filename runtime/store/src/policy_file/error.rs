//! What can go wrong with the policy file.

use std::io;
use std::path::PathBuf;

use super::form::Place;

/// Why the policy file cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyFileError {
    /// The file holds something else than rules, in one place at least.
    #[error("the policy file {} cannot be used: line {}, column {}: {problem}", path.display(), place.line, place.column)]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The first place where it goes wrong.
        place: Place,
        /// What is wrong there.
        problem: String,
    },
    /// The file could not be read, or is no regular file.
    #[error("the policy file {} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// The file could not be written; the old one is still there.
    #[error("the policy file {} could not be written; it is unchanged", path.display())]
    WriteFailed {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// Another process keeps the file's lock.
    #[error("another process is changing the policy file {}", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
}

impl PolicyFileError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => "store.policy_damaged",
            Self::Unreadable { .. } => "store.policy_unreadable",
            Self::WriteFailed { .. } => "store.policy_write_failed",
            Self::Locked { .. } => "store.policy_locked",
        }
    }

    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => {
                "Correct that place; a rule is one line such as \"builtin:dice.roll\" = \"deny\" below [user], with the name in quotes. \
                 Or start over with `innkeeper policy reset`."
            }
            Self::Unreadable { .. } => "Check the file's permissions, or move away what has its name.",
            Self::WriteFailed { .. } => "Check free space and permissions of the data folder.",
            Self::Locked { .. } => "Wait until the other process is done and try again.",
        }
    }

    /// Where in the file it goes wrong, if it can be read at all.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::Damaged { place, .. } => Some(*place),
            Self::Unreadable { .. } | Self::WriteFailed { .. } | Self::Locked { .. } => None,
        }
    }
}
