//! Kills a rollback after every system call that changes a file: the workspace is the old one, the new one, or the journal says that it
//! may be a mixture.

use serde_json::Value;

use super::checks::check;
use super::is_thorough;
use super::place::{Place, chat_of, short_script};
use super::stepper::{self, step};
use super::syscalls::{PLAIN, kill_from};

/// After which calls a rollback is killed by default: every so many of them.
const EVERY: usize = 7;

/// The files that the rollback changes: the message, and a note that came after the checkpoint.
fn workspace(place: &Place) -> (String, bool) {
    let run = &place.runs()[0];
    let message = std::fs::read_to_string(run.join("output/main.md")).unwrap();
    (message, run.join("persist/notes.md").exists())
}

/// What the journal says last of a rollback: its type, and the message of one that failed.
fn told(place: &Place) -> (String, String) {
    let journal = std::fs::read_to_string(place.runs()[0].join("events.jsonl")).unwrap();
    let mut events = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let last = events.rfind(|event| event["type"].as_str().unwrap().starts_with("workspace_rollback_"));
    last.map_or_else(Default::default, |event| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&event["type"]), text(&event["payload"]["message"]))
    })
}

#[test]
fn a_rollback_that_is_killed_anywhere_leaves_no_mixture_that_is_not_told() {
    if !stepper::is_there() {
        return;
    }
    let place = Place::new(&chat_of(1), &short_script());
    assert!(place.run().output().unwrap().status.success());
    let (old, new) = (("Second.\n".to_owned(), true), ("First.\n".to_owned(), false));
    assert_eq!(workspace(&place), old);
    let run = place.recover()["runs"][0]["runId"].as_str().unwrap().to_owned();
    let rollback = [
        "--json",
        "runs",
        "rollback",
        &run,
        "--to",
        "cp_000001",
        "--approve",
        "always",
    ];
    let rollback = rollback.map(str::to_owned);
    let kept = place.keep();
    let mut kills = 0;
    for calls in (1_usize..).step_by(if is_thorough() { 1 } else { EVERY }) {
        place.put_back(&kept);
        let steps = step(&place, &PLAIN, &rollback, |_, seen| kill_from(seen.len(), calls));
        check(&place, &[]);
        let ((kind, message), files) = (told(&place), workspace(&place));
        match kind.as_str() {
            "workspace_rollback_completed" => assert_eq!(files, new, "killed after {calls} calls"),
            "workspace_rollback_failed" if message.contains("some files may be") => {}
            _ => assert_eq!(files, old, "killed after {calls} calls: {kind} {message}"),
        }
        if steps.code.is_some() {
            assert_eq!(kind, "workspace_rollback_completed");
            break;
        }
        kills += 1;
    }
    assert!(kills > 3);
    eprintln!("a rollback was killed after {kills} system calls");
}
