//! What a command says when it cannot do what was asked: a stable code, what failed and why, what to do, and the exit code.
//!
//! A failed run or call is no failure of the command: it is its result.

use innkeeper::HostError;
use innkeeper::gateway::error::GatewayError;
use serde_json::{Value, json};

use crate::exit::Exit;

/// Codes of the machine's faults: nothing is wrong with what the person gave.
const MACHINE_FAULTS: [&str; 12] = [
    "agent.internal_error",
    "sandbox.engine_failed",
    "sandbox.ticker_failed",
    "store.chat_locked",
    "store.chat_unreadable",
    "store.chat_write_failed",
    "store.io_failed",
    "store.journal_damaged",
    "store.journal_write_failed",
    "store.registry_locked",
    "store.run_locked",
    "store.write_failed",
];

/// Why a command could not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Stable, dotted, lower case.
    pub(crate) code: String,
    /// What failed and why.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
    /// How the program ends.
    pub(crate) exit: Exit,
}

impl Failure {
    /// Input that cannot be used.
    pub(crate) fn usage(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            hint: None,
            exit: Exit::Usage,
        }
    }

    /// Something that is part of the whole but not of this version.
    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::usage("cli.unsupported", message)
    }

    /// The machine refused.
    pub(crate) fn machine(code: &str, message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Failed,
            ..Self::usage(code, message)
        }
    }

    /// The person stopped it.
    pub(crate) fn cancelled(what: &str) -> Self {
        Self {
            exit: Exit::Cancelled,
            ..Self::usage("cli.cancelled", format!("{what} was stopped by an interrupt"))
        }
    }

    /// Adds what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// `{"error":{"code","message","hint"}}`.
    pub(crate) fn to_json(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message, "hint": self.hint } })
    }
}

/// An error before anything ran: unusable input, unless the machine is at fault.
impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        let is_machine = error.retryable || MACHINE_FAULTS.contains(&error.code.as_str());
        let exit = if is_machine { Exit::Failed } else { Exit::Usage };
        Self {
            code: error.code,
            message: error.message,
            hint: error.hint,
            exit,
        }
    }
}

impl From<GatewayError> for Failure {
    fn from(error: GatewayError) -> Self {
        Self::usage(error.code(), error.to_string()).hint(error.hint())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_that_is_missing_is_the_persons_and_a_full_disk_the_machines() {
        let exit = |code| Failure::from(HostError::new(code, "x")).exit;
        assert_eq!(exit("chat.not_found"), Exit::Usage);
        assert_eq!(exit("store.io_failed"), Exit::Failed);
    }

    #[test]
    fn the_json_has_code_message_and_hint() {
        let failure = Failure::usage("cli.usage", "no such flag").hint("Try --help.");
        let expected = json!({"error": {"code": "cli.usage", "message": "no such flag", "hint": "Try --help."}});
        assert_eq!(failure.to_json(), expected);
    }
}
