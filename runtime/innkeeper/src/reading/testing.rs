//! Set-up for tests of the reading side: a data root with one run. No assertions live here.

use std::path::PathBuf;

use innkeeper_protocol::envelope::{Draft, Level};
use innkeeper_protocol::id::{RunId, WorkspaceId};
use innkeeper_store::journal::{Durability, Journal, Location};
use innkeeper_store::runs::RunsRoot;
use serde_json::{Value, json};

use super::RunReader;

pub(crate) struct Bench {
    data: tempfile::TempDir,
    pub(crate) reader: RunReader,
    pub(crate) run_id: RunId,
    workspace: WorkspaceId,
}

impl Bench {
    /// A run that has begun and has no owner.
    pub(crate) fn new() -> Self {
        let data = tempfile::tempdir().unwrap();
        let workspace = WorkspaceId::parse("chat_0000000000000001").unwrap();
        let run_id = RunId::parse("run_00000000000000000000000000000001").unwrap();
        let root = RunsRoot::new(data.path());
        let folder = root.create_run(&workspace, &run_id).unwrap();
        let journal = Journal::create(folder.journal().clone(), Durability::Batched).unwrap();
        drop(journal);
        let bench = Self {
            reader: RunReader::new(data.path()),
            data,
            run_id,
            workspace,
        };
        let created = json!({
            "workspaceId": bench.workspace, "stableChatId": "chat-1", "chatRef": {"kind": "group", "chatId": "g"},
            "generationType": "normal", "profileId": "writer", "inputMessageCount": 1, "presentation": "background",
        });
        bench.append("run_created", created);
        bench
    }

    /// A run that has ended.
    pub(crate) fn ended() -> Self {
        let bench = Self::new();
        bench.append("run_completed", Value::Null);
        bench
    }

    pub(crate) fn folder(&self) -> PathBuf {
        let root = RunsRoot::new(self.data.path());
        root.workspace(&self.workspace).join("runs").join(self.run_id.as_str())
    }

    /// Becomes the run's owner.
    pub(crate) fn own(&self) -> Journal {
        let location = Location {
            dir: self.folder(),
            run_id: self.run_id.clone(),
        };
        let stamps = self.reader.stamps();
        Journal::open_existing(location, Durability::Batched, &mut || stamps.now(), &mut |_| ()).unwrap()
    }

    pub(crate) fn append(&self, kind: &str, payload: Value) {
        let draft = Draft::new(Level::Info, kind, payload);
        self.own().append(draft, self.reader.stamps().now()).unwrap();
    }

    pub(crate) fn put(&self, path: &str, content: &str) {
        let path = self.folder().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
}
