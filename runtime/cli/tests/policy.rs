//! The policy as a person or a script meets it: shown, changed, in the way of runs and calls, damaged, reset.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect shall fail"
)]

use std::path::PathBuf;
use std::time::Duration;

use assert_cmd::Command;
use serde_json::{Value, json};

/// Longer than any command here may take, also on a busy machine: what takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);

const CHAT: &str = include_str!("../demo/ferry.jsonl");

/// A data root, a chat, and the program over them.
struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("data")).unwrap();
        std::fs::write(folder.path().join("chat.jsonl"), CHAT).unwrap();
        Self { folder }
    }

    /// With this text as the policy.
    fn with(policy: &str) -> Self {
        let stage = Self::new();
        std::fs::write(stage.file(), policy).unwrap();
        stage
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("data/policy.toml")
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

    /// A run in which the model searches the chat, writes, commits and finishes; its events and its report.
    fn chat_run(&self, more: &[&str]) -> (Option<i32>, Vec<Value>) {
        let call = |name: &str, arguments: Value| json!({"calls": [{"name": name, "arguments": arguments}]});
        let turns = json!({"turns": [
            call("chat_search", json!({"query": "ferry"})),
            call("workspace_write_file", json!({"path": "output/main.md", "content": "Caught."})),
            call("workspace_commit", json!({})),
            call("workspace_finish", json!({})),
        ]});
        let script = self.folder.path().join("turns.json");
        std::fs::write(&script, turns.to_string()).unwrap();
        let model = format!("scripted:{}", script.display());
        let chat = self.folder.path().join("chat.jsonl");
        let fixed = ["run", "--json", "--model", &model, "--chat", chat.to_str().unwrap()];
        let (code, stdout, _) = self.run(&[&fixed, more].concat());
        (
            code,
            stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        )
    }

    /// A profile with `tools.onDenied` as given.
    fn profile(&self, on_denied: &str, deny: &[&str]) -> String {
        let allow = [
            "chat.search",
            "workspace.write_file",
            "workspace.commit",
            "workspace.finish",
        ];
        let profile = json!({
            "schemaVersion": 3, "kind": "tauritavern.agentProfile", "id": "strict", "displayName": "Strict",
            "tools": {"allow": allow.map(|name| format!("builtin:{name}")), "deny": deny, "onDenied": on_denied,
                      "maxRounds": 5},
            "preset": {"mode": "currentPromptSnapshot"}, "model": {"mode": "currentPromptSnapshot"}, "run": {"presentation": "foreground"},
            "skills": {"visible": ["*"]}, "plan": {"mode": "none"},
            "workspace": {"visibleRoots": ["output"], "writableRoots": ["output"]},
            "output": {"artifacts": [{"id": "main", "path": "output/main.md", "kind": "markdown", "target": "messageBody"}]},
        });
        let path = self.folder.path().join("profile.json");
        std::fs::write(&path, profile.to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

/// Tool and code of every call that failed.
fn failures(events: &[Value]) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    events
        .iter()
        .filter(|event| event["type"] == "tool_call_failed")
        .map(|event| (text(&event["payload"]["name"]), text(&event["payload"]["errorCode"])))
        .collect()
}

fn denied(tool: &str) -> Vec<(String, String)> {
    vec![(tool.to_owned(), "agent.tool_policy_denied".to_owned())]
}

#[test]
fn a_rule_is_written_shown_and_reset() {
    let stage = Stage::new();
    let (code, change) = stage.json(&["policy", "deny", "builtin:dice.roll"]);
    assert_eq!(
        (code, &change["changed"], &change["permission"]),
        (Some(0), &json!(true), &json!("deny"))
    );
    assert!(stage.file().exists());
    let (code, report) = stage.json(&["policy", "show"]);
    let rule = json!([{"table": "user", "target": "builtin:dice.roll", "permission": "deny", "line": 5}]);
    assert_eq!(
        (code, &report["rules"], &report["problem"]),
        (Some(0), &rule, &Value::Null)
    );
    let verdict = |id: &str| {
        report["tools"]
            .as_array()
            .unwrap()
            .iter()
            .find(|tool| tool["id"] == id)
            .unwrap()
    };
    let dice = json!({"id": "builtin:dice.roll", "permission": "deny", "reason": "the user's policy denies this tool", "offeredByDefault": false});
    assert_eq!(verdict("builtin:dice.roll"), &dice);
    assert_eq!(verdict("builtin:chat.search")["permission"], "allow");
    let (code, stdout, _) = stage.run(&["policy", "show"]);
    assert_eq!(code, Some(0));
    assert!(
        stdout.contains("[user]      builtin:dice.roll                 deny   line 5"),
        "{stdout}"
    );
    assert_eq!(stage.run(&["policy", "reset"]).0, Some(0));
    assert_eq!(stage.json(&["policy", "show"]).1["rules"], json!([]));
}

#[test]
fn a_comment_of_a_person_survives_a_change() {
    let stage = Stage::with("# why: it keeps rolling\n[user]\n\"builtin:dice.roll\" = \"deny\" # since spring\n");
    assert_eq!(stage.run(&["policy", "ask", "builtin:dice.roll"]).0, Some(0));
    assert_eq!(stage.run(&["policy", "ask", "extension"]).0, Some(0));
    let expected = "# why: it keeps rolling\n[user]\n\"builtin:dice.roll\" = \"ask\" # since spring\n\n[source]\nextension = \"ask\"\n";
    assert_eq!(std::fs::read_to_string(stage.file()).unwrap(), expected);
}

#[test]
fn a_target_that_means_nothing_is_wrong_usage_and_changes_nothing() {
    let stage = Stage::new();
    for (target, advice) in [
        ("dice.roll", "Write `builtin:dice.roll`."),
        ("builtin:dice.rol", "innkeeper tools list"),
        ("mcp/NOPE", "`extension/<id>`"),
        ("skill/x:y", "`extension/<id>:<name>`"),
        ("", "`extension/<id>`"),
    ] {
        let (code, told) = stage.json(&["policy", "deny", target]);
        assert_eq!(
            (code, &told["error"]["code"]),
            (Some(2), &json!("agent.policy_target_invalid")),
            "{target}"
        );
        assert!(told["error"]["hint"].as_str().unwrap().contains(advice), "{told}");
    }
    assert_eq!(stage.run(&["policy", "forbid", "mcp"]).0, Some(2));
    assert!(!stage.file().exists());
}

#[test]
fn a_denied_tool_is_not_offered_and_costs_a_turn_when_it_is_called() {
    let stage = Stage::with("[user]\n\"builtin:chat.search\" = \"deny\"\n");
    let (code, events) = stage.chat_run(&[]);
    assert_eq!(
        (code, failures(&events)),
        (Some(0), denied("chat.search")),
        "{events:?}"
    );
    let assembled = events
        .iter()
        .find(|event| event["type"] == "context_assembled")
        .unwrap();
    let tools = assembled["payload"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["toolId"] == "builtin:workspace.commit"));
    assert!(
        !tools.iter().any(|tool| tool["toolId"] == "builtin:chat.search"),
        "{tools:?}"
    );
    assert!(
        !events
            .iter()
            .any(|event| event["type"] == "tool_call_started" && event["payload"]["name"] == "chat.search")
    );
}

#[test]
fn a_profile_can_make_a_denied_call_the_end_of_the_run() {
    let stage = Stage::with("[source]\nbuiltin = \"allow\"\n[platform]\n\"builtin:chat.search\" = \"deny\"\n");
    let (code, events) = stage.chat_run(&["--profile", &stage.profile("fail", &[])]);
    assert_eq!((code, failures(&events)), (Some(3), denied("chat.search")));
    assert_eq!(
        events.last().unwrap()["run"]["error"]["code"],
        "agent.tool_policy_denied"
    );
    let (code, events) = stage.chat_run(&["--profile", &stage.profile("recover", &[])]);
    assert_eq!(
        (code, failures(&events)),
        (Some(0), denied("chat.search")),
        "{events:?}"
    );
}

#[test]
fn what_a_profile_denies_costs_a_turn_like_any_other_denial() {
    let stage = Stage::new();
    let profile = stage.profile("recover", &["builtin:chat.search"]);
    let (code, events) = stage.chat_run(&["--profile", &profile]);
    assert_eq!(
        (code, failures(&events)),
        (Some(0), denied("chat.search")),
        "{events:?}"
    );
}

#[test]
fn a_run_that_could_not_commit_or_finish_does_not_start() {
    for (tool, code, exit) in [
        ("commit", "agent.foreground_commit_unavailable", 2),
        ("finish", "agent.tool_policy_denied", 3),
    ] {
        let stage = Stage::with(&format!("[user]\n\"builtin:workspace.{tool}\" = \"deny\"\n"));
        let (exited, told) = stage.chat_run(&[]);
        let error = &told[0]["error"];
        assert_eq!((exited, &error["code"]), (Some(exit), &json!(code)));
        assert!(
            error["message"]
                .as_str()
                .unwrap()
                .contains("the user's policy denies this tool"),
            "{error}"
        );
        assert!(
            error["hint"].as_str().unwrap().contains("innkeeper policy allow"),
            "{error}"
        );
    }
}

#[test]
fn a_file_with_a_flaw_stops_a_run_before_anything_is_written_and_names_the_place() {
    let stage = Stage::with("[user]\n\"builtin:chat.search\" = \"maybe\"\n");
    let (code, told) = stage.chat_run(&[]);
    let message = told[0]["error"]["message"].as_str().unwrap();
    assert_eq!(
        (code, &told[0]["error"]["code"]),
        (Some(3), &json!("agent.tool_policy_denied"))
    );
    assert!(
        message.contains("data/policy.toml cannot be used: line 2, column 25"),
        "{message}"
    );
    assert!(message.contains("every tool with an effect is denied"), "{message}");
    assert_eq!(
        std::fs::read_to_string(stage.folder.path().join("chat.jsonl")).unwrap(),
        CHAT
    );
    assert!(!stage.folder.path().join("data/chats.json").exists());

    let (code, report) = stage.json(&["policy", "show"]);
    assert_eq!(
        (code, &report["problem"]["line"], &report["problem"]["column"]),
        (Some(2), &json!(2), &json!(25))
    );
    let (code, told) = stage.json(&["policy", "deny", "mcp"]);
    assert_eq!(
        (code, &told["error"]["code"]),
        (Some(2), &json!("store.policy_damaged"))
    );
    let (code, reset) = stage.json(&["policy", "reset"]);
    assert_eq!(code, Some(0));
    assert!(
        std::fs::read_to_string(reset["kept"].as_str().unwrap())
            .unwrap()
            .contains("maybe")
    );
    assert_eq!(stage.chat_run(&[]).0, Some(0));
}

#[test]
fn a_single_call_is_denied_too_and_one_without_an_effect_survives_a_flaw() {
    let stage = Stage::with("[user]\n\"builtin:dice.roll\" = \"deny\"\n\"builtin:workspace.list_files\" = \"ask\"\n");
    let roll = ["tools", "call", "dice.roll", "--args", "{\"formula\":\"d6\"}"];
    let list = ["tools", "call", "workspace.list_files", "--args", "{}"];
    let write = [
        "tools",
        "call",
        "workspace.write_file",
        "--args",
        "{\"path\":\"output/a.md\",\"content\":\"x\"}",
    ];
    let (code, told) = stage.json(&roll);
    assert_eq!(
        (code, &told["error"]["code"]),
        (Some(3), &json!("agent.tool_policy_denied"))
    );
    assert_eq!(stage.json(&list).0, Some(0), "the one who would be asked is calling");
    std::fs::write(stage.file(), "[user\n").unwrap();
    assert_eq!(stage.json(&list).0, Some(0));
    let (code, told) = stage.json(&write);
    assert_eq!(code, Some(3));
    assert!(
        told["error"]["message"]
            .as_str()
            .unwrap()
            .contains("policy.toml cannot be used: line 1"),
        "{told}"
    );
}
