//! What is in the way of using a profile.
//!
//! Whether a preset or a connection exists that a profile names is not asked: nobody here keeps any.

use innkeeper_agent::profile::{ModelMode, PresetMode, Profile, resolve};
use innkeeper_protocol::id::ProfileId;
use innkeeper_protocol::tool::ToolSpec;
use serde_json::json;

use super::shapes::{Blocked, ProfileDiagnostic, ProfileHealth, ProfileRepair};

/// The API whose presets a prompt can be put together from.
const PRESET_API: &str = "openai";
/// What a profile without a usable preset or model cannot be used for.
const EVERY_RUN: [Blocked; 3] = [Blocked::PromptAssembly, Blocked::DirectRun, Blocked::SubAgent];

impl ProfileHealth {
    pub(super) fn of(id: &ProfileId, profile: &Profile, catalogue: &[ToolSpec]) -> Self {
        let diagnostics: Vec<ProfileDiagnostic> = [contract(profile, catalogue), preset(profile), model(profile)]
            .into_iter()
            .flatten()
            .collect();
        let is_free = |what| !diagnostics.iter().any(|diagnostic| diagnostic.blocks.contains(&what));
        let delegation = &profile.delegation;
        Self {
            profile_id: id.clone(),
            preview_available: is_free(Blocked::Preview),
            prompt_assembly_available: is_free(Blocked::PromptAssembly),
            direct_run_available: profile.run.direct_runnable && is_free(Blocked::DirectRun),
            sub_agent_available: delegation.callable && delegation.allow_as_subagent && is_free(Blocked::SubAgent),
            diagnostics,
        }
    }
}

fn contract(profile: &Profile, catalogue: &[ToolSpec]) -> Option<ProfileDiagnostic> {
    let error = resolve(profile, catalogue).err()?;
    Some(ProfileDiagnostic {
        code: "agent.profile_contract_invalid",
        severity: "error",
        path: "$",
        message: format!("{error} [{}]", error.code()),
        blocks: [&[Blocked::Preview], EVERY_RUN.as_slice()].concat(),
        repair_actions: vec![ProfileRepair::OpenJsonEditor],
        resource: None,
    })
}

fn preset(profile: &Profile) -> Option<ProfileDiagnostic> {
    let reference = profile.preset.reference.as_ref()?;
    if profile.preset.mode != PresetMode::Ref || reference.api_id == PRESET_API {
        return None;
    }
    Some(ProfileDiagnostic {
        code: "agent.profile_preset_api_unsupported",
        severity: "error",
        path: "$.preset.ref.apiId",
        message: format!(
            "presets for {:?} are not supported; choose one for `{PRESET_API}`",
            reference.api_id
        ),
        blocks: EVERY_RUN.to_vec(),
        repair_actions: vec![ProfileRepair::SelectPreset, ProfileRepair::OpenJsonEditor],
        resource: Some(json!({"kind": "preset", "apiId": reference.api_id, "name": reference.name})),
    })
}

fn model(profile: &Profile) -> Option<ProfileDiagnostic> {
    (profile.model.mode == ModelMode::RequiresConfiguration).then(|| ProfileDiagnostic {
        code: "agent.profile_model_requires_configuration",
        severity: "error",
        path: "$.model.mode",
        message: "the profile has no model yet; choose one".to_owned(),
        blocks: EVERY_RUN.to_vec(),
        repair_actions: vec![ProfileRepair::SelectModel],
        resource: Some(json!({"kind": "model"})),
    })
}
