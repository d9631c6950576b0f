//! Turns without a call: what is kept of their text, reminders and their limits.

use innkeeper_protocol::model::{Message, Role};
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::run::RunStatus;
use serde_json::json;

use super::props::{commit, digest, finish, path, turn};
use super::scene::Scene;
use crate::prompt;

const ALIASES: [&str; 5] = [
    "workspace_write_file",
    "workspace_apply_patch",
    "workspace_commit",
    "workspace_finish",
    "chat_search",
];

fn reminder(saved: Option<&WorkspacePath>, has_commits: bool) -> Message {
    prompt::reminder(&ALIASES, saved, has_commits)
}

#[test]
fn text_is_kept_as_a_file_and_the_model_reminded() {
    let played = Scene::new()
        .says("Once upon a time.")
        .calls([commit("c1"), finish("c2")])
        .play();
    assert_eq!(played.status(), RunStatus::Completed);
    assert_eq!(
        played.trail_between("model_completed", "> call model"),
        [
            "model_completed",
            "> capture text",
            "direct_output_captured",
            "status_changed creating_checkpoint",
            "> create checkpoint",
            "checkpoint_created direct_output_capture",
            "drift_recovery_attempted",
            "status_changed calling_model",
            "model_request_created",
            "model_call_attempt_started",
            "> call model",
        ]
    );
    assert_eq!(
        played.payload("direct_output_captured"),
        json!({
            "invocationId": "inv_root",
            "round": 1,
            "path": "output/direct_output.md",
            "chars": 17,
            "words": 4,
            "sha256": digest("Once upon a time."),
            "modelResponsePath": "model-responses/round-001.json",
        })
    );
}

#[test]
fn the_answer_and_then_the_reminder_go_into_the_next_request() {
    let played = Scene::new().says("Once.").calls([commit("c1"), finish("c2")]).play();
    let sent = &played.requests()[1].messages[2..];
    assert_eq!(
        sent,
        [
            turn("Once.", Vec::new()).message.into(),
            reminder(Some(&path("output/direct_output.md")), false).into()
        ]
    );
    assert_eq!(sent[1].role, Role::User);
}

#[test]
fn the_text_lies_beside_the_message() {
    let scene = Scene::new().rules(|rules| rules.message_path = path("plan/deep/reply.md"));
    let played = scene.says("Once.").calls([commit("c1"), finish("c2")]).play();
    assert_eq!(
        played.payload("direct_output_captured")["path"],
        json!("plan/direct_output.md")
    );
}

#[test]
fn blank_text_is_not_kept() {
    let played = Scene::new().says(" \n").calls([commit("c1"), finish("c2")]).play();
    assert_eq!(
        (played.count("> capture text"), played.count("drift_recovery_attempted")),
        (0, 1)
    );
    assert_eq!(played.requests()[1].messages[3], reminder(None, false).into());
    assert_eq!(played.status(), RunStatus::Completed);
}

#[test]
fn prose_after_a_commit_is_recovered_without_rolling_anything_back() {
    let played = Scene::new()
        .calls([commit("c1")])
        .says("There!")
        .calls([finish("c2")])
        .play();
    assert_eq!(played.status(), RunStatus::Completed);
    assert_eq!(
        played.requests()[2].messages.last(),
        Some(&reminder(Some(&path("output/direct_output.md")), true).into())
    );
    assert_eq!(
        played.payload("drift_recovery_attempted"),
        json!({
            "attempt": 1,
            "maxAttempts": 1,
            "maxRounds": 8,
            "limitReason": "max_attempts",
            "round": 2,
            "invocationId": "inv_root",
            "committedCount": 1,
            "reasonCode": "model.tool_call_required",
        })
    );
}

#[test]
fn prose_twice_without_a_commit_fails() {
    let played = Scene::new().says("One.").says("Two.").play();
    assert_eq!(
        (played.status(), played.code()),
        (RunStatus::Failed, "model.tool_call_required")
    );
    assert_eq!(
        (
            played.count("drift_recovery_attempted"),
            played.count("direct_output_captured")
        ),
        (1, 2)
    );
    let failed = played.payload("run_failed");
    assert_eq!(
        (&failed["retryable"], &failed["userRetryable"]),
        (&json!(false), &json!(true))
    );
}

#[test]
fn prose_twice_after_a_commit_is_a_partial_success() {
    let played = Scene::new().calls([commit("c1")]).says("One.").says("Two.").play();
    assert_eq!(
        (played.status(), played.count("drift_recovery_attempted")),
        (RunStatus::PartialSuccess, 1)
    );
    let ended = played.payload("run_partial_success");
    assert_eq!(
        (&ended["code"], &ended["retryable"], &ended["userRetryable"]),
        (&json!("model.tool_call_required"), &json!(false), &json!(false))
    );
}

#[test]
fn no_reminder_in_the_last_round_or_without_attempts() {
    let last_round = Scene::new().rules(|rules| rules.max_rounds = 1).says("One.").play();
    let no_attempts = Scene::new().rules(|rules| rules.drift_attempts = 0).says("One.").play();
    for played in [last_round, no_attempts] {
        assert_eq!(
            (played.count("drift_recovery_attempted"), played.code()),
            (0, "model.tool_call_required")
        );
        assert_eq!(
            played.count("direct_output_captured"),
            1,
            "the text is kept all the same"
        );
        assert_eq!(
            played.end(4),
            [
                "checkpoint_created direct_output_capture",
                "agent_invocation_failed",
                "run_failed",
                "> end"
            ]
        );
    }
}

#[test]
fn the_limit_is_the_one_that_is_met_first() {
    // Three rounds leave room for two reminders, however many attempts there are.
    let scene = Scene::new().rules(|rules| (rules.max_rounds, rules.drift_attempts) = (3, 3));
    let played = scene.says("One.").says("Two.").says("Three.").play();
    assert_eq!(
        played.fields("drift_recovery_attempted", "limitReason"),
        [json!("max_rounds"), json!("max_rounds")]
    );
    assert_eq!(
        played.fields("drift_recovery_attempted", "attempt"),
        [json!(1), json!(2)]
    );

    let scene = Scene::new().rules(|rules| (rules.max_rounds, rules.drift_attempts) = (3, 2));
    let played = scene.says("One.").says("Two.").says("Three.").play();
    assert_eq!(
        played.fields("drift_recovery_attempted", "limitReason"),
        [json!("max_attempts"), json!("max_attempts")]
    );
}
