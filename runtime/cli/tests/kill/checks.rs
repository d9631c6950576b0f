//! What must hold after any end of the program, once its data root has been looked at again.
//!
//! Everything is read from the files, with no code of ours.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::place::{Place, folders};

const TERMINAL: [&str; 4] = ["run_completed", "run_failed", "run_partial_success", "run_cancelled"];

/// The events that the program announced as it ran: each was durable by then.
pub fn announced(stdout: &str) -> Vec<Value> {
    // A line without its end was not said.
    let whole = stdout.rfind('\n').map_or("", |end| &stdout[..end]);
    let lines = whole.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["seq"].is_u64()).collect()
}

/// Closes what was left open, then checks everything.
pub fn check(place: &Place, announced: &[Value]) {
    let listed = place.recover();
    assert_eq!(listed["issues"].as_array().map_or(0, Vec::len), 0, "{listed}");
    let journals: Vec<Vec<Value>> = place.runs().iter().filter_map(|run| check_run(run)).collect();
    assert_eq!(
        listed["runs"].as_array().map_or(0, Vec::len),
        journals.len(),
        "{listed}"
    );
    check_announced(&journals, announced);
    let kept = check_chat(place);
    let said = journals
        .iter()
        .flatten()
        .filter(|event| event["type"] == "chat_commit_completed")
        .count();
    assert_eq!(said, kept, "the journals and the chat tell of different commits");
    check_states(place);
}

/// No event that was announced is missing or another one.
fn check_announced(journals: &[Vec<Value>], announced: &[Value]) {
    let Some(first) = announced.first() else { return };
    let journal = journals.iter().find(|events| events[0]["id"] == first["id"]);
    let journal = journal.expect("a run that was announced has a journal");
    assert!(
        journal.len() >= announced.len(),
        "{} events are lost",
        announced.len() - journal.len()
    );
    for (kept, said) in journal.iter().zip(announced) {
        assert_eq!(kept, said);
    }
}

/// The events of a run; none where it never began.
fn check_run(run: &Path) -> Option<Vec<Value>> {
    let text = std::fs::read_to_string(run.join("events.jsonl")).unwrap_or_default();
    if !text.contains('\n') {
        return None;
    }
    check_chain(&text);
    let events = stored(run);
    check_numbers(&events);
    check_ends(&events);
    check_checkpoints(run, &events);
    check_tidy(run);
    Some(events)
}

/// The events of a run's journal, as readers see them.
pub fn stored(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("events.jsonl")).unwrap();
    text.lines().map(event).collect()
}

/// A stored line as readers see it.
fn event(line: &str) -> Value {
    let mut event: Value = serde_json::from_str(line).unwrap();
    event.as_object_mut().unwrap().remove("chain");
    event
}

fn check_chain(text: &str) {
    assert!(text.ends_with('\n'), "a torn line is left");
    let mut previous = "0".repeat(16);
    for line in text.lines() {
        let (body, chain) = line
            .strip_suffix("\"}")
            .and_then(|line| line.rsplit_once(",\"chain\":\""))
            .unwrap();
        let digest = hex(format!("{previous}{body}}}").as_bytes());
        assert_eq!(chain, &digest[..16], "{line}");
        chain.clone_into(&mut previous);
    }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn check_numbers(events: &[Value]) {
    let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
}

/// What begins, what ends it, and by which member of the payload the two belong together.
const PAIRS: [(&str, &[&str], &str); 5] = [
    (
        "tool_call_requested",
        &["tool_call_completed", "tool_call_failed"],
        "callId",
    ),
    (
        "tool_call_awaiting_approval",
        &["tool_call_approved", "tool_call_denied"],
        "approvalId",
    ),
    (
        "chat_commit_requested",
        &["chat_commit_completed", "chat_commit_failed"],
        "commitId",
    ),
    (
        "persistent_state_metadata_update_requested",
        &[
            "persistent_state_metadata_updated",
            "persistent_state_metadata_update_failed",
        ],
        "updateId",
    ),
    (
        "agent_invocation_created",
        &[
            "agent_invocation_completed",
            "agent_invocation_failed",
            "agent_invocation_cancelled",
        ],
        "invocationId",
    ),
];

/// Whatever began has one end, and so has the run.
pub fn check_ends(events: &[Value]) {
    let named = |kinds: &[&str], member: &str| -> Vec<&str> {
        let of_kind = events
            .iter()
            .filter(|event| kinds.contains(&event["type"].as_str().unwrap()));
        let mut names: Vec<&str> = of_kind
            .map(|event| event["payload"][member].as_str().unwrap())
            .collect();
        names.sort_unstable();
        names
    };
    for (start, ends, member) in PAIRS {
        let begun = named(&[start], member);
        let mut ended = named(ends, member);
        // What nobody was asked about may be approved all the same.
        ended.retain(|name| begun.contains(name));
        assert_eq!(begun, ended, "{start}");
    }
    let is_end = |event: &&Value| TERMINAL.contains(&event["type"].as_str().unwrap());
    assert_eq!(events.iter().filter(is_end).count(), 1);
}

/// Every checkpoint that exists is whole, and every one that the journal names exists.
fn check_checkpoints(run: &Path, events: &[Value]) {
    let checkpoints = run.join("checkpoints");
    for folder in folders(&checkpoints) {
        if !folder.file_name().unwrap().to_str().unwrap().starts_with("cp_") {
            continue;
        }
        let list: Value = serde_json::from_slice(&std::fs::read(folder.join("checkpoint.json")).unwrap()).unwrap();
        for file in list["files"].as_array().unwrap() {
            let digest = file["sha256"].as_str().unwrap();
            let blob = std::fs::read(checkpoints.join("blobs").join(digest)).unwrap();
            assert_eq!(hex(&blob), digest, "{file}");
        }
    }
    for event in events.iter().filter(|event| event["type"] == "checkpoint_created") {
        let id = event["payload"]["checkpointId"].as_str().unwrap();
        assert!(checkpoints.join(id).join("checkpoint.json").exists(), "{id}");
    }
}

/// Nothing half done is left in the run's folder.
fn check_tidy(run: &Path) {
    let mut left = Vec::new();
    let mut open = vec![run.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if name.ends_with(".tmp") || name.ends_with(".repair") || name.starts_with(".staging") {
                left.push(path.clone());
            }
            if path.is_dir() {
                open.push(path);
            }
        }
    }
    assert_eq!(left, [] as [std::path::PathBuf; 0]);
}

/// The old lines stand, but for the token in the header; every run has put in one line at most. Returns the number of commits.
fn check_chat(place: &Place) -> usize {
    let after = std::fs::read_to_string(place.chat()).unwrap();
    let (old_header, old) = place.before().split_once('\n').unwrap();
    let (header, new) = after.split_once('\n').unwrap();
    assert_eq!(without_token(old_header), without_token(header));
    // Compared as a whole: a chat may have very many lines.
    let added = new.strip_prefix(old).expect("a line of the chat has changed");
    let added: Vec<&str> = match added.strip_prefix('\n') {
        Some(added) => added.lines().collect(),
        None => {
            assert_eq!(added, "", "the last line of the chat has changed");
            Vec::new()
        }
    };
    assert!(added.len() <= place.runs().len(), "{added:?}");
    let commits = |line: &&str| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["extra"]["tauritavern"]["agent"]["commits"]
            .as_array()
            .unwrap()
            .len()
    };
    added.iter().map(commits).sum()
}

fn without_token(header: &str) -> Value {
    let mut header: Value = serde_json::from_str(header).unwrap();
    if let Some(metadata) = header["chat_metadata"].as_object_mut() {
        metadata.remove("integrity");
    }
    header
}

/// A persistent state is there whole or not at all.
fn check_states(place: &Place) {
    for chat in folders(&place.workspaces().join("chats")) {
        for state in folders(&chat.join("persistent-states")) {
            let manifest: Value = serde_json::from_slice(&std::fs::read(state.join("manifest.json")).unwrap()).unwrap();
            for file in manifest["files"].as_array().unwrap() {
                let bytes = std::fs::read(state.join(file["path"].as_str().unwrap())).unwrap();
                assert_eq!(hex(&bytes), file["sha256"].as_str().unwrap(), "{file}");
            }
        }
    }
}
