//! Requests to the model: order, retries, what is kept of an answer, and what the next request holds.

use std::sync::Arc;

use innkeeper_protocol::model::{Excerpt, Message, ModelError, NetworkFailure, Part, ProviderAnswer, Role};
use innkeeper_protocol::run::RunStatus;
use serde_json::json;

use super::props::{call, commit, finish, look, replies, turn};
use super::scene::Scene;

fn overloaded() -> ModelError {
    ModelError::Transient(ProviderAnswer {
        status: Some(503),
        detail: Excerpt::new("busy"),
        ..ProviderAnswer::default()
    })
}

fn unreachable() -> ModelError {
    ModelError::UpstreamFailure {
        failure: NetworkFailure::Connect,
        endpoint: "http://localhost".to_owned(),
        detail: Excerpt::new("refused"),
    }
}

#[test]
fn an_answer_is_kept_before_its_calls() {
    let played = Scene::new().background().calls([finish("c1")]).play();
    assert_eq!(
        played.trail_between("> call model", "tool_call_requested c1"),
        [
            "> call model",
            "> store turn",
            "model_response_stored",
            "provider_state_updated",
            "model_completed",
            "> store arguments",
            "tool_call_requested c1",
        ]
    );
}

#[test]
fn the_journal_names_the_response_and_the_model_that_answered() {
    let played = Scene::new().background().calls([finish("c1")]).play();
    assert_eq!(
        played.payload("model_response_stored"),
        json!({
            "round": 1,
            "invocationId": "inv_root",
            "path": "model-responses/round-001.json",
            "responseId": "resp-1",
            "model": "m-1-2026",
        })
    );
    assert_eq!(
        played.payload("provider_state_updated")["providerState"],
        json!({
            "chatCompletionSource": "openai",
            "providerFormat": "openai_compatible",
            "transport": "http",
            "messageCursor": 2,
            "lastResponseId": "resp-1",
            "previousResponseId": null,
            "nativeContinuation": null,
        })
    );
}

#[test]
fn the_cursor_counts_the_messages_of_the_request_just_sent() {
    let played = Scene::new()
        .background()
        .calls([look("c1"), look("c2")])
        .calls([finish("c3")])
        .play();
    let cursors: Vec<_> = played
        .fields("provider_state_updated", "providerState")
        .into_iter()
        .map(|state| state["messageCursor"].clone())
        .collect();
    assert_eq!(cursors, [json!(2), json!(5)]);
    assert_eq!(
        played
            .requests()
            .iter()
            .map(|request| request.messages.len())
            .collect::<Vec<_>>(),
        [2, 5]
    );
}

#[test]
fn a_request_shares_what_the_one_before_held_and_the_tools() {
    let played = Scene::new()
        .background()
        .calls([look("c1")])
        .calls([look("c2")])
        .calls([finish("c3")])
        .play();
    for pair in played.requests().windows(2) {
        let (before, after) = (pair[0], pair[1]);
        assert!(Arc::ptr_eq(&before.tools, &after.tools));
        let mut kept = before.messages.iter().zip(&after.messages);
        assert!(kept.all(|(before, after)| Arc::ptr_eq(before, after)));
        assert_eq!(after.messages.len(), before.messages.len() + 2);
    }
}

#[test]
fn the_next_request_holds_the_turn_and_its_results_in_order() {
    let played = Scene::new()
        .background()
        .calls([look("c1"), look("c2")])
        .calls([finish("c3")])
        .play();
    let sent = &played.requests()[1].messages[2..];
    assert_eq!(
        sent[0],
        turn("", vec![look("c1").request, look("c2").request]).message.into()
    );
    let answered = |message: &Message| match &message.parts[0] {
        Part::ToolResult { result } => (message.role, result.call_id.to_string(), result.content.clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        [answered(&sent[1]), answered(&sent[2])],
        [
            (Role::Tool, "c1".to_owned(), "Done.".to_owned()),
            (Role::Tool, "c2".to_owned(), "Done.".to_owned())
        ]
    );
}

#[test]
fn text_beside_calls_is_a_remark_and_cut_at_280_characters() {
    let played = Scene::new()
        .background()
        .calls([look("c1")])
        .calls([finish("c2")])
        .first_says(" \n")
        .play();
    assert_eq!(
        played.fields("model_completed", "narration"),
        [json!(null), json!(null)]
    );

    let played = Scene::new()
        .background()
        .calls([finish("c1")])
        .first_says(&"é".repeat(281))
        .play();
    assert_eq!(
        played.payload("model_completed")["narration"],
        json!({"source": "assistantText", "text": "é".repeat(280), "totalChars": 281, "totalWords": 1, "truncated": true})
    );
}

#[test]
fn a_remark_of_280_characters_is_whole_and_text_alone_is_none() {
    let scene = Scene::new()
        .background()
        .calls([look("c1")])
        .first_says(&"é".repeat(280));
    let played = scene.says("Prose.").calls([finish("c2")]).play();
    let whole = json!({"source": "assistantText", "text": "é".repeat(280), "totalChars": 280, "totalWords": 1, "truncated": false});
    assert_eq!(
        played.fields("model_completed", "narration"),
        [whole, json!(null), json!(null)]
    );
}

#[test]
fn a_passing_fault_is_tried_again_as_often_as_allowed() {
    let scene = Scene::new().background().rules(|rules| rules.max_retries = 3);
    let scene = scene
        .model_fails(overloaded())
        .model_fails(unreachable())
        .model_fails(overloaded());
    let played = scene.calls([finish("c1")]).play();
    assert_eq!(played.status(), RunStatus::Completed);
    assert_eq!(
        played.fields("model_call_attempt_started", "attempt"),
        [json!(1), json!(2), json!(3), json!(4)]
    );
    assert_eq!(
        played.fields("model_call_attempt_failed", "willRetry"),
        [json!(true), json!(true), json!(true)]
    );
    assert_eq!(
        played.trail_between("model_call_attempt_failed", "> call model"),
        [
            "model_call_attempt_failed",
            "model_call_retry_scheduled",
            "> wait",
            "model_call_attempt_started",
            "> call model"
        ]
    );
    assert_eq!(
        played.payloads("model_call_retry_scheduled")[0],
        json!({"round": 1, "invocationId": "inv_root", "nextAttempt": 2, "intervalMs": 3000})
    );
}

#[test]
fn retries_end_and_start_anew_in_the_next_round() {
    let scene = Scene::new().background().rules(|rules| rules.max_retries = 1);
    let scene = scene.model_fails(overloaded()).calls([look("c1")]);
    let played = scene.model_fails(overloaded()).model_fails(unreachable()).play();
    assert_eq!(
        played.fields("model_call_attempt_failed", "attempt"),
        [json!(1), json!(1), json!(2)]
    );
    assert_eq!(
        played.payloads("model_call_attempt_failed")[2],
        json!({
            "round": 2,
            "invocationId": "inv_root",
            "attempt": 2,
            "maxRetries": 1,
            "retryable": true,
            "willRetry": false,
            "code": unreachable().code(),
            "message": unreachable().to_string(),
        })
    );
    let failed = played.payload("run_failed");
    assert_eq!(
        (&failed["code"], &failed["retryable"], &failed["userRetryable"]),
        (&json!(unreachable().code()), &json!(true), &json!(true))
    );
}

#[test]
fn a_passing_fault_after_a_commit_is_not_to_be_tried_again() {
    let scene = Scene::new().rules(|rules| rules.max_retries = 0).calls([commit("c1")]);
    let ended = scene.model_fails(overloaded()).play().payload("run_partial_success");
    assert_eq!(
        (&ended["retryable"], &ended["userRetryable"]),
        (&json!(false), &json!(false))
    );
}

#[test]
fn a_provider_can_lengthen_the_wait_and_never_shorten_it() {
    let told = |retry_after_ms| {
        ModelError::RateLimited(ProviderAnswer {
            status: Some(429),
            detail: Excerpt::new("slow down"),
            retry_after_ms: Some(retry_after_ms),
        })
    };
    let scene = Scene::new().background().rules(|rules| rules.retry_interval_ms = 3_000);
    let played = scene
        .model_fails(told(9_000))
        .model_fails(told(10))
        .calls([finish("c1")])
        .play();
    let waits = played.fields("model_call_retry_scheduled", "intervalMs");
    assert_eq!(waits, [json!(9_000), json!(3_000)]);
}

#[test]
fn without_retries_the_first_fault_is_the_last() {
    let scene = Scene::new().rules(|rules| rules.max_retries = 0);
    let played = scene.model_fails(overloaded()).play();
    assert_eq!((played.count("> call model"), played.count("> wait")), (1, 0));
    assert_eq!(
        played.end(4),
        [
            "model_call_attempt_failed",
            "agent_invocation_failed",
            "run_failed",
            "> end"
        ]
    );
}

#[test]
fn what_will_not_pass_is_asked_once() {
    let answer = ProviderAnswer {
        status: Some(400),
        detail: Excerpt::new("no"),
        ..ProviderAnswer::default()
    };
    let errors = [
        ModelError::Validation(answer.clone()),
        ModelError::ContextOverflow(answer.clone()),
        ModelError::Unauthorized(answer),
    ];
    for error in errors {
        let played = Scene::new().model_fails(error.clone()).play();
        assert_eq!((played.count("> call model"), played.code()), (1, error.code()));
        assert_eq!(played.fields("model_call_attempt_failed", "retryable"), [json!(false)]);
    }
}

#[test]
fn a_request_that_was_stopped_is_a_cancel_and_no_failure() {
    let played = Scene::new().model_fails(ModelError::Cancelled).play();
    assert_eq!((played.status(), played.code()), (RunStatus::Cancelled, ""));
    assert_eq!(played.count("model_call_attempt_failed"), 0);
}

#[test]
fn a_name_that_was_never_offered_ends_the_run_before_anything_of_the_turn_runs() {
    for name in ["dice_roll", "workspace.commit", "builtin:workspace.commit", ""] {
        let played = Scene::new()
            .calls([commit("c1"), call("c2", name, replies(Vec::new()))])
            .play();
        assert_eq!(
            (played.status(), played.code()),
            (RunStatus::Failed, "model.unknown_tool_call"),
            "{name}"
        );
        assert_eq!(played.count("> store arguments"), 0);
        assert_eq!(
            played.end(4),
            ["model_completed", "agent_invocation_failed", "run_failed", "> end"]
        );
    }
}

#[test]
fn the_last_round_ends_the_run_when_nothing_finished_it() {
    let scene = Scene::new().rules(|rules| rules.max_rounds = 2);
    let played = scene.calls([look("c1")]).calls([look("c2")]).play();
    assert_eq!(
        (played.status(), played.code()),
        (RunStatus::Failed, "agent.max_tool_rounds_exceeded")
    );
    let failed = played.payload("run_failed");
    assert_eq!(
        (&failed["retryable"], &failed["userRetryable"]),
        (&json!(false), &json!(true))
    );
    assert!(failed["message"].as_str().unwrap().contains("finish"));
    assert_eq!(played.count("> call model"), 2);
}
