//! What stands between a request and its tool: approvals that nobody can give, denials that end a run, and odd call ids.

use innkeeper::profile::OnDenied;
use innkeeper::protocol::run::RunStatus;
use serde_json::{Value, json};

use super::stage::Stage;

const WRITE: &str = "builtin:workspace.write_file";

fn write() -> Value {
    json!({"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "We climb."}})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_needs_an_approval_fails_where_nobody_can_give_it() {
    let stage = Stage::new().await;
    let turns = json!([{"calls": [write()]}, {"text": "a"}, {"text": "b"}]);
    let outcome = stage
        .play_with(turns, |profile| profile.tools.ask = vec![WRITE.to_owned()])
        .await;
    assert_eq!(
        outcome.calls(),
        [(
            "workspace.write_file".to_owned(),
            "tool.approval_unavailable".to_owned()
        )]
    );
    assert_eq!(outcome.code(), Some("model.tool_call_required"), "the run went on");
    assert!(outcome.all("tool_call_started").is_empty());
    assert_eq!(outcome.one("tool_call_failed").payload["outcome"], "denied");
    assert_eq!(outcome.file("output/main.md"), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_asked_about_arguments_that_do_not_fit() {
    let stage = Stage::new().await;
    let bad = json!({"name": "workspace_write_file", "arguments": {"path": "output/main.md"}});
    let turns = json!([{"calls": [bad]}, {"text": "a"}, {"text": "b"}]);
    let outcome = stage
        .play_with(turns, |profile| profile.tools.ask = vec![WRITE.to_owned()])
        .await;
    assert_eq!(
        outcome.calls(),
        [("workspace.write_file".to_owned(), "tool.invalid_arguments".to_owned())]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_tool_that_asks_switches_commits_by_themselves_off() {
    let stage = Stage::new().await;
    let before = stage.chat_text();
    let turns = json!([{"calls": [write()]}, {"text": "a"}, {"text": "b"}]);
    let outcome = stage
        .play_with(turns, |profile| {
            profile.tools.ask = vec!["builtin:workspace.commit".to_owned()]
        })
        .await;
    assert_eq!(outcome.report.status, RunStatus::Failed);
    assert!(outcome.all("chat_commit_started").is_empty());
    assert_eq!(outcome.chat, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_denied_tool_is_not_offered_and_calling_it_is_denied() {
    let search = json!({"calls": [{"id": "c1", "name": "chat_search", "arguments": {"query": "a"}}]});
    for (on_denied, ends_with) in [
        (OnDenied::Recover, "model.tool_call_required"),
        (OnDenied::Fail, "agent.tool_policy_denied"),
    ] {
        let stage = Stage::new().await;
        let outcome = stage
            .play_with(json!([search, {"text": "a"}, {"text": "b"}]), |profile| {
                profile.tools.deny = vec!["builtin:chat.search".to_owned()];
                profile.tools.on_denied = on_denied;
            })
            .await;
        let failed = outcome.one("tool_call_failed");
        assert_eq!(failed.text("errorCode"), Some("agent.tool_policy_denied"));
        assert_eq!(outcome.code(), Some(ends_with));
        let offered = outcome.one("context_assembled").payload["tools"].to_string();
        assert!(!offered.contains("chat.search"), "{offered}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_odd_call_id_stays_as_it_is_and_names_no_file() {
    let stage = Stage::new().await;
    let id = format!("../../é\\:{}", "x".repeat(500));
    let look = json!({"id": id, "name": "workspace_list_files", "arguments": {}});
    let outcome = stage
        .play(json!([{"calls": [look]}, {"text": "a"}, {"text": "b"}]))
        .await;
    let requested = outcome.one("tool_call_requested");
    assert_eq!(requested.text("callId"), Some(id.as_str()));
    let arguments = requested.text("argumentsRef").unwrap();
    let stem = arguments
        .strip_prefix("tool-args/call_")
        .and_then(|rest| rest.strip_suffix(".json"))
        .unwrap();
    assert!(
        stem.len() == 16 && stem.chars().all(|c| c.is_ascii_hexdigit()),
        "{arguments}"
    );
    assert_eq!(
        outcome
            .file(arguments)
            .map(|text| serde_json::from_str::<Value>(&text).unwrap()),
        Some(json!({}))
    );
    let result: Value =
        serde_json::from_str(&outcome.file(&format!("tool-results/call_{stem}.json")).unwrap()).unwrap();
    assert_eq!(result["callId"], id.as_str());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_id_that_comes_again_overwrites_nothing() {
    let stage = Stage::new().await;
    let look =
        |path: &str| json!({"calls": [{"id": "again", "name": "workspace_list_files", "arguments": {"path": path}}]});
    let model = std::sync::Arc::new(super::script(
        json!([look("plan"), look("output"), {"text": "a"}, {"text": "b"}]),
    ));
    let report = stage.start(model, |_| {}).await.wait().await.unwrap();
    let mut names: Vec<String> = std::fs::read_dir(report.folder.join("tool-args"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let [second, first] = &names[..] else {
        panic!("{names:?}")
    };
    assert_eq!(second.replace("-2.json", ".json"), *first);
    let path = |name: &str| std::fs::read_to_string(report.folder.join("tool-args").join(name)).unwrap();
    assert!(path(first).contains("plan") && path(second).contains("output"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dice_in_a_run_come_from_the_recorded_numbers() {
    let stage = Stage::new().await;
    let roll = json!({"name": "dice_roll", "arguments": {"formula": "3d6"}});
    let turns = json!([{"calls": [roll]}, {"text": "a"}, {"text": "b"}]);
    let outcome = stage
        .play_with(turns, |profile| {
            profile.tools.allow.push("builtin:dice.roll".to_owned())
        })
        .await;
    let path = outcome.one("tool_result_stored").text("path").unwrap();
    let result: Value = serde_json::from_str(&outcome.file(path).unwrap()).unwrap();
    let rolls: Vec<u64> = result["structured"]["rolls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap())
        .collect();
    let draws: Vec<u64> = result["draws"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n["value"].as_u64().unwrap() + 1)
        .collect();
    assert_eq!(rolls, draws);
    assert_eq!(rolls.len(), 3);
}
