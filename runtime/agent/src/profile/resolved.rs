//! A profile that has passed every check: what a run goes by, and what is frozen in its folder.
//!
//! Only [`resolve`](super::resolve()) makes one, so that no value in it can be out of range. It serialises as a profile with every
//! default written out, and with the message's body named.

use std::collections::BTreeMap;

use innkeeper_policy::ProfilePolicy;
use innkeeper_protocol::id::{ProfileId, ToolId};
use innkeeper_protocol::limits::Limits;
use innkeeper_protocol::path::{RootName, WorkspacePath};
use innkeeper_protocol::run::Presentation;
use schemars::JsonSchema;
use serde::Serialize;

use super::abilities::{OnDenied, ToolText};
use super::limits::ToolLimits;
use super::schema::{ArtifactTarget, Instructions, Model, Plan, Preset};

/// A checked profile.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedProfile {
    pub(super) schema_version: i64,
    pub(super) kind: &'static str,
    pub(super) id: ProfileId,
    pub(super) display_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<String>,
    pub(super) preset: Preset,
    pub(super) model: Model,
    pub(super) run: ResolvedRun,
    pub(super) context: ResolvedContext,
    pub(super) delegation: ResolvedDelegation,
    pub(super) instructions: Instructions,
    pub(super) tools: ResolvedTools,
    pub(super) skills: ResolvedSkills,
    pub(super) workspace: ResolvedWorkspace,
    pub(super) plan: Plan,
    pub(super) output: ResolvedOutput,
}

/// How a run goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedRun {
    /// Whether a person watches.
    pub presentation: Presentation,
    /// Whether a person can start it.
    pub direct_runnable: bool,
    /// Whether answers come piece by piece.
    pub stream: bool,
    /// Reminders to a model that answers without a call.
    pub drift_recovery_max_attempts: u32,
    /// Requests that failed in passing.
    pub model_retry: ModelRetry,
}

/// What happens to a request that failed in passing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelRetry {
    /// Further tries.
    pub max_retries: u32,
    /// Pause before each in milliseconds.
    pub interval_ms: u64,
}

/// What goes into requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedContext {
    /// Newest chat messages at the start; -1 means all.
    pub initial_chat_history_messages: i64,
    /// Whether activated world info goes in.
    pub include_activated_world_info: bool,
    /// Unicode scalars of a prompt that we put together ourselves.
    pub max_prompt_chars: u32,
    /// Tool results of earlier rounds.
    pub tool_results: ToolResultPolicy,
}

/// Which tool results stay whole in requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultPolicy {
    /// The newest ones that do.
    pub keep_full: u32,
    /// The longest that does, in Unicode scalars; none means any length.
    pub max_chars: Option<u32>,
}

/// How much of a chat goes into the first request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptBudget {
    /// Unicode scalars of the whole prompt.
    pub max_chars: u32,
    /// Newest messages of the chat; none means all that fit.
    pub max_messages: Option<u32>,
}

/// Work that is passed to other agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedDelegation {
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
    /// Means nothing: children never delegate.
    pub allow_nested_delegation: bool,
    /// Profile ids that may call, or `*`.
    pub allowed_callers: Vec<String>,
    /// What callers read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description_for_agents: Option<String>,
    /// Agents at work at once.
    pub max_concurrent_invocations: u32,
    /// Agents started in a run.
    pub max_invocations_per_run: u32,
    /// Told to the child, not enforced.
    pub result_budget_tokens: u32,
    /// Hand-overs in a row.
    pub max_handoff_depth: u32,
}

/// What the agent may call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedTools {
    /// In the order in which they are offered.
    pub allow: Vec<ToolId>,
    /// Beats `allow`.
    pub deny: Vec<ToolId>,
    /// Behind an approval.
    pub ask: Vec<ToolId>,
    /// What a denied call does to the run.
    pub on_denied: OnDenied,
    /// Other words for tools.
    pub tool_descriptions: BTreeMap<ToolId, ToolText>,
    /// Model rounds of an invocation.
    pub max_rounds: u32,
    /// Calls of an invocation.
    pub max_calls_per_run: u32,
    /// Calls of one tool in an invocation.
    pub max_calls_per_tool: BTreeMap<ToolId, u32>,
    /// Longest result of an MCP, extension or agent tool that is shown whole, in Unicode scalars.
    pub mcp_result_inline_char_limit: u32,
    /// Ceilings of every call, where they are lower than the host's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<ToolLimits<u64>>,
    /// Tools of servers and extensions that are allowed and not there at present: left out, no reason to refuse a run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<ToolId>,
}

/// Which skills the agent may read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedSkills {
    /// Names, or `*`.
    pub visible: Vec<String>,
    /// Names; beats `visible`.
    pub deny: Vec<String>,
    /// Unicode scalars of one read.
    pub max_read_chars_per_call: u32,
    /// Unicode scalars of all reads of an invocation.
    pub max_read_chars_per_run: u32,
}

/// Which folders the agent may see and write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedWorkspace {
    /// Roots that can be read, besides the stored tool results.
    pub visible_roots: Vec<RootName>,
    /// Roots that can be written.
    pub writable_roots: Vec<RootName>,
    /// Whether a child gets `summaries` and `scratch` of its own.
    pub private_child_dirs: bool,
}

/// What a run makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedOutput {
    /// The files.
    pub artifacts: Vec<ResolvedArtifact>,
    /// The one that becomes the message.
    pub message_body_artifact_id: String,
    /// Where it lies.
    pub message_body_path: WorkspacePath,
}

/// A file that a run makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedArtifact {
    /// Names it in the profile.
    pub id: String,
    /// Where it lies.
    pub path: WorkspacePath,
    /// What it is, such as `markdown`.
    pub kind: String,
    /// What it becomes.
    pub target: ArtifactTarget,
    /// Whether it may not be blank.
    pub required: bool,
    /// Its place where several are put together.
    pub assembly_order: i64,
}

impl ResolvedTools {
    /// Whether the profile offers the tool: allowed and not denied.
    #[must_use]
    pub fn offers(&self, tool: &ToolId) -> bool {
        self.allow.contains(tool) && !self.deny.contains(tool)
    }
}

impl ResolvedProfile {
    /// Who writes.
    #[must_use]
    pub fn id(&self) -> &ProfileId {
        &self.id
    }

    /// The name for people.
    #[must_use]
    pub fn display_name(&self) -> &str {
        &self.display_name
    }

    /// The description for people.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Where the prompt comes from.
    #[must_use]
    pub fn preset(&self) -> &Preset {
        &self.preset
    }

    /// Which model answers.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Presentation, streaming, reminders to a model that drifts, retries.
    #[must_use]
    pub fn run(&self) -> &ResolvedRun {
        &self.run
    }

    /// What goes into requests.
    #[must_use]
    pub fn context(&self) -> &ResolvedContext {
        &self.context
    }

    /// Work that is passed to other agents.
    #[must_use]
    pub fn delegation(&self) -> &ResolvedDelegation {
        &self.delegation
    }

    /// The text that stands in place of our own system prompt.
    #[must_use]
    pub fn agent_system_prompt(&self) -> Option<&str> {
        self.instructions.agent_system_prompt.as_deref()
    }

    /// Rounds, calls, caps, other words for tools.
    #[must_use]
    pub fn tools(&self) -> &ResolvedTools {
        &self.tools
    }

    /// Which skills may be read, and how much of them.
    #[must_use]
    pub fn skills(&self) -> &ResolvedSkills {
        &self.skills
    }

    /// The folders of the profile.
    #[must_use]
    pub fn workspace(&self) -> &ResolvedWorkspace {
        &self.workspace
    }

    /// What a run makes.
    #[must_use]
    pub fn output(&self) -> &ResolvedOutput {
        &self.output
    }

    /// The ceilings of a call: the host's own, lowered where the profile says so.
    #[must_use]
    pub fn call_limits(&self, host: &Limits) -> Limits {
        match &self.tools.limits {
            Some(limits) => limits.lower(host),
            None => host.clone(),
        }
    }

    /// The tools that the profile offers and that are there, in their order. Policy may still take some away.
    pub fn visible_tools(&self) -> impl Iterator<Item = &ToolId> {
        self.tools
            .allow
            .iter()
            .filter(|tool| !self.tools.deny.contains(tool) && !self.tools.absent.contains(tool))
    }

    /// The roots that the invocation may read: those of the profile, then the stored tool results, which everybody sees.
    pub fn readable_roots(&self) -> impl Iterator<Item = RootName> {
        self.workspace
            .visible_roots
            .iter()
            .cloned()
            .chain([RootName::tool_results()])
    }

    /// Where the message is drafted.
    #[must_use]
    pub fn message_path(&self) -> &WorkspacePath {
        &self.output.message_body_path
    }

    /// Whether a blank message cannot be committed.
    #[must_use]
    pub fn message_required(&self) -> bool {
        let body = |artifact: &&ResolvedArtifact| artifact.id == self.output.message_body_artifact_id;
        self.output
            .artifacts
            .iter()
            .find(body)
            .is_some_and(|artifact| artifact.required)
    }

    /// How much of a chat goes into the first request.
    #[must_use]
    pub fn prompt_budget(&self) -> PromptBudget {
        PromptBudget {
            max_chars: self.context.max_prompt_chars,
            // Negative is "all"; more than a chat can hold is all, too.
            max_messages: u32::try_from(self.context.initial_chat_history_messages).ok(),
        }
    }

    /// The profile's part of a policy decision.
    #[must_use]
    pub fn policy(&self) -> ProfilePolicy {
        ProfilePolicy {
            allow: self.tools.allow.iter().cloned().collect(),
            deny: self.tools.deny.iter().cloned().collect(),
            ask: self.tools.ask.iter().cloned().collect(),
            max_calls_per_tool: self.tools.max_calls_per_tool.clone(),
        }
    }
}
