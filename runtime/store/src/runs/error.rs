//! What can go wrong with the folder of runs.
//!
//! One damaged run is an issue in a list, not an error of the list.

use std::io;
use std::path::PathBuf;

use innkeeper_protocol::id::RunId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::atomic::AtomicError;
use crate::journal::{DAMAGED_CODE, JournalError};

/// Why a run could not be found, read, listed or closed.
#[derive(Debug, thiserror::Error)]
pub enum RunsError {
    /// No chat has a run of this id.
    #[error("there is no run {run_id}")]
    RunNotFound {
        /// The id.
        run_id: RunId,
    },
    /// The run's first event is not there, or does not say what the run is.
    #[error("{path} does not begin with a readable run_created")]
    NoRecord {
        /// The journal.
        path: PathBuf,
    },
    /// The place of a run's folder is taken by a link or a file.
    #[error("{path} is no folder")]
    NotAFolder {
        /// The place.
        path: PathBuf,
    },
    /// The limit of a list is out of range.
    #[error("a list of runs holds 1 to {max} runs, not {limit}")]
    LimitInvalid {
        /// What came.
        limit: u64,
        /// The greatest limit.
        max: u64,
    },
    /// The cursor of a list has no run id, or no date.
    #[error("the cursor of a list of runs needs a run id and an RFC 3339 date")]
    CursorInvalid,
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A cache or a record could not be written.
    #[error(transparent)]
    Write(#[from] AtomicError),
    /// The system refused to read, create or remove something.
    #[error("{path} could not be used")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl RunsError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::RunNotFound { .. } => "agent.not_found",
            Self::NoRecord { .. } | Self::NotAFolder { .. } => DAMAGED_CODE,
            Self::LimitInvalid { .. } => "agent.run_history_limit_invalid",
            Self::CursorInvalid => "agent.run_history_cursor_invalid",
            Self::Journal(error) => error.code(),
            Self::Write(error) => error.code(),
            Self::Io { .. } => "agent.internal_error",
        }
    }
}

/// A run, or a folder of runs, that could not be read as it should be; the others are not affected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunIssue {
    /// The run; absent when a whole chat's folder is unreadable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The file or folder, by its name.
    pub file_name: String,
    /// Stable code.
    pub code: &'static str,
    /// What is wrong, with the place.
    pub message: String,
}
