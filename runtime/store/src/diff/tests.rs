//! Moments of a run compared: the beginning with what the chat keeps, checkpoints, now.

use std::fs;

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::event::ChangeKind;
use innkeeper_protocol::id::{StateId, WorkspaceId};
use serde_json::json;

use super::*;
use crate::checkpoint::NewCheckpoint;
use crate::runs::RunsRoot;

struct Run {
    folder: tempfile::TempDir,
    tree: Arc<Tree>,
    states: States,
}

impl Run {
    /// A run that began with this file of the chat's.
    fn new(kept: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        fs::create_dir(&run).unwrap();
        let workspace = WorkspaceId::parse("chat_1").unwrap();
        let states = States::new(&RunsRoot::new(folder.path()), &workspace);
        let tree = Arc::new(Tree::open(&run).unwrap());
        let run = Self { folder, tree, states };
        let file = json!({"path": "persist/kept.md", "sha256": Sha256::of(kept.as_bytes()), "bytes": kept.len()});
        run.put(
            "input/persist_snapshot.json",
            json!({"baseStateId": "state_1", "files": [file]}).to_string(),
        );
        run.put("persist/kept.md", kept);
        run
    }

    fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.folder.path().join("run").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn checkpoint(&self, number: u64) {
        let new = NewCheckpoint {
            number,
            run_id: "run_1".to_owned(),
            created_at: "2026-01-02T03:04:05Z".to_owned(),
            reason: "tool_workspace_write".to_owned(),
            event_seq: 7,
        };
        Checkpoints::new(Arc::clone(&self.tree)).create(new).unwrap();
    }

    fn diff(&self, from: Moment, to: Moment) -> Result<WorkspaceDiff, DiffError> {
        let query = DiffQuery {
            from,
            to,
            path: None,
            max_chars: 1_000,
        };
        diff(&self.tree, &self.states, &query)
    }
}

fn told(diff: &WorkspaceDiff) -> Vec<(&str, ChangeKind, u32, u32, bool)> {
    let tell = |file: &'_ FileDiff| (file.kind, file.added_lines, file.removed_lines, file.diff.is_some());
    diff.files
        .iter()
        .map(|file| {
            let (kind, added, removed, is_shown) = tell(file);
            (file.path.as_str(), kind, added, removed, is_shown)
        })
        .collect()
}

#[test]
fn the_beginning_holds_what_the_chat_keeps_and_nothing_else() {
    let run = Run::new("kept\n");
    run.put("output/main.md", "one\ntwo\n");
    run.checkpoint(1);
    run.put("persist/kept.md", "changed\n");
    let found = run.diff(Moment::Beginning, Moment::Now).unwrap();
    let expected = [
        ("output/main.md", ChangeKind::Added, 2, 0, true),
        ("persist/kept.md", ChangeKind::Modified, 1, 1, true),
    ];
    assert_eq!(told(&found), expected);
    assert_eq!(run.diff(Moment::Now, Moment::Now).unwrap().files, []);
}

#[test]
fn a_beginning_whose_state_is_gone_is_told_without_its_text() {
    let run = Run::new("kept\n");
    run.put("persist/kept.md", "changed\n");
    let found = run.diff(Moment::Beginning, Moment::Now).unwrap();
    assert_eq!(told(&found), [("persist/kept.md", ChangeKind::Modified, 0, 0, false)]);
    assert!(!found.truncated);
}

#[test]
fn the_text_of_the_beginning_comes_from_the_state_that_it_began_with() {
    let run = Run::new("kept\n");
    run.put("persist/kept.md", "changed\n");
    let state = run
        .folder
        .path()
        .join("_tauritavern/agent-workspaces/chats/chat_1/persistent-states");
    let state = state.join(StateId::parse("state_1").unwrap().as_str()).join("persist");
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("kept.md"), "kept\n").unwrap();
    let found = run.diff(Moment::Beginning, Moment::Now).unwrap();
    assert_eq!(told(&found), [("persist/kept.md", ChangeKind::Modified, 1, 1, true)]);
}

#[test]
fn checkpoints_are_compared_whole_or_by_one_file() {
    let run = Run::new("kept\n");
    run.put("output/a.md", "a\n");
    run.put("output/bytes", [0xff, 0xfe]);
    run.checkpoint(1);
    run.put("output/a.md", "b\n");
    run.put("output/bytes", [0xff]);
    run.checkpoint(2);
    let found = run.diff(Moment::Checkpoint(1), Moment::Checkpoint(2)).unwrap();
    let expected = [
        ("output/a.md", ChangeKind::Modified, 1, 1, true),
        ("output/bytes", ChangeKind::Modified, 0, 0, false),
    ];
    assert_eq!(told(&found), expected);
    let query = DiffQuery {
        from: Moment::Checkpoint(2),
        to: Moment::Checkpoint(1),
        path: Some(WorkspacePath::parse("output/a.md").unwrap()),
        max_chars: 40,
    };
    let one = diff(&run.tree, &run.states, &query).unwrap();
    assert!(one.truncated);
    assert_eq!(
        one.files[0].diff.as_deref(),
        Some("--- a/output/a.md\n+++ b/output/a.md\n")
    );
    assert_eq!(one.files.len(), 1);
}

#[test]
fn a_missing_and_a_damaged_checkpoint_have_codes_of_their_own() {
    let run = Run::new("kept\n");
    run.put("output/a.md", "a\n");
    run.checkpoint(1);
    fs::remove_dir_all(run.folder.path().join("run/checkpoints/blobs")).unwrap();
    let code = |from| run.diff(from, Moment::Beginning).unwrap_err().code();
    assert_eq!(code(Moment::Checkpoint(1)), "agent.checkpoint_invalid");
    assert_eq!(code(Moment::Checkpoint(9)), "agent.checkpoint_not_found");
}
