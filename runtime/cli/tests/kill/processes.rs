//! Two real processes over one data root and one chat: who owns a run is settled by the system, and commits never mix.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::checks::{announced, check};
use super::events::killed_after;
use super::place::{Place, chat_of, short_script};

/// How often two processes meet.
const ROUNDS: usize = 6;

fn start(place: &Place) -> Child {
    place.run().stdout(Stdio::piped()).spawn().unwrap()
}

fn said(child: Child) -> Vec<Value> {
    let output = child.wait_with_output().unwrap();
    announced(&String::from_utf8(output.stdout).unwrap())
}

#[test]
fn two_runs_over_one_chat_never_mix_their_commits() {
    let whole = Place::new(&chat_of(2), &short_script());
    for _ in 0..ROUNDS {
        let place = Place::like(&whole);
        let (one, other) = (start(&place), start(&place));
        let (one, other) = (said(one), said(other));
        check(&place, &one);
        check(&place, &other);
        let completed = |events: &[Value]| events.iter().any(|event| event["type"] == "run_completed");
        assert!(completed(&one) || completed(&other), "neither has committed");
    }
}

#[test]
fn a_dead_run_that_two_processes_find_is_closed_once() {
    let whole = Place::new(&chat_of(1), &short_script());
    for round in 0..ROUNDS {
        let place = Place::like(&whole);
        let said = announced(&killed_after(&place, 20 + 5 * round));
        let look = || {
            place
                .command(&["--json", "runs", "list"])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let looks = [look(), look(), look()];
        assert!(
            looks
                .into_iter()
                .all(|look| look.wait_with_output().unwrap().status.success())
        );
        check(&place, &said);
    }
}

#[test]
fn a_living_run_is_left_alone_and_can_be_cancelled_from_outside() {
    let mut turns = short_script();
    turns
        .as_array_mut()
        .unwrap()
        .insert(1, json!({ "text": "late", "delayMs": 3_600_000 }));
    let place = Place::new(&chat_of(1), &turns);
    let mut child = start(&place);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    while said.matches("model_call_attempt_started").count() < 2 {
        assert_ne!(stdout.read_line(&mut said).unwrap(), 0, "the run ended early");
    }
    let journal = place.runs()[0].join("events.jsonl");
    let before = std::fs::read(&journal).unwrap();
    let listed = place.recover();
    assert_eq!(listed["runs"][0]["status"], "calling_model");
    assert!(
        std::fs::read(&journal).unwrap() == before,
        "somebody else wrote into a living run"
    );
    place.read(&["--json", "runs", "cancel", listed["runs"][0]["runId"].as_str().unwrap()]);
    while stdout.read_line(&mut said).unwrap() != 0 {}
    child.wait().unwrap();
    let events = announced(&said);
    check(&place, &events);
    assert!(events.iter().any(|event| event["type"] == "run_cancelled"));
}
