//! How a run finishes: the gate, the calls after it, promotion, and what the message is told.

use innkeeper_protocol::run::RunStatus;
use serde_json::json;

use super::props::{broken, commit, finish, look, write};
use super::scene::Scene;

#[test]
fn a_run_with_a_commit_finishes_in_this_order() {
    let played = Scene::new().calls([commit("c1"), finish("c2")]).play();
    assert_eq!(
        played.trail_between("tool_call_completed c2", "> end"),
        [
            "tool_call_completed c2",
            "agent_loop_finished",
            "status_changed finishing",
            "> promote",
            "persistent_changes_committed",
            "persistent_state_metadata_update_requested",
            "> update metadata",
            "persistent_state_metadata_updated",
            "run_completed",
            "agent_invocation_completed",
            "> end",
        ]
    );
    assert_eq!((played.status(), played.code()), (RunStatus::Completed, ""));
    assert_eq!(
        played.payload("agent_loop_finished"),
        json!({"commitCount": 1, "round": 1, "invocationId": "inv_root"})
    );
    assert_eq!(
        played.payload("agent_invocation_completed")["status"],
        json!("completed")
    );
}

#[test]
fn the_message_is_told_of_the_new_state() {
    let played = Scene::new()
        .host_commits(Some("7"))
        .calls([commit("c1"), finish("c2")])
        .play();
    let mut asked = played.payload("persistent_state_metadata_update_requested");
    let id = asked["updateId"].take();
    assert!(
        id.as_str()
            .unwrap()
            .strip_prefix("persist_update_")
            .is_some_and(|hex| hex.len() == 32)
    );
    assert_eq!(
        asked,
        json!({
            "updateId": null,
            "runId": "run_1",
            "workspaceId": "chat_1",
            "stableChatId": "chat-1",
            "chatRef": {"kind": "group", "chatId": "inn"},
            "generationType": "normal",
            "profileId": "writer",
            "messageId": "7",
            "stateId": "run_1",
            "baseStateId": "run_0",
            "changeCount": 0,
            "changes": [],
        })
    );
    assert_eq!(
        played.payload("persistent_state_metadata_updated"),
        json!({"updateId": id, "messageId": "7", "stateId": "run_1"})
    );
}

#[test]
fn the_latest_commit_names_the_message() {
    let scene = Scene::new().host_commits(Some("7")).host_commits(Some("8"));
    let played = scene.calls([commit("c1"), commit("c2"), finish("c3")]).play();
    assert_eq!(
        played.payload("persistent_state_metadata_updated")["messageId"],
        json!("8")
    );
}

#[test]
fn without_a_commit_no_message_is_told() {
    let played = Scene::new().background().calls([finish("c1")]).play();
    assert_eq!(
        played.trail_between("> promote", "> end"),
        [
            "> promote",
            "persistent_changes_committed",
            "run_completed",
            "agent_invocation_completed",
            "> end"
        ]
    );
}

#[test]
fn a_foreground_run_finishes_only_after_a_commit_of_its_own() {
    let played = Scene::new()
        .calls([finish("c1")])
        .calls([commit("c2"), finish("c3")])
        .play();
    assert_eq!(
        played.payload("tool_call_failed")["errorCode"],
        json!("agent.foreground_commit_required")
    );
    assert_eq!(played.payload("tool_call_failed")["outcome"], json!("error"));
    assert_eq!(played.status(), RunStatus::Completed);
}

#[test]
fn the_calls_after_a_refused_finish_run() {
    let played = Scene::new().calls([finish("c1"), commit("c2"), finish("c3")]).play();
    assert_eq!(
        (
            played.count("tool_call_failed c1"),
            played.count("tool_call_completed c3")
        ),
        (1, 1)
    );
    assert_eq!(
        (played.status(), played.count("> call model")),
        (RunStatus::Completed, 1)
    );
}

#[test]
fn a_call_after_finish_ends_the_run_and_nothing_is_promoted() {
    let calls = [write("c0", "output/main.md"), finish("c1"), look("c2"), look("c3")];
    let played = Scene::new().background().calls(calls).play();
    assert_eq!(
        (played.status(), played.code()),
        (RunStatus::Failed, "agent.tool_after_finish")
    );
    assert_eq!(
        played.trail_between("tool_call_completed c1", "> end"),
        [
            "tool_call_completed c1",
            "> store arguments",
            "tool_call_requested c2",
            "tool_call_failed c2",
            "agent_invocation_failed",
            "run_failed",
            "> end",
        ]
    );
    let failed = played.payload("tool_call_failed");
    assert_eq!(
        (&failed["errorCode"], &failed["outcome"]),
        (&json!("agent.tool_after_finish"), &json!("error"))
    );
    assert_eq!(played.payload("run_failed")["userRetryable"], json!(true));
}

#[test]
fn a_write_and_finish_in_one_turn_are_both_done() {
    let scene = Scene::new().calls([commit("c1")]);
    let played = scene.calls([write("c2", "output/main.md"), finish("c3")]).play();
    assert_eq!(
        (played.status(), played.count("workspace_file_written")),
        (RunStatus::Completed, 1)
    );
}

#[test]
fn a_promotion_that_fails_leaves_the_message_as_it_is() {
    let scene = Scene::new().promotion_fails(broken("agent.persist_commit_failed"));
    let played = scene.calls([commit("c1"), finish("c2")]).play();
    assert_eq!(
        played.trail_between("> promote", "> end"),
        [
            "> promote",
            "persistent_changes_commit_failed",
            "agent_invocation_failed",
            "run_partial_success",
            "> end"
        ]
    );
    assert_eq!(
        played.payload("persistent_changes_commit_failed"),
        json!({"message": "the disk is gone"})
    );
    assert_eq!(played.code(), "agent.persist_commit_failed");
}

#[test]
fn an_update_that_the_host_refuses_is_a_partial_success() {
    let played = Scene::new()
        .metadata_refused("The message is gone.")
        .calls([commit("c1"), finish("c2")])
        .play();
    assert_eq!(
        played.trail_between("> update metadata", "> end"),
        [
            "> update metadata",
            "persistent_state_metadata_update_failed",
            "agent_invocation_failed",
            "run_partial_success",
            "> end"
        ]
    );
    assert_eq!(played.code(), "agent.persistent_state_metadata_update_failed");
    assert_eq!(
        played.payload("persistent_state_metadata_update_failed")["message"],
        json!("The message is gone.")
    );
}

#[test]
fn a_commit_without_a_message_id_cannot_carry_a_state() {
    let played = Scene::new()
        .host_commits(None)
        .calls([commit("c1"), finish("c2")])
        .play();
    assert_eq!(
        (played.status(), played.code()),
        (RunStatus::PartialSuccess, "agent.persistent_state_message_missing")
    );
    assert_eq!(
        played.trail_between("> promote", "> end"),
        [
            "> promote",
            "persistent_changes_committed",
            "agent_invocation_failed",
            "run_partial_success",
            "> end"
        ]
    );
}
