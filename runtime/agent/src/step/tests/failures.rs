//! What cannot be performed, whatever it was: the run ends, and so does everything that it had begun.

use innkeeper_protocol::approval::{ApprovalFinding, ApprovalScope};
use innkeeper_protocol::model::{ModelError, ProviderAnswer};
use innkeeper_protocol::run::RunStatus;
use serde_json::json;

use super::played::{Played, questions};
use super::props::{broken, commit, finish, look, patch, question, write};
use super::refusals::asking;
use super::scene::Scene;
use crate::event::Event;

/// Everything that a run can wait for.
pub(super) const QUESTIONS: [&str; 16] = [
    "prepare workspace",
    "take guidance",
    "call model",
    "wait",
    "store turn",
    "store arguments",
    "prepare approval",
    "ask approval",
    "run tool",
    "apply staged",
    "create checkpoint",
    "ask commit",
    "store result",
    "capture text",
    "promote",
    "update metadata",
];

/// A run that waits for everything at least once.
pub(super) fn whole_scene() -> Scene {
    Scene::new()
        .model_fails(ModelError::Transient(ProviderAnswer::default()))
        .calls([write("c1", "output/main.md"), patch("c2", "output/main.md")])
        .says("Done, I think.")
        .tool("chat.search", asking)
        .approvals_are(ApprovalFinding::Ask(Box::new(question())))
        .answered(true, ApprovalScope::Once, None)
        .calls([look("c3"), commit("c4"), finish("c5")])
}

#[test]
fn the_whole_scene_waits_for_everything() {
    let played = whole_scene().play();
    let asked = questions(&played.effects);
    assert_eq!(
        QUESTIONS.map(|question| (question, asked.contains(&question))),
        QUESTIONS.map(|q| (q, true))
    );
    assert_eq!(played.status(), RunStatus::Completed);
}

#[test]
fn every_question_can_fail() {
    let questions = questions(&whole_scene().play().effects);
    for (at, question) in questions.iter().enumerate() {
        let played = whole_scene()
            .interrupted(at, Event::Failed(broken("store.io_failed")))
            .play();
        let is_committed = played.count("chat_commit_recorded") > 0;
        let expected = if is_committed {
            RunStatus::PartialSuccess
        } else {
            RunStatus::Failed
        };
        assert_eq!(
            (played.status(), played.code()),
            (expected, "store.io_failed"),
            "{question}"
        );
        assert_eq!(played.asked, at, "{question}: nothing is asked after a failure");
    }
}

#[test]
fn an_answer_to_another_question_ends_the_run() {
    let questions = questions(&whole_scene().play().effects);
    for (at, question) in questions.iter().enumerate() {
        let played = whole_scene().interrupted(at, Event::Started).play();
        assert_eq!(
            (played.code(), played.asked),
            ("agent.internal_error", at),
            "{question}"
        );
    }
}

fn failed_at(scene: Scene, question: &str) -> Played {
    let at = questions(&scene.clone().play().effects)
        .iter()
        .position(|asked| *asked == question)
        .unwrap();
    scene.interrupted(at, Event::Failed(broken("store.io_failed"))).play()
}

#[test]
fn before_the_workspace_is_there_no_invocation_is_closed() {
    let played = failed_at(whole_scene(), "prepare workspace");
    assert_eq!(
        played.trail_between("> prepare workspace", "> end"),
        ["> prepare workspace", "run_failed", "> end"]
    );
    assert_eq!(
        played.payload("run_failed"),
        json!({
            "code": "store.io_failed",
            "message": "the disk is gone",
            "technicalMessage": "Internal: the disk is gone",
            "retryable": false,
            "userRetryable": false,
            "details": {},
        })
    );
}

#[test]
fn a_call_whose_arguments_could_not_be_kept_was_never_requested() {
    let played = failed_at(whole_scene(), "store arguments");
    assert_eq!(
        played.trail_between("> store arguments", "> end"),
        ["> store arguments", "agent_invocation_failed", "run_failed", "> end"]
    );
}

#[test]
fn a_call_whose_result_could_not_be_kept_has_failed() {
    let played = failed_at(whole_scene(), "store result");
    assert_eq!(
        played.trail_between("> store result", "> end"),
        [
            "> store result",
            "tool_call_failed c1",
            "agent_invocation_failed",
            "run_failed",
            "> end"
        ]
    );
}

#[test]
fn a_commit_that_the_host_could_not_be_asked_for_is_closed() {
    let played = failed_at(Scene::new().calls([commit("c1"), finish("c2")]), "ask commit");
    assert_eq!(
        played.trail_between("> ask commit", "> end"),
        [
            "> ask commit",
            "chat_commit_failed",
            "tool_call_failed c1",
            "agent_invocation_failed",
            "run_failed",
            "> end"
        ]
    );
}

#[test]
fn a_commit_without_its_checkpoint_was_never_asked_for() {
    let played = failed_at(Scene::new().calls([commit("c1"), finish("c2")]), "create checkpoint");
    assert_eq!(
        played.trail_between("> create checkpoint", "> end"),
        [
            "> create checkpoint",
            "tool_call_failed c1",
            "agent_invocation_failed",
            "run_failed",
            "> end"
        ]
    );
}

#[test]
fn the_finish_path_says_what_it_could_not_do() {
    let scene = Scene::new().calls([commit("c1"), finish("c2")]);
    for (question, told) in [
        ("promote", "persistent_changes_commit_failed"),
        ("update metadata", "persistent_state_metadata_update_failed"),
    ] {
        let played = failed_at(scene.clone(), question);
        assert_eq!(
            played.end(4),
            [told, "agent_invocation_failed", "run_partial_success", "> end"]
        );
    }
}
