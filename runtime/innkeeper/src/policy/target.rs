//! What a rule can be about: one tool, where tools come from, or a host that no request of a tool shall go to.
//!
//! A name that means nothing is refused: a denial that is misspelt would deny nothing.

use std::fmt;

use innkeeper_capabilities::HostName;
use innkeeper_policy::SourceSelector;
use innkeeper_protocol::id::{Provider, ToolId};
use innkeeper_protocol::tool::ToolSpec;

use crate::error::HostError;

/// Tools that are a part of the run itself and come from no component, so that no catalogue of components has them.
const CONTROL_TOOLS: [&str; 5] = [
    "agent.list",
    "agent.delegate",
    "agent.await",
    "agent.handoff",
    "task.return",
];
/// What the name of a host begins with, as in grants.
const HOST_PREFIX: &str = "http=";
/// Characters of a name that a message repeats.
const MAX_SHOWN_CHARS: usize = 100;

/// A tool, a source of tools, or a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyTarget {
    /// One tool.
    Tool(ToolId),
    /// All tools that come from there.
    Source(SourceSelector),
    /// A host, whatever the scheme and the port. Nobody is asked about a host: a rule that does not allow it denies it.
    Host(HostName),
}

/// Why a text is no target.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Goes on after the text.
    problem: &'static str,
    /// What to write.
    advice: String,
}

impl PolicyTarget {
    pub(super) fn parse(text: &str, specs: &[ToolSpec]) -> Result<Self, Refusal> {
        if let Some(host) = text.strip_prefix(HOST_PREFIX) {
            return HostName::parse(host).map(Self::Host).map_err(|_| Refusal {
                problem: "names no host",
                advice: "write `http=` and a host's name, as `http=api.example.com` or `http=*.example.com`".to_owned(),
            });
        }
        if !text.contains(':') {
            return SourceSelector::parse(text)
                .map(Self::Source)
                .map_err(|_| Refusal::no_source(text, specs));
        }
        let id = ToolId::parse(text).map_err(|_| Refusal {
            problem: "is no tool id",
            advice: "write `builtin:<name>`, `extension/<id>:<name>` or `mcp/<uuid>:<name>`, as in `builtin:dice.roll`"
                .to_owned(),
        })?;
        let is_known = specs.iter().any(|spec| spec.id == id) || CONTROL_TOOLS.contains(&id.name());
        // Servers and extensions come and go without anybody touching the policy; our own tools do not.
        if *id.provider() == Provider::Builtin && !is_known {
            return Err(Refusal {
                problem: "is no tool of this host",
                advice: "`innkeeper tools list` shows the tools that there are".to_owned(),
            });
        }
        Ok(Self::Tool(id))
    }

    pub(super) fn covers(&self, tool: &ToolId) -> bool {
        match self {
            Self::Tool(id) => id == tool,
            Self::Source(source) => source.covers(tool.provider()),
            Self::Host(_) => false,
        }
    }
}

impl fmt::Display for PolicyTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(id) => f.write_str(id.as_str()),
            Self::Source(source) => source.fmt(f),
            Self::Host(host) => write!(f, "{HOST_PREFIX}{host}"),
        }
    }
}

impl Refusal {
    /// For a text without a colon: perhaps the short name of a tool.
    fn no_source(text: &str, specs: &[ToolSpec]) -> Self {
        let is_meant = |spec: &&ToolSpec| {
            let native = spec.native_name.as_str();
            native == text || native.replace('.', "_") == text
        };
        let Some(meant) = specs.iter().find(is_meant) else {
            return Self {
                problem: "names no tool and no source of tools",
                advice: "write a tool's whole id, as `builtin:dice.roll`, or one of `builtin`, `extension`, `extension/<id>`, `mcp`, \
                         `mcp/<uuid>`"
                    .to_owned(),
            };
        };
        Self {
            problem: "is no whole tool id",
            advice: format!("write `{}`", meant.id),
        }
    }

    pub(super) fn error(self, text: &str) -> HostError {
        let shown: String = text.chars().take(MAX_SHOWN_CHARS).collect();
        let message = format!("{shown:?} {}", self.problem);
        let mut advice = self.advice;
        if let Some(first) = advice.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        HostError::new("agent.policy_target_invalid", message).with_hint(format!("{advice}."))
    }
}

/// The check of names for the file.
pub(super) fn check(specs: &[ToolSpec]) -> impl Fn(&str) -> Result<(), String> {
    |text| {
        let parsed = PolicyTarget::parse(text, specs);
        parsed
            .map(|_| ())
            .map_err(|refusal| format!("{}; {}", refusal.problem, refusal.advice))
    }
}
