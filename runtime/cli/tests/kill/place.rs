//! Where the program is killed: a data root, a chat of any length, and a script of what the model says.
//!
//! It judges nothing.

use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};

/// What of a place is kept aside and put back: the data root without the compiled components, and the chat.
const KEPT: [&str; 2] = ["data/_tauritavern", "stories"];

/// A data root and a chat.
pub struct Place {
    folder: tempfile::TempDir,
    before: Arc<str>,
}

impl Place {
    /// A place with this chat and this script.
    pub fn new(chat: &str, turns: &Value) -> Self {
        let place = Self::empty(chat.into());
        std::fs::write(place.chat(), chat).unwrap();
        std::fs::write(place.script(), json!({ "turns": turns }).to_string()).unwrap();
        place
    }

    /// An untouched place with the same chat and script. They are the other's own files under a second name, so that a long chat costs
    /// nothing; a program that wrote into one in place would be found out by [`Place::is_untouched`] of the other.
    pub fn like(other: &Self) -> Self {
        let place = Self::empty(other.before.clone());
        std::fs::hard_link(other.chat(), place.chat()).unwrap();
        std::fs::hard_link(other.script(), place.script()).unwrap();
        place
    }

    fn empty(before: Arc<str>) -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
            before,
        };
        std::fs::create_dir(place.data()).unwrap();
        std::fs::create_dir(place.chat_folder()).unwrap();
        let cache = place.data().join("cache");
        std::fs::DirBuilder::new().mode(0o700).create(&cache).unwrap();
        copy(compiled(), &cache);
        place
    }

    /// Whether the chat still is what it was at first.
    pub fn is_untouched(&self) -> bool {
        std::fs::read(self.chat()).unwrap() == self.before.as_bytes()
    }

    /// Everything of this place lies below.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    fn data(&self) -> PathBuf {
        self.root().join("data")
    }

    /// Where runs lie.
    pub fn workspaces(&self) -> PathBuf {
        self.data().join("_tauritavern/agent-workspaces")
    }

    /// The folder of the chat, which holds nothing else.
    pub fn chat_folder(&self) -> PathBuf {
        self.root().join("stories")
    }

    /// The chat.
    pub fn chat(&self) -> PathBuf {
        self.chat_folder().join("chat.jsonl")
    }

    fn script(&self) -> PathBuf {
        self.root().join("turns.json")
    }

    /// The chat as it was before any run.
    pub fn before(&self) -> &str {
        &self.before
    }

    /// The program with these arguments, over this place.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_innkeeper"));
        self.dress(&mut command);
        command.args(arguments);
        command
    }

    fn dress(&self, command: &mut Command) {
        command.env("INNKEEPER_DATA", self.data()).stderr(Stdio::null());
    }

    /// The program, started by another one: a tracer, a shell.
    pub fn command_under(&self, starter: &[&str], arguments: &[String]) -> Command {
        let (program, rest) = starter.split_first().unwrap();
        let mut command = Command::new(program);
        self.dress(&mut command);
        command.args(rest).arg(env!("CARGO_BIN_EXE_innkeeper")).args(arguments);
        command
    }

    /// The arguments of a run over this place.
    pub fn run_arguments(&self) -> Vec<String> {
        let model = format!("scripted:{}", self.script().display());
        let chat = self.chat().display().to_string();
        ["--json", "run", "--chat", &chat, "--model", &model]
            .map(str::to_owned)
            .to_vec()
    }

    /// A run.
    pub fn run(&self) -> Command {
        self.command_under(&["env"], &self.run_arguments())
    }

    /// What the program prints; it must succeed.
    pub fn read(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {text}");
        text
    }

    /// The first look at the data root, which closes what was left open.
    pub fn recover(&self) -> Value {
        serde_json::from_str(&self.read(&["--json", "runs", "list"])).unwrap()
    }

    /// The folders of all runs.
    pub fn runs(&self) -> Vec<PathBuf> {
        let mut runs = Vec::new();
        for chat in folders(&self.workspaces().join("chats")) {
            runs.extend(folders(&chat.join("runs")));
        }
        runs
    }

    /// Keeps everything that a run changes, so that it can be put back.
    pub fn keep(&self) -> Kept {
        let kept = Kept(tempfile::tempdir().unwrap());
        for part in KEPT {
            copy(&self.root().join(part), &kept.0.path().join(part));
        }
        kept
    }

    /// Puts back what was kept.
    pub fn put_back(&self, kept: &Kept) {
        for part in KEPT {
            match std::fs::remove_dir_all(self.root().join(part)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => panic!("{error}"),
                _ => copy(&kept.0.path().join(part), &self.root().join(part)),
            }
        }
    }
}

/// The built-in components, compiled once for all places.
fn compiled() -> &'static Path {
    static CACHE: OnceLock<PathBuf> = OnceLock::new();
    CACHE.get_or_init(|| {
        let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("innkeeper-kill");
        let mut list = Command::new(env!("CARGO_BIN_EXE_innkeeper"));
        list.args(["--json", "tools", "list"]).env("INNKEEPER_DATA", &data);
        assert!(list.output().unwrap().status.success());
        data.join("cache")
    })
}

/// A copy of what a run changes.
pub struct Kept(tempfile::TempDir);

/// The folders directly in this one; none when it is not there.
pub fn folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.is_dir()).collect()
}

fn copy(from: &Path, to: &Path) {
    let Ok(entries) = std::fs::read_dir(from) else { return };
    std::fs::create_dir_all(to).unwrap();
    for entry in entries {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn call(name: &str, arguments: Value) -> Value {
    json!({ "name": name, "arguments": arguments })
}

/// A run with every kind of effect: reads, writes, a patch, two commits, the end.
pub fn long_script() -> Value {
    let search = json!({ "calls": [call("chat_search", json!({ "query": "key" }))] });
    let mut turns = vec![search];
    turns.extend(short_script().as_array().unwrap().clone());
    turns.into()
}

/// The same without the search, whose cost grows with the chat.
pub fn short_script() -> Value {
    let patch = json!({ "path": "output/main.md", "old_string": "First", "new_string": "Second" });
    json!([
        { "calls": [call("workspace_write_file", json!({ "path": "output/main.md", "content": "First.\n" }))] },
        { "calls": [call("workspace_commit", json!({}))] },
        { "calls": [call("workspace_apply_patch", patch)] },
        { "calls": [call("workspace_write_file", json!({ "path": "persist/notes.md", "content": "n\n" })),
                    call("workspace_commit", json!({}))] },
        { "calls": [call("workspace_finish", json!({}))] },
    ])
}

/// A chat of this many messages after its header.
pub fn chat_of(messages: usize) -> String {
    let mut lines = include_str!("../../demo/ferry.jsonl").lines();
    let mut chat = lines.next().unwrap().to_owned();
    let templates: Vec<&str> = lines.collect();
    for line in templates.iter().cycle().take(messages) {
        chat.push('\n');
        chat.push_str(line);
    }
    chat
}
