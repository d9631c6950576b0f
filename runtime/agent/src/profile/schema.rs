//! The profile file, version 3, as its author wrote it: every field with its default, nothing checked beyond types and names.
//!
//! Numbers are wide and names are text on purpose: a value that is out of range must reach the check that can say so.

use innkeeper_protocol::run::Presentation;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::abilities::{Delegation, Skills, Tools, Workspace};
use super::error::ProfileError;
use super::json_path::JsonPath;
use super::shape;

/// The schema version that is read and written.
pub const SCHEMA_VERSION: i64 = 3;
/// The kind that every profile file carries; shared with TauriTavern.
pub const KIND: &str = "tauritavern.agentProfile";

const DEFAULT_DRIFT_ATTEMPTS: i64 = 1;
const DEFAULT_MAX_RETRIES: i64 = 3;
const DEFAULT_RETRY_INTERVAL_MS: i64 = 3_000;
/// About 12,000 tokens: leaves room for tool results in the smallest context windows that can hold an agent.
const DEFAULT_MAX_PROMPT_CHARS: i64 = 48_000;
const DEFAULT_KEEP_FULL: i64 = 20;
/// Any negative number of messages means all of them; this is the one that is written.
pub(super) const ALL_MESSAGES: i64 = -1;

/// A profile file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Profile {
    /// Always 3, the version that this library reads and writes.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: i64,
    /// Always `tauritavern.agentProfile`.
    #[schemars(extend("const" = KIND))]
    pub kind: String,
    /// The profile's id, also the stem of its file.
    pub id: String,
    /// Shown to people.
    pub display_name: String,
    /// Shown to people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where the prompt comes from.
    pub preset: Preset,
    /// Which model answers.
    pub model: Model,
    /// How a run goes.
    pub run: RunSettings,
    /// What goes into requests.
    #[serde(default)]
    pub context: Context,
    /// Work that is passed to other agents.
    #[serde(default)]
    pub delegation: Delegation,
    /// What the agent is told.
    #[serde(default)]
    pub instructions: Instructions,
    /// What the agent may call.
    pub tools: Tools,
    /// Which skills it may read.
    pub skills: Skills,
    /// Which folders it may see and write.
    pub workspace: Workspace,
    /// Plans, which are not built.
    pub plan: Plan,
    /// What a run makes.
    pub output: Output,
}

impl Profile {
    /// Reads a profile file.
    ///
    /// # Errors
    /// `agent.profile_schema_unsupported` for any version but 3; `agent.profile_contract_invalid` for everything else that does not
    /// fit the schema: no JSON, an unknown field, a wrong type, a missing field, an unknown choice.
    pub fn parse(json: &[u8]) -> Result<Self, ProfileError> {
        /// The one field that says how to read the others.
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Header {
            schema_version: i64,
        }
        let json = without_mark(json);
        let header: Header = read(json)?;
        if header.schema_version != SCHEMA_VERSION {
            return Err(ProfileError::SchemaUnsupported {
                found: header.schema_version,
            });
        }
        let profile = read(json)?;
        shape::check(&read(json)?, &profile)?;
        Ok(profile)
    }
}

/// Editors on Windows put a byte-order mark in front, which RFC 8259 lets a reader ignore.
pub(super) fn without_mark(json: &[u8]) -> &[u8] {
    json.strip_prefix("\u{feff}".as_bytes()).unwrap_or(json)
}

fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, ProfileError> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(ProfileError::contract)?;
    reader.end().map_err(|source| ProfileError::ContractInvalid {
        path: JsonPath::root(),
        source,
    })?;
    Ok(value)
}

/// Where the prompt comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Preset {
    /// Which of the three.
    pub mode: PresetMode,
    /// The preset, for the mode `ref`.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<PresetRef>,
    /// Whether a missing preset refuses the run.
    #[serde(default)]
    pub required: bool,
}

/// Where the prompt comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PresetMode {
    /// The prompt that the caller brings.
    CurrentPromptSnapshot,
    /// A named preset.
    Ref,
    /// No preset.
    None,
}

/// A named preset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PresetRef {
    /// The API that the preset is for.
    pub api_id: String,
    /// The preset's name.
    pub name: String,
}

/// Which model answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Model {
    /// Which of the three.
    pub mode: ModelMode,
    /// The connection, for the mode `connectionRef`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_ref: Option<String>,
    /// The model's name, for the mode `connectionRef`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
}

/// Which model answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ModelMode {
    /// The model that the caller brings.
    CurrentPromptSnapshot,
    /// A stored connection.
    ConnectionRef,
    /// None yet: the profile can be kept, not run.
    RequiresConfiguration,
}

/// How a run goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunSettings {
    /// Whether a person watches.
    pub presentation: Presentation,
    /// Whether a person can start it.
    #[serde(default = "yes")]
    pub direct_runnable: bool,
    /// Whether answers come piece by piece.
    #[serde(default)]
    pub stream: bool,
    /// Reminders to a model that answers without a call, at least 0.
    #[serde(default = "default_drift_attempts")]
    pub drift_recovery_max_attempts: i64,
    /// Requests that failed in passing.
    #[serde(default)]
    pub model_retry: RetryPolicy,
}

/// What happens to a request that failed in passing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RetryPolicy {
    /// Further tries, at least 0.
    pub max_retries: i64,
    /// Pause before each in milliseconds; above 0 where there are tries.
    pub interval_ms: i64,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: DEFAULT_MAX_RETRIES,
            interval_ms: DEFAULT_RETRY_INTERVAL_MS,
        }
    }
}

/// What goes into requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Context {
    /// Newest chat messages at the start; negative means all.
    pub initial_chat_history_messages: i64,
    /// Whether activated world info goes in.
    pub include_activated_world_info: bool,
    /// Unicode scalars of a prompt that we put together ourselves; above 0.
    pub max_prompt_chars: i64,
    /// Tool results of earlier rounds.
    pub tool_results: ToolResultSettings,
}

impl Default for Context {
    fn default() -> Self {
        Self {
            initial_chat_history_messages: ALL_MESSAGES,
            include_activated_world_info: true,
            max_prompt_chars: DEFAULT_MAX_PROMPT_CHARS,
            tool_results: ToolResultSettings::default(),
        }
    }
}

/// Tool results of earlier rounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ToolResultSettings {
    /// Newest results that stay whole; at least 0.
    pub keep_full: i64,
    /// Longest result that stays whole, in Unicode scalars; above 0, none means any length.
    pub max_chars: Option<i64>,
}

impl Default for ToolResultSettings {
    fn default() -> Self {
        Self {
            keep_full: DEFAULT_KEEP_FULL,
            max_chars: None,
        }
    }
}

/// What the agent is told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Instructions {
    /// Stands in place of the text that we write ourselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_system_prompt: Option<String>,
}

/// Plans, which are not built: only the empty one is accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Plan {
    /// `none`.
    pub mode: String,
    /// Means nothing.
    #[serde(default = "yes")]
    pub beta: bool,
    /// Empty.
    #[serde(default)]
    pub nodes: Vec<Value>,
}

/// What a run makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Output {
    /// Exactly one of them is the message's body.
    pub artifacts: Vec<Artifact>,
}

/// A file that a run makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Artifact {
    /// Names it in the profile.
    pub id: String,
    /// Where it lies in the workspace.
    pub path: String,
    /// What it is, such as `markdown`.
    pub kind: String,
    /// What it becomes.
    pub target: ArtifactTarget,
    /// Whether it may not be blank.
    #[serde(default)]
    pub required: bool,
    /// Its place where several are put together.
    #[serde(default)]
    pub assembly_order: i64,
}

/// What a file of a run becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ArtifactTarget {
    /// The body of the chat message.
    MessageBody,
}

pub(super) const fn yes() -> bool {
    true
}

const fn default_drift_attempts() -> i64 {
    DEFAULT_DRIFT_ATTEMPTS
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            presentation: Presentation::Foreground,
            direct_runnable: true,
            stream: false,
            drift_recovery_max_attempts: DEFAULT_DRIFT_ATTEMPTS,
            model_retry: RetryPolicy::default(),
        }
    }
}
