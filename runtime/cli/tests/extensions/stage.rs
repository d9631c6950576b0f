//! A data root, packages to put into it, and the program over them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::Command;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::guest::{Guest, RANDOM};

/// Longer than any command here may take, also on a busy machine: what takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where everything of a test lies.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("data")).unwrap();
        std::fs::write(folder.path().join("chat.jsonl"), include_str!("../../demo/ferry.jsonl")).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path("data/extensions")
    }

    pub(crate) fn lock_file(&self) -> PathBuf {
        self.home().join("extensions.lock.json")
    }

    /// A package's folder with this version and component.
    pub(crate) fn package(&self, version: &str, guest: &Guest) -> PathBuf {
        let folder = self.path(&format!("mood-{version}"));
        let bytes = guest.bytes();
        std::fs::create_dir_all(folder.join("cases")).unwrap();
        std::fs::write(folder.join("mood.wasm"), &bytes).unwrap();
        std::fs::write(folder.join("README.md"), "A tool.").unwrap();
        std::fs::write(folder.join("cases/one.toml"), "title = 'one'\n").unwrap();
        std::fs::write(folder.join("extension.toml"), manifest(version, guest, &bytes)).unwrap();
        folder
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::cargo_bin("innkeeper").unwrap();
        command
            .env("INNKEEPER_DATA", self.path("data"))
            .env_remove("NO_COLOR")
            .timeout(PATIENCE);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.command().args(arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let (code, stdout, stderr) = self.run(&[arguments, &["--json"]].concat());
        let value = serde_json::from_str(&stdout);
        (code, value.unwrap_or_else(|e| panic!("{e}: {stdout}{stderr}")))
    }

    /// Installs a package; what the program says.
    pub(crate) fn install(&self, package: &Path, more: &[&str]) -> (Option<i32>, Value) {
        self.json(&[&["extension", "install", package.to_str().unwrap()], more].concat())
    }

    /// The only extension that is installed.
    pub(crate) fn extension(&self) -> Value {
        let (code, list) = self.json(&["extension", "list"]);
        assert_eq!(code, Some(0));
        let extensions = list["extensions"].as_array().unwrap();
        assert_eq!(extensions.len(), 1, "{list}");
        extensions[0].clone()
    }

    /// A background run in which the model calls the tool and ends; the exit code and the events.
    pub(crate) fn chat_run(&self, more: &[&str]) -> (Option<i32>, Vec<Value>) {
        let turns = json!({"turns": [
            {"calls": [{"name": "ext__mood__hostile_act", "arguments": {}}]},
            {"calls": [{"name": "workspace_finish", "arguments": {}}]},
        ]});
        std::fs::write(self.path("turns.json"), turns.to_string()).unwrap();
        let model = format!("scripted:{}", self.path("turns.json").display());
        let chat = self.path("chat.jsonl");
        let fixed = [
            "run",
            "--background",
            "--json",
            "--model",
            &model,
            "--chat",
            chat.to_str().unwrap(),
        ];
        let (code, stdout, stderr) = self.run(&[&fixed, more].concat());
        let lines = stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {stderr}")));
        (code, lines.collect())
    }
}

/// Type and code of the last event of the tool's call.
pub(crate) fn ended(events: &[Value]) -> (String, String) {
    let is_end = |event: &&Value| {
        ["tool_call_completed", "tool_call_failed"].contains(&event["type"].as_str().unwrap_or_default())
            && event["payload"]["toolId"] == "extension/mood:hostile.act"
    };
    let end = events
        .iter()
        .find(is_end)
        .unwrap_or_else(|| panic!("no call ended: {events:?}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&end["type"]), text(&end["payload"]["errorCode"]))
}

fn manifest(version: &str, guest: &Guest, component: &[u8]) -> String {
    let digest: String = Sha256::digest(component)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let asks = match guest.imports {
        RANDOM => "[capabilities]\nrandom = \"To choose at random.\"\n",
        _ => "",
    };
    format!(
        "id = \"mood\"\nversion = \"{version}\"\npublisher = \"Lantern Press\"\ndescription = \"Tells moods.\"\nwit = \"0.1.0\"\n\
         component = \"mood.wasm\"\nsha256 = \"{digest}\"\n{asks}"
    )
}
