//! Calls behind an approval: who is asked, what the journal says, and what a yes, a no and an end lead to.

use innkeeper_protocol::approval::{ApprovalFinding, ApprovalId, ApprovalScope};
use innkeeper_protocol::event::FailedOutcome;
use innkeeper_protocol::run::RunStatus;
use serde_json::json;

use super::calls::{failed, failures};
use super::played::Played;
use super::props::{finish, look, question};
use super::refusals::asking;
use super::scene::Scene;
use crate::event::Event;

/// A background run whose first call is behind an approval.
fn scene(finding: ApprovalFinding) -> Scene {
    let scene = Scene::new().background().tool("chat.search", asking);
    scene.approvals_are(finding).calls([look("c1")]).calls([finish("c2")])
}

fn asked() -> ApprovalFinding {
    ApprovalFinding::Ask(Box::new(question()))
}

fn call_trail(played: &Played) -> Vec<String> {
    played.trail_between("tool_call_requested c1", "model_request_created")
}

#[test]
fn a_person_says_yes_and_the_call_is_made() {
    let played = scene(asked()).answered(true, ApprovalScope::Run, Some("fine")).play();
    assert_eq!(
        call_trail(&played),
        [
            "tool_call_requested c1",
            "status_changed dispatching_tool",
            "> prepare approval",
            "tool_call_awaiting_approval",
            "> ask approval",
            "tool_call_approved",
            "tool_call_started c1",
            "> run tool",
            "> store result",
            "tool_result_stored c1",
            "tool_call_completed c1",
            "status_changed calling_model",
            "model_request_created",
        ]
    );
    let approved = played.payload("tool_call_approved");
    let id = &played.payload("tool_call_awaiting_approval")["approvalId"];
    assert_eq!(
        approved,
        json!({"invocationId": "inv_root", "callId": "c1", "approvalId": id, "scope": "run", "by": "user", "reason": "fine"})
    );
}

#[test]
fn the_question_says_who_asks_for_what_and_why() {
    let played = scene(asked()).answered(true, ApprovalScope::Once, None).play();
    let mut asked = played.payload("tool_call_awaiting_approval");
    let id = asked["approvalId"].take();
    assert!(
        id.as_str().unwrap().starts_with("approval_") && id.as_str().unwrap().len() == 41,
        "{id}"
    );
    let question = question();
    assert_eq!(
        asked,
        json!({
            "invocationId": "inv_root", "approvalId": null, "callId": "c1", "toolId": "builtin:chat.search", "title": "Ask for it",
            "source": "builtin", "sideEffect": "Changes nothing.", "rule": "your policy asks before this tool is called",
            "argumentsRef": "tool-args/c1.json", "argumentsDigest": question.binding.arguments_digest,
            "toolDigest": question.binding.tool_digest, "diffRef": "tool-args/c1.diff",
        })
    );
}

#[test]
fn a_person_says_no_and_the_run_goes_on() {
    let played = scene(asked())
        .answered(false, ApprovalScope::Always, Some("not now"))
        .play();
    assert_eq!(
        failures(&played),
        [failed("c1", "tool.approval_denied", FailedOutcome::Denied)]
    );
    assert_eq!(played.count("tool_call_started c1"), 0);
    let denied = played.payload("tool_call_denied");
    assert_eq!(
        (&denied["scope"], &denied["by"], &denied["reason"]),
        (&json!("once"), &json!("user"), &json!("not now"))
    );
    let told = format!("{:?}", played.requests()[1].messages.last().unwrap());
    assert!(told.contains("They say: not now"), "{told}");
    assert_eq!(played.status(), RunStatus::Completed);
}

#[test]
fn an_earlier_answer_that_stands_needs_no_question() {
    let approval_id = ApprovalId::parse("approval_earlier").unwrap();
    let scope = ApprovalScope::Always;
    let played = scene(ApprovalFinding::Standing { approval_id, scope }).play();
    assert_eq!(
        played.payload("tool_call_approved"),
        json!({"invocationId": "inv_root", "callId": "c1", "approvalId": "approval_earlier", "scope": "always", "by": "standing"})
    );
    assert_eq!(
        played.payloads("tool_call_awaiting_approval"),
        [] as [serde_json::Value; 0]
    );
}

#[test]
fn an_application_that_agreed_beforehand_is_named_as_policy() {
    let played = scene(ApprovalFinding::Granted).play();
    let approved = played.payload("tool_call_approved");
    assert_eq!(
        (&approved["scope"], &approved["by"]),
        (&json!("once"), &json!("policy"))
    );
    assert_eq!(played.count("tool_call_completed c1"), 1);
}

#[test]
fn a_denied_call_is_not_counted() {
    let scene = scene(asked()).rules(|rules| rules.max_calls = 1);
    let played = scene.answered(false, ApprovalScope::Once, None).play();
    assert_eq!(played.count("tool_call_completed c2"), 1);
}

/// The number of the question among the effects that have an answer.
const QUESTION: usize = 6;

#[test]
fn a_cancel_answers_the_open_question_with_no_and_makes_no_call() {
    let played = scene(asked()).interrupted(QUESTION, Event::CancelRequested).play();
    assert_eq!(
        played.end(7),
        [
            "run_cancel_requested",
            "status_changed cancelling",
            "tool_call_denied",
            "tool_call_failed c1",
            "agent_invocation_cancelled",
            "run_cancelled",
            "> end",
        ]
    );
    assert_eq!(played.payload("tool_call_denied")["reason"], json!("run_ended"));
    assert_eq!(
        failures(&played),
        [failed("c1", "tool.approval_denied", FailedOutcome::Denied)]
    );
}

#[test]
fn a_run_that_breaks_down_answers_the_open_question_with_no() {
    let error = super::props::broken("store.io_failed");
    let played = scene(asked()).interrupted(QUESTION, Event::Failed(error)).play();
    assert_eq!(
        failures(&played),
        [failed("c1", "tool.approval_denied", FailedOutcome::Denied)]
    );
    assert_eq!(played.code(), "store.io_failed");
}
