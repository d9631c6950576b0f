//! The fields that a refusal can be about: their names in the file, their codes, and what to write instead.
//!
//! Which values are accepted is decided by the checks, except for a number's range, which its message repeats.

use std::fmt;

use super::error::ProfileError;

/// A text that may not be blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextField {
    /// `displayName`.
    DisplayName,
    /// `preset.ref`, for the mode `ref`.
    PresetRef,
    /// `preset.ref.apiId`.
    PresetApi,
    /// `preset.ref.name`.
    PresetName,
    /// `model.connectionRef`, for the mode `connectionRef`.
    ConnectionRef,
    /// `model.modelId`, for the mode `connectionRef`.
    ModelId,
    /// `instructions.agentSystemPrompt`.
    SystemPrompt,
    /// `delegation.descriptionForAgents`.
    DescriptionForAgents,
    /// The kind of an artifact.
    ArtifactKind,
}

impl TextField {
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::DisplayName => "agent.profile_display_name_required",
            Self::PresetRef => "agent.profile_preset_ref_required",
            Self::PresetApi => "agent.profile_preset_api_invalid",
            Self::PresetName => "agent.profile_preset_name_required",
            Self::ConnectionRef => "agent.profile_model_connection_ref_required",
            Self::ModelId => "agent.profile_model_id_required",
            Self::SystemPrompt => "agent.profile_system_prompt_empty",
            Self::DescriptionForAgents => "agent.profile_delegation_description_empty",
            Self::ArtifactKind => "agent.profile_output_kind_required",
        }
    }

    pub(super) const fn advice(self) -> &'static str {
        match self {
            Self::DisplayName => "give the profile a name for people",
            Self::PresetRef => "name the preset, or choose another preset.mode",
            Self::PresetApi => "write the API that the preset is for, such as `openai`",
            Self::PresetName => "write the preset's name",
            Self::ConnectionRef => "name a stored connection, or choose another model.mode",
            Self::ModelId => "name the connection's model, or choose another model.mode",
            Self::SystemPrompt | Self::DescriptionForAgents => "write a text or remove the field",
            Self::ArtifactKind => "write what the artifact is, such as `markdown`",
        }
    }
}

impl fmt::Display for TextField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DisplayName => "displayName",
            Self::PresetRef => "preset.ref",
            Self::PresetApi => "preset.ref.apiId",
            Self::PresetName => "preset.ref.name",
            Self::ConnectionRef => "model.connectionRef",
            Self::ModelId => "model.modelId",
            Self::SystemPrompt => "instructions.agentSystemPrompt",
            Self::DescriptionForAgents => "delegation.descriptionForAgents",
            Self::ArtifactKind => "the kind of an artifact in output.artifacts",
        })
    }
}

/// A number with a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberField {
    /// `context.maxPromptChars`.
    MaxPromptChars,
    /// `context.toolResults.keepFull`.
    KeepFull,
    /// `context.toolResults.maxChars`.
    MaxResultChars,
    /// `tools.maxRounds`.
    MaxRounds,
    /// `tools.maxCallsPerRun`.
    MaxCalls,
    /// `tools.mcpResultInlineCharLimit`.
    InlineChars,
    /// `delegation.maxConcurrentInvocations`.
    MaxConcurrent,
    /// `delegation.maxInvocationsPerRun`.
    MaxInvocations,
    /// `delegation.resultBudgetTokens`.
    ResultTokens,
    /// `delegation.maxHandoffDepth`.
    HandoffDepth,
    /// `run.driftRecoveryMaxAttempts`.
    DriftAttempts,
}

impl NumberField {
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::MaxPromptChars | Self::KeepFull | Self::MaxResultChars => "agent.profile_context_invalid",
            Self::MaxRounds => "agent.profile_max_rounds_invalid",
            Self::MaxCalls => "agent.profile_max_calls_invalid",
            Self::InlineChars => "agent.profile_mcp_result_inline_char_limit_invalid",
            Self::MaxConcurrent => "agent.profile_delegation_concurrency_invalid",
            Self::MaxInvocations => "agent.profile_delegation_run_budget_invalid",
            Self::ResultTokens => "agent.profile_delegation_result_budget_invalid",
            Self::HandoffDepth => "agent.profile_handoff_depth_invalid",
            Self::DriftAttempts => "agent.profile_drift_recovery_invalid",
        }
    }

    /// The lowest number that is accepted.
    pub(super) const fn lowest(self) -> u32 {
        match self {
            Self::KeepFull | Self::DriftAttempts => 0,
            _ => 1,
        }
    }

    /// The number, if it is in its range.
    pub(super) fn check(self, value: i64) -> Result<u32, ProfileError> {
        let number = u32::try_from(value).ok().filter(|number| *number >= self.lowest());
        number.ok_or(ProfileError::Number { field: self, value })
    }
}

impl fmt::Display for NumberField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MaxPromptChars => "context.maxPromptChars",
            Self::KeepFull => "context.toolResults.keepFull",
            Self::MaxResultChars => "context.toolResults.maxChars",
            Self::MaxRounds => "tools.maxRounds",
            Self::MaxCalls => "tools.maxCallsPerRun",
            Self::InlineChars => "tools.mcpResultInlineCharLimit",
            Self::MaxConcurrent => "delegation.maxConcurrentInvocations",
            Self::MaxInvocations => "delegation.maxInvocationsPerRun",
            Self::ResultTokens => "delegation.resultBudgetTokens",
            Self::HandoffDepth => "delegation.maxHandoffDepth",
            Self::DriftAttempts => "run.driftRecoveryMaxAttempts",
        })
    }
}

/// A place that names tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolList {
    /// `tools.allow`.
    Allow,
    /// `tools.deny`.
    Deny,
    /// `tools.ask`.
    Ask,
    /// `tools.toolDescriptions`.
    Descriptions,
    /// `tools.maxCallsPerTool`.
    Caps,
}

impl ToolList {
    /// Maps cannot name a tool twice, and a second mention in `ask` changes nothing, so only `deny` has a code besides `allow`.
    pub(super) const fn duplicate_code(self) -> &'static str {
        match self {
            Self::Deny => "agent.profile_tools_deny_duplicate",
            Self::Allow | Self::Ask | Self::Descriptions | Self::Caps => "agent.profile_tools_allow_duplicate",
        }
    }

    pub(super) const fn hidden_code(self) -> &'static str {
        match self {
            Self::Descriptions => "agent.profile_tool_description_invisible",
            Self::Caps => "agent.profile_tool_budget_invisible",
            Self::Allow | Self::Deny | Self::Ask => "agent.profile_unknown_tool",
        }
    }
}

impl fmt::Display for ToolList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "tools.allow",
            Self::Deny => "tools.deny",
            Self::Ask => "tools.ask",
            Self::Descriptions => "tools.toolDescriptions",
            Self::Caps => "tools.maxCallsPerTool",
        })
    }
}

/// A setting that needs another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// Every profile offers `workspace.write_file`.
    Writer,
    /// A target flag needs `callable`.
    Callable,
    /// `callable` needs a target flag.
    TargetMode,
    /// `agent.list` needs somebody to call.
    ListNeedsDelegation,
    /// `agent.delegate` and `agent.await` need `canDelegate`.
    DelegateNeedsDelegation,
    /// `agent.handoff` needs `canHandoff`.
    HandoffNeedsHandoff,
    /// What only others start runs in the background.
    SubagentInBackground,
    /// What nobody can start is of no use.
    SomebodyStartsIt,
    /// What a person starts can end.
    Finish,
    /// What a person watches can write the message.
    Commit,
}

impl Requirement {
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Writer => "agent.profile_output_writer_required",
            Self::Callable => "agent.profile_delegation_callable_required",
            Self::TargetMode => "agent.profile_delegation_target_mode_required",
            Self::ListNeedsDelegation => "agent.profile_agent_list_requires_delegation",
            Self::DelegateNeedsDelegation => "agent.profile_agent_delegate_requires_delegation",
            Self::HandoffNeedsHandoff => "agent.profile_agent_handoff_requires_handoff",
            Self::SubagentInBackground => "agent.profile_subagent_only_background_required",
            Self::SomebodyStartsIt => "agent.profile_direct_runnable_disabled_requires_delegation_target",
            Self::Finish => "agent.profile_finish_required",
            Self::Commit => "agent.profile_commit_required",
        }
    }

    pub(super) const fn message(self) -> &'static str {
        match self {
            Self::Writer => {
                "tools must offer `builtin:workspace.write_file`; add it to tools.allow and remove it from tools.deny"
            }
            Self::Callable => {
                "delegation.allowAsSubagent and delegation.allowAsHandoffTarget need delegation.callable; set it to true"
            }
            Self::TargetMode => {
                "delegation.callable needs delegation.allowAsSubagent or delegation.allowAsHandoffTarget; set one of them to true"
            }
            Self::ListNeedsDelegation => {
                "`builtin:agent.list` needs delegation.canDelegate or delegation.canHandoff; set one of them, or remove the tool"
            }
            Self::DelegateNeedsDelegation => {
                "`builtin:agent.delegate` and `builtin:agent.await` need delegation.canDelegate; set it, or remove the tools"
            }
            Self::HandoffNeedsHandoff => {
                "`builtin:agent.handoff` needs delegation.canHandoff; set it, or remove the tool"
            }
            Self::SubagentInBackground => {
                "a profile that only other agents start runs in the background; set run.presentation to `background`"
            }
            Self::SomebodyStartsIt => {
                "run.directRunnable is false and no other agent may start the profile either; set delegation.callable and a target flag"
            }
            Self::Finish => {
                "a profile that a person can start must offer `builtin:workspace.finish`; add it to tools.allow, or set run.directRunnable to false"
            }
            Self::Commit => {
                "a foreground profile must offer `builtin:workspace.commit`; add it to tools.allow, or set run.presentation to `background`"
            }
        }
    }
}
