//! Why a profile is refused: which field, what it holds, what to write instead.
//!
//! One variant serves all fields that fail in the same way; the field tells them apart and has the code.

use innkeeper_protocol::id::{MAX_SEGMENT_BYTES, ProfileId, ToolId};
use innkeeper_protocol::path::{PathRefusal, WorkspacePath};

use super::field::{NumberField, Requirement, TextField, ToolList};
use super::json_path::JsonPath;

/// A profile that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The file does not fit the schema.
    #[error("the profile does not fit the schema at {path}: {source}; correct this place in the file")]
    ContractInvalid {
        /// Where.
        path: JsonPath,
        /// What, and at which line and column.
        source: serde_json::Error,
    },
    /// A version that is not read.
    #[error("schemaVersion {found} is not supported; write 3")]
    SchemaUnsupported {
        /// The version that came.
        found: i64,
    },
    /// Some other kind of file.
    #[error("kind is {found:?}; a profile has the kind {:?}", super::KIND)]
    KindInvalid {
        /// The kind that came.
        found: String,
    },
    /// No id.
    #[error("id is blank; give the profile the name of its file without `.json`")]
    IdEmpty,
    /// An id over its limit.
    #[error("id has {bytes} bytes; use at most {MAX_SEGMENT_BYTES}")]
    IdTooLong {
        /// Its bytes.
        bytes: usize,
    },
    /// An id with other characters.
    #[error("id {id:?} may hold only `a-z`, `0-9`, `_` and `-`")]
    IdInvalid {
        /// The id.
        id: String,
    },
    /// An id that is not the name of its file.
    #[error("id is {found:?}, but the file is named `{stem}.json`; make them equal")]
    IdMismatch {
        /// The id.
        found: String,
        /// The name of the file.
        stem: ProfileId,
    },
    /// A file of an older version that names a tool both with and without its source.
    #[error("tools.{member} names `{tool}` twice, once without `builtin:`; remove one of them")]
    MigrationTwice {
        /// The member of `tools`.
        member: &'static str,
        /// The tool.
        tool: String,
    },
    /// A text that may not be blank.
    #[error("{field} is missing or blank; {}", .field.advice())]
    Blank {
        /// Which one.
        field: TextField,
    },
    /// Connection fields where no connection is used.
    #[error(
        "model.connectionRef and model.modelId belong to the mode `connectionRef` only; remove them or change model.mode"
    )]
    ModelExtraFields {
        /// Whether the mode is `requiresConfiguration` rather than `currentPromptSnapshot`.
        is_unconfigured: bool,
    },
    /// A number out of its range.
    #[error("{field} is {value}; write a whole number from {} to {}", .field.lowest(), u32::MAX)]
    Number {
        /// Which one.
        field: NumberField,
        /// The number that came.
        value: i64,
    },
    /// Tries without a pause, or negative ones.
    #[error(
        "run.modelRetry has maxRetries {max_retries} and intervalMs {interval_ms}; neither may be negative, and retries need an interval above 0"
    )]
    ModelRetry {
        /// Tries.
        max_retries: i64,
        /// Pause in milliseconds.
        interval_ms: i64,
    },
    /// Reading budgets that contradict each other.
    #[error(
        "skills allow {per_call} characters per call and {per_run} per run; both must be above 0, and a call may not have more than the run"
    )]
    SkillBudget {
        /// Characters per call.
        per_call: i64,
        /// Characters per run.
        per_run: i64,
    },
    /// A plan.
    #[error("plan.mode {mode:?} is not supported; write `none`")]
    PlanMode {
        /// The mode that came.
        mode: String,
    },
    /// Steps of a plan.
    #[error("plan.nodes has {count} entries; plans are not supported, leave the list empty")]
    PlanNodes {
        /// How many.
        count: usize,
    },
    /// `tools.allow` is empty.
    #[error("tools.allow is empty; name the tools that the agent may call, such as `builtin:workspace.write_file`")]
    ToolsEmpty,
    /// A tool that does not exist.
    #[error("{list} names {tool:?}, which is no known tool; {advice}")]
    UnknownTool {
        /// Where it is named.
        list: ToolList,
        /// The name.
        tool: String,
        /// What to write instead.
        advice: String,
    },
    /// A tool named twice.
    #[error("{list} names `{tool}` twice; remove one of them")]
    DuplicateTool {
        /// Where it is named.
        list: ToolList,
        /// The tool.
        tool: ToolId,
    },
    /// A tool that no profile can name.
    #[error("{list} names `builtin:task.return`; remove it: the runtime gives it to delegated agents by itself")]
    TaskReturn {
        /// Where it is named.
        list: ToolList,
    },
    /// A setting for a tool that is not offered.
    #[error(
        "{list} names `{tool}`, which this profile does not offer; add it to tools.allow (and not to tools.deny), or remove it here"
    )]
    HiddenTool {
        /// Where it is named.
        list: ToolList,
        /// The tool.
        tool: ToolId,
    },
    /// A cap of a tool that is out of range.
    #[error(
        "tools.maxCallsPerTool gives `{tool}` {value} calls; write a whole number from 1 to {}",
        u32::MAX
    )]
    ToolCap {
        /// The tool.
        tool: ToolId,
        /// The number that came.
        value: i64,
    },
    /// A ceiling of calls that is out of range.
    #[error("tools.limits gives {name} as {value}; write a whole number above 0 or leave it out")]
    ToolLimit {
        /// Which one.
        name: &'static str,
        /// The number that came.
        value: i64,
    },
    /// A blank description.
    #[error("tools.toolDescriptions has a blank description for `{tool}`; write a text or remove it")]
    ToolTextBlank {
        /// The tool.
        tool: ToolId,
    },
    /// A blank description of an argument.
    #[error("tools.toolDescriptions has a blank text for `{property}` of `{tool}`; write a text or remove it")]
    PropertyTextBlank {
        /// The tool.
        tool: ToolId,
        /// The argument.
        property: String,
    },
    /// A tool whose arguments cannot be described.
    #[error("tools.toolDescriptions describes arguments of `{tool}`, whose schema has no properties; remove them")]
    NoProperties {
        /// The tool.
        tool: ToolId,
    },
    /// An argument that the tool does not have.
    #[error("tools.toolDescriptions describes `{property}` of `{tool}`, which has no such argument; it has: {known}")]
    UnknownProperty {
        /// The tool.
        tool: ToolId,
        /// The argument.
        property: String,
        /// The arguments that it has.
        known: String,
    },
    /// `delegation.allowedCallers` is empty.
    #[error("delegation.allowedCallers is empty; write `*` or the ids of profiles")]
    CallersEmpty,
    /// A caller that can be no profile.
    #[error("delegation.allowedCallers names {caller:?}; write `*` or the id of a profile")]
    CallerInvalid {
        /// The name.
        caller: String,
    },
    /// Two settings that need each other.
    #[error("{}", .0.message())]
    Requires(Requirement),
    /// `skills.visible` is empty.
    #[error("skills.visible is empty; write `*` or the names of skills")]
    SkillsEmpty,
    /// A name that no skill can have.
    #[error("skills names {name:?}; a skill has 1 to 128 of `a-z`, `0-9`, `_`, `-`")]
    SkillName {
        /// The name.
        name: String,
    },
    /// `workspace.visibleRoots` is empty.
    #[error("workspace.visibleRoots is empty; name at least one of output, scratch, plan, summaries, persist")]
    RootsEmpty,
    /// A root that does not exist.
    #[error("workspace.visibleRoots names {root:?}; a root is one of output, scratch, plan, summaries, persist")]
    RootUnknown {
        /// The name.
        root: String,
    },
    /// A root that can be written and not seen.
    #[error(
        "workspace.writableRoots names {root:?}, which is not in workspace.visibleRoots; add it there or remove it here"
    )]
    RootHidden {
        /// The name.
        root: String,
    },
    /// No files to make.
    #[error("output.artifacts is empty; a profile needs one with the target `messageBody`")]
    ArtifactsEmpty,
    /// A bad id of a file to make.
    #[error("output.artifacts has the id {id:?}; use 1 to 128 letters, digits, `_` or `-`")]
    ArtifactId {
        /// The id.
        id: String,
    },
    /// An id used twice.
    #[error("output.artifacts uses the id `{id}` twice; rename one of them")]
    ArtifactIdTwice {
        /// The id.
        id: String,
    },
    /// A bad path.
    #[error("output.artifacts has an unusable path for `{id}`: {source}")]
    ArtifactPath {
        /// The file's id.
        id: String,
        /// What is wrong with it.
        source: PathRefusal,
    },
    /// A path used twice.
    #[error("output.artifacts uses the path `{path}` twice; give each artifact a file of its own")]
    ArtifactPathTwice {
        /// The path.
        path: WorkspacePath,
    },
    /// A path outside the roots.
    #[error("output.artifacts wants to write `{path}`, but `{}` is not both a visible and a writable root; use a file inside one that is", .path.first_segment())]
    ArtifactPathDenied {
        /// The path.
        path: WorkspacePath,
    },
    /// Two bodies.
    #[error("output.artifacts has two message bodies, `{first}` and `{second}`; keep one")]
    MessageBodyTwice {
        /// The first one's id.
        first: String,
        /// The second one's id.
        second: String,
    },
    /// No body.
    #[error("output.artifacts has no message body; give one artifact the target `messageBody`")]
    MessageBodyMissing,
}

impl ProfileError {
    /// Keeps the place where a deserialiser gave up.
    pub(super) fn contract(error: serde_path_to_error::Error<serde_json::Error>) -> Self {
        Self::ContractInvalid {
            path: JsonPath::of(error.path()),
            source: error.into_inner(),
        }
    }

    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::ContractInvalid { .. } | Self::CallerInvalid { .. } | Self::MigrationTwice { .. } => {
                "agent.profile_contract_invalid"
            }
            Self::SchemaUnsupported { .. } => "agent.profile_schema_unsupported",
            Self::KindInvalid { .. } => "agent.profile_kind_invalid",
            Self::IdEmpty => "agent.profile_id_empty",
            Self::IdTooLong { .. } => "agent.profile_id_too_long",
            Self::IdInvalid { .. } | Self::IdMismatch { .. } => "agent.profile_id_invalid",
            Self::Blank { field } => field.code(),
            Self::ModelExtraFields { is_unconfigured: true } => {
                "agent.profile_model_requires_configuration_extra_fields"
            }
            Self::ModelExtraFields { is_unconfigured: false } => "agent.profile_model_current_snapshot_extra_fields",
            Self::Number { field, .. } => field.code(),
            Self::ModelRetry { .. } => "agent.profile_model_retry_invalid",
            Self::SkillBudget { .. } => "agent.profile_skill_budget_invalid",
            Self::PlanMode { .. } => "agent.plan_mode_unsupported",
            Self::PlanNodes { .. } => "agent.plan_nodes_unsupported",
            Self::ToolsEmpty => "agent.profile_tools_empty",
            Self::UnknownTool { .. } => "agent.profile_unknown_tool",
            Self::DuplicateTool { list, .. } => list.duplicate_code(),
            Self::TaskReturn { .. } => "agent.profile_task_return_runtime_only",
            Self::HiddenTool { list, .. } => list.hidden_code(),
            Self::ToolCap { .. } | Self::ToolLimit { .. } => "agent.profile_tool_budget_invalid",
            Self::ToolTextBlank { .. } => "agent.profile_tool_description_empty",
            Self::PropertyTextBlank { .. } => "agent.profile_tool_property_description_empty",
            Self::NoProperties { .. } => "agent.profile_tool_properties_invalid",
            Self::UnknownProperty { .. } => "agent.profile_unknown_tool_property",
            Self::CallersEmpty => "agent.profile_delegation_callers_empty",
            Self::Requires(requirement) => requirement.code(),
            Self::SkillsEmpty => "agent.profile_skill_visible_empty",
            Self::SkillName { .. } => "agent.profile_skill_name_invalid",
            Self::RootsEmpty => "agent.profile_workspace_visible_empty",
            Self::RootUnknown { .. } | Self::RootHidden { .. } => "agent.profile_workspace_root_invalid",
            Self::ArtifactsEmpty => "agent.profile_output_empty",
            Self::ArtifactId { .. } => "agent.profile_artifact_id_invalid",
            Self::ArtifactIdTwice { .. } => "agent.profile_output_duplicate_id",
            Self::ArtifactPath { .. } => "workspace.invalid_path",
            Self::ArtifactPathTwice { .. } => "agent.profile_output_duplicate_path",
            Self::ArtifactPathDenied { .. } => "agent.profile_output_path_denied",
            Self::MessageBodyTwice { .. } => "agent.profile_output_duplicate_message_body",
            Self::MessageBodyMissing => "agent.profile_output_message_body_missing",
        }
    }
}
