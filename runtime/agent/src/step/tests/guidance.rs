//! Guidance: it reaches the model with the next request, and the mailbox is closed at every end.

use innkeeper_protocol::event::DiscardReason;
use serde_json::json;

use super::played::Played;
use super::props::{broken, commit, finish, look};
use super::scene::Scene;
use crate::effect::Effect;
use crate::event::Event;

#[test]
fn what_was_said_is_part_of_the_next_request() {
    let scene = Scene::new().background().guided(&[]).guided(&["slower", "sadder"]);
    let played = scene.calls([look("c1")]).calls([finish("c2")]).play();
    let request = played.requests()[1];
    let last = request.messages.last().unwrap();
    assert!(
        last.text().contains("<guidance index=\"2\">\nsadder"),
        "{}",
        last.text()
    );
    assert_eq!(
        played.payload("user_guidance_applied"),
        json!({
            "guidanceIds": ["guidance_slower", "guidance_sadder"], "clientGuidanceIds": [null, null], "invocationId": "inv_root",
            "round": 2, "count": 2, "chars": 12, "words": 2, "preview": "slower",
            "messageIndex": request.messages.len() - 1, "requestMessageCount": request.messages.len(), "status": "applied",
        })
    );
}

#[test]
fn guidance_is_told_before_the_request_that_carries_it() {
    let scene = Scene::new().background().guided(&["slower"]).calls([finish("c1")]);
    let trail = scene
        .play()
        .trail_between("user_guidance_applied", "model_request_created");
    assert_eq!(
        trail,
        [
            "user_guidance_applied",
            "status_changed calling_model",
            "model_request_created"
        ]
    );
}

fn closed_for(played: &Played) -> Vec<DiscardReason> {
    let closed = played.effects.iter().filter_map(|effect| match effect {
        Effect::CloseMailbox { reason } => Some(*reason),
        _ => None,
    });
    closed.collect()
}

#[test]
fn every_end_closes_the_mailbox_once_and_says_why() {
    let finished = Scene::new().background().calls([finish("c1")]);
    let cancelled = Scene::new().interrupted(1, Event::CancelRequested);
    let failed = Scene::new().interrupted(1, Event::Failed(broken("store.io_failed")));
    let partial = Scene::new()
        .calls([commit("c1")])
        .interrupted(10, Event::Failed(broken("store.io_failed")));
    let reasons = [finished, cancelled, failed, partial].map(|scene| closed_for(&scene.play()));
    assert_eq!(
        reasons,
        [
            [DiscardReason::RunFinishedBeforeNextModelRequest],
            [DiscardReason::RunCancelRequested],
            [DiscardReason::RunFailedBeforeNextModelRequest],
            [DiscardReason::RunPartialSuccessBeforeNextModelRequest],
        ]
    );
}
