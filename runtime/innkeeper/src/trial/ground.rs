//! What the tools of a trial are let loose on: a chat, files, a skill and world info, the same for every call.
//!
//! Every call gets files of its own, so that no call depends on the one before it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::bench::BenchSetup;
use crate::error::HostError;
use crate::network::BenchNetwork;
use crate::ports::blocking;

/// The roots that every run has.
const ROOTS: [&str; 5] = ["output", "scratch", "plan", "summaries", "persist"];

/// Files in the workspace: what a run may have left behind.
const FILES: [(&str, &str); 4] = [
    ("output/main.md", "The lantern swung once.\n\nMira did not look up.\n"),
    (
        "plan/notes.md",
        "# Notes\n\n- the lantern is lit\n- Mira knows\n- \u{6e21}\u{3057}\u{821f} at dusk\n",
    ),
    ("persist/names.txt", "Mira\nTomas\r\n\u{c9}lo\u{ef}se\n"),
    ("scratch/empty.md", ""),
];

/// When it is: half an hour after the last message.
const NOW_MS: u64 = 1_777_631_400_000;

/// Who says what in the chat.
const MESSAGES: [(&str, bool, &str); 6] = [
    ("Mira", false, "The ferry leaves at dusk. *She lifts the lantern.*"),
    ("Tomas", true, "Then we have an hour. Where is the brass key?"),
    (
        "Mira",
        false,
        "\u{201c}Where you left it.\u{201d}\n\nShe points at the \u{6e21}\u{3057}\u{821f}.",
    ),
    ("Tomas", true, "\u{1f469}\u{200d}\u{1f692} Ha."),
    ("\u{c9}lo\u{ef}se", false, "Caf\u{65}\u{301}, anyone?"),
    ("Tomas", true, ""),
];

const SKILL: &str =
    "---\nname: harbour\ndescription: Knows the tides and the ferries.\n---\n# Harbour\n\nHigh water at six.\n";

/// The files that all calls share, and where each call's own ones go.
#[derive(Debug)]
pub(super) struct Ground {
    scratch: PathBuf,
    network: BenchNetwork,
    places: u64,
}

/// Everything in a workspace, by path.
pub(super) type Picture = BTreeMap<PathBuf, Vec<u8>>;

impl Ground {
    /// Lays out what all calls share in an empty folder.
    pub(super) async fn new(scratch: PathBuf, network: BenchNetwork) -> Result<Self, HostError> {
        let folder = scratch.clone();
        blocking(move || lay_out(&folder).map_err(|error| unusable(&folder, &error))).await?;
        Ok(Self {
            scratch,
            network,
            places: 0,
        })
    }

    /// A bench's set-up with files of its own.
    pub(super) async fn fresh(&mut self) -> Result<BenchSetup, HostError> {
        self.places += 1;
        let workspace = self.scratch.join(format!("place-{}", self.places));
        let folder = workspace.clone();
        blocking(move || furnish(&folder).map_err(|error| unusable(&folder, &error))).await?;
        Ok(BenchSetup {
            workspace,
            chat: Some(self.scratch.join("chat.jsonl")),
            activation: Some(activation()),
            skills: Some(self.scratch.join("skills")),
            now_ms: Some(NOW_MS),
            network: self.network.clone(),
            ..BenchSetup::default()
        })
    }
}

/// What lies in a workspace now.
pub(super) async fn picture(workspace: &Path) -> Result<Picture, HostError> {
    let folder = workspace.to_owned();
    blocking(move || {
        let mut picture = Picture::new();
        look(&folder, &mut picture).map_err(|error| unusable(&folder, &error))?;
        Ok(picture)
    })
    .await
}

/// Removes a call's files again.
pub(super) async fn clear(workspace: &Path) -> Result<(), HostError> {
    let folder = workspace.to_owned();
    blocking(move || fs::remove_dir_all(&folder).map_err(|error| unusable(&folder, &error))).await
}

fn unusable(folder: &Path, error: &io::Error) -> HostError {
    HostError::internal("store.io_failed", format!("{}: {error}", folder.display()))
        .with_hint("The trial needs a temporary folder that it can write to.")
}

fn lay_out(scratch: &Path) -> io::Result<()> {
    let skill = scratch.join("skills").join("harbour");
    fs::create_dir_all(&skill)?;
    fs::write(skill.join("SKILL.md"), SKILL)?;
    let header = json!({"user_name": "Tomas", "character_name": "Mira", "chat_metadata": {}}).to_string();
    let message = |(name, is_user, text): &(&str, bool, &str)| {
        json!({"name": name, "is_user": is_user, "is_system": false, "send_date": "2026-05-01T10:00:00.000Z", "mes": text}).to_string()
    };
    let lines: Vec<String> = std::iter::once(header).chain(MESSAGES.iter().map(message)).collect();
    fs::write(scratch.join("chat.jsonl"), lines.join("\n"))
}

fn furnish(workspace: &Path) -> io::Result<()> {
    for root in ROOTS {
        fs::create_dir_all(workspace.join(root))?;
    }
    FILES
        .iter()
        .try_for_each(|(path, text)| fs::write(workspace.join(path), text))
}

fn activation() -> Value {
    json!({"timestampMs": 1, "trigger": "normal", "entries": [
        {"world": "Harbour", "uid": 1, "displayName": "Tides", "content": "High water at six, low at noon."},
        {"world": "Harbour", "uid": 2, "displayName": "\u{6e21}\u{3057}\u{821f}", "content": ""},
    ]})
}

fn look(folder: &Path, picture: &mut Picture) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            look(&entry.path(), picture)?;
        } else {
            picture.insert(entry.path(), fs::read(entry.path())?);
        }
    }
    Ok(())
}
