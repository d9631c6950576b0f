//! The sections of a profile file that say what an agent may do: call tools and other agents, read skills, use folders.
//!
//! As in the rest of the file, numbers are wide and names are text: a value that is out of range must reach the check that can say so.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::limits::ToolLimits;
use super::schema::yes;

const DEFAULT_MAX_CONCURRENT: i64 = 3;
const DEFAULT_MAX_INVOCATIONS: i64 = 8;
const DEFAULT_RESULT_TOKENS: i64 = 8_000;
const DEFAULT_HANDOFF_DEPTH: i64 = 8;
const DEFAULT_MAX_CALLS: i64 = 80;
const DEFAULT_INLINE_CHARS: i64 = 50_000;
const DEFAULT_READ_CHARS_PER_CALL: i64 = 20_000;
const DEFAULT_READ_CHARS_PER_RUN: i64 = 80_000;

/// Work that is passed to other agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Delegation {
    /// May start other agents.
    pub can_delegate: bool,
    /// May hand the run over.
    pub can_handoff: bool,
    /// May be called by others at all.
    pub callable: bool,
    /// May be started by others.
    pub allow_as_subagent: bool,
    /// May take a run over.
    pub allow_as_handoff_target: bool,
    /// Accepted for other readers of the file; children never delegate, whatever it says.
    pub allow_nested_delegation: bool,
    /// Profile ids that may call, or `*`.
    pub allowed_callers: Vec<String>,
    /// What callers read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description_for_agents: Option<String>,
    /// Agents at work at once; above 0.
    pub max_concurrent_invocations: i64,
    /// Agents started in a run; above 0.
    pub max_invocations_per_run: i64,
    /// Told to the child, not enforced; above 0.
    pub result_budget_tokens: i64,
    /// Hand-overs in a row; above 0.
    pub max_handoff_depth: i64,
}

impl Default for Delegation {
    fn default() -> Self {
        Self {
            can_delegate: false,
            can_handoff: false,
            callable: false,
            allow_as_subagent: false,
            allow_as_handoff_target: false,
            allow_nested_delegation: false,
            allowed_callers: vec!["*".to_owned()],
            description_for_agents: None,
            max_concurrent_invocations: DEFAULT_MAX_CONCURRENT,
            max_invocations_per_run: DEFAULT_MAX_INVOCATIONS,
            result_budget_tokens: DEFAULT_RESULT_TOKENS,
            max_handoff_depth: DEFAULT_HANDOFF_DEPTH,
        }
    }
}

/// What the agent may call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tools {
    /// Tool ids, in the order in which they are offered.
    pub allow: Vec<String>,
    /// Tool ids; beats `allow`.
    #[serde(default)]
    pub deny: Vec<String>,
    /// Tool ids that are put behind an approval.
    #[serde(default)]
    pub ask: Vec<String>,
    /// What a denied call does to the run.
    #[serde(default)]
    pub on_denied: OnDenied,
    /// Other words for tools.
    #[serde(default)]
    pub tool_descriptions: BTreeMap<String, ToolText>,
    /// Model rounds of an invocation; above 0.
    pub max_rounds: i64,
    /// Calls of an invocation; above 0.
    #[serde(default = "default_max_calls")]
    pub max_calls_per_run: i64,
    /// Calls of one tool in an invocation; above 0.
    #[serde(default)]
    pub max_calls_per_tool: BTreeMap<String, i64>,
    /// Longest result of an MCP, extension or agent tool that is shown whole, in Unicode scalars; above 0.
    #[serde(default = "default_inline_chars")]
    pub mcp_result_inline_char_limit: i64,
    /// Ceilings of every call, where they are lower than the host's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<ToolLimits<i64>>,
}

/// What a denied call does to the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OnDenied {
    /// The model reads that it was denied.
    #[default]
    Recover,
    /// The run ends.
    Fail,
}

/// Other words for a tool and its arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ToolText {
    /// In place of the tool's description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// In place of the descriptions of top-level arguments.
    pub properties: BTreeMap<String, String>,
}

/// Which skills the agent may read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Skills {
    /// Names, or `*`.
    pub visible: Vec<String>,
    /// Names; beats `visible`.
    #[serde(default)]
    pub deny: Vec<String>,
    /// Unicode scalars of one read; above 0 and not above the run's.
    #[serde(default = "default_read_chars_per_call")]
    pub max_read_chars_per_call: i64,
    /// Unicode scalars of all reads of an invocation; above 0.
    #[serde(default = "default_read_chars_per_run")]
    pub max_read_chars_per_run: i64,
}

/// Which folders the agent may see and write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Workspace {
    /// Roots that can be read.
    pub visible_roots: Vec<String>,
    /// Roots that can be written; each of them visible.
    pub writable_roots: Vec<String>,
    /// Whether a child gets `summaries` and `scratch` of its own.
    #[serde(default = "yes")]
    pub private_child_dirs: bool,
}

const fn default_max_calls() -> i64 {
    DEFAULT_MAX_CALLS
}

const fn default_inline_chars() -> i64 {
    DEFAULT_INLINE_CHARS
}

const fn default_read_chars_per_call() -> i64 {
    DEFAULT_READ_CHARS_PER_CALL
}

const fn default_read_chars_per_run() -> i64 {
    DEFAULT_READ_CHARS_PER_RUN
}

impl Default for Skills {
    fn default() -> Self {
        Self {
            visible: vec!["*".to_owned()],
            deny: Vec::new(),
            max_read_chars_per_call: DEFAULT_READ_CHARS_PER_CALL,
            max_read_chars_per_run: DEFAULT_READ_CHARS_PER_RUN,
        }
    }
}

impl Tools {
    /// These tools with every default.
    pub(super) fn of(allow: Vec<String>) -> Self {
        Self {
            allow,
            deny: Vec::new(),
            ask: Vec::new(),
            on_denied: OnDenied::default(),
            tool_descriptions: BTreeMap::new(),
            max_rounds: DEFAULT_MAX_CALLS,
            max_calls_per_run: DEFAULT_MAX_CALLS,
            max_calls_per_tool: BTreeMap::new(),
            mcp_result_inline_char_limit: DEFAULT_INLINE_CHARS,
            limits: None,
        }
    }
}
