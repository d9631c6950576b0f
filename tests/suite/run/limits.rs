//! Retries of the model, budgets of calls, and ceilings that a profile lowers.

use innkeeper::protocol::run::RunStatus;
use serde_json::{Value, json};

use super::stage::Stage;

fn ending() -> Value {
    json!({"calls": [
        {"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "We climb."}},
        {"name": "workspace_commit", "arguments": {}},
        {"name": "workspace_finish", "arguments": {}},
    ]})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn passing_errors_of_the_model_are_tried_again() {
    let stage = Stage::new().await;
    let errors = [
        json!({"error": {"kind": "transient"}}),
        json!({"error": {"kind": "rate_limited"}}),
        json!({"error": {"kind": "network.timeout"}}),
    ];
    let [one, two, three] = errors;
    let outcome = stage.play(json!([one, two, three, ending()])).await;
    assert_eq!(outcome.report.status, RunStatus::Completed);
    let failed: Vec<(Value, Value)> = outcome
        .all("model_call_attempt_failed")
        .iter()
        .map(|event| (event.payload["code"].clone(), event.payload["willRetry"].clone()))
        .collect();
    let expected = ["agent.transient", "agent.rate_limited", "network.timeout"].map(|code| (json!(code), json!(true)));
    assert_eq!(failed, expected);
    let next: Vec<Value> = outcome
        .all("model_call_retry_scheduled")
        .iter()
        .map(|event| event.payload["nextAttempt"].clone())
        .collect();
    assert_eq!(next, [json!(2), json!(3), json!(4)]);
    assert_eq!(outcome.all("model_request_created").len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_error_too_many_ends_the_run_as_retryable() {
    let stage = Stage::new().await;
    let error = json!({"error": {"kind": "transient"}});
    let outcome = stage
        .play_with(json!([error, error, ending()]), |profile| {
            profile.run.model_retry.max_retries = 1
        })
        .await;
    assert_eq!(
        (outcome.report.status, outcome.code()),
        (RunStatus::Failed, Some("agent.transient"))
    );
    assert!(outcome.report.error.as_ref().unwrap().retryable);
    let failed = outcome.one("run_failed");
    assert_eq!(
        (&failed.payload["retryable"], &failed.payload["userRetryable"]),
        (&json!(true), &json!(true))
    );
    let will_retry: Vec<Value> = outcome
        .all("model_call_attempt_failed")
        .iter()
        .map(|event| event.payload["willRetry"].clone())
        .collect();
    assert_eq!(will_retry, [json!(true), json!(false)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_that_stay_are_not_tried_again() {
    for (kind, code) in [
        ("validation", "agent.validation_error"),
        ("unauthorized", "agent.unauthorized"),
        ("context_overflow", "model.context_overflow"),
    ] {
        let stage = Stage::new().await;
        let outcome = stage.play(json!([{"error": {"kind": kind}}, ending()])).await;
        assert_eq!((outcome.report.status, outcome.code()), (RunStatus::Failed, Some(code)));
        assert_eq!(outcome.all("model_call_attempt_started").len(), 1);
        assert_eq!(outcome.one("run_failed").payload["retryable"], false);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_budget_of_calls_holds_and_refused_calls_are_not_counted() {
    let stage = Stage::new().await;
    let look = json!({"name": "workspace_list_files", "arguments": {}});
    let outcome = stage
        .play_with(json!([{"calls": [look, look, look]}, ending()]), |profile| {
            profile
                .tools
                .max_calls_per_tool
                .insert("builtin:workspace.list_files".to_owned(), 1);
            profile.tools.max_calls_per_run = 4;
        })
        .await;
    assert_eq!(
        outcome.report.status,
        RunStatus::Completed,
        "one look, a write, a commit and a finish are four calls"
    );
    let codes: Vec<String> = outcome.calls().into_iter().take(3).map(|(_, code)| code).collect();
    assert_eq!(
        codes,
        ["ok", "agent.tool_budget_exhausted", "agent.tool_budget_exhausted"]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recoverable_failure_counts_as_a_call() {
    let stage = Stage::new().await;
    let bad = json!({"name": "workspace_read_file", "arguments": {"path": "../x"}});
    let outcome = stage
        .play_with(
            json!([{"calls": [bad, bad]}, {"text": "a"}, {"text": "b"}]),
            |profile| {
                profile.tools.max_calls_per_run = 1;
            },
        )
        .await;
    let codes: Vec<String> = outcome.calls().into_iter().map(|(_, code)| code).collect();
    assert_eq!(codes, ["workspace.invalid_path", "agent.tool_budget_exhausted"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_failing_calls_of_a_turn_each_get_their_own_result() {
    let stage = Stage::new().await;
    let outcome = stage
        .play(json!([{"calls": [
            {"name": "workspace_read_file", "arguments": {"path": "output/none.md"}},
            {"name": "chat_search", "arguments": "{not json"},
            {"name": "workspace_apply_patch", "arguments": {"path": "output/a.md", "old_string": "a", "new_string": "b"}},
            {"name": "chat_search", "arguments": ["a"]},
        ]}, ending()]))
        .await;
    assert_eq!(outcome.report.status, RunStatus::Completed);
    let codes: Vec<String> = outcome.calls().into_iter().take(4).map(|(_, code)| code).collect();
    let expected = [
        "workspace.file_not_found",
        "tool.invalid_arguments",
        "workspace.patch_requires_read",
        "tool.invalid_arguments",
    ];
    assert_eq!(codes, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_profile_lowers_the_ceilings_of_its_calls() {
    let stage = Stage::new().await;
    let write =
        |text: &str| json!({"name": "workspace_write_file", "arguments": {"path": "plan/a.md", "content": text}});
    let turn = json!({"calls": [
        write(&"x".repeat(401)),
        write(&"x".repeat(400)),
        {"name": "workspace_read_file", "arguments": {"path": "plan/a.md"}},
        {"name": "workspace_read_file", "arguments": {"path": "plan/a.md", "max_chars": 10}},
        {"name": "workspace_search_files", "arguments": {"query": "x"}},
    ]});
    let outcome = stage
        .play_with(json!([turn, ending()]), |profile| {
            let limits = json!({"outputBytes": 400, "writeBytes": 400, "hostCalls": 5, "wallMs": i64::MAX});
            profile.tools.limits = Some(serde_json::from_value(limits).unwrap());
        })
        .await;
    assert_eq!(outcome.report.status, RunStatus::Completed);
    let codes: Vec<String> = outcome.calls().into_iter().take(5).map(|(_, code)| code).collect();
    let expected = [
        "tool.write_limit",
        "ok",
        "tool.output_limit",
        "ok",
        "tool.host_call_limit",
    ];
    assert_eq!(codes, expected);
    let frozen: Value = serde_json::from_str(&outcome.file("input/resolved_profile.json").unwrap()).unwrap();
    assert_eq!(frozen["tools"]["limits"]["outputBytes"], 400);
}
