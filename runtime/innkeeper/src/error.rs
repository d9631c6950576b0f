//! What a command answers when it cannot do what was asked: one shape for every face.

use innkeeper_protocol::run::RunError;
use serde::Serialize;

/// An error as faces show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    /// Stable, dotted, lower case.
    pub code: String,
    /// What failed and why.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the same thing may work when tried again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub retryable: bool,
}

impl HostError {
    /// An error that trying again will not help.
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            hint: None,
            retryable: false,
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<RunError> for HostError {
    fn from(error: RunError) -> Self {
        Self {
            code: error.code.to_owned(),
            retryable: error.kind.is_retryable(),
            message: error.message,
            hint: error.hint,
        }
    }
}

/// What failed, and why, as far down as errors tell; a cause that only repeats what was said is left out.
fn chain(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !message.contains(&words) {
            message = format!("{message}: {words}");
        }
        cause = error.source();
    }
    message
}

/// Errors of the crates below, each of which knows its code.
macro_rules! coded {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for HostError {
            fn from(error: $error) -> Self {
                Self::new(error.code(), chain(&error))
            }
        })*
    };
}

coded!(
    innkeeper_sandbox::SandboxError,
    innkeeper_sandbox::LoadError,
    innkeeper_tools::ToolsError,
    innkeeper_tools::SnapshotError,
    innkeeper_agent::profile::ProfileError,
    innkeeper_store::tree::TreeError,
    innkeeper_store::journal::JournalError,
    innkeeper_store::runs::RunsError,
    innkeeper_store::skills::SkillsError,
);

impl From<innkeeper_store::chats_registry::RegistryError> for HostError {
    fn from(error: innkeeper_store::chats_registry::RegistryError) -> Self {
        Self::new(error.code(), chain(&error)).with_hint(error.hint())
    }
}

impl From<innkeeper_store::chat::ChatError> for HostError {
    fn from(error: innkeeper_store::chat::ChatError) -> Self {
        Self::new(error.code(), chain(&error)).with_hint(error.hint())
    }
}
