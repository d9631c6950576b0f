//! Calls that do not reach their tool: policy, budget, approval.

use innkeeper_policy::{Approval, AskRule, Reason};
use innkeeper_protocol::event::FailedOutcome;
use innkeeper_protocol::run::RunStatus;
use serde_json::json;

use super::calls::{failed, failures};
use super::props::{call, failing, finish, look, replies, tool, write};
use super::scene::Scene;
use crate::effect::Effect;
use crate::run::OfferedTool;

pub(super) fn denied(tool: &mut OfferedTool) {
    tool.decision.callable = false;
    tool.decision.reason = Reason::UserDeny;
}

pub(super) fn asking(tool: &mut OfferedTool) {
    tool.decision.approval = Approval::Needed { rule: AskRule::User };
}

/// A refused call is told as requested and failed with its stored result, and never as started.
fn assert_refused(scene: Scene, code: &str) {
    let played = scene.calls([look("c1")]).calls([finish("c2")]).play();
    assert_eq!(
        played.trail_between("tool_call_requested c1", "> call model"),
        [
            "tool_call_requested c1",
            "> store result",
            "tool_result_stored c1",
            "tool_call_failed c1",
            "model_request_created",
            "model_call_attempt_started",
            "> call model",
        ]
    );
    assert_eq!(failures(&played), [failed("c1", code, FailedOutcome::Denied)]);
    assert_eq!(played.status(), RunStatus::Completed);
}

#[test]
fn a_denied_call_costs_a_turn() {
    assert_refused(
        Scene::new().background().tool("chat.search", denied),
        "agent.tool_policy_denied",
    );
}

#[test]
fn a_call_that_nobody_can_approve_costs_a_turn() {
    let scene = Scene::new().background().tool("chat.search", asking);
    let played = scene.calls([look("c1")]).calls([finish("c2")]).play();
    assert_eq!(
        played.trail_between("tool_call_requested c1", "tool_call_failed c1"),
        [
            "tool_call_requested c1",
            "status_changed dispatching_tool",
            "> prepare approval",
            "> store result",
            "tool_result_stored c1",
            "tool_call_failed c1",
        ]
    );
    let refused = failed("c1", "tool.approval_unavailable", FailedOutcome::Denied);
    assert_eq!(failures(&played), [refused]);
}

#[test]
fn a_tool_without_calls_costs_a_turn() {
    let none_left = |tool: &mut OfferedTool| tool.max_calls = Some(0);
    assert_refused(
        Scene::new().background().tool("chat.search", none_left),
        "agent.tool_budget_exhausted",
    );
}

#[test]
fn a_tool_that_policy_has_no_calls_for_is_spent_and_not_denied() {
    let spent = |tool: &mut OfferedTool| {
        tool.decision.callable = false;
        tool.decision.reason = Reason::ToolCallsSpent { max: 0 };
    };
    let scene = Scene::new().background().rules(|rules| rules.denial_is_fatal = true);
    assert_refused(scene.tool("chat.search", spent), "agent.tool_budget_exhausted");
}

#[test]
fn refused_calls_are_not_counted_and_failed_ones_are() {
    let scene = Scene::new()
        .background()
        .tool("chat.search", |tool| tool.max_calls = Some(1));
    let scene = scene.rules(|rules| rules.max_calls = 2);
    let calls = [
        failing("c1", "tool.trap"),
        look("c2"),
        write("c3", "output/main.md"),
        finish("c4"),
    ];
    let played = scene.rules(|rules| rules.max_rounds = 1).calls(calls).play();
    assert_eq!(
        failures(&played),
        [
            failed("c1", "tool.trap", FailedOutcome::Error),
            failed("c2", "agent.tool_budget_exhausted", FailedOutcome::Denied),
            failed("c4", "agent.tool_budget_exhausted", FailedOutcome::Denied),
        ]
    );
    assert_eq!(
        played.count("tool_call_completed c3"),
        1,
        "the refused call left one for it"
    );
}

#[test]
fn the_cap_of_a_tool_is_not_that_of_its_namesake() {
    let scene = Scene::new().background().with_tool(tool("extension/other:chat.lookup"));
    let scene = scene.tool("chat.lookup", |tool| tool.max_calls = Some(0));
    let played = scene
        .calls([look("c1"), call("c2", "chat_lookup", replies(vec![])), finish("c3")])
        .play();
    assert_eq!(
        failures(&played),
        [failed("c2", "agent.tool_budget_exhausted", FailedOutcome::Denied)]
    );
}

#[test]
fn a_denial_ends_the_run_where_the_profile_says_so() {
    let scene = Scene::new()
        .rules(|rules| rules.denial_is_fatal = true)
        .tool("chat.search", denied);
    let played = scene.calls([look("c1"), look("c2")]).play();
    assert_eq!(
        (played.status(), played.code()),
        (RunStatus::Failed, "agent.tool_policy_denied")
    );
    assert_eq!(
        played.trail_between("tool_call_requested c1", "> end"),
        [
            "tool_call_requested c1",
            "> store result",
            "tool_result_stored c1",
            "tool_call_failed c1",
            "agent_invocation_failed",
            "run_failed",
            "> end",
        ]
    );
    assert_eq!(
        failures(&played),
        [failed("c1", "agent.tool_policy_denied", FailedOutcome::Denied)]
    );
}

#[test]
fn a_denied_tool_that_is_not_offered_is_no_unknown_tool() {
    let withheld = |tool: &mut OfferedTool| {
        denied(tool);
        tool.decision.visible = false;
    };
    let played = Scene::new()
        .background()
        .tool("chat.search", withheld)
        .calls([look("c1")])
        .calls([finish("c2")])
        .play();
    assert_eq!(
        failures(&played),
        [failed("c1", "agent.tool_policy_denied", FailedOutcome::Denied)]
    );
    let is_offered = |effect: &Effect| match effect {
        Effect::CallModel(request) => request.tools.iter().any(|offer| offer.alias.as_str() == "chat_search"),
        _ => false,
    };
    assert!(!played.effects.iter().any(is_offered));
    assert_eq!(played.status(), RunStatus::Completed);
}

#[test]
fn a_turn_of_thousands_of_calls_and_an_endless_id_are_refused_whole() {
    let many = (0..1_001).map(|n| look(&format!("c{n}")));
    let long = [look(&"x".repeat(4_097))];
    for played in [Scene::new().calls(many).play(), Scene::new().calls(long).play()] {
        assert_eq!(played.payload("run_failed")["code"], json!("model.invalid_tool_call"));
        assert_eq!(played.payloads("tool_call_requested"), Vec::<serde_json::Value>::new());
        assert!(played.payload("run_failed")["message"].to_string().len() < 200);
    }
}
