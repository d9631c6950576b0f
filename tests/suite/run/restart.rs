//! What a new process makes of a run that a dead one left open: its data root is copied in the middle of a run, and opened.
//!
//! Crashes at every single append are the store's own tests.

use std::path::Path;
use std::sync::Arc;

use innkeeper::Innkeeper;
use innkeeper::protocol::envelope::Envelope;
use innkeeper::protocol::id::RunId;
use innkeeper::protocol::run::RunStatus;
use innkeeper::protocol::view::ReadRunEvents;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::journal;
use super::stage::{Held, Stage, script};
use crate::host;

/// Copies a data root as a process that dies now would leave it.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Plays the first turn, copies the data root while the model is asked for the second, and opens the copy.
async fn abandoned(first_turn: Value, damage: impl FnOnce(&Path)) -> (Innkeeper, RunId, TempDir) {
    let stage = Stage::new().await;
    let model = Held::new(json!([first_turn]));
    let handle = stage.start(model.clone(), |_| {}).await;
    model.asked().await;
    model.answer();
    model.asked().await;
    let copied = TempDir::new().unwrap();
    copy(&stage.data_root(), copied.path());
    let run = handle.run_id().clone();
    let folder = handle.folder().strip_prefix(stage.data_root()).unwrap();
    damage(&copied.path().join(folder));
    handle.cancel_switch().cancel();
    let host = host::builder().data_root(copied.path()).build().await.unwrap();
    (host, run, copied)
}

/// What the journal of a run says.
pub fn journal_of(host: &Innkeeper, run: &RunId) -> Vec<Envelope> {
    let request = ReadRunEvents {
        limit: Some(500),
        ..ReadRunEvents::of(run.clone())
    };
    host.runs().unwrap().read_agent_run_events(&request).unwrap().events
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_without_a_commit_is_closed_as_failed() {
    let look = json!({"calls": [{"name": "workspace_list_files", "arguments": {}}]});
    let (host, run, _copied) = abandoned(look, |_| {}).await;
    let events = journal_of(&host, &run);
    assert_eq!(
        journal::violations(&events),
        Vec::<String>::new(),
        "{}",
        journal::listing(&events)
    );
    let end = events.iter().find(|event| event.kind == "run_failed").unwrap();
    assert_eq!(end.text("code"), Some("agent.process_restarted"));
    let (summary, _) = host.runs().unwrap().read_agent_run(&run).unwrap();
    assert_eq!(summary.status, RunStatus::Failed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_with_a_commit_is_closed_as_partial_success() {
    let commit = json!({"calls": [
        {"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "We climb."}},
        {"name": "workspace_commit", "arguments": {}},
    ]});
    let (host, run, _copied) = abandoned(commit, |_| {}).await;
    let events = journal_of(&host, &run);
    assert_eq!(journal::violations(&events), Vec::<String>::new());
    let end = events.iter().find(|event| event.kind == "run_partial_success").unwrap();
    assert_eq!(
        (end.text("code"), &end.payload["preservedCommitCount"]),
        (Some("agent.process_restarted"), &json!(1))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_torn_last_line_is_cut_and_reported() {
    let look = json!({"calls": [{"name": "workspace_list_files", "arguments": {}}]});
    let tear = |folder: &Path| {
        let path = folder.join("events.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 20]).unwrap();
    };
    let (host, run, _copied) = abandoned(look, tear).await;
    let events = journal_of(&host, &run);
    assert_eq!(journal::violations(&events), Vec::<String>::new());
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    assert!(
        kinds.contains(&"journal_repaired") && kinds.contains(&"run_failed"),
        "{kinds:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn opening_a_second_time_changes_nothing() {
    let look = json!({"calls": [{"name": "workspace_list_files", "arguments": {}}]});
    let (host, run, copied) = abandoned(look, |_| {}).await;
    let events = journal_of(&host, &run);
    let again = host::builder().data_root(copied.path()).build().await.unwrap();
    assert_eq!(journal_of(&again, &run), events);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_died_with_its_process_is_denied_and_the_call_was_never_made() {
    let stage = Stage::new().await;
    let write = json!({"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "Unasked."}});
    let model = Arc::new(script(json!([{"calls": [write]}])));
    let mut handle = stage.start_asking(model, &["builtin:workspace.write_file"]).await;
    while handle.next_event().await.unwrap().kind != "tool_call_awaiting_approval" {}
    let copied = TempDir::new().unwrap();
    copy(&stage.data_root(), copied.path());
    handle.cancel_switch().cancel();
    let host = host::builder().data_root(copied.path()).build().await.unwrap();
    let events = journal_of(&host, handle.run_id());
    assert_eq!(journal::violations(&events), Vec::<String>::new());
    let told = |kind: &str, member: &str| {
        let event = events.iter().find(|event| event.kind == kind);
        event.and_then(|event| event.text(member)).map(str::to_owned)
    };
    assert_eq!(told("tool_call_denied", "by").as_deref(), Some("runtime"));
    assert_eq!(
        told("tool_call_failed", "errorCode").as_deref(),
        Some("tool.approval_denied")
    );
    assert_eq!(told("tool_call_started", "callId"), None);
    assert_eq!(host.runs().unwrap().pending_approvals(handle.run_id()).unwrap(), []);
    let folder = handle.folder().strip_prefix(stage.data_root()).unwrap();
    assert!(!copied.path().join(folder).join("output/main.md").exists());
}
