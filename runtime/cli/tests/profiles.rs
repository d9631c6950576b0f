//! Profiles as a person or a script meets them: listed, shown, checked, migrated, and named for runs and calls.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect shall fail"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::Command;
use serde_json::{Value, json};

/// Longer than any command here may take, also on a busy machine: what takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// A data root with a folder of profiles, and the program over it.
struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("data/_tauritavern/agent-profiles/profiles")).unwrap();
        Self { folder }
    }

    /// A file of the folder of profiles.
    fn stored(&self, name: &str) -> PathBuf {
        self.folder
            .path()
            .join("data/_tauritavern/agent-profiles/profiles")
            .join(name)
    }

    /// A file elsewhere.
    fn loose(&self, name: &str, file: &Value) -> String {
        let path = self.folder.path().join(name);
        put(&path, file);
        path.to_str().unwrap().to_owned()
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = Command::cargo_bin("innkeeper")
            .unwrap()
            .env("INNKEEPER_DATA", self.folder.path().join("data"))
            .env_remove("NO_COLOR")
            .timeout(PATIENCE)
            .args(arguments)
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    fn json(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let (code, stdout, _) = self.run(&[arguments, &["--json"]].concat());
        (code, serde_json::from_str(&stdout).unwrap())
    }
}

fn put(path: &Path, file: &Value) {
    fs::write(path, file.to_string()).unwrap();
}

fn writer(id: &str) -> Value {
    json!({
        "schemaVersion": 3, "kind": "tauritavern.agentProfile", "id": id, "displayName": "A writer",
        "preset": {"mode": "none"}, "model": {"mode": "currentPromptSnapshot"}, "run": {"presentation": "background"},
        "tools": {"allow": ["builtin:workspace.write_file", "builtin:workspace.finish"], "maxRounds": 5},
        "skills": {"visible": ["*"]}, "plan": {"mode": "none"},
        "workspace": {"visibleRoots": ["output"], "writableRoots": ["output"]},
        "output": {"artifacts": [{"id": "main", "path": "output/main.md", "kind": "markdown", "target": "messageBody"}]}
    })
}

fn error_code(value: &Value) -> &str {
    value["error"]["code"].as_str().unwrap_or_default()
}

#[test]
fn a_damaged_file_hides_no_other_in_the_list() {
    let stage = Stage::new();
    put(&stage.stored("poet.json"), &writer("poet"));
    put(&stage.stored("twin.json"), &writer("poet"));
    fs::write(stage.stored("bytes.json"), b"\xff").unwrap();
    let mut flawed = writer("flawed");
    flawed["tools"]["maxRounds"] = json!(0);
    put(&stage.stored("flawed.json"), &flawed);
    let (code, list) = stage.json(&["profiles", "list"]);
    assert_eq!(code, Some(0));
    let names = |list: &Value, key: &str| {
        let names = list
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row[key].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&list["profiles"], "id"), ["default-writer", "flawed", "poet"]);
    assert_eq!(names(&list["issues"], "fileName"), ["bytes.json", "twin.json"]);
    let (code, stdout, _) = stage.run(&["profiles", "list"]);
    assert_eq!(code, Some(0));
    for part in [
        "default-writer",
        "poet",
        "tools.maxRounds is 0",
        "bytes.json",
        "twin.json",
    ] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    put(&stage.stored("My Writer.json"), &writer("poet"));
    let (code, error) = stage.json(&["profiles", "list"]);
    assert_eq!((code, error_code(&error)), (Some(2), "agent.profile_id_invalid"));
    assert_eq!(stage.json(&["profiles", "show", "poet"]).0, Some(0));
}

#[test]
fn a_profile_is_shown_as_a_run_goes_by_it() {
    let stage = Stage::new();
    let mut file = writer("poet");
    file["tools"]["maxCallsPerTool"] = json!({"builtin:workspace.write_file": 2});
    file["instructions"] = json!({"agentSystemPrompt": "Write verse."});
    put(&stage.stored("poet.json"), &file);
    let (code, shown) = stage.json(&["profiles", "show", "poet"]);
    assert_eq!((code, &shown["source"]), (Some(0), &json!("file:poet")));
    assert_eq!(shown["resolved"]["output"]["messageBodyPath"], "output/main.md");
    assert_eq!(shown["resolved"]["run"]["driftRecoveryMaxAttempts"], 1);
    let copy = stage.loose("copy.json", &shown["profile"]);
    assert_eq!(stage.run(&["profiles", "check", &copy]).0, Some(0));
    let (code, stdout, _) = stage.run(&["profiles", "show", "poet"]);
    let expected = "\
poet  A writer

  from        file:poet
  run         background, 1 reminder, 3 retries, 3000 ms apart
  model       the one that the run brings
  preset      none
  context     all messages, with world info, 48000 characters; the newest 20 tool results stay whole
  message     output/main.md
  artifacts   main (output/main.md, markdown)
  roots       output
  skills      *; 20000 characters a call, 80000 in all
  agents      works alone
  budget      5 rounds, 80 calls

tools
  builtin:workspace.write_file  at most 2 calls
  builtin:workspace.finish

instructions
  Write verse.
";
    assert_eq!((code, stdout.as_str()), (Some(0), expected));
    let (_, built_in) = stage.json(&["profiles", "show", "default-writer"]);
    assert_eq!(built_in["source"], "built_in");
    file["tools"]["maxRounds"] = json!(0);
    put(&stage.stored("poet.json"), &file);
    for (id, expected) in [
        ("nobody", "agent.profile_not_found"),
        ("poet", "agent.profile_max_rounds_invalid"),
    ] {
        let (code, error) = stage.json(&["profiles", "show", id]);
        assert_eq!((code, error_code(&error)), (Some(2), expected));
    }
}

#[test]
fn a_check_names_every_problem() {
    let stage = Stage::new();
    let mut file = writer("poet");
    let right = stage.loose("some name.json", &file);
    let (code, checked) = stage.json(&["profiles", "check", &right]);
    assert_eq!(
        (code, &checked["valid"], &checked["problems"]),
        (Some(0), &json!(true), &json!([]))
    );
    assert_eq!(checked["profile"]["id"], "poet");
    file["unheardOf"] = json!(1);
    file["tools"]["allow"] = json!([
        "chat.search",
        "builtin:workspace.write_file",
        "builtin:workspace.finish"
    ]);
    file["skills"]["visible"] = json!([]);
    let wrong = stage.loose("wrong.json", &file);
    let (code, checked) = stage.json(&["profiles", "check", &wrong]);
    assert_eq!(
        (code, &checked["valid"], checked.get("profile")),
        (Some(2), &json!(false), None)
    );
    let problems: Vec<Value> = checked["problems"].as_array().unwrap().clone();
    assert_eq!(
        problems
            .iter()
            .map(|problem| json!([problem["path"], problem["code"]]))
            .collect::<Vec<_>>(),
        [
            json!(["$.unheardOf", "agent.profile_contract_invalid"]),
            json!(["$.tools.allow[0]", "agent.profile_unknown_tool"]),
            json!(["$.skills.visible", "agent.profile_skill_visible_empty"]),
        ]
    );
    let (code, stdout, _) = stage.run(&["profiles", "check", &wrong]);
    assert_eq!(code, Some(2));
    for part in [
        "3 problems",
        "$.tools.allow[0] [agent.profile_unknown_tool]",
        "write `builtin:chat.search`",
    ] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
}

#[test]
fn the_name_of_a_file_counts_only_in_the_data_root() {
    let stage = Stage::new();
    put(&stage.stored("other.json"), &writer("poet"));
    let (code, checked) = stage.json(&["profiles", "check", stage.stored("other.json").to_str().unwrap()]);
    assert_eq!((code, &checked["problems"][0]["path"]), (Some(2), &json!("$.id")));
    let (code, error) = stage.json(&["profiles", "check", "/no/such/file"]);
    assert_eq!((code, error_code(&error)), (Some(2), "cli.file_unreadable"));
}

#[test]
fn an_older_file_is_migrated_once() {
    let stage = Stage::new();
    let mut old = writer("poet");
    old["schemaVersion"] = json!(2);
    old["tools"]["allow"] = json!(["workspace.write_file", "workspace.finish"]);
    let file = stage.loose("old.json", &old);
    let (code, stdout, _) = stage.run(&["profiles", "check", &file]);
    assert_eq!(code, Some(0));
    assert!(stdout.contains("profiles migrate"), "{stdout}");
    for migrated in [true, false] {
        let (code, told) = stage.json(&["profiles", "migrate", &file]);
        assert_eq!((code, &told["migrated"]), (Some(0), &json!(migrated)));
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), writer("poet"));
    }
    old["unheardOf"] = json!(1);
    let file = stage.loose("broken.json", &old);
    let (code, error) = stage.json(&["profiles", "migrate", &file]);
    assert_eq!((code, error_code(&error)), (Some(2), "agent.profile_contract_invalid"));
    assert_eq!(fs::read_to_string(&file).unwrap(), old.to_string());
}

#[test]
fn a_stored_profile_is_named_by_its_id() {
    let stage = Stage::new();
    put(&stage.stored("poet.json"), &writer("poet"));
    let mut later = writer("later");
    later["model"] = json!({"mode": "requiresConfiguration"});
    put(&stage.stored("later.json"), &later);
    let chat = stage.folder.path().join("chat.jsonl");
    fs::write(&chat, include_str!("../demo/ferry.jsonl")).unwrap();
    let turns = json!({"turns": [
        {"calls": [{"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "Caught."}}]},
        {"calls": [{"name": "workspace_finish", "arguments": {}}]},
    ]});
    let model = format!("scripted:{}", stage.loose("turns.json", &turns));
    let run = [
        "run",
        "--chat",
        chat.to_str().unwrap(),
        "--model",
        &model,
        "--json",
        "--profile",
    ];
    let (code, stdout, stderr) = stage.run(&[&run[..], &["poet"]].concat());
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("file:poet"), "{stdout}");
    for (profile, expected) in [
        ("later", "agent.profile_model_requires_configuration"),
        ("nobody", "agent.profile_not_found"),
        ("Night writer", "agent.profile_id_invalid"),
    ] {
        let (code, stdout, _) = stage.run(&[&run[..], &[profile]].concat());
        let error: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!((code, error_code(&error)), (Some(2), expected), "{profile}");
    }
    let call = [
        "tools",
        "call",
        "dice.roll",
        "--args",
        "{\"formula\":\"d6\"}",
        "--profile",
    ];
    assert_eq!(stage.run(&[&call[..], &["poet"]].concat()).0, Some(3));
    assert_eq!(stage.json(&[&call[..], &["nobody"]].concat()).0, Some(2));
}
