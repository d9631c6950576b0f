//! `demo`, `run` and `runs`: whole runs with the scripted model.

use std::path::Path;

use serde_json::{Value, json};

use super::{chat, run, script, shared};

#[test]
fn the_demonstration_completes_and_every_call_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let keep = folder.path().join("tour");
    let (code, stdout, stderr) = run(shared(), &["demo", "--json", "--keep", keep.to_str().unwrap()]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let lines: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count();
    assert_eq!(
        (
            count("tool_call_completed"),
            count("tool_call_failed"),
            count("run_completed")
        ),
        (12, 0, 1)
    );
    let last = lines.last().unwrap();
    assert_eq!(last["run"]["status"], "completed");
    assert!(
        last["demo"]["message"]["text"]
            .as_str()
            .unwrap()
            .contains("Then the ringing stops.")
    );
    let results = Path::new(last["run"]["folder"].as_str().unwrap()).join("tool-results");
    let is_roll = |text: &String| text.contains("1d20+3 -> 18 + 3 = 21");
    let files = std::fs::read_dir(results)
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    assert_eq!(
        files.filter(is_roll).count(),
        1,
        "the roll is not the one that the script tells of"
    );
    let (code, _, stderr) = run(shared(), &["demo", "--keep", keep.to_str().unwrap()]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("is not empty"), "{stderr}");
}

#[test]
fn a_run_commits_into_the_chat_and_can_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let chat = chat(folder.path());
    let model = script(
        folder.path(),
        &json!({"turns": [
            {"calls": [{"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "Caught."}}]},
            {"calls": [{"name": "workspace_commit", "arguments": {}}]},
            {"calls": [{"name": "workspace_finish", "arguments": {}}]},
        ]}),
    );
    let data = folder.path().join("data");
    let (code, stdout, _) = run(&data, &["run", "--chat", &chat, "--model", &model]);
    assert_eq!(code, Some(0), "{stdout}");
    assert!(stdout.contains("completed") && !stdout.contains('\u{1b}'), "{stdout}");
    assert!(std::fs::read_to_string(&chat).unwrap().contains("\"mes\":\"Caught.\""));

    let (_, stdout, _) = run(&data, &["runs", "list", "--chat", &chat, "--json"]);
    let list: Value = serde_json::from_str(&stdout).unwrap();
    let id = list["runs"][0]["runId"].as_str().unwrap();
    let (code, stdout, _) = run(&data, &["runs", "show", id, "--json"]);
    let shown: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &shown["run"]["status"]), (Some(0), &json!("completed")));
    let (code, stdout, _) = run(&data, &["runs", "events", id, "--follow", "--json"]);
    assert_eq!(code, Some(0));
    assert!(stdout.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    assert!(stdout.contains("\"run_completed\""));
}

/// A run that wrote a draft, a second text, and committed that; its id.
pub(crate) fn two_drafts(data: &Path, folder: &Path) -> String {
    let write = |text: &str| json!({"calls": [{"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": text}}]});
    let model = script(
        folder,
        &json!({"turns": [
            write("A draft.\n"),
            write("Caught.\n"),
            {"calls": [{"name": "workspace_commit", "arguments": {}}]},
            {"calls": [{"name": "workspace_finish", "arguments": {}}]},
        ]}),
    );
    let (code, stdout, stderr) = run(data, &["run", "--json", "--chat", &chat(folder), "--model", &model]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    let last: Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    last["run"]["runId"].as_str().unwrap().to_owned()
}

#[test]
fn the_files_of_two_moments_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let id = two_drafts(&data, folder.path());
    let (code, stdout, _) = run(&data, &["runs", "diff", &id, "--from", "cp_000001", "--json"]);
    let found: Value = serde_json::from_str(&stdout).unwrap();
    let file = &found["files"][0];
    assert_eq!(
        (code, &found["from"], &found["to"], &found["truncated"]),
        (Some(0), &json!("cp_000001"), &Value::Null, &json!(false))
    );
    assert_eq!(
        (&file["path"], &file["kind"], &file["addedLines"], &file["removedLines"]),
        (&json!("output/main.md"), &json!("modified"), &json!(1), &json!(1))
    );
    let diff = file["diff"].as_str().unwrap();
    assert!(diff.ends_with("@@ -1 +1 @@\n-A draft.\n+Caught.\n"), "{diff}");
    let (_, stdout, _) = run(&data, &["runs", "diff", &id, "--to", "cp_000001"]);
    assert_eq!(stdout, "A output/main.md  +1 -0\n@@ -0,0 +1 @@\n+A draft.\n");
    let (code, stdout, _) = run(&data, &["runs", "diff", &id, "--from", "cp_000099", "--json"]);
    assert_eq!(
        (code, super::error_code(&stdout).as_str()),
        (Some(2), "agent.checkpoint_not_found")
    );
}

#[test]
fn without_a_terminal_a_rollback_is_denied_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let id = two_drafts(&data, folder.path());
    let (code, stdout, stderr) = run(&data, &["runs", "rollback", &id, "--to", "cp_000001", "--json"]);
    assert_eq!(
        (code, super::error_code(&stdout).as_str()),
        (Some(3), "tool.approval_unavailable")
    );
    assert!(stderr.contains("nobody is there"), "{stderr}");
    let (_, stdout, _) = run(&data, &["runs", "show", &id, "--json"]);
    let shown: Value = serde_json::from_str(&stdout).unwrap();
    let file = Path::new(shown["run"]["folder"].as_str().unwrap()).join("output/main.md");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "Caught.\n");
}

#[cfg(unix)]
#[test]
fn a_run_of_another_process_is_followed_to_its_end() {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Child, Command, Stdio};

    let folder = tempfile::tempdir().unwrap();
    let model = script(folder.path(), &json!({"turns": [{"text": "late", "delayMs": 600_000}]}));
    let start = |arguments: &[&str]| {
        Command::new(assert_cmd::cargo::cargo_bin("innkeeper"))
            .args(arguments)
            .env("INNKEEPER_DATA", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let lines = |child: &mut Child| {
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap())
    };
    let mut running = start(&["run", "--json", "--chat", &chat(folder.path()), "--model", &model]);
    let mut told = lines(&mut running);
    let first = told.find(|line| line["type"] == "model_call_attempt_started").unwrap();
    let mut follower = start(&["runs", "events", first["runId"].as_str().unwrap(), "--follow", "--json"]);
    let mut events = lines(&mut follower);
    assert!(events.any(|line| line["type"] == "model_call_attempt_started"));
    let kill = Command::new("kill")
        .args(["-INT", &running.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    let rest: Vec<Value> = events.collect();
    assert!(rest.iter().any(|line| line["type"] == "run_cancelled"), "{rest:?}");
    assert_eq!(
        (follower.wait().unwrap().code(), running.wait().unwrap().code()),
        (Some(0), Some(130))
    );
}

#[test]
fn a_failed_run_has_exit_code_1_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let model = script(folder.path(), &json!({"turns": [{"error": {"kind": "unauthorized"}}]}));
    let (code, stdout, _) = run(
        folder.path(),
        &["run", "--chat", &chat(folder.path()), "--model", &model, "--json"],
    );
    let last: Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    assert_eq!((code, &last["run"]["status"]), (Some(1), &json!("failed")));
    assert!(last["run"]["error"]["code"].is_string(), "{last}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_cancels_the_run_properly() {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    let folder = tempfile::tempdir().unwrap();
    let model = script(folder.path(), &json!({"turns": [{"text": "late", "delayMs": 600_000}]}));
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("innkeeper"))
        .args(["run", "--json", "--chat", &chat(folder.path()), "--model", &model])
        .env("INNKEEPER_DATA", folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("model_call_attempt_started")));
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    let last: Value = serde_json::from_str(&lines.last().unwrap()).unwrap();
    assert_eq!(last["run"]["status"], "cancelled");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// A profile that may roll dice, in at most six rounds.
fn dice_profile(folder: &Path) -> String {
    let path = folder.join("profile.json");
    let tools = [
        "dice.roll",
        "workspace.write_file",
        "workspace.commit",
        "workspace.finish",
    ]
    .map(|name| format!("builtin:{name}"));
    let profile = json!({
        "schemaVersion": 3, "kind": "tauritavern.agentProfile", "id": "roller", "displayName": "Roller",
        "preset": {"mode": "currentPromptSnapshot"}, "model": {"mode": "currentPromptSnapshot"}, "run": {"presentation": "foreground"},
        "tools": {"allow": tools, "maxRounds": 6}, "skills": {"visible": ["*"]},
        "workspace": {"visibleRoots": ["output"], "writableRoots": ["output"]}, "plan": {"mode": "none"},
        "output": {"artifacts": [{"id": "main", "path": "output/main.md", "kind": "markdown", "target": "messageBody"}]},
    });
    std::fs::write(&path, profile.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Rolls once, writes and ends.
fn rolling(folder: &Path) -> String {
    script(
        folder,
        &json!({"turns": [
            {"calls": [{"name": "dice_roll", "arguments": {"formula": "9d1000"}}]},
            {"calls": [{"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "Caught."}}]},
            {"calls": [{"name": "workspace_commit", "arguments": {}}]},
            {"calls": [{"name": "workspace_finish", "arguments": {}}]},
        ]}),
    )
}

#[test]
fn one_seed_gives_the_same_rolls_in_every_run() {
    let folder = tempfile::tempdir().unwrap();
    let (profile, model) = (dice_profile(folder.path()), rolling(folder.path()));
    let roll = |seed: &str| {
        let chat = chat(folder.path());
        let line = [
            "run",
            "--json",
            "--chat",
            &chat,
            "--model",
            &model,
            "--profile",
            &profile,
            "--seed",
            seed,
        ];
        let (code, stdout, stderr) = run(folder.path(), &line);
        assert_eq!(code, Some(0), "{stdout}{stderr}");
        let last: Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
        let results = Path::new(last["run"]["folder"].as_str().unwrap()).join("tool-results");
        let texts = std::fs::read_dir(results)
            .unwrap()
            .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
        let rolled = texts
            .map(|text| serde_json::from_str::<Value>(&text).unwrap())
            .find(|result| result["structured"]["total"].is_u64());
        rolled.unwrap()["structured"].clone()
    };
    assert_eq!(roll("3"), roll("3"));
    assert_ne!(roll("3"), roll("4"));
}

#[test]
fn more_rounds_than_the_profile_allows_are_told_and_not_given() {
    let folder = tempfile::tempdir().unwrap();
    let (profile, model) = (dice_profile(folder.path()), rolling(folder.path()));
    let notes = |rounds: &str, more: &[&str]| {
        let chat = chat(folder.path());
        let line = [
            "run",
            "--chat",
            &chat,
            "--model",
            &model,
            "--profile",
            &profile,
            "--max-rounds",
            rounds,
        ];
        let (code, _, stderr) = run(folder.path(), &[&line, more].concat());
        (code, stderr)
    };
    let note = "note: --max-rounds 7 is more than the profile allows; the run has at most 6 rounds\n";
    assert_eq!(notes("7", &[]), (Some(0), note.to_owned()));
    assert_eq!(notes("6", &[]), (Some(0), String::new()));
    assert_eq!(notes("7", &["--quiet"]), (Some(0), String::new()));
}
