//! The run that goes as it should: search, write, patch, commit, finish.

use innkeeper::protocol::run::RunStatus;
use serde_json::{Value, json};

use super::journal::{self, DAMAGES};
use super::stage::{CHAT, INTEGRITY, Outcome, Stage};

/// What a good model does.
pub fn turns() -> Value {
    json!([
        {"text": "Let me look.", "reasoning": "What was said?", "calls": [{"name": "chat_search", "arguments": {"query": "lighthouse"}}]},
        {"calls": [
            {"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "The lamp is out.\nWe climb."}},
            {"name": "workspace_write_file", "arguments": {"path": "persist/notes.md", "content": "lamp: out"}},
        ]},
        {"calls": [
            {"name": "workspace_apply_patch", "arguments": {"path": "output/main.md", "old_string": "out", "new_string": "lit"}},
            {"name": "workspace_commit", "arguments": {}},
        ]},
        {"calls": [{"name": "workspace_finish", "arguments": {"reason": "written"}}]},
    ])
}

async fn played() -> (Stage, Outcome) {
    let stage = Stage::new().await;
    let outcome = stage.play(turns()).await;
    (stage, outcome)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_run_completes_and_every_call_worked() {
    let (_stage, outcome) = played().await;
    assert_eq!(
        (outcome.report.status, &outcome.report.error),
        (RunStatus::Completed, &None)
    );
    let calls = outcome.calls();
    assert!(calls.iter().all(|(_, code)| code == "ok"), "{calls:?}");
    assert_eq!(calls.len(), 6);
    assert_eq!(
        outcome.file("output/main.md").as_deref(),
        Some("The lamp is lit.\nWe climb.")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_lines_keep_their_bytes_and_one_message_is_added() {
    let (_stage, outcome) = played().await;
    let lines: Vec<&str> = outcome.chat.lines().collect();
    let [old_header, old_lines @ ..] = &CHAT.lines().collect::<Vec<_>>()[..] else {
        unreachable!()
    };
    assert_eq!(&lines[1..=old_lines.len()], old_lines);
    assert_eq!(lines.len(), 1 + old_lines.len() + 1);
    let header: Value = serde_json::from_str(lines[0]).unwrap();
    let integrity = header["chat_metadata"]["integrity"].as_str().unwrap();
    assert_ne!(integrity, INTEGRITY, "an open client must notice");
    assert_eq!(lines[0].replace(integrity, INTEGRITY), *old_header);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_message_says_who_wrote_it_and_from_which_run() {
    let (_stage, outcome) = played().await;
    let message = outcome.messages().pop().unwrap();
    assert_eq!(message["mes"], "The lamp is lit.\nWe climb.");
    assert_eq!(
        (&message["name"], &message["is_user"]),
        (&json!("Rowan"), &json!(false))
    );
    let agent = &message["extra"]["tauritavern"]["agent"];
    assert_eq!(agent["version"], 2);
    assert_eq!(agent["runId"], outcome.report.run_id.as_str());
    assert_eq!(agent["persistStateStatus"], "committed");
    assert_eq!(agent["persistChangeCount"], 1);
    let created = outcome.one("run_created");
    assert_eq!(agent["stableChatId"], created.payload["stableChatId"]);
    let state = outcome.one("persistent_changes_committed");
    assert_eq!(agent["persistStateId"], state.payload["stateId"]);
    assert_eq!(message["extra"]["reasoning"], "What was said?");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_run_finds_the_persistent_file() {
    let (stage, _first) = played().await;
    let second = stage
        .play(json!([
            {"calls": [{"name": "workspace_read_file", "arguments": {"path": "persist/notes.md"}}]},
            {"calls": [{"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "And down again."}},
                       {"name": "workspace_commit", "arguments": {}}, {"name": "workspace_finish", "arguments": {}}]},
        ]))
        .await;
    assert_eq!(second.report.status, RunStatus::Completed);
    assert_eq!(second.calls()[0], ("workspace.read_file".into(), "ok".into()));
    assert_eq!(second.file("persist/notes.md").as_deref(), Some("lamp: out"));
    assert_eq!(second.messages().len(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_on_the_wire_are_those_of_the_journal() {
    let stage = Stage::new().await;
    let mut handle = stage.start(std::sync::Arc::new(super::script(turns())), |_| {}).await;
    let mut seen = Vec::new();
    while let Some(event) = handle.next_event().await {
        seen.push(event);
    }
    let outcome = stage.finish(handle).await;
    assert_eq!(seen, outcome.events);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_journal_is_accused_of_its_damage() {
    let (_stage, outcome) = played().await;
    for (rule, damage) in DAMAGES {
        let found = journal::violations(&damage.done_to(&outcome.events));
        assert!(
            found.iter().any(|why| why.starts_with(rule)),
            "{damage:?} gives {found:?}"
        );
    }
}

/// Edits of one file in one turn follow each other, and each builds on the one before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seven_patches_of_one_file_in_a_turn_are_all_in_it() {
    let stage = Stage::new().await;
    let path = "output/main.md";
    let call = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    let write = call(
        "workspace_write_file",
        json!({"path": path, "content": "1\n2\n3\n4\n5\n6\n7\n"}),
    );
    let patch = |n: u32| {
        let arguments = json!({"path": path, "old_string": format!("{n}\n"), "new_string": format!("step {n}\n")});
        call("workspace_apply_patch", arguments)
    };
    let ends = [call("workspace_commit", json!({})), call("workspace_finish", json!({}))];
    let calls: Vec<Value> = std::iter::once(write).chain((1..=7).map(patch)).chain(ends).collect();
    let outcome = stage.play(json!([{ "calls": calls }])).await;
    assert_eq!(outcome.report.status, RunStatus::Completed);
    assert!(
        outcome.calls().iter().all(|(_, code)| code == "ok"),
        "{:?}",
        outcome.calls()
    );
    let expected: String = (1..=7).map(|n| format!("step {n}\n")).collect();
    assert_eq!(outcome.file(path), Some(expected.clone()));
    assert_eq!(outcome.messages().last().unwrap()["mes"], expected);
}
