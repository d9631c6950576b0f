//! One call, from the model's arguments to a reply with its plan, an error for the model, or a fault.
//!
//! It applies nothing and asks nobody: policy comes before, effects come after.

use std::sync::Arc;
use std::time::Duration;

use innkeeper_capabilities::{
    CallHost, CallLeftovers, Interface, Invocation, LogLine, Network, NetworkAccess, StagedChanges, Supplies,
    outcome_unknown,
};
use innkeeper_protocol::call::{Block, CallOutcome, Reference, Reply, Told, ToolError, model_text};
use innkeeper_protocol::id::Provider;
use innkeeper_protocol::limits::{LimitKind, Limits, Usage};
use innkeeper_protocol::port::{Clock, Randomness};
use innkeeper_protocol::shown::escape_invisible;
use innkeeper_sandbox::{CallReport, Fault, GuestAnswer, Sandbox, wire};
use serde_json::Value;

use crate::catalogue::Tool;
use crate::words;

/// Longest arguments as JSON text, in bytes; what the contract says of calls.
const MAX_ARGUMENT_BYTES: usize = 4 * 1024 * 1024;
/// Characters of an extension's own error message that the model gets to read.
const MAX_FOREIGN_MESSAGE_CHARS: usize = 2_000;
/// Characters of an extension's own code that are kept.
const MAX_FOREIGN_CODE_CHARS: usize = 100;

/// What a call takes place in.
pub struct CallEnvironment {
    /// The invocation that it belongs to.
    pub invocation: Arc<Invocation>,
    /// Where its random numbers come from.
    pub randomness: Box<dyn Randomness>,
    /// Where it learns the time.
    pub clock: Arc<dyn Clock>,
    /// How it reaches the network; none where it must not.
    pub network: Option<Network>,
    /// The host's ceilings; a tool's own budget can only lower them.
    pub limits: Limits,
}

/// A call that is over, and its plan.
pub struct Dispatched {
    /// How it ended.
    pub outcome: CallOutcome,
    /// What is to be applied; empty unless the outcome is a reply.
    pub staged: StagedChanges,
    /// What the tool logged.
    pub log: Vec<LogLine>,
    /// Log lines beyond the limit.
    pub log_dropped: u64,
}

impl Dispatched {
    fn error(error: ToolError) -> Self {
        Self {
            outcome: CallOutcome::Error(error),
            staged: StagedChanges::default(),
            log: Vec::new(),
            log_dropped: 0,
        }
    }
}

impl Tool {
    /// Checks the arguments and performs the call in a fresh instance that reaches only what this tool uses.
    pub async fn call(&self, sandbox: &Sandbox, arguments: &Value, environment: CallEnvironment) -> Dispatched {
        let arguments = match self.accepted(arguments) {
            Ok(text) => text,
            Err(message) => return Dispatched::error(ToolError::new("tool.invalid_arguments", message)),
        };
        let limits = self.limits(environment.limits);
        let supplies = Supplies {
            randomness: environment.randomness,
            clock: environment.clock,
            network: environment.network.and_then(|network| self.access(network)),
        };
        let host = CallHost::armed(&self.interfaces, environment.invocation, supplies);
        let request = wire::Request {
            name: self.spec.native_name.to_string(),
            arguments,
        };
        let report = sandbox.call(&self.component, host, limits.clone(), request).await;
        let CallReport { answer, usage, host } = report;
        let CallLeftovers {
            staged,
            told,
            reached_out,
            log,
            log_dropped,
        } = host.into_leftovers();
        let outcome = match answer {
            Ok(GuestAnswer::Reply(reply)) => self.reply(reply, &staged, &told, usage),
            Ok(GuestAnswer::Failure(failure)) => Ok(CallOutcome::Error(self.failure(failure, usage))),
            Err(fault) => self.fault(fault, &limits, usage),
        };
        let outcome = self.settled(outcome, reached_out, told);
        let staged = if matches!(outcome, CallOutcome::Reply(_)) {
            staged
        } else {
            StagedChanges::default()
        };
        Dispatched {
            outcome,
            staged,
            log,
            log_dropped,
        }
    }

    /// Whether arguments would pass this tool's argument gate.
    #[must_use]
    pub fn accepts(&self, arguments: &Value) -> bool {
        self.accepted(arguments).is_ok()
    }

    /// The arguments as the guest gets them.
    fn accepted(&self, arguments: &Value) -> Result<String, String> {
        let text = self.gate.check(arguments)?.to_string();
        if text.len() <= MAX_ARGUMENT_BYTES {
            return Ok(text);
        }
        Err(format!(
            "The arguments have {} bytes as JSON; at most {MAX_ARGUMENT_BYTES} are passed on. Send less at once, for instance in several calls.",
            text.len()
        ))
    }

    fn limits(&self, host: Limits) -> Limits {
        let own = self.spec.budget.timeout_ms.map(|ms| Duration::from_millis(ms.into()));
        let limits = host.lowered_to(&self.limits);
        let wall = own.map_or(limits.wall, |own| own.min(limits.wall));
        Limits { wall, ..limits }
    }

    fn reply(
        &self,
        reply: wire::Reply,
        staged: &StagedChanges,
        told: &Told,
        usage: Usage,
    ) -> Result<CallOutcome, ToolError> {
        let invalid = |why: &str| {
            Err(ToolError {
                usage: Some(usage),
                ..ToolError::new("tool.output_invalid", words::output_invalid(self.name(), why))
            })
        };
        let content: Result<Vec<Block>, _> = reply.content.into_iter().map(block).collect();
        let Ok(content) = content else {
            return invalid("a JSON block is not JSON");
        };
        let structured = reply
            .structured
            .map(|text| serde_json::from_str::<Value>(&text))
            .transpose();
        let Ok(structured) = structured else {
            return invalid("its structured part is not JSON");
        };
        if let (Some(schema), Some(value)) = (&self.output, &structured)
            && let Err(error) = schema.validate(value)
        {
            return invalid(&error.to_string());
        }
        let chars = model_text(&content).chars().count();
        if self
            .spec
            .budget
            .max_output_chars
            .is_some_and(|max| chars > max as usize)
        {
            let message = format!(
                "The tool {} answered with {chars} characters, more than it may show. Nothing was changed. Ask it for less.",
                self.name()
            );
            return Err(ToolError {
                usage: Some(usage),
                ..ToolError::new(LimitKind::Output.code(), message)
            });
        }
        Ok(CallOutcome::Reply(Reply {
            content,
            structured,
            resource_refs: reply.resource_refs,
            effects: staged.effects.clone(),
            told: told.clone(),
            usage,
        }))
    }

    /// A built-in's failure is taken as it is; a stranger's is kept short, visible and marked as such.
    fn failure(&self, failure: wire::Failure, usage: Usage) -> ToolError {
        let (code, message) = match self.spec.id.provider() {
            Provider::Builtin => (failure.code, failure.message),
            Provider::Extension(id) | Provider::Mcp(id) => {
                let words: String = failure.message.chars().take(MAX_FOREIGN_MESSAGE_CHARS).collect();
                let more = if words.len() < failure.message.len() {
                    "\u{2026}"
                } else {
                    ""
                };
                (
                    format!("extension.{id}.{}", foreign_code(&failure.code)),
                    format!("The tool {} says: {}{more}", self.name(), escape_invisible(&words)),
                )
            }
        };
        ToolError {
            usage: Some(usage),
            ..ToolError::new(&code, message)
        }
    }

    fn fault(&self, fault: Fault, limits: &Limits, usage: Usage) -> Result<CallOutcome, ToolError> {
        let code = fault.code();
        let message = match fault {
            Fault::Host(error) => return Ok(CallOutcome::Fault(error)),
            Fault::Limit(kind) => words::limit(kind, limits, self.name()),
            Fault::Trap(reason) => {
                tracing::warn!(tool = %self.spec.id, %reason, "a tool trapped");
                words::trap(self.name())
            }
            Fault::CapabilityDenied { interface } => words::capability_denied(self.name(), interface),
        };
        Err(ToolError {
            usage: Some(usage),
            ..ToolError::new(code, message)
        })
    }

    /// What comes of a call. One that broke down after it may have changed something outside has an outcome that nobody knows.
    fn settled(&self, outcome: Result<CallOutcome, ToolError>, reached_out: bool, told: Told) -> CallOutcome {
        match outcome {
            Err(error) if reached_out => CallOutcome::Fault(outcome_unknown(
                Some(self.name()),
                &format!("then it broke down [{}]", error.code),
            )),
            Ok(CallOutcome::Error(error)) | Err(error) => CallOutcome::Error(ToolError {
                told: Box::new(told),
                ..error
            }),
            Ok(outcome) => outcome,
        }
    }

    /// What a call of this tool may do with the network.
    fn access(&self, network: Network) -> Option<NetworkAccess> {
        let uses = self.interfaces.contains(&Interface::HttpFetch);
        uses.then(|| NetworkAccess {
            network,
            owner: self.owner().to_owned(),
            grants: self.grants.clone(),
            reads_only: self.spec.annotations.read_only,
        })
    }

    /// Whose tool it is.
    fn owner(&self) -> &str {
        match self.spec.id.provider() {
            Provider::Builtin => "builtin",
            Provider::Extension(id) | Provider::Mcp(id) => id,
        }
    }

    fn name(&self) -> &str {
        self.spec.native_name.as_str()
    }
}

/// A stranger's code in the form of ours; one that says nothing says that the call failed.
fn foreign_code(code: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "_-.".contains(c) {
            c
        } else {
            '_'
        }
    };
    let code: String = code.trim().chars().take(MAX_FOREIGN_CODE_CHARS).map(plain).collect();
    if code.is_empty() { "failed".to_owned() } else { code }
}

fn block(wire: wire::Block) -> Result<Block, serde_json::Error> {
    let reference = |to: wire::Reference| Reference {
        uri: to.uri,
        media_type: to.media_type,
        title: to.title,
    };
    Ok(match wire {
        wire::Block::Text(text) => Block::Text { text },
        wire::Block::Json(text) => Block::Json {
            value: serde_json::from_str(&text)?,
        },
        wire::Block::Image(to) => Block::Image(reference(to)),
        wire::Block::Audio(to) => Block::Audio(reference(to)),
        wire::Block::File(to) => Block::File(reference(to)),
        wire::Block::Resource(to) => Block::Resource(reference(to)),
        wire::Block::Diff(diff) => Block::Diff { diff },
    })
}

#[cfg(test)]
mod tests {
    use super::foreign_code;

    #[test]
    fn a_strangers_code_keeps_to_the_form_of_codes() {
        assert_eq!(foreign_code("mood.no_chat"), "mood.no_chat");
        assert_eq!(foreign_code(" a b\u{202e}\nc "), "a_b__c");
        assert_eq!(foreign_code("  "), "failed");
        assert_eq!(foreign_code(&"x".repeat(500)).len(), 100);
    }
}
