//! What can go wrong between a run's owner and those who write to it. None of it touches the run.

use std::io;
use std::path::PathBuf;

/// Why a message could not be sent, taken or answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InboxError {
    /// The run has no inbox: its owner takes no messages, or the run has ended.
    #[error("nobody takes messages for this run: {} is not there", path.display())]
    Missing {
        /// The inbox.
        path: PathBuf,
    },
    /// The inbox, or an answer in it, could not be read, or is a link.
    #[error("the inbox {} cannot be read", path.display())]
    Unreadable {
        /// The inbox.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// The inbox could not be made, or a message not be put into it or taken out.
    #[error("the inbox {} cannot be written to", path.display())]
    WriteFailed {
        /// The inbox.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// A message is larger than the other side reads; it was not sent.
    #[error("the message has {bytes} bytes; at most {max} are taken")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The limit.
        max: u64,
    },
    /// What lies in the place of an answer is none.
    #[error("{} is no answer: {problem}", path.display())]
    Damaged {
        /// The answer, which is removed.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

impl InboxError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "store.run_locked",
            Self::Unreadable { .. } => "store.inbox_unreadable",
            Self::WriteFailed { .. } => "store.inbox_write_failed",
            Self::TooLarge { .. } => "store.inbox_too_large",
            Self::Damaged { .. } => "store.inbox_damaged",
        }
    }

    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "Use the process that executes the run, or wait until the run has ended.",
            Self::Unreadable { .. } | Self::WriteFailed { .. } => {
                "Check free space and permissions of the run's folder, and move away what is not the run's."
            }
            Self::TooLarge { .. } => "Say it in fewer words.",
            Self::Damaged { .. } => "Look at the run's events: they say whether the request took effect.",
        }
    }
}
