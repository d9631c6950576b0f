//! The program as a person or a script meets it: exit codes, one JSON value, and input that is bad in every way.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect shall fail"
)]

mod approvals;
mod bad_input;
mod cases;
mod extension;
mod prompt;
mod rollbacks;
mod runs;
mod streaming;
mod tools;

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;

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

/// A built-in component's file, which serves as a stranger's.
fn built_in(family: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../builtins/components/{family}.wasm"))
}

fn error_code(stdout: &str) -> String {
    let value: Value = serde_json::from_str(stdout).unwrap();
    value["error"]["code"].as_str().unwrap_or_default().to_owned()
}

fn chat(folder: &Path) -> String {
    let path = folder.join("chat.jsonl");
    std::fs::write(&path, include_str!("../../demo/ferry.jsonl")).unwrap();
    path.to_str().unwrap().to_owned()
}

fn script(folder: &Path, value: &Value) -> String {
    let path = folder.join("turns.json");
    std::fs::write(&path, value.to_string()).unwrap();
    format!("scripted:{}", path.to_str().unwrap())
}
