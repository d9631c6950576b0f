//! Set-up for tests of runs: a data root, runs with events, answers about the world.
//!
//! No assertions live here.

use innkeeper_protocol::envelope::{Draft, Envelope};
use innkeeper_protocol::id::{CommitId, RunId, WorkspaceId};
use serde_json::{Value, json};

use super::{CommitEvidence, DanglingCall, RecoveryPorts, RunFolder, RunRecord, RunsRoot};
use crate::journal::testing::{draft, stamp};
use crate::journal::{Durability, Journal, Stamp, Stamps, read};

/// A data root that vanishes with it.
pub(crate) struct World {
    _data: tempfile::TempDir,
    pub(crate) root: RunsRoot,
}

impl World {
    pub(crate) fn new() -> Self {
        let data = tempfile::tempdir().unwrap();
        let root = RunsRoot::new(data.path());
        Self { _data: data, root }
    }

    /// A run of chat `stable-<chat>` with these events after `run_created`, which happens at second `number`.
    pub(crate) fn run(&self, number: u32, chat: u32, events: &[Draft]) -> RunFolder {
        let (folder, mut journal) = self.live_run(number, chat);
        for (event, at) in events.iter().zip(number + 1..) {
            journal.append(event.clone(), stamp(at)).unwrap();
        }
        folder
    }

    /// A run that has just begun, with its owner.
    pub(crate) fn live_run(&self, number: u32, chat: u32) -> (RunFolder, Journal) {
        let workspace = WorkspaceId::parse(&format!("chat_{chat:016x}")).unwrap();
        let folder = self.root.create_run(&workspace, &run_id(number)).unwrap();
        let mut journal = Journal::create(folder.journal().clone(), Durability::Durable).unwrap();
        let chat_ref = json!({"kind": "character", "characterId": format!("c{chat}"), "fileName": "f.jsonl"});
        let created = json!({
            "workspaceId": workspace, "stableChatId": format!("stable-{chat}"), "chatRef": chat_ref,
            "generationType": "normal", "profileId": "writer", "persistBaseStateId": null,
            "inputMessageCount": 3, "presentation": "background",
        });
        journal.append(draft("run_created", created), stamp(number)).unwrap();
        (folder, journal)
    }
}

pub(crate) fn run_id(number: u32) -> RunId {
    RunId::parse(&format!("run_{number:032x}")).unwrap()
}

pub(crate) fn status(name: &str) -> Draft {
    draft("status_changed", json!({"status": name}))
}

pub(crate) fn completed() -> Draft {
    draft("run_completed", Value::Null)
}

pub(crate) fn events(folder: &RunFolder) -> Vec<Envelope> {
    let page = read(folder.journal()).unwrap();
    assert_eq!(page.issues, []);
    page.events
}

/// The world after a crash: which tools reach outside, what the chat holds.
pub(crate) struct Answers {
    pub(crate) outside: &'static [&'static str],
    pub(crate) chat: CommitEvidence,
    stamps: u32,
}

impl Answers {
    pub(crate) fn new(chat: CommitEvidence) -> Self {
        Self {
            outside: &["mcp/1:search"],
            chat,
            stamps: 1_000,
        }
    }
}

impl Stamps for Answers {
    fn stamp(&mut self) -> Stamp {
        self.stamps += 1;
        stamp(self.stamps)
    }
}

impl RecoveryPorts for Answers {
    fn outside_effect_possible(&self, _: &RunRecord, call: &DanglingCall) -> bool {
        self.outside.contains(&call.tool_id.as_str())
    }

    fn chat_has_commit(&self, _: &RunRecord, _: &CommitId) -> CommitEvidence {
        self.chat.clone()
    }
}
