//! Calls that reach their tool: the order in which one is told, and that every one ends.

use innkeeper_protocol::call::{CallOutcome, PlannedEffect, ToolError};
use innkeeper_protocol::envelope::Level;
use innkeeper_protocol::event::{FailedOutcome, RunEvent};
use innkeeper_protocol::model::{ModelError, Part};
use innkeeper_protocol::run::{RunError, RunStatus};
use serde_json::json;

use super::played::Played;
use super::props::{
    broken, call, commit, digest, failing, finish, look, patch, patch_effect, path, replies, reply, tool, write,
    write_effect,
};
use super::scene::{Scene, TOOL_MS};
use crate::effect::Effect;

pub(super) fn failed(call: &str, code: &str, outcome: FailedOutcome) -> serde_json::Value {
    json!([call, code, outcome])
}

/// Call, code and outcome of every call that failed.
pub(super) fn failures(played: &Played) -> Vec<serde_json::Value> {
    let payloads = played.payloads("tool_call_failed");
    payloads
        .iter()
        .map(|p| json!([p["callId"], p["errorCode"], p["outcome"]]))
        .collect()
}

#[test]
fn a_write_is_told_in_this_order() {
    let played = Scene::new()
        .background()
        .calls([write("c1", "output/main.md"), finish("c2")])
        .play();
    assert_eq!(
        played.trail_between("> store arguments", "> store arguments"),
        ["> store arguments"],
        "nothing is known of a call before its arguments are kept"
    );
    assert_eq!(
        played.trail_between("tool_call_requested c1", "> store arguments"),
        [
            "tool_call_requested c1",
            "status_changed dispatching_tool",
            "tool_call_started c1",
            "> run tool",
            "> apply staged",
            "workspace_file_written",
            "status_changed creating_checkpoint",
            "> create checkpoint",
            "checkpoint_created tool_workspace_write",
            "> store result",
            "tool_result_stored c1",
            "tool_call_completed c1",
            "> store arguments",
        ]
    );
    assert_eq!(
        played.payload("workspace_file_written"),
        json!({
            "invocationId": "inv_root",
            "callId": "c1",
            "path": "output/main.md",
            "mode": "replace",
            "chars": 9,
            "words": 2,
            "sha256": digest("output/main.md"),
        })
    );
}

#[test]
fn a_patch_has_a_status_of_its_own() {
    let played = Scene::new()
        .background()
        .calls([patch("c1", "output/main.md"), finish("c2")])
        .play();
    assert_eq!(
        played.trail_between("> run tool", "> store result"),
        [
            "> run tool",
            "status_changed applying_workspace_patch",
            "> apply staged",
            "workspace_patch_applied",
            "status_changed creating_checkpoint",
            "> create checkpoint",
            "checkpoint_created tool_workspace_patch",
            "> store result",
        ]
    );
    assert_eq!(
        played.payload("workspace_patch_applied")["sha256"],
        json!(digest("patched"))
    );
}

#[test]
fn several_files_of_one_call_share_a_checkpoint() {
    let effects = vec![
        write_effect("output/a.md", false),
        PlannedEffect::Delete {
            path: path("output/b.md"),
            old_sha256: digest("b"),
        },
        patch_effect("output/c.md"),
    ];
    let call = call("c1", "workspace_write_file", replies(effects));
    let played = Scene::new().background().calls([call, finish("c2")]).play();
    assert_eq!(
        played.trail_between("> apply staged", "checkpoint_created tool_workspace_patch"),
        [
            "> apply staged",
            "workspace_file_written",
            "workspace_file_deleted",
            "workspace_patch_applied",
            "status_changed creating_checkpoint",
            "> create checkpoint",
            "checkpoint_created tool_workspace_patch",
        ]
    );
}

#[test]
fn a_call_without_effects_cuts_no_checkpoint() {
    let played = Scene::new().background().calls([look("c1"), finish("c2")]).play();
    assert_eq!(
        played.trail_between("tool_call_started c1", "tool_call_completed c1"),
        [
            "tool_call_started c1",
            "> run tool",
            "> store result",
            "tool_result_stored c1",
            "tool_call_completed c1"
        ]
    );
    assert_eq!(
        played.payloads("tool_call_completed")[0],
        json!({
            "round": 1,
            "invocationId": "inv_root",
            "callId": "c1",
            "toolId": "builtin:chat.search",
            "name": "chat.search",
            "snapshotId": "inv_root",
            "isError": false,
            "errorCode": null,
            "message": null,
            "elapsedMs": TOOL_MS,
            "resourceRefs": [],
        })
    );
}

#[test]
fn changes_that_cannot_be_applied_fail_the_call_and_leave_nothing() {
    let scene = Scene::new()
        .background()
        .apply_fails(ToolError::new("workspace.patch_stale_file", "It changed."));
    let played = scene.calls([patch("c1", "output/main.md"), finish("c2")]).play();
    assert_eq!(
        played.trail_between("> apply staged", "tool_call_failed c1"),
        [
            "> apply staged",
            "> store result",
            "tool_result_stored c1",
            "tool_call_failed c1"
        ]
    );
    assert_eq!(
        failures(&played),
        [failed("c1", "workspace.patch_stale_file", FailedOutcome::Error)]
    );
    assert_eq!(played.status(), RunStatus::Completed);
}

#[test]
fn failing_calls_each_get_their_error_and_the_run_goes_on() {
    let calls = [
        failing("c1", "chat.invalid_request"),
        failing("c2", "tool.trap"),
        look("c3"),
    ];
    let played = Scene::new().background().calls(calls).calls([finish("c4")]).play();
    assert_eq!(
        failures(&played),
        [
            failed("c1", "chat.invalid_request", FailedOutcome::Error),
            failed("c2", "tool.trap", FailedOutcome::Error)
        ]
    );
    assert_eq!(played.requests()[1].messages.len(), 6);
    assert_eq!(played.payloads("tool_call_failed")[0]["elapsedMs"], json!(TOOL_MS));
    assert_eq!(
        played.payloads("tool_call_failed")[0]["message"],
        json!("It did not work.")
    );
    assert_eq!(played.status(), RunStatus::Completed);
}

#[test]
fn only_a_call_that_succeeded_counts_as_seen() {
    let played = Scene::new()
        .background()
        .calls([failing("c1", "tool.trap"), look("c2"), finish("c3")])
        .play();
    let counts = played.effects.iter().filter_map(|effect| match effect {
        Effect::StoreResult { counts, .. } => Some(*counts),
        _ => None,
    });
    assert_eq!(counts.collect::<Vec<_>>(), [false, true, true]);
}

#[test]
fn the_words_of_somebody_elses_tool_stay_out_of_the_journal() {
    let theirs = call(
        "c1",
        "mood_read",
        CallOutcome::Error(ToolError::new("extension.mood.sad", "SECRET")),
    );
    let scene = Scene::new().background().with_tool(tool("extension/mood:mood.read"));
    let played = scene.calls([theirs, finish("c2")]).play();
    assert_eq!(
        played.payload("tool_call_failed")["message"],
        json!("the tool's message is in tool-results/c1.json")
    );
    assert!(!format!("{:?}", played.journal()).contains("SECRET"));
}

#[test]
fn a_result_that_is_too_long_is_shown_in_part() {
    let long = CallOutcome::Reply(reply(&"word ".repeat(20_000), Vec::new()));
    let scene = Scene::new().background().with_tool(tool("extension/mood:mood.read"));
    let played = scene
        .calls([call("c1", "mood_read", long)])
        .calls([finish("c2")])
        .play();
    assert_eq!(
        played.trail_between("> store result", "> call model"),
        [
            "> store result",
            "tool_result_stored c1",
            "tool_result_readable_view_stored",
            "tool_call_completed c1",
            "status_changed calling_model",
            "model_request_created",
            "model_call_attempt_started",
            "> call model",
        ]
    );
    assert_eq!(
        played.payloads("tool_call_completed")[0]["resourceRefs"],
        json!(["tool-results/c1.txt", "tool-results/c1.json"])
    );
    let shown = played.requests()[1].messages.last().unwrap();
    let Part::ToolResult { result } = &shown.parts[0] else {
        panic!("no result")
    };
    assert!(result.content.contains("`tool-results/c1.txt`") && result.content.chars().count() < 4_000);
}

#[test]
fn a_fault_ends_the_run_and_the_call_with_it() {
    let fault = call("c1", "chat_search", CallOutcome::Fault(broken("store.io_failed")));
    let played = Scene::new().calls([fault, look("c2")]).play();
    assert_eq!(
        played.trail_between("> run tool", "> end"),
        [
            "> run tool",
            "tool_call_failed c1",
            "agent_invocation_failed",
            "run_failed",
            "> end"
        ]
    );
    assert_eq!(
        failures(&played),
        [failed("c1", "store.io_failed", FailedOutcome::Error)]
    );
}

#[test]
fn an_unknown_outcome_is_recorded_as_one() {
    for code in ["tool.outcome_unknown", "mcp.call_outcome_unknown"] {
        let fault = call("c1", "chat_search", CallOutcome::Fault(broken(code)));
        let played = Scene::new().calls([fault, look("c2")]).play();
        assert_eq!(failures(&played), [failed("c1", code, FailedOutcome::OutcomeUnknown)]);
        assert_eq!((played.code(), played.count("> call model")), (code, 1));
    }
}

#[test]
fn a_provider_that_repeats_an_id_gets_each_call_ended() {
    let played = Scene::new()
        .background()
        .calls([look("c1"), look("c1")])
        .calls([commit("c1"), finish("c2")])
        .play();
    assert_eq!(
        (
            played.count("tool_call_requested c1"),
            played.count("tool_call_completed c1")
        ),
        (3, 3)
    );
}

/// The level of the only call that failed.
fn level(played: &Played) -> Level {
    let levels = played
        .journal()
        .into_iter()
        .filter(|event| matches!(event, RunEvent::ToolCallFailed { .. }));
    let levels: Vec<Level> = levels.map(|event| event.level()).collect();
    assert_eq!(levels.len(), 1);
    levels[0]
}

#[test]
fn only_a_failure_that_ends_the_run_is_an_error() {
    let fault = call("c1", "chat_search", CallOutcome::Fault(broken("store.io_failed")));
    let stopped = call(
        "c1",
        "chat_search",
        CallOutcome::Fault(RunError::from(ModelError::Cancelled)),
    );
    let recovered = Scene::new()
        .background()
        .calls([failing("c1", "tool.trap"), finish("c2")]);
    assert_eq!(level(&Scene::new().calls([fault]).play()), Level::Error);
    assert_eq!(level(&Scene::new().calls([stopped]).play()), Level::Warn);
    assert_eq!(level(&recovered.play()), Level::Warn);
    let refused = Scene::new().background().tool("chat.search", super::refusals::denied);
    assert_eq!(
        level(&refused.clone().calls([look("c1"), finish("c2")]).play()),
        Level::Warn
    );
    let for_good = refused.rules(|rules| rules.denial_is_fatal = true);
    assert_eq!(level(&for_good.calls([look("c1"), finish("c2")]).play()), Level::Error);
}
