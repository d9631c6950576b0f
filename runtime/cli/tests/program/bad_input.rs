//! Input that is wrong, missing, of the wrong kind or cut off: a clear error, and nothing hangs.

use assert_cmd::Command;

use super::{PATIENCE, SHARED, chat, error_code, innkeeper, run, shared, told};

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
        &["extension", "check", pipe],
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
        &["extension", "check"],
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
