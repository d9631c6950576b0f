//! The checks of a profile, in a fixed order, so that the first fault decides the error wherever a profile is read.
//!
//! Header, preset, model, context, instructions, plan, tools, delegation, run, skills, workspace, output. Whether a preset, a model
//! connection, a caller or a skill exists is not asked here.

use innkeeper_protocol::id::{MAX_SEGMENT_BYTES, ProfileId};
use innkeeper_protocol::run::Presentation;
use innkeeper_protocol::skill::is_skill_name;
use innkeeper_protocol::tool::ToolSpec;

use super::abilities::{Delegation, Skills};
use super::error::ProfileError;
use super::field::{NumberField, Requirement, TextField};
use super::output;
use super::resolved::{
    ModelRetry, ResolvedContext, ResolvedDelegation, ResolvedProfile, ResolvedRun, ResolvedSkills, ResolvedTools,
    ToolResultPolicy,
};
use super::schema::{
    ALL_MESSAGES, Context, KIND, Model, ModelMode, Plan, Preset, PresetMode, Profile, RunSettings, SCHEMA_VERSION,
};
use super::tools::{self, AGENT_AWAIT, AGENT_DELEGATE, AGENT_HANDOFF, AGENT_LIST, WORKSPACE_COMMIT, WORKSPACE_FINISH};

/// Checks a profile against itself and against the tools that there are.
///
/// A built-in tool that is not in the catalogue is unknown. A tool of a server or an extension may come and go, so one that is not
/// there is only left out ([`ResolvedTools::absent`]).
///
/// # Errors
/// The first [`ProfileError`] in the order of the module's description.
pub fn resolve(profile: &Profile, catalogue: &[ToolSpec]) -> Result<ResolvedProfile, ProfileError> {
    let id = header(profile)?;
    preset(&profile.preset)?;
    model(&profile.model)?;
    let context = context(&profile.context)?;
    not_blank_if_present(
        profile.instructions.agent_system_prompt.as_deref(),
        TextField::SystemPrompt,
    )?;
    plan(&profile.plan)?;
    let tools = tools::resolve(&profile.tools, catalogue)?;
    let delegation = delegation(&profile.delegation, &tools)?;
    let run = run(&profile.run, &profile.delegation, &tools)?;
    let skills = skills(&profile.skills)?;
    let workspace = output::workspace(&profile.workspace)?;
    let output = output::output(&profile.output, &workspace)?;
    Ok(ResolvedProfile {
        schema_version: SCHEMA_VERSION,
        kind: KIND,
        id,
        display_name: profile.display_name.trim().to_owned(),
        description: profile.description.clone(),
        preset: profile.preset.clone(),
        model: profile.model.clone(),
        run,
        context,
        delegation,
        instructions: profile.instructions.clone(),
        tools,
        skills,
        workspace,
        plan: profile.plan.clone(),
        output,
    })
}

pub(super) fn not_blank(text: &str, field: TextField) -> Result<(), ProfileError> {
    if text.trim().is_empty() {
        Err(ProfileError::Blank { field })
    } else {
        Ok(())
    }
}

fn not_blank_if_present(text: Option<&str>, field: TextField) -> Result<(), ProfileError> {
    text.map_or(Ok(()), |text| not_blank(text, field))
}

pub(super) fn require(holds: bool, requirement: Requirement) -> Result<(), ProfileError> {
    if holds {
        Ok(())
    } else {
        Err(ProfileError::Requires(requirement))
    }
}

fn header(profile: &Profile) -> Result<ProfileId, ProfileError> {
    if profile.schema_version != SCHEMA_VERSION {
        return Err(ProfileError::SchemaUnsupported {
            found: profile.schema_version,
        });
    }
    if profile.kind != KIND {
        return Err(ProfileError::KindInvalid {
            found: profile.kind.clone(),
        });
    }
    let id = profile.id.trim();
    if id.is_empty() {
        return Err(ProfileError::IdEmpty);
    }
    if id.len() > MAX_SEGMENT_BYTES {
        return Err(ProfileError::IdTooLong { bytes: id.len() });
    }
    let id = ProfileId::parse(id).map_err(|_| ProfileError::IdInvalid { id: id.to_owned() })?;
    not_blank(&profile.display_name, TextField::DisplayName)?;
    Ok(id)
}

/// A reference that the mode does not use is kept as it is: somebody may choose it again.
fn preset(preset: &Preset) -> Result<(), ProfileError> {
    if preset.mode != PresetMode::Ref {
        return Ok(());
    }
    let reference = preset.reference.as_ref().ok_or(ProfileError::Blank {
        field: TextField::PresetRef,
    })?;
    not_blank(&reference.api_id, TextField::PresetApi)?;
    not_blank(&reference.name, TextField::PresetName)
}

fn model(model: &Model) -> Result<(), ProfileError> {
    let has_fields = model.connection_ref.is_some() || model.model_id.is_some();
    match model.mode {
        ModelMode::ConnectionRef => {
            not_blank(
                model.connection_ref.as_deref().unwrap_or_default(),
                TextField::ConnectionRef,
            )?;
            not_blank(model.model_id.as_deref().unwrap_or_default(), TextField::ModelId)
        }
        mode if has_fields => Err(ProfileError::ModelExtraFields {
            is_unconfigured: mode == ModelMode::RequiresConfiguration,
        }),
        ModelMode::CurrentPromptSnapshot | ModelMode::RequiresConfiguration => Ok(()),
    }
}

fn context(context: &Context) -> Result<ResolvedContext, ProfileError> {
    Ok(ResolvedContext {
        initial_chat_history_messages: context.initial_chat_history_messages.max(ALL_MESSAGES),
        include_activated_world_info: context.include_activated_world_info,
        max_prompt_chars: NumberField::MaxPromptChars.check(context.max_prompt_chars)?,
        tool_results: ToolResultPolicy {
            keep_full: NumberField::KeepFull.check(context.tool_results.keep_full)?,
            max_chars: context
                .tool_results
                .max_chars
                .map(|max| NumberField::MaxResultChars.check(max))
                .transpose()?,
        },
    })
}

fn plan(plan: &Plan) -> Result<(), ProfileError> {
    if plan.mode != "none" {
        return Err(ProfileError::PlanMode {
            mode: plan.mode.clone(),
        });
    }
    if plan.nodes.is_empty() {
        Ok(())
    } else {
        Err(ProfileError::PlanNodes {
            count: plan.nodes.len(),
        })
    }
}

fn delegation(delegation: &Delegation, tools: &ResolvedTools) -> Result<ResolvedDelegation, ProfileError> {
    callers(&delegation.allowed_callers)?;
    not_blank_if_present(
        delegation.description_for_agents.as_deref(),
        TextField::DescriptionForAgents,
    )?;
    let resolved = ResolvedDelegation {
        can_delegate: delegation.can_delegate,
        can_handoff: delegation.can_handoff,
        callable: delegation.callable,
        allow_as_subagent: delegation.allow_as_subagent,
        allow_as_handoff_target: delegation.allow_as_handoff_target,
        allow_nested_delegation: delegation.allow_nested_delegation,
        allowed_callers: delegation.allowed_callers.clone(),
        description_for_agents: delegation.description_for_agents.clone(),
        max_concurrent_invocations: NumberField::MaxConcurrent.check(delegation.max_concurrent_invocations)?,
        max_invocations_per_run: NumberField::MaxInvocations.check(delegation.max_invocations_per_run)?,
        result_budget_tokens: NumberField::ResultTokens.check(delegation.result_budget_tokens)?,
        max_handoff_depth: NumberField::HandoffDepth.check(delegation.max_handoff_depth)?,
    };
    let is_target = is_target(delegation);
    require(delegation.callable || !is_target, Requirement::Callable)?;
    require(is_target || !delegation.callable, Requirement::TargetMode)?;
    let offers = |name| tools::offers(tools, name);
    let (delegates, hands_off) = (delegation.can_delegate, delegation.can_handoff);
    require(
        delegates || hands_off || !offers(AGENT_LIST),
        Requirement::ListNeedsDelegation,
    )?;
    require(
        delegates || !(offers(AGENT_DELEGATE) || offers(AGENT_AWAIT)),
        Requirement::DelegateNeedsDelegation,
    )?;
    require(hands_off || !offers(AGENT_HANDOFF), Requirement::HandoffNeedsHandoff)?;
    Ok(resolved)
}

fn is_target(delegation: &Delegation) -> bool {
    delegation.allow_as_subagent || delegation.allow_as_handoff_target
}

fn callers(callers: &[String]) -> Result<(), ProfileError> {
    if callers.is_empty() {
        return Err(ProfileError::CallersEmpty);
    }
    match callers
        .iter()
        .find(|caller| *caller != "*" && ProfileId::parse(caller).is_err())
    {
        Some(caller) => Err(ProfileError::CallerInvalid { caller: caller.clone() }),
        None => Ok(()),
    }
}

fn run(run: &RunSettings, delegation: &Delegation, tools: &ResolvedTools) -> Result<ResolvedRun, ProfileError> {
    let drift_recovery_max_attempts = NumberField::DriftAttempts.check(run.drift_recovery_max_attempts)?;
    let retry = &run.model_retry;
    let retry_error = ProfileError::ModelRetry {
        max_retries: retry.max_retries,
        interval_ms: retry.interval_ms,
    };
    let model_retry = match (u32::try_from(retry.max_retries), u64::try_from(retry.interval_ms)) {
        (Ok(max_retries), Ok(interval_ms)) if max_retries == 0 || interval_ms > 0 => ModelRetry {
            max_retries,
            interval_ms,
        },
        _ => return Err(retry_error),
    };
    let is_foreground = run.presentation == Presentation::Foreground;
    if run.direct_runnable {
        require(tools::offers(tools, WORKSPACE_FINISH), Requirement::Finish)?;
        require(
            !is_foreground || tools::offers(tools, WORKSPACE_COMMIT),
            Requirement::Commit,
        )?;
    } else {
        require(
            delegation.allow_as_handoff_target || !is_foreground,
            Requirement::SubagentInBackground,
        )?;
        require(
            delegation.callable && is_target(delegation),
            Requirement::SomebodyStartsIt,
        )?;
    }
    Ok(ResolvedRun {
        presentation: run.presentation,
        direct_runnable: run.direct_runnable,
        stream: run.stream,
        drift_recovery_max_attempts,
        model_retry,
    })
}

fn skills(skills: &Skills) -> Result<ResolvedSkills, ProfileError> {
    if skills.visible.is_empty() {
        return Err(ProfileError::SkillsEmpty);
    }
    let bad = skills
        .visible
        .iter()
        .chain(&skills.deny)
        .find(|name| *name != "*" && !is_skill_name(name));
    if let Some(name) = bad {
        return Err(ProfileError::SkillName { name: name.clone() });
    }
    let (per_call, per_run) = (skills.max_read_chars_per_call, skills.max_read_chars_per_run);
    match (u32::try_from(per_call), u32::try_from(per_run)) {
        (Ok(max_read_chars_per_call), Ok(max_read_chars_per_run))
            if max_read_chars_per_call > 0 && max_read_chars_per_call <= max_read_chars_per_run =>
        {
            Ok(ResolvedSkills {
                visible: skills.visible.clone(),
                deny: skills.deny.clone(),
                max_read_chars_per_call,
                max_read_chars_per_run,
            })
        }
        _ => Err(ProfileError::SkillBudget { per_call, per_run }),
    }
}
