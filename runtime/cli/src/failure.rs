//! What a command says when it cannot do what was asked: a stable code, what failed and why, what to do, and the exit code.
//!
//! A failed run or call is no failure of the command: it is its result.

use innkeeper::HostError;
use innkeeper::gateway::error::GatewayError;
use serde_json::{Value, json};

use crate::exit::Exit;

/// Why a command could not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Stable, dotted, lower case.
    pub(crate) code: String,
    /// What failed and why.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
    /// What was done before, for a command that does several things: nothing of it is lost.
    pub(crate) results: Option<Vec<Value>>,
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
            results: None,
            exit: Exit::Usage,
        }
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

    /// `{"error":{"code","message","hint"}}`, and `"results"` beside it where something was done before.
    pub(crate) fn to_json(&self) -> Value {
        let mut value = json!({ "error": { "code": self.code, "message": self.message, "hint": self.hint } });
        if let (Some(results), Value::Object(members)) = (&self.results, &mut value) {
            members.insert("results".to_owned(), json!(results));
        }
        value
    }
}

/// An error before anything ran: unusable input, unless the machine is at fault.
impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        let exit = if error.code == "agent.tool_policy_denied" {
            Exit::Denied
        } else if error.is_machine_fault() {
            Exit::Failed
        } else {
            Exit::Usage
        };
        Self {
            code: error.code,
            message: error.message,
            hint: error.hint,
            results: None,
            exit,
        }
    }
}

impl From<GatewayError> for Failure {
    fn from(error: GatewayError) -> Self {
        let is_machine = matches!(error, GatewayError::Tls { .. } | GatewayError::Client { .. });
        let exit = if is_machine { Exit::Failed } else { Exit::Usage };
        let failure = Self::usage(error.code(), error.to_string()).hint(error.hint());
        Self { exit, ..failure }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_that_is_missing_is_the_persons_and_a_full_disk_the_machines() {
        let exit = |error| Failure::from(error).exit;
        assert_eq!(exit(HostError::new("chat.not_found", "x")), Exit::Usage);
        assert_eq!(exit(HostError::internal("store.io_failed", "x")), Exit::Failed);
    }

    #[test]
    fn the_json_has_code_message_and_hint() {
        let failure = Failure::usage("cli.usage", "no such flag").hint("Try --help.");
        let expected = json!({"error": {"code": "cli.usage", "message": "no such flag", "hint": "Try --help."}});
        assert_eq!(failure.to_json(), expected);
        let stopped = Failure {
            results: Some(vec![json!(1)]),
            ..failure
        };
        assert_eq!(stopped.to_json(), json!({"error": expected["error"], "results": [1]}));
    }
}
