//! How runs end early: drift, unknown tools, calls after the finish, rounds used up, and what survives.

use innkeeper::protocol::run::RunStatus;
use serde_json::{Value, json};

use super::stage::Stage;

fn call(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

fn write_and_commit() -> Value {
    json!({"calls": [
        call("workspace_write_file", json!({"path": "output/main.md", "content": "We climb."})),
        call("workspace_commit", json!({})),
    ]})
}

fn finish() -> Value {
    json!({"calls": [call("workspace_finish", json!({}))]})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn text_without_a_call_is_kept_and_corrected_once() {
    let stage = Stage::new().await;
    let outcome = stage
        .play(json!([{"text": "Here is the story."}, write_and_commit(), finish()]))
        .await;
    assert_eq!(outcome.report.status, RunStatus::Completed);
    assert_eq!(
        outcome.file("output/direct_output.md").as_deref(),
        Some("Here is the story.")
    );
    let drift = outcome.one("drift_recovery_attempted");
    let expected =
        json!({"attempt": 1, "maxAttempts": 1, "limitReason": "max_attempts", "round": 1, "committedCount": 0});
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(drift.payload[key], *value, "{key}");
    }
    assert_eq!(
        outcome.one("direct_output_captured").payload["path"],
        "output/direct_output.md"
    );
    let reasons: Vec<_> = outcome
        .all("checkpoint_created")
        .iter()
        .map(|e| e.payload["reason"].clone())
        .collect();
    assert_eq!(reasons[0], "direct_output_capture");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn text_twice_fails_the_run_and_leaves_the_chat_alone() {
    let stage = Stage::new().await;
    let before = stage.chat_text();
    let outcome = stage.play(json!([{"text": "One."}, {"text": "Two."}])).await;
    assert_eq!(
        (outcome.report.status, outcome.code()),
        (RunStatus::Failed, Some("model.tool_call_required"))
    );
    let failed = outcome.one("run_failed");
    assert_eq!(
        (&failed.payload["code"], &failed.payload["userRetryable"]),
        (&json!("model.tool_call_required"), &json!(true))
    );
    assert_eq!(outcome.chat, before);
    assert_eq!(outcome.file("output/direct_output.md").as_deref(), Some("Two."));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn drift_after_a_commit_is_a_partial_success_that_names_the_commit() {
    let stage = Stage::new().await;
    let outcome = stage
        .play(json!([write_and_commit(), {"text": "Done."}, {"text": "Really done."}]))
        .await;
    assert_eq!(outcome.report.status, RunStatus::PartialSuccess);
    let partial = outcome.one("run_partial_success");
    assert_eq!(partial.payload["code"], "model.tool_call_required");
    assert_eq!(
        (&partial.payload["retryable"], &partial.payload["userRetryable"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(partial.payload["preservedCommitCount"], 1);
    let preserved = json!([{"path": "output/main.md", "mode": "replace", "messageId": "2", "round": 1}]);
    assert_eq!(partial.payload["preservedCommits"], preserved);
    assert_eq!(outcome.messages()[2]["mes"], "We climb.");
    assert!(outcome.all("persistent_changes_committed").is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_was_never_offered_ends_the_run_before_anything_of_the_turn_happens() {
    for name in ["workspace.write_file", "dice_roll", "rm_rf"] {
        let stage = Stage::new().await;
        let outcome = stage
            .play(json!([{"calls": [
                call("workspace_write_file", json!({"path": "output/main.md", "content": "x"})),
                call(name, json!({})),
            ]}]))
            .await;
        assert_eq!(
            (outcome.report.status, outcome.code()),
            (RunStatus::Failed, Some("model.unknown_tool_call"))
        );
        assert!(outcome.all("tool_call_requested").is_empty());
        assert_eq!(outcome.file("output/main.md"), None);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_after_an_accepted_finish_ends_the_run_and_is_not_executed() {
    let stage = Stage::new().await;
    let late = json!({"calls": [
        call("workspace_finish", json!({})),
        call("workspace_write_file", json!({"path": "output/late.md", "content": "x"})),
        call("workspace_list_files", json!({})),
    ]});
    let outcome = stage.play(json!([write_and_commit(), late])).await;
    assert_eq!(
        (outcome.report.status, outcome.code()),
        (RunStatus::PartialSuccess, Some("agent.tool_after_finish"))
    );
    assert_eq!(outcome.file("output/late.md"), None);
    let last = outcome.calls().pop().unwrap();
    assert_eq!(last, ("workspace.write_file".into(), "agent.tool_after_finish".into()));
    assert_eq!(
        outcome.all("tool_call_requested").len(),
        4,
        "the call after it gets no event"
    );
    assert_eq!(outcome.all("tool_call_started").len(), 3);
    assert!(outcome.all("persistent_changes_committed").is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_finish_leaves_the_rest_of_the_turn_to_run() {
    let stage = Stage::new().await;
    let outcome = stage
        .play(json!([{"calls": [
            call("workspace_finish", json!({})),
            call("workspace_write_file", json!({"path": "output/main.md", "content": "We climb."})),
            call("workspace_commit", json!({})),
            call("workspace_finish", json!({})),
        ]}]))
        .await;
    assert_eq!(outcome.report.status, RunStatus::Completed);
    let codes: Vec<String> = outcome.calls().into_iter().map(|(_, code)| code).collect();
    assert_eq!(codes, ["agent.foreground_commit_required", "ok", "ok", "ok"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rounds_used_up_end_the_run() {
    let stage = Stage::new().await;
    let look = json!({"calls": [call("workspace_list_files", json!({}))]});
    let outcome = stage
        .play_with(json!([look, look, look]), |profile| profile.tools.max_rounds = 2)
        .await;
    assert_eq!(
        (outcome.report.status, outcome.code()),
        (RunStatus::Failed, Some("agent.max_tool_rounds_exceeded"))
    );
    assert_eq!(outcome.all("model_completed").len(), 2);
    assert_eq!(outcome.one("run_failed").payload["userRetryable"], true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_background_run_finishes_without_a_commit() {
    let stage = Stage::new().await;
    let before = stage.chat_text();
    let write = json!({"calls": [call("workspace_write_file", json!({"path": "output/main.md", "content": "x"}))]});
    let outcome = stage
        .play_with(json!([write, finish()]), |profile| {
            profile.run.presentation = innkeeper::protocol::run::Presentation::Background;
        })
        .await;
    assert_eq!(outcome.report.status, RunStatus::Completed);
    assert_eq!(outcome.chat, before);
    assert!(
        outcome.all("chat_commit_requested").is_empty(),
        "nothing is committed by itself in the background"
    );
}
