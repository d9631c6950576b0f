//! What can go wrong with a journal.
//!
//! A torn last line is no error: readers ignore it and the owner cuts it.

use std::fmt;
use std::io;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

/// The code of every damage to a journal.
pub const DAMAGED_CODE: &str = "store.journal_damaged";

/// Why a line does not belong where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// The line is no JSON object with the members of an event.
    NotAnEvent,
    /// The line is longer than [`super::MAX_LINE_BYTES`].
    TooLong,
    /// The line's number does not follow the one before.
    Sequence {
        /// The number that should stand here.
        expected: u64,
        /// The number that stands here.
        found: u64,
    },
    /// The line belongs to another run.
    ForeignRun,
    /// The line, or the one before it, is not the one that was written.
    Chain,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnEvent => f.write_str("the line is no event"),
            Self::TooLong => write!(f, "the line is longer than {} bytes", super::MAX_LINE_BYTES),
            Self::Sequence { expected, found } => write!(f, "event {expected} should stand here, not {found}"),
            Self::ForeignRun => f.write_str("the line belongs to another run"),
            Self::Chain => f.write_str("the line does not follow from the one before it"),
        }
    }
}

/// A damaged place of a journal that could be read around.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct JournalIssue {
    /// Always `store.journal_damaged`.
    pub code: &'static str,
    /// The line, counted from 1, blank lines included.
    pub line: u64,
    /// Where the line begins, in bytes.
    pub offset: u64,
    /// What is wrong with it.
    #[serde(skip)]
    pub damage: Damage,
}

/// Why an event could not be made into a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The line would be longer than a reader accepts.
    #[error("its line would have {bytes} bytes, and {} are the limit", super::MAX_LINE_BYTES)]
    TooLong {
        /// Bytes of the line.
        bytes: usize,
    },
    /// The payload is nested deeper than a reader accepts.
    #[error("its payload is nested deeper than {} levels", super::MAX_PAYLOAD_DEPTH)]
    TooDeep,
    /// The run has as many events as can be numbered.
    #[error("the run has no event number left")]
    NoNumberLeft,
    /// The event cannot be written as JSON.
    #[error("it cannot be written as JSON: {0}")]
    NotJson(String),
}

/// Why a journal could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process, or another handle of this one, owns the run.
    #[error("the run is owned by another process ({path})")]
    RunLocked {
        /// The lock file.
        path: PathBuf,
    },
    /// The file system cannot lock files.
    #[error("{path} cannot be locked; the data folder must be on a file system that has locks")]
    LockUnsupported {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line is broken or misplaced: the journal can be read, not written.
    #[error("{path} is damaged at line {line}, byte {offset}: {damage}")]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// Where the line begins, in bytes.
        offset: u64,
        /// What is wrong with it.
        damage: Damage,
    },
    /// No line has a chain, so another program wrote it: the journal can be read, not written.
    #[error("{path} was written by another program: its lines have no chain, so it can be read but not continued")]
    Unchained {
        /// The journal.
        path: PathBuf,
    },
    /// The system refused a write, a cut or a sync.
    #[error("an event could not be written to {path}")]
    WriteFailed {
        /// The journal.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An earlier sync failed: what is on the disk is not known, so nothing more is written through this handle.
    #[error("{path} takes no more events: an earlier one could not be made durable")]
    ReadOnly {
        /// The journal.
        path: PathBuf,
    },
    /// The event itself cannot be stored.
    #[error("an event of type {kind:?} was not written to {path}: {reason}")]
    EventRefused {
        /// The journal.
        path: PathBuf,
        /// The event's type.
        kind: String,
        /// Why.
        reason: Refused,
    },
    /// An event's `eventScope` is no object.
    #[error("the eventScope of an event of type {kind:?} is no object")]
    ScopeInvalid {
        /// The event's type.
        kind: String,
    },
    /// The invocation filter of a page is blank or holds a path separator.
    #[error("{value:?} is no invocation id")]
    InvocationIdInvalid {
        /// What came, at most 200 characters of it.
        value: String,
    },
    /// There is no journal here.
    #[error("there is no journal at {path}")]
    NotFound {
        /// Where it should be.
        path: PathBuf,
    },
    /// The place is taken by a link, a directory or a special file.
    #[error("{path} is no regular file")]
    NotRegular {
        /// The place.
        path: PathBuf,
    },
    /// The system refused to open, read or create something.
    #[error("{path} could not be read")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl JournalError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::RunLocked { .. } | Self::LockUnsupported { .. } => "store.run_locked",
            Self::Damaged { .. } | Self::Unchained { .. } | Self::NotRegular { .. } => DAMAGED_CODE,
            Self::WriteFailed { .. } | Self::ReadOnly { .. } | Self::EventRefused { .. } => {
                "store.journal_write_failed"
            }
            Self::ScopeInvalid { .. } => "agent.event_scope_invalid",
            Self::InvocationIdInvalid { .. } => "agent.read_events_invocation_id_invalid",
            Self::NotFound { .. } => "agent.not_found",
            Self::Io { .. } => "agent.internal_error",
        }
    }
}
