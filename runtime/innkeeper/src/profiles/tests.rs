//! Profiles of a data root: what is listed, loaded, repaired and diagnosed.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;
use crate::start::ProfileChoice;

struct Stage {
    root: tempfile::TempDir,
    host: Innkeeper,
}

impl Stage {
    async fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("_tauritavern/agent-profiles/profiles")).unwrap();
        // Compiled components are shared, so that tests do not compile the same ones again.
        let cache = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/tmp/innkeeper-profiles");
        let host = Innkeeper::builder()
            .data_root(root.path())
            .cache_dir(cache)
            .small()
            .build()
            .await
            .unwrap();
        Self { root, host }
    }

    fn file(&self, stem: &str) -> PathBuf {
        self.root
            .path()
            .join(format!("_tauritavern/agent-profiles/profiles/{stem}.json"))
    }

    fn put(&self, stem: &str, file: &Value) {
        fs::write(self.file(stem), file.to_string()).unwrap();
    }

    fn on_disk(&self, stem: &str) -> Value {
        serde_json::from_slice(&fs::read(self.file(stem)).unwrap()).unwrap()
    }

    fn source(&self, choice: &ProfileChoice) -> Result<(String, String), String> {
        let chosen = self.host.chosen_profile(choice, self.root.path());
        chosen
            .map(|chosen| (chosen.profile.display_name, chosen.source))
            .map_err(|error| error.code)
    }
}

fn id(text: &str) -> ProfileId {
    ProfileId::parse(text).unwrap()
}

fn writer(id: &str) -> Value {
    json!({
        "schemaVersion": 3, "kind": "tauritavern.agentProfile", "id": id, "displayName": format!("The {id}"),
        "preset": {"mode": "none"}, "model": {"mode": "currentPromptSnapshot"}, "run": {"presentation": "background"},
        "tools": {"allow": ["builtin:workspace.write_file", "builtin:workspace.finish"], "maxRounds": 5},
        "skills": {"visible": ["*"]}, "plan": {"mode": "none"},
        "workspace": {"visibleRoots": ["output"], "writableRoots": ["output"]},
        "output": {"artifacts": [{"id": "main", "path": "output/main.md", "kind": "markdown", "target": "messageBody"}]}
    })
}

#[tokio::test]
async fn a_damaged_file_hides_no_other() {
    let stage = Stage::new().await;
    stage.put("poet", &writer("poet"));
    stage.put("twin", &writer("poet"));
    let mut odd = writer("odd");
    odd["unheardOf"] = json!(1);
    stage.put("odd", &odd);
    fs::write(stage.file("bytes"), b"\xff\xfe").unwrap();
    fs::create_dir(stage.file("folder")).unwrap();
    let list = serde_json::to_value(stage.host.list_agent_profiles().unwrap()).unwrap();
    let ids: Vec<&str> = list["profiles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["default-writer", "poet"]);
    assert_eq!(
        list["profiles"][1],
        json!({"id": "poet", "displayName": "The poet", "directRunnable": true})
    );
    let issues: Vec<Value> = list["issues"].as_array().unwrap().clone();
    let told = |issue: &Value| {
        json!([
            issue["profileId"],
            issue["fileName"],
            issue["kind"],
            issue.get("recommendedAction")
        ])
    };
    assert_eq!(
        issues.iter().map(told).collect::<Vec<_>>(),
        [
            json!(["bytes", "bytes.json", "invalidJson", "delete"]),
            json!(["folder", "folder.json", "invalidProfile", null]),
            json!(["odd", "odd.json", "invalidProfile", null]),
            json!(["twin", "twin.json", "invalidFileIdentity", "normalizeIdentity"]),
        ]
    );
    assert!(
        issues
            .iter()
            .all(|issue| !issue["message"].as_str().unwrap().is_empty())
    );
}

#[tokio::test]
async fn the_default_is_built_in_until_a_file_of_its_id_is_named() {
    let stage = Stage::new().await;
    let built_in = Ok(("Default writer".to_owned(), "built_in".to_owned()));
    let named = ProfileChoice::of_id(Some("default-writer")).unwrap();
    assert_eq!(stage.source(&named), built_in);
    stage.put("default-writer", &writer("default-writer"));
    let file = Ok(("The default-writer".to_owned(), "file:default-writer".to_owned()));
    assert_eq!(stage.source(&named), file);
    for blank in [None, Some(""), Some(" \t")] {
        assert_eq!(stage.source(&ProfileChoice::of_id(blank).unwrap()), built_in);
    }
    let list = stage.host.list_agent_profiles().unwrap();
    let names: Vec<_> = list
        .profiles
        .iter()
        .map(|profile| profile.display_name.as_str())
        .collect();
    assert_eq!(names, ["The default-writer"]);
    let missing = ProfileChoice::of_id(Some("poet")).unwrap();
    assert_eq!(stage.source(&missing), Err("agent.profile_not_found".to_owned()));
    assert_eq!(stage.host.load_agent_profile(&id("poet")).unwrap(), None);
    let code = |text: &str| ProfileChoice::of_id(Some(text)).unwrap_err().code;
    assert_eq!(code("../poet"), "agent.profile_id_invalid");
    assert_eq!(code(&"a".repeat(129)), "agent.profile_id_too_long");
}

#[tokio::test]
async fn a_file_of_an_older_version_is_brought_up_once() {
    let stage = Stage::new().await;
    let mut old = writer("poet");
    old["schemaVersion"] = json!(2);
    old["tools"]["allow"] = json!(["workspace.write_file", "workspace.finish"]);
    stage.put("poet", &old);
    let profile = stage.host.load_agent_profile(&id("poet")).unwrap().unwrap();
    assert_eq!(profile, Profile::parse(writer("poet").to_string().as_bytes()).unwrap());
    assert_eq!(stage.on_disk("poet"), writer("poet"));
    let written = fs::metadata(stage.file("poet")).unwrap().modified().unwrap();
    stage.host.load_agent_profile(&id("poet")).unwrap();
    assert_eq!(fs::metadata(stage.file("poet")).unwrap().modified().unwrap(), written);
}

#[tokio::test]
async fn a_repair_sets_the_identity_right_or_leaves_the_file_alone() {
    let stage = Stage::new().await;
    let repair = |text: &str, action| {
        stage
            .host
            .repair_agent_profile_file(&id(text), action)
            .map_err(|e| e.code)
    };
    let mut strange = writer("other");
    strange["kind"] = json!("x");
    stage.put("poet", &strange);
    repair("poet", RepairAction::NormalizeIdentity).unwrap();
    let mut expected = writer("poet");
    expected["displayName"] = json!("The other");
    assert_eq!(stage.on_disk("poet"), expected);

    strange["unheardOf"] = json!(1);
    stage.put("poet", &strange);
    let refused = repair("poet", RepairAction::NormalizeIdentity);
    assert_eq!(refused, Err("agent.profile_repair_failed".to_owned()));
    assert_eq!(stage.on_disk("poet"), strange);

    repair("poet", RepairAction::Delete).unwrap();
    assert!(!stage.file("poet").exists());
    for action in [RepairAction::Delete, RepairAction::NormalizeIdentity] {
        assert_eq!(repair("poet", action), Err("agent.profile_not_found".to_owned()));
    }
}

#[tokio::test]
async fn what_is_saved_is_checked_and_loaded_again() {
    let stage = Stage::new().await;
    let mut file = writer(" poet ");
    file["preset"] = json!({"mode": "ref", "ref": {"apiId": "openai", "name": "gone"}, "required": true});
    let profile = Profile::parse(file.to_string().as_bytes()).unwrap();
    stage.host.save_agent_profile(&profile).unwrap();
    let loaded = stage.host.load_agent_profile(&id("poet")).unwrap().unwrap();
    assert_eq!(
        loaded,
        Profile {
            id: "poet".to_owned(),
            ..profile.clone()
        }
    );
    let mut bad = profile;
    bad.tools.max_rounds = 0;
    let error = stage.host.save_agent_profile(&bad).unwrap_err();
    assert_eq!(error.code, "agent.profile_max_rounds_invalid");
    assert_eq!(stage.host.load_agent_profile(&id("poet")).unwrap(), Some(loaded));
    stage.host.delete_agent_profile(&id("poet")).unwrap();
    assert_eq!(stage.host.load_agent_profile(&id("poet")).unwrap(), None);
}

#[tokio::test]
async fn health_tells_what_a_profile_can_be_used_for() {
    let stage = Stage::new().await;
    let health = |file: Value| {
        stage.put("poet", &file);
        let health = stage.host.diagnose_agent_profile(&id("poet")).unwrap();
        let told: Vec<_> = health.diagnostics.iter().map(|d| (d.code, d.path)).collect();
        let uses = [
            health.preview_available,
            health.prompt_assembly_available,
            health.direct_run_available,
            health.sub_agent_available,
        ];
        (told, uses)
    };
    assert_eq!(health(writer("poet")), (vec![], [true, true, true, false]));
    let mut file = writer("poet");
    file["delegation"] = json!({"callable": true, "allowAsSubagent": true});
    assert_eq!(health(file.clone()), (vec![], [true, true, true, true]));
    file["preset"] = json!({"mode": "ref", "ref": {"apiId": "novel", "name": "x"}});
    file["model"] = json!({"mode": "requiresConfiguration"});
    let expected = vec![
        ("agent.profile_preset_api_unsupported", "$.preset.ref.apiId"),
        ("agent.profile_model_requires_configuration", "$.model.mode"),
    ];
    assert_eq!(health(file.clone()), (expected, [true, false, false, false]));
    file["preset"] = json!({"mode": "none"});
    file["model"] = json!({"mode": "currentPromptSnapshot"});
    file["tools"]["maxRounds"] = json!(0);
    let expected = vec![("agent.profile_contract_invalid", "$")];
    assert_eq!(health(file), (expected, [false, false, false, false]));
}

#[tokio::test]
async fn the_system_prompt_is_the_profiles_own_or_ours() {
    let stage = Stage::new().await;
    let mut file = writer("poet");
    file["instructions"] = json!({"agentSystemPrompt": "Write verse."});
    file["model"] = json!({"mode": "connectionRef", "connectionRef": "gone", "modelId": "m"});
    stage.put("poet", &file);
    let prompt = stage.host.resolve_agent_system_prompt(Some(&id("poet"))).await.unwrap();
    assert_eq!(prompt.agent_system_prompt, "Write verse.");
    let ours = stage.host.resolve_agent_system_prompt(None).await.unwrap();
    assert!(ours.agent_system_prompt.contains("workspace_commit"));
}

#[tokio::test]
async fn only_finished_profiles_that_people_may_start_start_a_run() {
    let stage = Stage::new().await;
    let code = |file: &Value| {
        let profile = Profile::parse(file.to_string().as_bytes()).unwrap();
        let resolved = resolve(&profile, &stage.host.tools().specs()).unwrap();
        check_startable(&resolved).err().map(|error| error.code)
    };
    assert_eq!(code(&writer("poet")), None);
    let mut file = writer("poet");
    file["model"] = json!({"mode": "requiresConfiguration"});
    assert_eq!(
        code(&file).as_deref(),
        Some("agent.profile_model_requires_configuration")
    );
    file["run"]["directRunnable"] = json!(false);
    file["delegation"] = json!({"callable": true, "allowAsSubagent": true});
    assert_eq!(code(&file).as_deref(), Some("agent.profile_not_direct_runnable"));
}
