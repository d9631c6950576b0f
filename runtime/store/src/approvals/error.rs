//! What can go wrong with the standing answers. Whoever meets one of these asks the person again.

use std::io;
use std::path::PathBuf;

/// Why the standing answers cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApprovalsError {
    /// A line is no answer, or does not fit the lines before it. Then no answer of the file stands.
    #[error("the file of standing approvals {} is damaged: line {line}: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// The file could not be read, or is no regular file.
    #[error("the file of standing approvals {} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// The change could not be written.
    #[error("the file of standing approvals {} could not be written; what it held still holds", path.display())]
    WriteFailed {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// Another process keeps the file's lock.
    #[error("another process is using the file of standing approvals {}", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
}

impl ApprovalsError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => "store.approvals_damaged",
            Self::Unreadable { .. } => "store.approvals_unreadable",
            Self::WriteFailed { .. } => "store.approvals_write_failed",
            Self::Locked { .. } => "store.approvals_locked",
        }
    }

    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => "Remove that line, or move the file away: every question is then asked again.",
            Self::Unreadable { .. } => "Check the file's permissions, or move away what has its name.",
            Self::WriteFailed { .. } => {
                "Check free space and permissions of the data folder. A file that is full can be moved away: every question is then \
                 asked again."
            }
            Self::Locked { .. } => "Wait until the other process is done and try again.",
        }
    }
}
