//! What is left when the program is killed at any moment: every journal can be read, every call gets its end, and the chat holds the
//! old lines and a commit once or not at all.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect shall fail"
)]

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// After which events of the run the program is killed: every so many of them.
const EVERY: usize = 6;
/// Set to try the moment after every single event.
const THOROUGH: &str = "INNKEEPER_KILL_EVERY_EVENT";

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        std::fs::create_dir(place.data()).unwrap();
        std::fs::write(place.chat(), include_str!("../demo/ferry.jsonl")).unwrap();
        std::fs::write(place.script(), script().to_string()).unwrap();
        place
    }

    /// A place that has the components compiled already.
    fn like(other: &Self) -> Self {
        let place = Self::new();
        let (from, to) = (other.data().join("cache"), place.data().join("cache"));
        std::fs::DirBuilder::new().mode(0o700).create(&to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
        place
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn chat(&self) -> PathBuf {
        self.folder.path().join("chat.jsonl")
    }

    fn script(&self) -> PathBuf {
        self.folder.path().join("turns.json")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_innkeeper"));
        command
            .env("INNKEEPER_DATA", self.data())
            .arg("--json")
            .stderr(Stdio::null());
        command
    }

    fn run(&self) -> Command {
        let mut command = self.command();
        let model = format!("scripted:{}", self.script().display());
        command
            .args(["run", "--chat"])
            .arg(self.chat())
            .args(["--model", &model]);
        command
    }

    fn read(&self, arguments: &[&str]) -> String {
        let output = self.command().args(arguments).output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(0),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stdout)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    fn events(&self, run: &str) -> Vec<Value> {
        let text = self.read(&["runs", "events", run, "--limit", "500"]);
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// A run with every kind of effect: reads, writes, a patch, two commits, the end.
fn script() -> Value {
    json!({ "turns": [
        { "calls": [{ "name": "chat_search", "arguments": { "query": "key" } }] },
        { "calls": [{ "name": "workspace_write_file", "arguments": { "path": "output/main.md", "content": "First.\n" } }] },
        { "calls": [{ "name": "workspace_commit", "arguments": {} }] },
        { "calls": [{ "name": "workspace_apply_patch",
                      "arguments": { "path": "output/main.md", "old_string": "First", "new_string": "Second" } }] },
        { "calls": [{ "name": "workspace_write_file", "arguments": { "path": "persist/notes.md", "content": "n\n" } },
                    { "name": "workspace_commit", "arguments": {} }] },
        { "calls": [{ "name": "workspace_finish", "arguments": {} }] },
    ] })
}

/// Kills the run once it has announced so many events. Returns whether it was still running then.
fn kill_after(place: &Place, events: usize) -> bool {
    let mut child = place.run().stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let seen = lines.take(events).count();
    child.kill().unwrap();
    child.wait().unwrap();
    seen == events
}

fn check_numbers(events: &[Value]) {
    let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
}

fn check_ends(events: &[Value]) {
    let mut ends: HashMap<&str, usize> = HashMap::new();
    for event in events {
        let call = event["payload"]["callId"].as_str().unwrap_or_default();
        match event["type"].as_str().unwrap() {
            "tool_call_requested" => *ends.entry(call).or_default() += 0,
            "tool_call_completed" | "tool_call_failed" => *ends.entry(call).or_default() += 1,
            _ => {}
        }
    }
    assert!(ends.values().all(|&count| count == 1), "{ends:?}");
    let terminal = ["run_completed", "run_failed", "run_partial_success", "run_cancelled"];
    let count = events
        .iter()
        .filter(|event| terminal.contains(&event["type"].as_str().unwrap()))
        .count();
    assert_eq!(count, 1);
}

/// The old lines stand, but for the token in the header; at most one line is new. Returns the new line.
fn check_chat(place: &Place) -> Option<Value> {
    let before = include_str!("../demo/ferry.jsonl");
    let after = std::fs::read_to_string(place.chat()).unwrap();
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = after.lines().collect();
    assert_eq!(old[1..], new[1..old.len()]);
    assert!(new.len() <= old.len() + 1, "{after}");
    new.get(old.len()).map(|line| serde_json::from_str(line).unwrap())
}

/// Everything that must hold after a kill: the first look at the data root closes the run.
fn check_after_kill(place: &Place) {
    let listed: Value = serde_json::from_str(&place.read(&["runs", "list"])).unwrap();
    assert_eq!(listed["issues"].as_array().map_or(0, Vec::len), 0, "{listed}");
    let line = check_chat(place);
    let kept = line.map_or(0, |line| {
        line["extra"]["tauritavern"]["agent"]["commits"]
            .as_array()
            .unwrap()
            .len()
    });
    for run in listed["runs"].as_array().unwrap() {
        assert_ne!(run["status"], "calling_model");
        let events = place.events(run["runId"].as_str().unwrap());
        check_numbers(&events);
        check_ends(&events);
        let said = events
            .iter()
            .filter(|event| event["type"] == "chat_commit_completed")
            .count();
        assert_eq!(said, kept, "the journal and the chat tell of different commits");
    }
}

#[test]
fn a_run_that_is_killed_at_any_event_leaves_nothing_half_done() {
    let whole = Place::new();
    let total = String::from_utf8(whole.run().output().unwrap().stdout)
        .unwrap()
        .lines()
        .count()
        - 1;
    assert!(total > 60, "the run is too short to say anything: {total} events");
    let step = if std::env::var_os(THOROUGH).is_some() { 1 } else { EVERY };
    for events in (1..=total).step_by(step) {
        let place = Place::like(&whole);
        assert!(kill_after(&place, events), "the run ended before event {events}");
        check_after_kill(&place);
    }
}
