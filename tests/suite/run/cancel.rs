//! Stopping a run: while the model works, while a tool works, and once it is over.

use std::sync::Arc;

use innkeeper::protocol::run::RunStatus;
use serde_json::{Value, json};

use super::happy;
use super::stage::{Held, Stage};

#[tokio::test]
async fn a_cancel_while_the_model_works_ends_the_run_at_once() {
    let stage = Stage::new().await;
    let before = stage.chat_text();
    let model = Held::new(json!([{"text": "never said"}]));
    let handle = stage.start(model.clone(), |_| {}).await;
    model.asked().await;
    handle.cancel_switch().cancel();
    let outcome = stage.finish(handle).await;
    assert_eq!((outcome.report.status, outcome.code()), (RunStatus::Cancelled, None));
    let tail: Vec<&str> = outcome
        .events
        .iter()
        .rev()
        .take(4)
        .map(|event| event.kind.as_str())
        .collect();
    assert_eq!(
        tail,
        [
            "run_cancelled",
            "agent_invocation_cancelled",
            "status_changed",
            "run_cancel_requested"
        ]
    );
    assert!(outcome.all("model_response_stored").is_empty());
    assert_eq!(outcome.chat, before);
}

/// On one thread the switch is thrown while the search waits for the disk: it has hundreds of files to read, and every one of them
/// lets the other task run.
#[tokio::test]
async fn a_cancel_while_a_tool_works_closes_the_call_and_keeps_what_was_there() {
    let stage = Stage::new().await;
    let search = json!({"name": "workspace_search_files", "arguments": {"query": "lantern"}});
    let late = json!({"name": "workspace_write_file", "arguments": {"path": "output/late.md", "content": "x"}});
    let model = Held::new(json!([{"calls": [search, late]}]));
    let mut handle = stage.start(model.clone(), |_| {}).await;
    model.asked().await;
    for number in 0..300 {
        std::fs::write(handle.folder().join(format!("plan/{number}.md")), "a lantern").unwrap();
    }
    model.answer();
    while handle.next_event().await.unwrap().kind != "tool_call_started" {}
    handle.cancel_switch().cancel();
    let outcome = stage.finish(handle).await;
    assert_eq!(outcome.report.status, RunStatus::Cancelled);
    assert_eq!(
        outcome.calls(),
        [("workspace.search_files".to_owned(), "agent.cancelled".to_owned())]
    );
    assert_eq!(outcome.all("tool_call_requested").len(), 1);
    assert_eq!(outcome.file("output/late.md"), None);
}

/// Calls over budget never reach a tool, where a cancel would be heard.
#[tokio::test]
async fn a_cancel_is_heard_between_calls_that_are_refused() {
    let stage = Stage::new().await;
    let calls: Vec<Value> = (0..500)
        .map(|_| json!({"name": "workspace_list_files", "arguments": {}}))
        .collect();
    let model = Arc::new(super::script(json!([{"calls": calls}, {"text": "never said"}])));
    let mut handle = stage.start(model, |profile| profile.tools.max_calls_per_run = 1).await;
    while handle.next_event().await.unwrap().kind != "tool_call_failed" {}
    handle.cancel_switch().cancel();
    let outcome = stage.finish(handle).await;
    assert_eq!(outcome.report.status, RunStatus::Cancelled);
    assert!(
        outcome.all("tool_call_requested").len() < 500,
        "the whole turn was gone through"
    );
}

#[tokio::test]
async fn a_cancel_after_the_end_changes_nothing() {
    let stage = Stage::new().await;
    let mut handle = stage.start(Arc::new(super::script(happy::turns())), |_| {}).await;
    let switch = handle.cancel_switch();
    while handle.next_event().await.is_some() {}
    switch.cancel();
    let outcome = stage.finish(handle).await;
    assert_eq!(outcome.report.status, RunStatus::Completed);
    assert_eq!(outcome.all("run_cancel_requested"), Vec::<&_>::new());
}

#[tokio::test]
async fn a_cancel_is_never_a_failure_even_after_a_commit() {
    let stage = Stage::new().await;
    let commit: Value = json!({"calls": [
        {"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "We climb."}},
        {"name": "workspace_commit", "arguments": {}},
    ]});
    let model = Held::new(json!([commit, {"text": "never said"}]));
    let handle = stage.start(model.clone(), |_| {}).await;
    model.asked().await;
    model.answer();
    model.asked().await;
    handle.cancel_switch().cancel();
    let outcome = stage.finish(handle).await;
    assert_eq!(outcome.report.status, RunStatus::Cancelled);
    assert_eq!(outcome.messages()[2]["mes"], "We climb.", "what was committed stays");
    assert!(outcome.all("persistent_changes_committed").is_empty());
}
