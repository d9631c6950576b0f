//! Bringing a run's files back: agreed to at a terminal, from another process, or beforehand.
//!
//! What a rollback changes is checked where it is done.

#![cfg(target_os = "linux")]

use std::io::{BufReader, Write as _};
use std::path::Path;
use std::process::Child;

use serde_json::{Value, json};

use super::approvals::{LOOKS, at_a_terminal, read_until};
use super::run;
use super::runs::two_drafts;

/// A rollback to the first draft, at a terminal.
fn start(data: &Path, id: &str) -> Child {
    at_a_terminal(data, &["runs", "rollback", id, "--to", "cp_000001"])
}

/// The events of a run.
fn events(data: &Path, id: &str) -> Vec<Value> {
    let (_, stdout, _) = run(data, &["runs", "events", id, "--limit", "500", "--json"]);
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The call of the rollback that waits for an answer, once one does after so many events.
fn waiting(data: &Path, id: &str, before: usize) -> String {
    let asked = (0..LOOKS).find_map(|_| {
        let events = events(data, id).into_iter().skip(before);
        let mut questions = events.filter(|event| event["payload"]["toolId"] == "runtime:workspace.rollback");
        questions.next()
    });
    asked.unwrap()["payload"]["callId"].as_str().unwrap().to_owned()
}

/// What the file of both drafts holds now.
fn draft(data: &Path, id: &str) -> String {
    let (_, stdout, _) = run(data, &["runs", "show", id, "--json"]);
    let shown: Value = serde_json::from_str(&stdout).unwrap();
    std::fs::read_to_string(Path::new(shown["run"]["folder"].as_str().unwrap()).join("output/main.md")).unwrap()
}

#[test]
fn the_person_at_the_terminal_sees_what_will_be_overwritten_and_says_yes() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let id = two_drafts(&data, folder.path());
    let mut child = start(&data, &id);
    let mut shown = BufReader::new(child.stdout.take().unwrap());
    let question = read_until(&mut shown, "y: do it");
    assert!(
        question.contains("+A draft.") && question.contains("\"overwrites\": ["),
        "{question}"
    );
    let mut keys = child.stdin.take().unwrap();
    keys.write_all(b"always\ny\n").unwrap();
    read_until(&mut shown, " to cp_000001, ");
    drop(keys);
    assert!(child.wait().unwrap().success());
    assert_eq!(draft(&data, &id), "A draft.\n");
}

#[test]
fn another_process_answers_for_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let id = two_drafts(&data, folder.path());
    for (word, text, code) in [("deny", "Caught.\n", Some(3)), ("approve", "A draft.\n", Some(0))] {
        let before = events(&data, &id).len();
        let mut child = start(&data, &id);
        let call = waiting(&data, &id, before);
        let (answered, stdout, stderr) = run(&data, &["runs", word, &id, &call, "--json"]);
        assert_eq!(answered, Some(0), "{stdout}{stderr}");
        assert_eq!((child.wait().unwrap().code(), draft(&data, &id).as_str()), (code, text));
    }
}

#[test]
fn whoever_agrees_beforehand_is_not_asked() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let id = two_drafts(&data, folder.path());
    let arguments = [
        "runs",
        "rollback",
        &id,
        "--to",
        "cp_000001",
        "--approve",
        "always",
        "--json",
    ];
    let (code, stdout, _) = run(&data, &arguments);
    let outcome: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &outcome["checkpointId"]), (Some(0), &json!("cp_000001")));
    assert_eq!(draft(&data, &id), "A draft.\n");
}
