//! Calls that a person must agree to: at a terminal, and from another process.
//!
//! `script` of util-linux gives the program a terminal of its own.

#![cfg(target_os = "linux")]

use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{chat, run, script};

/// The program at a terminal of its own.
pub(crate) fn at_a_terminal(data: &Path, arguments: &[&str]) -> Child {
    let program = assert_cmd::cargo::cargo_bin("innkeeper");
    let words = [program.to_str().unwrap(), "--data", data.to_str().unwrap()];
    let quoted = words.iter().chain(arguments).map(|word| format!("'{word}'"));
    let command = quoted.collect::<Vec<_>>().join(" ");
    Command::new("script")
        .args(["-qfec", &command, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

struct Ground {
    folder: TempDir,
    chat: String,
    model: String,
}

impl Ground {
    /// A run whose first call is behind an approval by the user's policy.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let chat = chat(folder.path());
        let write = json!({"id": "c1", "name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "Caught."}});
        let turns = json!({"turns": [
            {"calls": [write]},
            {"calls": [{"id": "c2", "name": "workspace_commit", "arguments": {}}]},
            {"calls": [{"id": "c3", "name": "workspace_finish", "arguments": {}}]},
            {"text": "a"}, {"text": "b"},
        ]});
        let model = script(folder.path(), &turns);
        let ground = Self { folder, chat, model };
        let (code, _, stderr) = run(&ground.data(), &["policy", "ask", "builtin:workspace.write_file"]);
        assert_eq!(code, Some(0), "{stderr}");
        ground
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The run at a terminal.
    fn at_a_terminal(&self) -> Child {
        at_a_terminal(&self.data(), &["run", "--chat", &self.chat, "--model", &self.model])
    }

    /// Waits until a call of some run waits for a person; gives the run.
    fn waiting(&self) -> String {
        for _ in 0..LOOKS {
            let (_, stdout, _) = run(&self.data(), &["runs", "list", "--json"]);
            let runs: Value = serde_json::from_str(&stdout).unwrap();
            if let Some(id) = runs["runs"][0]["runId"].as_str() {
                let (_, events, _) = run(&self.data(), &["runs", "events", id, "--json"]);
                if events.contains("tool_call_awaiting_approval") {
                    return id.to_owned();
                }
            }
        }
        String::new()
    }
}

/// How often a run is looked at before its question is missed; a look starts a program.
pub(crate) const LOOKS: usize = 2_000;

/// Reads what the terminal shows until a line holds this.
pub(crate) fn read_until(output: &mut impl std::io::BufRead, wanted: &str) -> String {
    let mut seen = String::new();
    let mut line = String::new();
    while output.read_line(&mut line).unwrap() > 0 {
        seen.push_str(&line);
        if line.contains(wanted) {
            return seen;
        }
        line.clear();
    }
    assert!(seen.contains(wanted), "{wanted:?} is not in {seen}");
    seen
}

#[test]
fn the_person_at_the_terminal_sees_the_change_and_says_yes() {
    let ground = Ground::new();
    let mut child = ground.at_a_terminal();
    let mut shown = BufReader::new(child.stdout.take().unwrap());
    let question = read_until(&mut shown, "y: this once");
    assert!(question.contains("+Caught."), "{question}");
    assert!(
        question.contains("your policy asks before this tool is called"),
        "{question}"
    );
    let mut keys = child.stdin.take().unwrap();
    keys.write_all(b"maybe\ny\n").unwrap();
    read_until(&mut shown, "run completed");
    drop(keys);
    assert!(child.wait().unwrap().success());
    assert!(std::fs::read_to_string(&ground.chat).unwrap().contains("Caught."));
}

#[test]
fn another_process_denies_and_the_run_goes_on() {
    let ground = Ground::new();
    let mut child = ground.at_a_terminal();
    let run_id = ground.waiting();
    let (code, stdout, stderr) = run(
        &ground.data(),
        &["runs", "deny", &run_id, "c1", "--reason", "Not yet.", "--json"],
    );
    assert_eq!(code, Some(0), "{stderr}");
    let answered: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&answered["approved"], &answered["callId"]),
        (&json!(false), &json!("c1"))
    );
    child.wait().unwrap();
    let (_, events, _) = run(&ground.data(), &["runs", "events", &run_id, "--limit", "500", "--json"]);
    assert!(
        events.contains("tool.approval_denied") && events.contains("Not yet."),
        "{events}"
    );
    let (code, stdout, _) = run(&ground.data(), &["runs", "approve", &run_id, "c1", "--json"]);
    assert_eq!(
        (code, super::error_code(&stdout).as_str()),
        (Some(2), "agent.approval_not_pending")
    );
}

#[test]
fn another_process_cancels_a_run_that_waits() {
    let ground = Ground::new();
    let mut child = ground.at_a_terminal();
    let run_id = ground.waiting();
    let (code, _, stderr) = run(&ground.data(), &["runs", "cancel", &run_id]);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let (_, stdout, _) = run(&ground.data(), &["runs", "show", &run_id, "--json"]);
    assert!(stdout.contains("\"cancelled\""), "{stdout}");
}

#[test]
fn without_a_terminal_nobody_is_there_and_always_agrees_for_everybody() {
    let ground = Ground::new();
    for (approve, code) in [("ask", "tool.approval_unavailable"), ("always", "\"by\":\"policy\"")] {
        let arguments = [
            "run",
            "--chat",
            &ground.chat,
            "--model",
            &ground.model,
            "--approve",
            approve,
            "--json",
        ];
        let (_, stdout, _) = run(&ground.data(), &arguments);
        assert!(stdout.contains(code), "{approve}: {stdout}");
    }
}
