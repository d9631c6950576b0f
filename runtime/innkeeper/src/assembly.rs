//! `prepare_agent_prompt_assembly`: what a front end needs to put a prompt together for a profile that names a preset.
//!
//! The front end assembles from the frozen inputs alone and hands the result over when it starts the run; nothing is assembled here.

use innkeeper_agent::profile::{ModelMode, PresetMode, PresetRef, ResolvedProfile, resolve};
use innkeeper_agent::snapshot::{frozen_inputs, generation_type};
use innkeeper_protocol::id::ProfileId;
use innkeeper_tools::canonical_digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::builder::Innkeeper;
use crate::error::HostError;
use crate::start::ProfileChoice;

/// The only API whose presets can be assembled.
const OPENAI: &str = "openai";
/// Version of the request.
const SCHEMA_VERSION: u32 = 1;

/// What a prompt is to be put together for.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PreparePromptAssembly {
    /// The profile; the built-in one where blank or not given.
    #[serde(default)]
    pub profile_id: Option<String>,
    /// `normal`, `regenerate`, `swipe` or `continue`; `normal` where not given.
    #[serde(default)]
    pub generation_type: Option<String>,
    /// What the front end kept of this moment; the prompt is made of that alone.
    pub frozen_run_input_snapshot: Value,
    /// A schema that the answer is to fit; passed on as it is.
    #[serde(default)]
    pub json_schema: Option<Value>,
}

/// How the prompt of a run is made.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "mode", rename_all = "camelCase")]
pub enum PromptAssembly {
    /// By the front end's usual way; the profile names no preset.
    CurrentPromptSnapshot,
    /// By the front end, from this request.
    FrontendPromptAssembly {
        /// What to assemble from.
        request: Value,
        /// What the run keeps about how its prompt was made.
        assembly: Value,
    },
}

impl Innkeeper {
    /// Says how the prompt for a profile is made, and from what. A preset that is missing is never replaced by another.
    ///
    /// # Errors
    /// Those of the profile; `agent.frozen_run_input_snapshot_*` and `prompt_assembly.generation_type_mismatch` for inputs that cannot be
    /// used; `prompt_assembly.preset_api_invalid`, `prompt_assembly.openai_preset_required`, `prompt_assembly.preset_not_found`,
    /// `prompt_assembly.preset_data_invalid`; `prompt_assembly.model_connection_ref_required`, `prompt_assembly.model_id_required` and
    /// `prompt_assembly.model_source_unmapped` for a model that a connection names: this host keeps no connections.
    pub async fn prepare_agent_prompt_assembly(
        &self,
        request: PreparePromptAssembly,
    ) -> Result<PromptAssembly, HostError> {
        let choice = ProfileChoice::of_id(request.profile_id.as_deref())?;
        let chosen = self.chosen_profile(&choice, self.data_root()?)?;
        let profile = resolve(&chosen.profile, &self.tools().specs())?;
        let generation = generation_type(request.generation_type.as_deref())?;
        let frozen = frozen_inputs(&request.frozen_run_input_snapshot, generation)?;
        let Some(preset) = preset_ref(&profile)? else {
            return Ok(PromptAssembly::CurrentPromptSnapshot);
        };
        check_model(&profile)?;
        let settings = self.preset(preset).await?;
        let system_prompt = self.resolve_agent_system_prompt(profile_id(&choice).as_ref()).await?;
        let fingerprint = json!({
            "presetSha256": digest(&settings),
            "frozenRunInputSnapshotSha256": digest(&frozen),
        });
        let assembly = json!({
            "schemaVersion": SCHEMA_VERSION,
            "engine": "frontend-prompt-assembly-broker",
            "profileId": profile.id(),
            "presetRef": preset,
            "fingerprint": fingerprint,
        });
        let mut asked = json!({
            "schemaVersion": SCHEMA_VERSION,
            "kind": "tauritavern.agentPromptAssemblyRequest",
            "profileId": profile.id(),
            "generationType": generation.as_str(),
            "frozenRunInputSnapshot": frozen,
            "settings": settings,
            "presetRef": preset,
            "agentContextPolicy": profile.context(),
            "agentSystemPrompt": system_prompt.agent_system_prompt,
            "requiredAgentPromptComponents": ["agentSystemPrompt"],
            "fingerprint": fingerprint,
        });
        if let (Some(schema), Value::Object(members)) = (request.json_schema, &mut asked) {
            members.insert("jsonSchema".to_owned(), schema);
        }
        Ok(PromptAssembly::FrontendPromptAssembly {
            request: asked,
            assembly,
        })
    }

    async fn preset(&self, preset: &PresetRef) -> Result<Value, HostError> {
        let found = match &self.presets {
            Some(presets) => presets.preset(&preset.api_id, &preset.name).await?,
            None => None,
        };
        let Some(settings) = found else {
            let message = format!("there is no preset {:?} of {}", preset.name, preset.api_id);
            let error = HostError::new("prompt_assembly.preset_not_found", message);
            return Err(error.with_hint("Choose another preset in the profile."));
        };
        if settings.is_object() {
            return Ok(settings);
        }
        let message = format!("the preset {:?} is no JSON object", preset.name);
        Err(HostError::new("prompt_assembly.preset_data_invalid", message))
    }
}

fn profile_id(choice: &ProfileChoice) -> Option<ProfileId> {
    match choice {
        ProfileChoice::Id(id) => Some(id.clone()),
        ProfileChoice::BuiltIn | ProfileChoice::Given(_) => None,
    }
}

/// The preset that the front end is to assemble from; none where the caller brings the prompt.
fn preset_ref(profile: &ResolvedProfile) -> Result<Option<&PresetRef>, HostError> {
    let preset = profile.preset();
    match (&preset.mode, &preset.reference) {
        (PresetMode::CurrentPromptSnapshot | PresetMode::None, _) => Ok(None),
        (PresetMode::Ref, Some(reference)) if reference.api_id.trim() == OPENAI => Ok(Some(reference)),
        (PresetMode::Ref, Some(reference)) => {
            let message = format!(
                "presets of {:?} cannot be assembled, only those of {OPENAI}",
                reference.api_id
            );
            Err(HostError::new("prompt_assembly.preset_api_invalid", message))
        }
        (PresetMode::Ref, None) => {
            let message = "the profile names no preset to assemble from";
            Err(HostError::new("prompt_assembly.openai_preset_required", message))
        }
    }
}

/// A model that a connection names can be looked up by whoever keeps connections only.
fn check_model(profile: &ResolvedProfile) -> Result<(), HostError> {
    let model = profile.model();
    if model.mode != ModelMode::ConnectionRef {
        return Ok(());
    }
    let is_blank = |text: &Option<String>| text.as_deref().is_none_or(|text| text.trim().is_empty());
    let (code, message) = if is_blank(&model.connection_ref) {
        (
            "prompt_assembly.model_connection_ref_required",
            "the profile names no connection for its model",
        )
    } else if is_blank(&model.model_id) {
        (
            "prompt_assembly.model_id_required",
            "the profile names no model of its connection",
        )
    } else {
        (
            "prompt_assembly.model_source_unmapped",
            "this host keeps no connections, so the profile's model cannot be found",
        )
    };
    Err(HostError::new(code, message))
}

fn digest(value: &Value) -> String {
    format!("sha256:{}", canonical_digest(value))
}
