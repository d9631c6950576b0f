//! The program as a person or a script meets it: exit codes, one JSON value, and input that is bad in every way.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect shall fail"
)]

use std::path::Path;
use std::process::Output;
use std::time::Duration;

use assert_cmd::Command;
use serde_json::{Value, json};

/// A data root that tests share, so that components are compiled once. Nothing but compiled components is kept in it.
const SHARED: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/innkeeper-cli");

/// Longer than any command here may take, also on a busy machine: what takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

fn innkeeper(data: &Path) -> Command {
    let mut command = Command::cargo_bin("innkeeper").unwrap();
    command
        .env("INNKEEPER_DATA", data)
        .env_remove("NO_COLOR")
        .env_remove("INNKEEPER_API_KEY")
        .timeout(PATIENCE);
    command
}

fn shared() -> &'static Path {
    Path::new(SHARED)
}

fn run(data: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    told(&innkeeper(data).args(arguments).output().unwrap())
}

fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn error_code(stdout: &str) -> String {
    let value: Value = serde_json::from_str(stdout).unwrap();
    value["error"]["code"].as_str().unwrap_or_default().to_owned()
}

fn chat(folder: &Path) -> String {
    let path = folder.join("chat.jsonl");
    std::fs::write(&path, include_str!("../demo/ferry.jsonl")).unwrap();
    path.to_str().unwrap().to_owned()
}

fn script(folder: &Path, value: &Value) -> String {
    let path = folder.join("turns.json");
    std::fs::write(&path, value.to_string()).unwrap();
    format!("scripted:{}", path.to_str().unwrap())
}

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
        (10, 0, 1)
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

#[test]
fn wrong_usage_is_exit_code_2_with_one_json_value() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.jsonl");
    let missing = missing.to_str().unwrap();
    let dir = folder.path().to_str().unwrap();
    let chat = chat(folder.path());
    for (arguments, expected) in [
        (&["serve"][..], "cli.usage"),
        (&["tools", "call", "dice.roll", "--no-such-flag"], "cli.usage"),
        (&["tools", "call", "no.such_tool"], "tool.not_found"),
        (
            &["tools", "call", "dice.roll", "--args", "{\"formula\""],
            "cli.invalid_json",
        ),
        (
            &["tools", "call", "dice.roll", "--args", "@/no/such/file"],
            "cli.file_unreadable",
        ),
        (&["tools", "call", "dice.roll", "--args", "@/"], "cli.file_not_regular"),
        (
            &["tools", "call", "dice.roll", "--component", dir],
            "cli.file_not_regular",
        ),
        (&["tools", "call", "chat.search", "--chat", missing], "chat.not_found"),
        (
            &["tools", "call", "dice.roll", "--visible", "attic"],
            "agent.profile_workspace_root_invalid",
        ),
        (&["tools", "script", "/no/such/file"], "cli.file_unreadable"),
        (&["run", "--chat", missing, "--model", "openai:x"], "chat.not_found"),
        (
            &["run", "--chat", &chat, "--model", "nonsense"],
            "agent.validation_error",
        ),
        (
            &["run", "--chat", &chat, "--model", "scripted:/no/such"],
            "agent.validation_error",
        ),
        (
            &["run", "--chat", &chat, "--model", "openai:x", "--stream"],
            "model.stream_unsupported",
        ),
        (
            &["run", "--chat", &chat, "--model", "openai:x", "--approve", "always"],
            "cli.unsupported",
        ),
        (
            &["run", "--chat", &chat, "--model", "openai:x", "--profile", "poet"],
            "agent.profile_not_found",
        ),
        (&["runs", "show", "run_nowhere"], "agent.not_found"),
    ] {
        let (code, stdout, stderr) = run(shared(), &[arguments, &["--json"]].concat());
        assert_eq!(
            (code, error_code(&stdout).as_str()),
            (Some(2), expected),
            "{arguments:?} {stderr}"
        );
        assert!(stderr.starts_with("error: "), "{arguments:?} {stderr}");
    }
}

#[test]
fn an_error_for_the_model_is_a_result_with_exit_code_1() {
    let (code, stdout, stderr) = run(shared(), &["tools", "call", "dice.roll", "--args", "{}", "--json"]);
    let result: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, stderr.as_str()), (Some(1), ""));
    assert_eq!(
        (&result["isError"], &result["errorCode"]),
        (&json!(true), &json!("tool.invalid_arguments"))
    );
}

#[test]
fn a_script_shares_what_was_read_and_lists_what_it_did_not_carry_out() {
    let folder = tempfile::tempdir().unwrap();
    let calls = json!([
        {"tool": "workspace.write_file", "arguments": {"path": "output/main.md", "content": "one two"}},
        {"tool": "workspace_apply_patch", "arguments": {"path": "output/main.md", "old_string": "two", "new_string": "three"}},
        {"tool": "builtin:workspace.commit", "arguments": {}},
        {"tool": "workspace.finish"},
    ]);
    let workspace = folder.path().join("w");
    let output = innkeeper(shared())
        .args([
            "tools",
            "script",
            "-",
            "--json",
            "--workspace",
            workspace.to_str().unwrap(),
        ])
        .write_stdin(calls.to_string())
        .output()
        .unwrap();
    let (code, stdout, stderr) = told(&output);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
    let results: Vec<Value> = serde_json::from_str(&stdout).unwrap();
    let effects: Vec<&Value> = results
        .iter()
        .flat_map(|result| result["effects"].as_array().unwrap())
        .collect();
    let types: Vec<&str> = effects.iter().map(|effect| effect["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["write", "patch", "commit", "finish"]);
    assert_eq!(
        std::fs::read_to_string(workspace.join("output/main.md")).unwrap(),
        "one three"
    );
}

#[test]
fn a_profile_that_denies_a_tool_is_exit_code_3() {
    let arguments = [
        "tools",
        "call",
        "dice.roll",
        "--args",
        "{\"formula\":\"d6\"}",
        "--profile",
        "default-writer",
        "--json",
    ];
    let (code, stdout, _) = run(shared(), &arguments);
    assert_eq!(
        (code, error_code(&stdout).as_str()),
        (Some(3), "agent.tool_policy_denied")
    );
}

#[test]
fn a_megabyte_of_arguments_is_no_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let content = "渡".repeat(350_000);
    std::fs::write(&path, json!({"path": "output/main.md", "content": content}).to_string()).unwrap();
    let arguments = format!("@{}", path.to_str().unwrap());
    let (code, stdout, _) = run(
        folder.path(),
        &["tools", "call", "workspace.write_file", "--args", &arguments, "--json"],
    );
    let result: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (code, &result["effects"][0]["chars"]),
        (Some(0), &json!(350_000)),
        "{result}"
    );
}

#[test]
fn one_seed_gives_the_same_roll_and_a_lowered_limit_counts() {
    let roll = |more: &[&str]| {
        let line = [
            "tools",
            "call",
            "dice.roll",
            "--args",
            "{\"formula\":\"9d1000\"}",
            "--json",
            "--seed",
            "3",
        ];
        let (_, stdout, _) = run(shared(), &[&line, more].concat());
        serde_json::from_str::<Value>(&stdout).unwrap()
    };
    assert_eq!(roll(&[])["structured"], roll(&[])["structured"]);
    assert_eq!(roll(&["--limit", "host-calls=2"])["errorCode"], "tool.host_call_limit");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let pipe = pipe.to_str().unwrap();
    let at_pipe = format!("@{pipe}");
    let scripted = format!("scripted:{pipe}");
    for arguments in [
        &["tools", "call", "dice.roll", "--args", &at_pipe][..],
        &["tools", "call", "dice.roll", "--component", pipe],
        &["tools", "call", "dice.roll", "--profile", pipe],
        &["tools", "call", "chat.search", "--chat", pipe],
        &["tools", "script", pipe],
        &["run", "--chat", pipe, "--model", "openai:x"],
        &["run", "--chat", &chat(folder.path()), "--model", &scripted],
    ] {
        let (code, _, stderr) = run(shared(), arguments);
        assert_eq!(code, Some(2), "{arguments:?} {stderr}");
    }
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_unicode_are_refused_or_taken_as_paths() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let odd = OsStr::from_bytes(b"\xff\xfe");
    for line in [
        &["tools", "show"][..],
        &["tools", "call", "chat.search", "--chat"],
        &["runs", "list", "--chat"],
    ] {
        let output = innkeeper(shared()).args(line).arg(odd).output().unwrap();
        assert_eq!(told(&output).0, Some(2), "{line:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let program = assert_cmd::cargo::cargo_bin("innkeeper");
    let line = format!("set -o pipefail; '{}' tools list --json | true", program.display());
    let output = Command::new("bash")
        .args(["-c", &line])
        .env("INNKEEPER_DATA", SHARED)
        .timeout(PATIENCE)
        .output();
    assert_eq!(told(&output.unwrap()), (Some(0), String::new(), String::new()));
}

#[test]
fn a_data_root_that_cannot_be_made_stops_no_tool() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let data = file.join("below");
    assert_eq!(run(&file, &["runs", "list", "--json"]).0, Some(2));
    let (code, _, _) = run(
        &data,
        &["tools", "call", "dice.roll", "--args", "{\"formula\":\"d6\"}", "-q"],
    );
    assert_eq!(code, Some(0));
    let (code, _, stderr) = run(&data, &["run", "--chat", &chat(folder.path()), "--model", "openai:x"]);
    assert!(matches!(code, Some(1 | 2)), "{stderr}");
}

#[test]
fn colours_are_for_terminals_or_on_request() {
    assert!(!run(shared(), &["tools", "list"]).1.contains('\u{1b}'));
    assert!(
        run(shared(), &["tools", "list", "--color", "always"])
            .1
            .contains('\u{1b}')
    );
}
