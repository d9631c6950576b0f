//! A cancel, whatever the run waits for.

use innkeeper_protocol::call::CallOutcome;
use innkeeper_protocol::run::{ErrorKind, RunError, RunStatus};
use serde_json::json;

use super::failures::{QUESTIONS, whole_scene};
use super::played::{Played, questions};
use super::props::{call, commit, finish, look};
use super::scene::Scene;
use crate::event::Event;

/// The numbers of the questions of this name in a scene that is left to itself.
fn numbers(scene: &Scene, wanted: &str) -> Vec<usize> {
    let asked = questions(&scene.clone().play().effects);
    let numbers = asked.iter().enumerate().filter(|(_, question)| **question == wanted);
    numbers.map(|(number, _)| number).collect()
}

fn cancelled_at(scene: &Scene, wanted: &str) -> Played {
    let at = numbers(scene, wanted)[0];
    scene.clone().interrupted(at, Event::CancelRequested).play()
}

fn cancelled_error() -> RunError {
    RunError::new("agent.cancelled", ErrorKind::Cancelled, "stopped")
}

#[test]
fn it_stops_the_run_whatever_it_waits_for() {
    for question in QUESTIONS.into_iter().filter(|question| *question != "update metadata") {
        for at in numbers(&whole_scene(), question) {
            let played = whole_scene().interrupted(at, Event::CancelRequested).play();
            assert_eq!(
                (played.status(), played.code()),
                (RunStatus::Cancelled, ""),
                "{question}"
            );
            assert_eq!(played.count("status_changed cancelling"), 1, "{question}");
            assert_eq!(played.asked, at, "{question}: nothing is asked after a cancel");
            assert_eq!(played.end(2), ["run_cancelled", "> end"], "{question}");
        }
    }
}

#[test]
fn after_promotion_it_is_ignored() {
    let played = cancelled_at(&whole_scene(), "update metadata");
    assert_eq!(played.trail(), whole_scene().play().trail());
    assert_eq!(played.status(), RunStatus::Completed);
}

#[test]
fn the_end_is_told_in_this_order() {
    let played = cancelled_at(&Scene::new().background().calls([look("c1"), finish("c2")]), "run tool");
    assert_eq!(
        played.trail_between("> run tool", "> end"),
        [
            "> run tool",
            "run_cancel_requested",
            "status_changed cancelling",
            "tool_call_failed c1",
            "agent_invocation_cancelled",
            "run_cancelled",
            "> end",
        ]
    );
    assert_eq!(
        played.payload("tool_call_failed")["errorCode"],
        json!("agent.cancelled")
    );
    assert_eq!(
        played.payload("run_cancelled"),
        json!({"message": "the run was cancelled"})
    );
    assert_eq!(
        played.payload("agent_invocation_cancelled")["status"],
        json!("cancelled")
    );
}

#[test]
fn before_the_workspace_is_there_no_invocation_is_closed() {
    let played = cancelled_at(&whole_scene(), "prepare workspace");
    assert_eq!(
        played.trail_between("> prepare workspace", "> end"),
        [
            "> prepare workspace",
            "run_cancel_requested",
            "status_changed cancelling",
            "run_cancelled",
            "> end"
        ]
    );
}

#[test]
fn a_commit_that_the_host_was_asked_for_stays_open() {
    let played = cancelled_at(&Scene::new().calls([commit("c1"), finish("c2")]), "ask commit");
    assert_eq!(
        (
            played.count("chat_commit_requested"),
            played.count("chat_commit_failed")
        ),
        (1, 0)
    );
    assert_eq!(played.count("tool_call_failed c1"), 1);
}

#[test]
fn it_is_no_partial_success_when_a_commit_stands() {
    let scene = Scene::new().calls([commit("c1"), finish("c2")]);
    let played = cancelled_at(&scene, "promote");
    assert_eq!(
        (played.status(), played.count("run_partial_success")),
        (RunStatus::Cancelled, 0)
    );
    assert_eq!(played.count("persistent_changes_commit_failed"), 0);
}

#[test]
fn work_that_was_stopped_is_a_cancel_and_no_failure() {
    let fault = call("c1", "chat_search", CallOutcome::Fault(cancelled_error()));
    let scenes = [
        Scene::new().calls([fault]),
        Scene::new().interrupted(0, Event::Failed(cancelled_error())),
        Scene::new()
            .promotion_fails(cancelled_error())
            .calls([commit("c1"), finish("c2")]),
        Scene::new()
            .interrupted(7, Event::Failed(cancelled_error()))
            .calls([commit("c1")]),
    ];
    for scene in scenes {
        let played = scene.play();
        assert_eq!((played.status(), played.code()), (RunStatus::Cancelled, ""));
        assert_eq!(
            (
                played.count("chat_commit_failed"),
                played.count("persistent_changes_commit_failed")
            ),
            (0, 0)
        );
    }
}
