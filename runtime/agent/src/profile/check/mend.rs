//! Makes one problem of a copy go away, so that the next one can be seen.
//!
//! What it writes is acceptable and means nothing: nobody but the check sees the copy.

use innkeeper_protocol::path::RootName;
use innkeeper_protocol::run::Presentation;
use innkeeper_protocol::tool::ToolSpec;

use super::super::error::ProfileError;
use super::super::field::{NumberField, Requirement, TextField, ToolList};
use super::super::schema::{KIND, PresetMode, Profile, SCHEMA_VERSION};
use super::super::tools::{TASK_RETURN, WORKSPACE_COMMIT, WORKSPACE_FINISH, WORKSPACE_WRITE};

/// Changes the copy. `false` when nothing more can be seen behind this problem.
pub(super) fn mend(profile: &mut Profile, error: &ProfileError, catalogue: &[ToolSpec]) -> bool {
    match error {
        ProfileError::ContractInvalid { .. }
        | ProfileError::MigrationTwice { .. }
        | ProfileError::ArtifactsEmpty
        | ProfileError::MessageBodyMissing => return false,
        ProfileError::SchemaUnsupported { .. } => profile.schema_version = SCHEMA_VERSION,
        ProfileError::KindInvalid { .. } => KIND.clone_into(&mut profile.kind),
        ProfileError::IdEmpty
        | ProfileError::IdTooLong { .. }
        | ProfileError::IdInvalid { .. }
        | ProfileError::IdMismatch { .. } => "id".clone_into(&mut profile.id),
        ProfileError::Blank { field } => return fill(profile, *field),
        ProfileError::ModelExtraFields { .. } => {
            profile.model.connection_ref = None;
            profile.model.model_id = None;
        }
        ProfileError::Number { field, .. } => *number(profile, *field) = i64::from(field.lowest()),
        ProfileError::ModelRetry { .. } => {
            profile.run.model_retry.max_retries = 0;
            profile.run.model_retry.interval_ms = 0;
        }
        ProfileError::SkillBudget { .. } => {
            profile.skills.max_read_chars_per_call = 1;
            profile.skills.max_read_chars_per_run = 1;
        }
        ProfileError::PlanMode { .. } => "none".clone_into(&mut profile.plan.mode),
        ProfileError::PlanNodes { .. } => profile.plan.nodes.clear(),
        ProfileError::CallersEmpty => profile.delegation.allowed_callers.push("*".to_owned()),
        ProfileError::CallerInvalid { caller } => replace(&mut profile.delegation.allowed_callers, caller),
        ProfileError::SkillsEmpty => profile.skills.visible.push("*".to_owned()),
        ProfileError::SkillName { name } => {
            replace(&mut profile.skills.visible, name);
            replace(&mut profile.skills.deny, name);
        }
        ProfileError::Requires(requirement) => satisfy(profile, *requirement),
        ProfileError::RootsEmpty => profile
            .workspace
            .visible_roots
            .extend(RootName::universe().map(String::from)),
        ProfileError::RootUnknown { root } => {
            profile.workspace.visible_roots.retain(|other| other != root);
            profile.workspace.writable_roots.retain(|other| other != root);
        }
        ProfileError::RootHidden { root } => show(profile, root),
        _ => return tool(profile, error, catalogue) || artifact(profile, error),
    }
    true
}

fn fill(profile: &mut Profile, field: TextField) -> bool {
    let text = || "x".to_owned();
    match field {
        TextField::DisplayName => profile.display_name = text(),
        TextField::PresetRef => profile.preset.mode = PresetMode::None,
        TextField::PresetApi | TextField::PresetName => {
            let Some(reference) = &mut profile.preset.reference else {
                return false;
            };
            let part = match field {
                TextField::PresetApi => &mut reference.api_id,
                _ => &mut reference.name,
            };
            *part = text();
        }
        TextField::ConnectionRef => profile.model.connection_ref = Some(text()),
        TextField::ModelId => profile.model.model_id = Some(text()),
        TextField::SystemPrompt => profile.instructions.agent_system_prompt = None,
        TextField::DescriptionForAgents => profile.delegation.description_for_agents = None,
        TextField::ArtifactKind => {
            let artifacts = &mut profile.output.artifacts;
            let blank = artifacts.iter_mut().find(|artifact| artifact.kind.trim().is_empty());
            blank.into_iter().for_each(|artifact| artifact.kind = text());
        }
    }
    true
}

fn number(profile: &mut Profile, field: NumberField) -> &mut i64 {
    let (context, delegation) = (&mut profile.context, &mut profile.delegation);
    match field {
        NumberField::MaxPromptChars => &mut context.max_prompt_chars,
        NumberField::KeepFull => &mut context.tool_results.keep_full,
        NumberField::MaxResultChars => context.tool_results.max_chars.get_or_insert(1),
        NumberField::MaxRounds => &mut profile.tools.max_rounds,
        NumberField::MaxCalls => &mut profile.tools.max_calls_per_run,
        NumberField::InlineChars => &mut profile.tools.mcp_result_inline_char_limit,
        NumberField::MaxConcurrent => &mut delegation.max_concurrent_invocations,
        NumberField::MaxInvocations => &mut delegation.max_invocations_per_run,
        NumberField::ResultTokens => &mut delegation.result_budget_tokens,
        NumberField::HandoffDepth => &mut delegation.max_handoff_depth,
        NumberField::DriftAttempts => &mut profile.run.drift_recovery_max_attempts,
    }
}

fn satisfy(profile: &mut Profile, requirement: Requirement) {
    match requirement {
        Requirement::Writer => offer(profile, WORKSPACE_WRITE),
        Requirement::Finish => offer(profile, WORKSPACE_FINISH),
        Requirement::Commit => offer(profile, WORKSPACE_COMMIT),
        Requirement::Callable => profile.delegation.callable = true,
        Requirement::TargetMode => profile.delegation.allow_as_subagent = true,
        Requirement::ListNeedsDelegation | Requirement::DelegateNeedsDelegation => {
            profile.delegation.can_delegate = true;
        }
        Requirement::HandoffNeedsHandoff => profile.delegation.can_handoff = true,
        Requirement::SubagentInBackground => profile.run.presentation = Presentation::Background,
        Requirement::SomebodyStartsIt => {
            profile.delegation.callable = true;
            profile.delegation.allow_as_subagent = true;
        }
    }
}

fn offer(profile: &mut Profile, tool: &str) {
    profile.tools.deny.retain(|name| name != tool);
    if !profile.tools.allow.iter().any(|name| name == tool) {
        profile.tools.allow.push(tool.to_owned());
    }
}

/// A root that is written and not seen is seen, or, where there is no such root, not written either.
fn show(profile: &mut Profile, root: &str) {
    let exists = RootName::universe().iter().any(|known| known.as_str() == root);
    if exists {
        profile.workspace.visible_roots.push(root.to_owned());
    } else {
        profile.workspace.writable_roots.retain(|other| other != root);
    }
}

fn replace(names: &mut [String], name: &str) {
    names
        .iter_mut()
        .filter(|other| *other == name)
        .for_each(|other| "*".clone_into(other));
}

/// The problems of tools.
fn tool(profile: &mut Profile, error: &ProfileError, catalogue: &[ToolSpec]) -> bool {
    let tools = &mut profile.tools;
    match error {
        ProfileError::ToolsEmpty => {
            tools.deny.clear();
            tools
                .allow
                .extend([WORKSPACE_WRITE, WORKSPACE_COMMIT, WORKSPACE_FINISH].map(str::to_owned));
        }
        ProfileError::UnknownTool { list, tool, .. } => return correct(profile, *list, tool, catalogue),
        ProfileError::TaskReturn { list } => strike(profile, *list, TASK_RETURN),
        ProfileError::HiddenTool { list, tool } => strike(profile, *list, tool.as_str()),
        ProfileError::DuplicateTool { list, tool } => {
            let names = if *list == ToolList::Deny {
                &mut tools.deny
            } else {
                &mut tools.allow
            };
            if let Some(last) = names.iter().rposition(|name| name == tool.as_str()) {
                names.remove(last);
            }
        }
        ProfileError::ToolCap { tool, .. } => {
            tools.max_calls_per_tool.insert(tool.to_string(), 1);
        }
        ProfileError::ToolLimit { .. } => tools.limits = None,
        ProfileError::ToolTextBlank { tool }
        | ProfileError::NoProperties { tool }
        | ProfileError::PropertyTextBlank { tool, .. }
        | ProfileError::UnknownProperty { tool, .. } => {
            let Some(text) = tools.tool_descriptions.get_mut(tool.as_str()) else {
                return false;
            };
            match error {
                ProfileError::ToolTextBlank { .. } => text.description = None,
                ProfileError::PropertyTextBlank { property, .. } | ProfileError::UnknownProperty { property, .. } => {
                    text.properties.remove(property);
                }
                _ => text.properties.clear(),
            }
        }
        _ => return false,
    }
    true
}

/// A name that lacks its source gets it, so that nothing else is told to be missing; any other is struck out.
fn correct(profile: &mut Profile, list: ToolList, name: &str, catalogue: &[ToolSpec]) -> bool {
    let meant = format!("builtin:{name}");
    let is_tool = catalogue.iter().any(|spec| spec.id.as_str() == meant);
    let names = match list {
        ToolList::Allow => &mut profile.tools.allow,
        ToolList::Deny => &mut profile.tools.deny,
        ToolList::Ask | ToolList::Descriptions | ToolList::Caps => {
            strike(profile, list, name);
            return true;
        }
    };
    // The message may have cut a long name.
    let Some(at) = names.iter().position(|other| other.starts_with(name)) else {
        return false;
    };
    if is_tool && !names.contains(&meant) {
        names.splice(at..=at, [meant]);
    } else {
        names.remove(at);
    }
    !profile.tools.allow.is_empty()
}

fn strike(profile: &mut Profile, list: ToolList, tool: &str) {
    let tools = &mut profile.tools;
    match list {
        ToolList::Allow => tools.allow.retain(|name| name != tool),
        ToolList::Deny => tools.deny.retain(|name| name != tool),
        ToolList::Ask => tools.ask.retain(|name| !name.starts_with(tool)),
        ToolList::Descriptions => tools.tool_descriptions.retain(|name, _| !name.starts_with(tool)),
        ToolList::Caps => tools.max_calls_per_tool.retain(|name, _| !name.starts_with(tool)),
    }
}

/// The problems of artifacts. One that cannot be set right is left out; where it is the last one, nothing more can be seen.
fn artifact(profile: &mut Profile, error: &ProfileError) -> bool {
    let artifacts = &mut profile.output.artifacts;
    let at = match error {
        ProfileError::ArtifactId { id } | ProfileError::ArtifactPath { id, .. } => {
            artifacts.iter().position(|artifact| artifact.id == *id)
        }
        ProfileError::ArtifactIdTwice { id } | ProfileError::MessageBodyTwice { second: id, .. } => {
            artifacts.iter().rposition(|artifact| artifact.id == *id)
        }
        ProfileError::ArtifactPathDenied { path } => {
            artifacts.iter().position(|artifact| artifact.path == path.as_str())
        }
        ProfileError::ArtifactPathTwice { path } => {
            artifacts.iter().rposition(|artifact| artifact.path == path.as_str())
        }
        _ => None,
    };
    match at {
        Some(at) if artifacts.len() > 1 => {
            artifacts.remove(at);
            true
        }
        _ => false,
    }
}
