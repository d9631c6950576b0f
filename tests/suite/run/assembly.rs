//! Prompts that a front end puts together for profiles that name a preset.

use std::sync::Arc;

use async_trait::async_trait;
use innkeeper::profile::{PresetMode, PresetRef, Profile};
use innkeeper::protocol::port::PresetSource;
use innkeeper::protocol::run::RunError;
use innkeeper::{HostError, Innkeeper, PreparePromptAssembly, PromptAssembly};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::host;

/// One preset that can be used, one that cannot.
struct Presets;

#[async_trait]
impl PresetSource for Presets {
    async fn preset(&self, _api_id: &str, name: &str) -> Result<Option<Value>, RunError> {
        Ok(match name {
            "Noir" => Some(json!({"temperature": 0.9, "prompts": []})),
            "Broken" => Some(json!("text")),
            _ => None,
        })
    }
}

async fn ground() -> (TempDir, Innkeeper) {
    let folder = tempfile::tempdir().unwrap();
    let builder = host::builder().data_root(folder.path()).presets(Arc::new(Presets));
    let host = builder.build().await.unwrap();
    (folder, host)
}

fn save(host: &Innkeeper, id: &str, api_id: &str, name: &str) {
    let mut profile: Profile = host.default_profile();
    profile.id = id.to_owned();
    profile.preset.mode = PresetMode::Ref;
    profile.preset.reference = Some(PresetRef {
        api_id: api_id.to_owned(),
        name: name.to_owned(),
    });
    host.save_agent_profile(&profile).unwrap();
}

async fn prepare(host: &Innkeeper, profile: Option<&str>, generation: &str) -> Result<PromptAssembly, HostError> {
    let request = PreparePromptAssembly {
        profile_id: profile.map(str::to_owned),
        generation_type: None,
        frozen_run_input_snapshot: json!({
            "schemaVersion": 1, "kind": "tauritavern.agentFrozenRunInputSnapshot", "generationType": generation,
            "promptInputs": {}, "worldInfoActivation": {}, "macroContext": {}, "more": 1,
        }),
        json_schema: None,
    };
    host.prepare_agent_prompt_assembly(request).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_profile_without_a_preset_takes_the_callers_prompt() {
    let (_folder, host) = ground().await;
    assert_eq!(
        prepare(&host, None, "normal").await.unwrap(),
        PromptAssembly::CurrentPromptSnapshot
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_holds_all_that_a_prompt_is_made_of() {
    let (_folder, host) = ground().await;
    save(&host, "noir", "openai", "Noir");
    let PromptAssembly::FrontendPromptAssembly { request, assembly } =
        prepare(&host, Some("noir"), "normal").await.unwrap()
    else {
        panic!("a preset is named");
    };
    assert_eq!(request["settings"]["temperature"], 0.9);
    assert_eq!(request["requiredAgentPromptComponents"], json!(["agentSystemPrompt"]));
    assert!(
        request["agentSystemPrompt"]
            .as_str()
            .unwrap()
            .contains("workspace_finish")
    );
    assert_eq!(request["frozenRunInputSnapshot"].get("more"), None);
    assert_eq!(request["fingerprint"], assembly["fingerprint"]);
    let digest = request["fingerprint"]["presetSha256"].as_str().unwrap();
    assert!(digest.starts_with("sha256:") && digest.len() == 71, "{digest}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_assembled_has_a_code_and_no_substitute() {
    let (_folder, host) = ground().await;
    save(&host, "gone", "openai", "Gone");
    save(&host, "broken", "openai", "Broken");
    let mut codes = Vec::new();
    for (profile, generation) in [
        ("gone", "normal"),
        ("broken", "normal"),
        ("gone", "swipe"),
        ("nobody", "normal"),
    ] {
        codes.push(prepare(&host, Some(profile), generation).await.unwrap_err().code);
    }
    let expected = [
        "prompt_assembly.preset_not_found",
        "prompt_assembly.preset_data_invalid",
        "prompt_assembly.generation_type_mismatch",
        "agent.profile_not_found",
    ];
    assert_eq!(codes, expected);
}
