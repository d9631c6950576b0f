//! What watchers see of attempts, failures, requests and ends.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use futures_core::Stream as _;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn tool(name: &str) -> (ModelAlias, ToolId) {
    let alias = ModelAlias::parse(&name.replace('.', "_")).unwrap();
    (alias, ToolId::parse(&format!("builtin:{name}")).unwrap())
}

fn source(id: &str) -> LiveSource {
    LiveSource {
        invocation_id: InvocationId::parse(id).unwrap(),
        exit_policy: "run_finish_allowed".to_owned(),
        tools: ["workspace.write_file", "workspace.apply_patch", "dice.roll"]
            .map(tool)
            .to_vec(),
    }
}

/// A run with one invocation, and one watcher since its beginning.
fn watched() -> (LiveProjection, LiveInvocation, LiveSubscription) {
    let projection = LiveProjection::new();
    let invocation = projection.invocation(source("inv_root"));
    let watcher = projection.subscribe();
    (projection, invocation, watcher)
}

/// Everything that waits for a watcher, and whether its updates have ended.
fn seen(watcher: &mut LiveSubscription) -> (Vec<Value>, bool) {
    let mut updates = Vec::new();
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match pin!(&mut *watcher).as_mut().poll_next(&mut context) {
            Poll::Ready(Some(update)) => updates.push(serde_json::to_value(update).unwrap()),
            Poll::Ready(None) => return (updates, true),
            Poll::Pending => return (updates, false),
        }
    }
}

fn begin(invocation: &LiveInvocation, index: usize, alias: &str) {
    invocation.show(LiveDelta::Call {
        index,
        alias: alias.to_owned(),
    });
}

fn more(invocation: &LiveInvocation, index: usize, text: &str) {
    invocation.show(LiveDelta::Arguments {
        index,
        text: text.to_owned(),
    });
}

fn write_call(index: usize, path: &str, content: &str, words: u32) -> Value {
    json!({"toolId": "builtin:workspace.write_file", "invocationId": "inv_root", "invocationExitPolicy": "run_finish_allowed",
        "toolCallIndex": index, "path": path, "content": content, "contentWords": words})
}

fn append(index: usize, field: &str, text: &str, words: u32) -> Value {
    json!({"type": "append", "invocationId": "inv_root", "toolCallIndex": index, "field": field, "text": text, "wordDelta": words})
}

fn replace(call: &Value) -> Value {
    json!({"type": "replace", "call": call})
}

fn remove(index: usize) -> Value {
    json!({"type": "remove", "invocationId": "inv_root", "toolCallIndex": index})
}

fn snapshot(calls: &[Value]) -> Value {
    json!({"type": "snapshot", "calls": calls})
}

#[test]
fn a_file_is_shown_as_it_is_written_and_goes_when_its_call_is_requested() {
    let (_, invocation, mut watcher) = watched();
    invocation.attempt_started(1, 1);
    invocation.show(LiveDelta::Text("I write.".to_owned()));
    begin(&invocation, 0, "dice_roll");
    more(&invocation, 0, "{\"formula\": \"1d6\"}");
    begin(&invocation, 1, "workspace_write_file");
    more(&invocation, 1, "{\"path\": \"output/main.md\", \"content\": \"The la");
    more(&invocation, 1, "mp is lit.\"}");
    invocation.call_requested(0);
    invocation.call_requested(1);
    let expected = [
        snapshot(&[]),
        replace(&write_call(1, "", "", 0)),
        append(1, "path", "output/main.md", 3),
        append(1, "content", "The lamp is lit.", 5),
        remove(1),
    ];
    assert_eq!(seen(&mut watcher), (expected.to_vec(), false));
}

#[test]
fn who_comes_later_gets_a_snapshot_with_exact_words() {
    let (projection, invocation, _watcher) = watched();
    begin(&invocation, 0, "workspace_write_file");
    more(&invocation, 0, "{\"content\": \"The la");
    more(&invocation, 0, "mp\"");
    begin(&invocation, 2, "workspace_apply_patch");
    more(
        &invocation,
        2,
        "{\"path\": \"a\", \"old_string\": \"one two\", \"new_string\": \"th",
    );
    let patch = json!({"toolId": "builtin:workspace.apply_patch", "invocationId": "inv_root",
        "invocationExitPolicy": "run_finish_allowed", "toolCallIndex": 2, "path": "a", "oldString": "one two", "oldStringWords": 2,
        "newString": "th", "newStringWords": 1});
    let expected = snapshot(&[write_call(0, "", "The lamp", 2), patch]);
    assert_eq!(seen(&mut projection.subscribe()), (vec![expected], false));
}

#[test]
fn a_failed_attempt_takes_its_own_drafts_and_the_next_one_replaces() {
    let (projection, invocation, mut watcher) = watched();
    let child = projection.invocation(source("inv_child"));
    begin(&child, 0, "workspace_write_file");
    invocation.attempt_started(1, 1);
    begin(&invocation, 0, "workspace_write_file");
    seen(&mut watcher);
    invocation.attempt_failed(1, 1);
    invocation.attempt_started(1, 2);
    begin(&invocation, 0, "workspace_write_file");
    invocation.attempt_failed(1, 1);
    let anew = replace(&write_call(0, "", "", 0));
    assert_eq!(seen(&mut watcher), (vec![remove(0), anew], false));
    invocation.attempt_started(2, 1);
    assert_eq!(seen(&mut watcher).0, [remove(0)]);
    let left = &seen(&mut projection.subscribe()).0[0]["calls"];
    assert_eq!(
        (left.as_array().unwrap().len(), &left[0]["invocationId"]),
        (1, &json!("inv_child"))
    );
}

#[test]
fn a_call_that_cannot_be_followed_goes_alone() {
    let (_, invocation, mut watcher) = watched();
    begin(&invocation, 0, "workspace_write_file");
    begin(&invocation, 1, "workspace_write_file");
    seen(&mut watcher);
    more(&invocation, 0, "{\"content\": [");
    more(&invocation, 0, "]}");
    more(&invocation, 1, "{\"content\": \"a\"}");
    assert_eq!(
        seen(&mut watcher),
        (vec![remove(0), append(1, "content", "a", 1)], false)
    );
}

#[test]
fn the_end_of_the_run_ends_every_subscription() {
    let (projection, invocation, mut watcher) = watched();
    begin(&invocation, 0, "workspace_write_file");
    projection.run_ended();
    begin(&invocation, 1, "workspace_write_file");
    let expected = vec![snapshot(&[]), replace(&write_call(0, "", "", 0))];
    assert_eq!(seen(&mut watcher), (expected, true));
    assert_eq!(seen(&mut projection.subscribe()), (vec![], true));
}

#[test]
fn a_watcher_that_stopped_watching_gets_a_snapshot_instead_of_a_heap() {
    let (_, invocation, mut watcher) = watched();
    for round in 1..1_000 {
        invocation.attempt_started(round, 1);
        begin(&invocation, 0, "workspace_write_file");
        more(&invocation, 0, "{\"path\": \"a\", \"content\": \"b");
    }
    let (updates, _) = seen(&mut watcher);
    assert!(updates.len() <= 256, "{}", updates.len());
    assert_eq!(shown(&updates), [write_call(0, "a", "b", 1)]);
}

#[test]
fn no_more_calls_are_shown_than_can_be_watched() {
    let (projection, invocation, _watcher) = watched();
    (0..100).for_each(|index| begin(&invocation, index, "workspace_write_file"));
    let calls = &seen(&mut projection.subscribe()).0[0]["calls"];
    assert_eq!(calls.as_array().unwrap().len(), MAX_SHOWN_CALLS);
}

/// What a watcher that keeps up a picture has in the end; words are counted anew.
fn shown(updates: &[Value]) -> Vec<Value> {
    let mut calls: Vec<Value> = Vec::new();
    let is_of = |call: &Value, update: &Value| {
        ["invocationId", "toolCallIndex"]
            .iter()
            .all(|field| call[field] == update[field])
    };
    for update in updates {
        match update["type"].as_str().unwrap() {
            "snapshot" => calls.clone_from(update["calls"].as_array().unwrap()),
            "append" => {
                let call = calls.iter_mut().find(|call| is_of(call, update)).unwrap();
                let field = update["field"].as_str().unwrap();
                let text = format!("{}{}", call[field].as_str().unwrap(), update["text"].as_str().unwrap());
                if field != "path" {
                    call[format!("{field}Words")] = json!(measure(&text).words);
                }
                call[field] = json!(text);
            }
            "replace" => {
                calls.retain(|call| !is_of(call, &update["call"]));
                calls.push(update["call"].clone());
            }
            _ => calls.retain(|call| !is_of(call, update)),
        }
    }
    calls.sort_by_key(|call| call["toolCallIndex"].as_u64());
    calls
}

/// Something that happens in a run.
#[derive(Debug, Clone)]
enum Step {
    Attempt(u32),
    Failed(u32),
    Begin(usize, bool),
    More(usize, String),
    Requested(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let pieces = vec![
        "{\"path\": \"",
        "a b",
        "\", \"content\": \"",
        "\", \"old_string\":\"",
        "é",
        "\\u00e9",
        "\"}",
        "[",
    ];
    prop_oneof![
        1 => (1_u32..4).prop_map(Step::Attempt),
        1 => (1_u32..4).prop_map(Step::Failed),
        3 => (0_usize..3, any::<bool>()).prop_map(|(index, is_write)| Step::Begin(index, is_write)),
        9 => (0_usize..3, prop::sample::select(pieces)).prop_map(|(index, text)| Step::More(index, text.to_owned())),
        1 => (0_usize..3).prop_map(Step::Requested),
    ]
}

proptest! {
    #[test]
    fn whoever_follows_the_updates_sees_what_a_newcomer_sees(steps in prop::collection::vec(step(), 0..60)) {
        let (projection, invocation, mut watcher) = watched();
        for step in steps {
            match step {
                Step::Attempt(attempt) => invocation.attempt_started(1, attempt),
                Step::Failed(attempt) => invocation.attempt_failed(1, attempt),
                Step::Begin(index, true) => begin(&invocation, index, "workspace_write_file"),
                Step::Begin(index, false) => begin(&invocation, index, "workspace_apply_patch"),
                Step::More(index, text) => more(&invocation, index, &text),
                Step::Requested(index) => invocation.call_requested(index),
            }
        }
        let newcomer = seen(&mut projection.subscribe()).0;
        prop_assert_eq!(shown(&seen(&mut watcher).0), shown(&newcomer));
    }
}
