//! Commits that the model asks for.

use innkeeper_protocol::model::Part;
use innkeeper_protocol::run::RunStatus;
use serde_json::json;

use super::props::{commit, digest, finish, look};
use super::scene::Scene;
use crate::effect::Effect;

#[test]
fn a_commit_is_told_in_this_order() {
    let played = Scene::new().calls([commit("c1"), finish("c2")]).play();
    assert_eq!(
        played.trail_between("tool_call_requested c1", "tool_call_completed c1"),
        [
            "tool_call_requested c1",
            "status_changed dispatching_tool",
            "tool_call_started c1",
            "> run tool",
            "chat_commit_started",
            "status_changed creating_checkpoint",
            "> create checkpoint",
            "checkpoint_created chat_commit",
            "status_changed awaiting_host_commit",
            "chat_commit_requested",
            "> ask commit",
            "status_changed dispatching_tool",
            "chat_commit_completed",
            "chat_commit_recorded",
            "> store result",
            "tool_result_stored c1",
            "tool_call_completed c1",
        ]
    );
}

#[test]
fn the_host_is_told_all_that_it_needs() {
    let played = Scene::new().calls([commit("c1"), finish("c2")]).play();
    let mut requested = played.payload("chat_commit_requested");
    let id = requested["commitId"].take();
    assert!(
        id.as_str()
            .unwrap()
            .strip_prefix("commit_")
            .is_some_and(|hex| hex.len() == 32)
    );
    assert_eq!(
        requested,
        json!({
            "commitId": null,
            "invocationId": "inv_root",
            "callId": "c1",
            "runId": "run_1",
            "workspaceId": "chat_1",
            "stableChatId": "chat-1",
            "chatRef": {"kind": "group", "chatId": "inn"},
            "generationType": "normal",
            "profileId": "writer",
            "persistBaseStateId": "run_0",
            "path": "output/main.md",
            "mode": "replace",
            "reason": "a first draft",
            "chars": 9,
            "words": 2,
            "sha256": digest("output/main.md"),
            "checkpointId": "cp_000001",
            "isExplicit": true,
        })
    );
    for kind in ["chat_commit_started", "chat_commit_completed"] {
        assert_eq!(played.payload(kind)["commitId"], id, "{kind}");
    }
}

#[test]
fn what_the_host_answered_is_kept_and_shown_to_the_model() {
    let played = Scene::new()
        .host_commits(Some("7"))
        .calls([commit("c1")])
        .calls([finish("c2")])
        .play();
    let completed = played.payload("chat_commit_completed");
    assert_eq!(
        (&completed["messageId"], &completed["messageIndex"]),
        (&json!("7"), &json!(7))
    );
    assert_eq!(
        played.payload("chat_commit_recorded"),
        json!({
            "invocationId": "inv_root",
            "commitCount": 1,
            "path": "output/main.md",
            "mode": "replace",
            "messageId": "7",
        })
    );
    let Part::ToolResult { result } = &played.requests()[1].messages[3].parts[0] else {
        panic!()
    };
    assert_eq!(result.content, "Committed as 7.");
    let structured = played.effects.iter().find_map(|effect| match effect {
        Effect::StoreResult { result, .. } => result.structured.clone(),
        _ => None,
    });
    assert_eq!(structured, Some(json!({"messageId": "7", "messageIndex": 7})));
}

#[test]
fn a_message_id_that_is_no_number_has_no_index() {
    let played = Scene::new()
        .host_commits(Some("msg-a"))
        .calls([commit("c1"), finish("c2")])
        .play();
    let completed = played.payload("chat_commit_completed");
    assert_eq!(
        (&completed["messageId"], completed.get("messageIndex")),
        (&json!("msg-a"), None)
    );
    assert_eq!(played.status(), RunStatus::Completed);
}

#[test]
fn commits_are_numbered_and_named_apart() {
    let played = Scene::new().calls([commit("c1"), commit("c2"), finish("c3")]).play();
    let asked = played.effects.iter().filter_map(|effect| match effect {
        Effect::AskCommit {
            commit_id, sequence, ..
        } => Some((commit_id.clone(), *sequence)),
        _ => None,
    });
    let asked: Vec<_> = asked.collect();
    assert_eq!((asked[0].1, asked[1].1), (1, 2));
    assert_ne!(asked[0].0, asked[1].0);
    assert_eq!(
        played.fields("chat_commit_recorded", "commitCount"),
        [json!(1), json!(2)]
    );
}

#[test]
fn a_refused_commit_is_an_error_that_the_model_can_act_on() {
    let scene = Scene::new().host_refuses("The chat was changed.");
    let played = scene.calls([commit("c1")]).calls([commit("c2"), finish("c3")]).play();
    assert_eq!(
        played.trail_between("> ask commit", "tool_call_failed c1"),
        [
            "> ask commit",
            "status_changed dispatching_tool",
            "chat_commit_failed",
            "> store result",
            "tool_result_stored c1",
            "tool_call_failed c1",
        ]
    );
    let failed = played.payload("tool_call_failed");
    assert_eq!(
        (&failed["errorCode"], &failed["outcome"]),
        (&json!("agent.chat_commit_rejected"), &json!("error"))
    );
    assert!(failed["message"].as_str().unwrap().contains("The chat was changed."));
    assert_eq!(
        played.payload("chat_commit_failed")["message"],
        json!("The chat was changed.")
    );
    assert_eq!(
        played.payload("agent_loop_finished")["commitCount"],
        json!(1),
        "the refused one does not count"
    );
    assert_eq!(played.status(), RunStatus::Completed);
}

#[test]
fn an_error_after_a_commit_names_what_stands() {
    let scene = Scene::new().rules(|rules| rules.max_rounds = 2);
    let played = scene.calls([commit("c1")]).calls([look("c2")]).play();
    let mut ended = played.payload("run_partial_success");
    let message = ended["message"].take();
    assert_eq!(
        ended,
        json!({
            "code": "agent.max_tool_rounds_exceeded",
            "message": null,
            "technicalMessage": format!("Validation: {}", message.as_str().unwrap()),
            "retryable": false,
            "userRetryable": false,
            "details": {},
            "preservedCommitCount": 1,
            "preservedCommits": [{"path": "output/main.md", "mode": "replace", "messageId": "41", "round": 1}],
        })
    );
    assert_eq!(
        played.end(3),
        ["agent_invocation_failed", "run_partial_success", "> end"]
    );
}
