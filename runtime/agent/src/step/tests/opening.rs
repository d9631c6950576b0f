//! How a run begins, up to its first request.

use innkeeper_protocol::event::RunEvent;
use innkeeper_protocol::run::RunStatus;
use serde_json::json;

use super::props;
use super::scene::Scene;
use super::story;
use crate::effect::Effect;
use crate::event::Event;
use crate::run::Run;
use crate::step::step;
use crate::step::tests::played::journal;

#[test]
fn a_run_opens_in_this_order() {
    let played = Scene::new().background().calls([props::finish("c1")]).play();
    assert_eq!(
        played.trail_between("run_created", "> call model"),
        [
            "run_created",
            "profile_resolved",
            "skill_scopes_resolved",
            "status_changed initializing_workspace",
            "> prepare workspace",
            "workspace_initialized",
            "agent_invocation_created",
            "agent_invocation_started",
            "persistent_projection_initialized",
            "agent_model_binding_resolved",
            "status_changed assembling_context",
            "context_assembled",
            "status_changed calling_model",
            "model_request_created",
            "model_call_attempt_started",
            "> call model",
        ]
    );
    assert_eq!(
        played.payload("persistent_projection_initialized"),
        json!({"roots": ["persist"]})
    );
}

#[test]
fn an_intent_is_recorded_as_it_came() {
    let mut setup = props::setup();
    setup.generation_intent = Some(json!({"why": ["because"]}));
    let effects = step(&mut Run::new(setup), Event::Started);
    let recorded = effects.into_iter().nth(3);
    assert!(
        matches!(&recorded, Some(Effect::Append(event)) if **event == RunEvent::GenerationIntentRecorded(json!({"why": ["because"]}))),
        "{recorded:?}"
    );
}

#[test]
fn roots_that_do_not_exist_are_not_named() {
    let played = Scene::new()
        .background()
        .without_persistent_roots()
        .calls([props::finish("c1")])
        .play();
    assert_eq!(played.count("persistent_projection_initialized"), 0);
}

#[test]
fn the_context_says_what_the_loop_goes_by() {
    let scene = Scene::new()
        .background()
        .without_tool("chat.search")
        .without_tool("workspace.apply_patch");
    let played = scene
        .without_tool("workspace.write_file")
        .calls([props::finish("c1")])
        .play();
    assert_eq!(
        played.payload("context_assembled"),
        json!({
            "request": {
                "chatCompletionSource": "openai",
                "customApiFormat": null,
                "model": "m-1",
                "messageCount": 2,
                "toolCount": 2,
            },
            "invocationId": "inv_root",
            "tools": [
                {"toolId": "builtin:workspace.commit", "modelAlias": "workspace_commit"},
                {"toolId": "builtin:workspace.finish", "modelAlias": "workspace_finish"},
            ],
            "maxRounds": 8,
            "contextPolicy": {"toolResults": {"keepFull": 20}},
            "modelRetry": {"maxRetries": 3, "intervalMs": 3000},
        })
    );
}

#[test]
fn a_journal_begins_with_its_run_even_if_it_never_starts() {
    for (event, status) in [
        (Event::CancelRequested, RunStatus::Cancelled),
        (Event::WaitOver, RunStatus::Failed),
    ] {
        let mut run = Run::new(props::setup());
        let effects = step(&mut run, event);
        story::check(&journal(&effects));
        assert_eq!((effects.last(), run.status()), (Some(&Effect::End), status));
    }
}

#[test]
fn a_defect_is_named_without_what_the_event_carried() {
    let mut run = Run::new(props::setup());
    let text = "a very long text".to_owned();
    let _ = step(&mut run, Event::TurnStored { path: text });
    let error = run.error().unwrap();
    assert_eq!(
        (error.code, error.message.as_str()),
        (
            "agent.internal_error",
            "the event TurnStored does not belong to the phase Created"
        )
    );
}
