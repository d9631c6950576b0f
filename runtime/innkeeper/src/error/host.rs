//! The error object: what every command of the library answers when it cannot do what was asked.
//!
//! Which kind an error of a crate below has is not decided here.

use std::num::NonZeroU64;

use innkeeper_protocol::id::RunId;
use innkeeper_protocol::run::ErrorKind;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// An error as faces show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{message}")]
pub struct HostError {
    /// Stable, dotted, lower case.
    pub code: String,
    /// What it means for retries and answers. Not part of the JSON: programs go by the code and by `retryable`.
    #[serde(skip)]
    pub kind: ErrorKind,
    /// What failed and why.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the same thing may work when tried again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub retryable: bool,
    /// The run that was named, or that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The number of the run's event that tells of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_seq: Option<NonZeroU64>,
    /// For programs: places and numbers that the message tells in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Box<Map<String, Value>>>,
}

impl HostError {
    /// Something in what was asked that cannot be used.
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self::of_kind(code, ErrorKind::Validation, message)
    }

    /// A fault of the host or of the machine: what was asked may be right.
    #[must_use]
    pub fn internal(code: &str, message: impl Into<String>) -> Self {
        Self::of_kind(code, ErrorKind::Internal, message)
    }

    /// Something that was named and is not there.
    #[must_use]
    pub fn not_found(code: &str, message: impl Into<String>) -> Self {
        Self::of_kind(code, ErrorKind::NotFound, message)
    }

    pub(super) fn of_kind(code: &str, kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            kind,
            message: message.into(),
            hint: None,
            retryable: kind.is_retryable(),
            run_id: None,
            event_seq: None,
            details: None,
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the event that tells of it: its run, and its number there.
    #[must_use]
    pub(crate) fn told_in(self, run_id: &RunId, seq: Option<NonZeroU64>) -> Self {
        Self {
            run_id: Some(run_id.clone()),
            event_seq: seq,
            ..self
        }
    }

    /// Whether the machine, the host or the other side failed, and not what was asked.
    #[must_use]
    pub const fn is_machine_fault(&self) -> bool {
        self.retryable || matches!(self.kind, ErrorKind::Internal)
    }
}

/// A command's answer whose error names the run that the command is about.
pub(crate) trait About {
    /// Names the run. An error that tells of one already keeps it.
    fn about(self, run_id: &RunId) -> Self;
}

impl<T> About for Result<T, HostError> {
    fn about(self, run_id: &RunId) -> Self {
        self.map_err(|error| HostError {
            run_id: Some(error.run_id.unwrap_or_else(|| run_id.clone())),
            ..error
        })
    }
}
