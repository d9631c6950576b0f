//! Chats of every shape that is seen in the wild, and commits to make on them.

use std::path::{Path, PathBuf};

use innkeeper_protocol::call::{CommitMode, PlannedCommit};
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::event::{ChangeKind, PersistentChange};
use innkeeper_protocol::id::{CheckpointId, CommitId, ProfileId, RunId, StableChatId, StateId, WorkspaceId};
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::port::{CommitRequest, MetadataUpdate};
use innkeeper_protocol::run::{ChatRef, GenerationType};

use crate::chat::splice::RawObject;
use crate::chat::*;

pub(super) const NEW_INTEGRITY: &str = "11111111-2222-4333-8444-555555555555";
pub(super) const OLD_INTEGRITY: &str = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";

pub(super) const USER: &str = r#"{"name":"Ann","is_user":true,"mes":"Hi","send_date":"June 19, 2023 2:20pm"}"#;
pub(super) const ODD: &str = r#""x_ext" : {"n":1234567890123456789012345,"nan":NaN,"d":1,"d":2}"#;

pub(super) fn parse(text: &str) -> ChatFile {
    ChatFile::parse(Path::new("chat.jsonl"), text.as_bytes().to_vec()).unwrap()
}

pub(super) fn digest(text: &str) -> Sha256 {
    Sha256::of(text.as_bytes())
}

/// The first commit of a run.
pub(super) fn commit(generation_type: GenerationType, text: &str) -> ChatCommit {
    ChatCommit {
        asked: CommitRequest {
            commit_id: CommitId::parse("commit_1").unwrap(),
            sequence: 1,
            run_id: RunId::parse("run_1").unwrap(),
            workspace_id: WorkspaceId::parse("chat_1").unwrap(),
            stable_chat_id: StableChatId::parse("stable_1").unwrap(),
            chat_ref: ChatRef::Group { chat_id: "g".into() },
            generation_type,
            profile_id: ProfileId::parse("default").unwrap(),
            persist_base_state_id: None,
            checkpoint_id: CheckpointId::parse("cp_1").unwrap(),
            planned: planned(CommitMode::Replace, text),
            text: text.into(),
            is_explicit: true,
            reasoning: None,
        },
        speaker: "Alice".into(),
        times: CommitTimes {
            send_date: "2026-10-05T07:00:05.000Z".into(),
            started: Some("2026-10-05T07:00:00.000Z".into()),
            finished: Some("2026-10-05T07:00:05.000Z".into()),
        },
        api: Some("openai".into()),
        model: None,
        integrity: NEW_INTEGRITY.into(),
    }
}

fn planned(mode: CommitMode, text: &str) -> PlannedCommit {
    let path = WorkspacePath::parse("output/main.md").unwrap();
    let chars = u32::try_from(text.chars().count()).unwrap();
    PlannedCommit {
        path,
        mode,
        reason: None,
        chars,
        words: 1,
        sha256: digest(text),
    }
}

/// The next commit of the same run.
pub(super) fn later(first: &ChatCommit, number: u32, mode: CommitMode, text: &str) -> ChatCommit {
    let mut next = first.clone();
    next.asked.commit_id = CommitId::parse(&format!("commit_{number}")).unwrap();
    next.asked.planned = planned(mode, text);
    next.asked.text = text.into();
    next
}

/// The note that the run of [`commit`] kept a state.
pub(super) fn note() -> StateNote {
    let change = |path: &str| PersistentChange {
        path: WorkspacePath::parse(path).unwrap(),
        kind: ChangeKind::Added,
        sha256: digest(path),
    };
    StateNote {
        asked: MetadataUpdate {
            update_id: "persist_update_1".into(),
            run_id: RunId::parse("run_1").unwrap(),
            stable_chat_id: StableChatId::parse("stable_1").unwrap(),
            message_id: "1".into(),
            state_id: StateId::parse("run_1").unwrap(),
            base_state_id: Some(StateId::parse("run_0").unwrap()),
            changes: vec![change("persist/a.md"), change("persist/b.md")],
        },
        integrity: NEW_INTEGRITY.into(),
    }
}

/// Plans, expects a write, and gives the new chat with the message's index.
pub(super) fn write(chat: &ChatFile, commit: &ChatCommit) -> (ChatFile, u32) {
    match plan(chat, commit).unwrap() {
        CommitPlan::Write { bytes, message_index } => (ChatFile::parse(chat.path(), bytes).unwrap(), message_index),
        CommitPlan::AlreadyApplied { .. } => panic!("nothing was written"),
    }
}

pub(super) fn refusal(chat: &ChatFile, commit: &ChatCommit) -> Refusal {
    match plan(chat, commit).unwrap_err() {
        ChatError::Refused { reason, .. } => reason,
        other => panic!("{other}"),
    }
}

/// One message of a chat as a JSON value.
pub(super) fn value(chat: &ChatFile, index: u32) -> serde_json::Value {
    serde_json::from_str(chat.line_text(&chat.message_line(index).unwrap())).unwrap()
}

pub(super) fn agent(chat: &ChatFile, index: u32) -> serde_json::Value {
    value(chat, index)["extra"]["tauritavern"]["agent"].clone()
}

/// The text of a raw key of one message, also where the line is too odd for a JSON value.
pub(super) fn raw(chat: &ChatFile, index: u32, key: &str) -> String {
    RawObject::of(Some(chat.line_text(&chat.message_line(index).unwrap())))
        .get(key)
        .unwrap_or("missing")
        .to_owned()
}

/// The kinds of first line that SillyTavern has written over the years.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeaderKind {
    /// With `chat_metadata`.
    Modern,
    /// Without it: names and a date only.
    Old,
    /// The first line is a message already.
    None,
}

/// One shape of a chat.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) ending: &'static str,
    pub(super) final_break: bool,
    pub(super) bom: bool,
    pub(super) header: HeaderKind,
    pub(super) swipes: &'static str,
    pub(super) odd: bool,
}

pub(super) const SWIPES: [&str; 3] = [
    r#""swipes":["one","two"],"swipe_id":1,"swipe_info":[{"send_date":"d1","extra":{}},{"send_date":"d2","extra":{"k":1}}]"#,
    r#""swipes":["one","two"],"swipe_id":1,"swipe_info":[]"#,
    r#""swipes":["one"],"swipe_id":7,"swipe_info":[{"send_date":"d1","extra":{}}]"#,
];

impl Shape {
    pub(super) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for bits in 0..16_u8 {
            for header in [HeaderKind::Modern, HeaderKind::Old, HeaderKind::None] {
                for swipes in SWIPES {
                    let ending = if bits & 1 == 0 { "\n" } else { "\r\n" };
                    all.push(Self {
                        ending,
                        final_break: bits & 2 != 0,
                        bom: bits & 4 != 0,
                        header,
                        swipes,
                        odd: bits & 8 != 0,
                    });
                }
            }
        }
        all
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let odd = if self.odd { format!(",{ODD}") } else { String::new() };
        let mut lines = match self.header {
            HeaderKind::Modern => vec![format!(
                r#"{{"chat_metadata":{{ "integrity" :"{OLD_INTEGRITY}","note_depth":4}},"user_name":"unused"{odd}}}"#
            )],
            HeaderKind::Old => vec![format!(
                r#"{{"user_name":"Ann","character_name":"Alice","create_date":1673181146000{odd}}}"#
            )],
            HeaderKind::None => Vec::new(),
        };
        lines.push(USER.into());
        if self.odd {
            lines.push("  ".into());
        }
        lines.push(format!(
            r#"{{"name":"Alice","is_user":false,"mes":"two","send_date":1673181146000,"extra":{{"k":1}},{}{odd}}}"#,
            self.swipes
        ));
        lines
    }

    pub(super) fn text(&self) -> String {
        let bom = if self.bom { "\u{feff}" } else { "" };
        let last = if self.final_break { self.ending } else { "" };
        format!("{bom}{}{last}", self.lines().join(self.ending))
    }
}

/// A folder of its own with one chat in it.
pub(super) struct Folder {
    pub(super) root: tempfile::TempDir,
    pub(super) chat: PathBuf,
}

impl Folder {
    pub(super) fn with(text: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        let chat = root.path().join("chat.jsonl");
        std::fs::write(&chat, text).unwrap();
        Self { root, chat }
    }

    pub(super) fn path(&self) -> ChatPath {
        ChatPath::resolve(&self.chat).unwrap()
    }

    pub(super) fn read(&self) -> ChatFile {
        read_chat(&self.path()).unwrap()
    }

    pub(super) fn text(&self) -> String {
        std::fs::read_to_string(&self.chat).unwrap()
    }

    /// The committer of a run that starts now.
    pub(super) fn committer(&self) -> ChatCommitter {
        ChatCommitter::new(self.path(), self.root.path().join("locks"), self.read().fingerprint())
    }

    /// Names in the chat's folder, the lock folder aside.
    pub(super) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.root.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "locks")
            .collect();
        names.sort();
        names
    }
}
