//! Commits that the loop makes by itself while the model has not asked for one.

use innkeeper_policy::{Approval, AskRule, Reason};
use innkeeper_protocol::call::PlannedEffect;
use innkeeper_protocol::run::RunStatus;
use serde_json::{Value, json};

use super::played::Played;
use super::props::{call, commit, digest, finish, look, patch, path, replies, write, write_effect};
use super::scene::Scene;

/// Path, call and whether the model asked, of every commit that the host was asked for.
fn asked(played: &Played) -> Vec<Value> {
    let requests = played.payloads("chat_commit_requested");
    requests
        .iter()
        .map(|r| json!([r["path"], r["callId"], r["isExplicit"]]))
        .collect()
}

fn ending() -> [super::props::Call; 2] {
    [commit("c8"), finish("c9")]
}

fn explicit() -> Value {
    json!(["output/main.md", "c8", true])
}

#[test]
fn the_last_write_of_a_round_is_committed_once_all_its_calls_are_settled() {
    let calls = [write("c1", "output/main.md"), patch("c2", "output/main.md"), look("c3")];
    let played = Scene::new().calls(calls).calls(ending()).play();
    assert_eq!(
        played.trail_between("tool_call_completed c3", "> call model"),
        [
            "tool_call_completed c3",
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
            "status_changed calling_model",
            "model_request_created",
            "model_call_attempt_started",
            "> call model",
        ]
    );
    assert_eq!(asked(&played), [json!(["output/main.md", "c2", false]), explicit()]);
    let first = &played.payloads("chat_commit_requested")[0];
    assert_eq!(
        (&first["mode"], &first["reason"], &first["sha256"]),
        (&json!("replace"), &json!(null), &json!(digest("patched")))
    );
}

#[test]
fn a_file_that_the_chat_showed_while_it_was_written_is_not_committed_ahead() {
    let scene = Scene::new().rules(|rules| rules.shows_live_writes = true);
    let shown = scene
        .clone()
        .calls([patch("c1", "output/main.md"), write("c2", "output/aside.md")]);
    assert_eq!(asked(&shown.calls(ending()).play()), [explicit()]);
    let patched = scene.calls([write("c1", "output/main.md"), patch("c2", "output/main.md")]);
    assert_eq!(
        asked(&patched.calls(ending()).play()),
        [json!(["output/main.md", "c2", false]), explicit()]
    );
}

#[test]
fn every_round_makes_one_until_the_model_asks() {
    let scene = Scene::new()
        .calls([write("c1", "output/main.md")])
        .calls([write("c2", "output/main.md")]);
    let played = scene.calls([look("c3")]).calls(ending()).play();
    let automatic = |call: &str| json!(["output/main.md", call, false]);
    assert_eq!(asked(&played), [automatic("c1"), automatic("c2"), explicit()]);
    assert_eq!(played.payload("agent_loop_finished")["commitCount"], json!(3));
}

#[test]
fn only_files_of_prose_are_taken() {
    let cases = [
        ("output/a.md", true),
        ("output/a.MarkDown", true),
        ("output/a.TXT", true),
        ("output/a.text", true),
        ("output/a.md.bak", false),
        ("output/README", false),
        ("output/.md", false),
        ("output/a.json", false),
    ];
    for (file, is_taken) in cases {
        let played = Scene::new().calls([write("c1", file)]).calls(ending()).play();
        assert_eq!(asked(&played).len(), if is_taken { 2 } else { 1 }, "{file}");
    }
}

#[test]
fn a_last_write_that_is_no_prose_hides_an_earlier_one() {
    let played = Scene::new()
        .calls([write("c1", "output/main.md"), write("c2", "notes.json")])
        .calls(ending())
        .play();
    assert_eq!(asked(&played), [explicit()]);
}

#[test]
fn a_file_that_is_gone_again_is_not_taken() {
    let gone = PlannedEffect::Delete {
        path: path("output/main.md"),
        old_sha256: digest("output/main.md"),
    };
    let deletes = call("c2", "workspace_write_file", replies(vec![gone]));
    let played = Scene::new()
        .calls([write("c1", "output/main.md"), deletes])
        .calls(ending())
        .play();
    assert_eq!(asked(&played), [explicit()]);
}

#[test]
fn a_blank_message_is_not_committed_where_one_is_required() {
    let blank = |file: &str| call("c1", "workspace_write_file", replies(vec![write_effect(file, true)]));
    let automatic = |file: &str| json!([file, "c1", false]);

    let played = Scene::new().calls([blank("output/main.md")]).calls(ending()).play();
    assert_eq!(asked(&played), [explicit()]);

    let played = Scene::new().calls([blank("output/aside.md")]).calls(ending()).play();
    assert_eq!(
        asked(&played),
        [automatic("output/aside.md"), explicit()],
        "only the message is required"
    );

    let scene = Scene::new().rules(|rules| rules.message_required = false);
    let played = scene.calls([blank("output/main.md")]).calls(ending()).play();
    assert_eq!(asked(&played), [automatic("output/main.md"), explicit()]);
}

#[test]
fn a_rule_about_the_commit_tool_switches_them_off() {
    let asks = Scene::new().tool("workspace.commit", |tool| {
        tool.decision.approval = Approval::Needed { rule: AskRule::Profile };
    });
    let denies = Scene::new().tool("workspace.commit", |tool| {
        tool.decision.callable = false;
        tool.decision.reason = Reason::ProfileDeny;
    });
    for scene in [asks, denies, Scene::new().without_tool("workspace.commit")] {
        let scene = scene.rules(|rules| rules.max_rounds = 1);
        let played = scene.calls([write("c1", "output/main.md")]).play();
        assert_eq!((asked(&played), played.status()), (Vec::new(), RunStatus::Failed));
    }
}

#[test]
fn the_background_has_none() {
    let played = Scene::new()
        .background()
        .calls([write("c1", "output/main.md")])
        .calls([finish("c2")])
        .play();
    assert_eq!((asked(&played), played.status()), (Vec::new(), RunStatus::Completed));
}

#[test]
fn a_refusal_is_told_and_otherwise_ignored() {
    let scene = Scene::new().host_refuses("Not now.");
    let scene = scene
        .calls([write("c1", "output/main.md")])
        .calls([write("c2", "output/main.md")]);
    let played = scene.calls(ending()).play();
    assert_eq!(
        played.trail_between("> ask commit", "> call model"),
        [
            "> ask commit",
            "status_changed dispatching_tool",
            "chat_commit_failed",
            "status_changed calling_model",
            "model_request_created",
            "model_call_attempt_started",
            "> call model",
        ]
    );
    let automatic = |call: &str| json!(["output/main.md", call, false]);
    assert_eq!(
        asked(&played),
        [automatic("c1"), automatic("c2"), explicit()],
        "a later round may try again"
    );
    assert_eq!(
        (played.count("tool_call_failed c1"), played.status()),
        (0, RunStatus::Completed)
    );
}

#[test]
fn the_first_confirmed_explicit_commit_ends_them() {
    let later = Scene::new()
        .calls([commit("c1")])
        .calls([write("c2", "output/main.md")])
        .calls([finish("c3")])
        .play();
    assert_eq!(asked(&later), [json!(["output/main.md", "c1", true])]);
    let same_round = Scene::new()
        .calls([write("c1", "output/main.md"), commit("c2")])
        .calls([finish("c3")])
        .play();
    assert_eq!(asked(&same_round), [json!(["output/main.md", "c2", true])]);

    let scene = Scene::new().host_refuses("Not now.");
    let refused = scene
        .calls([write("c1", "output/main.md"), commit("c2")])
        .calls(ending())
        .play();
    assert_eq!(
        asked(&refused),
        [
            json!(["output/main.md", "c2", true]),
            json!(["output/main.md", "c1", false]),
            explicit()
        ]
    );
}

#[test]
fn they_do_not_open_the_finish_gate_but_count_when_the_run_fails() {
    let scene = Scene::new().rules(|rules| rules.max_rounds = 2);
    let played = scene
        .calls([write("c1", "output/main.md")])
        .calls([finish("c2")])
        .play();
    assert_eq!(
        played.payload("tool_call_failed")["errorCode"],
        json!("agent.foreground_commit_required")
    );
    assert_eq!(
        (played.status(), played.code()),
        (RunStatus::PartialSuccess, "agent.max_tool_rounds_exceeded")
    );
    assert_eq!(played.payload("run_partial_success")["preservedCommitCount"], json!(1));
}

#[test]
fn they_come_in_the_last_round_too() {
    let scene = Scene::new().rules(|rules| rules.max_rounds = 1);
    let played = scene.calls([write("c1", "output/main.md")]).play();
    assert_eq!((asked(&played).len(), played.status()), (1, RunStatus::PartialSuccess));
}
