//! `read_agent_diff`: how the files of two moments of a run differ.

use std::sync::Arc;

use innkeeper_protocol::id::CheckpointId;
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::view::{ReadDiff, RunDiff};
use innkeeper_store::checkpoint::{CheckpointError, number_of};
use innkeeper_store::diff::{DiffQuery, Moment, diff};
use innkeeper_store::persistent::States;

use super::RunReader;
use crate::error::{About as _, HostError};

/// Characters of all diffs together when nothing is asked for.
const DEFAULT_MAX_CHARS: u32 = 40_000;

impl RunReader {
    /// Compares two checkpoints of a run, its beginning, or its present state.
    ///
    /// # Errors
    /// `agent.not_found` for an unknown run, `agent.checkpoint_not_found`, `agent.checkpoint_invalid`, `workspace.invalid_path`; others
    /// when files cannot be read.
    pub fn read_agent_diff(&self, request: &ReadDiff) -> Result<RunDiff, HostError> {
        self.diff(request).about(&request.run_id)
    }

    fn diff(&self, request: &ReadDiff) -> Result<RunDiff, HostError> {
        let path = request.path.as_deref().map(WorkspacePath::parse).transpose()?;
        let (folder, tree) = self.open(&request.run_id)?;
        let from = request.from.as_deref().map(checkpoint).transpose()?;
        let to = request.to.as_deref().map(checkpoint).transpose()?;
        let moment = |given: &Option<(CheckpointId, u64)>, absent| {
            given.as_ref().map_or(absent, |(_, n)| Moment::Checkpoint(*n))
        };
        let max_chars = request.max_chars.unwrap_or(DEFAULT_MAX_CHARS);
        let query = DiffQuery {
            from: moment(&from, Moment::Beginning),
            to: moment(&to, Moment::Now),
            path,
            max_chars: usize::try_from(max_chars).unwrap_or(usize::MAX),
        };
        let states = States::new(&self.root(), folder.workspace_id());
        let found = diff(&Arc::new(tree), &states, &query)?;
        Ok(RunDiff {
            run_id: request.run_id.clone(),
            from: from.map(|(id, _)| id),
            to: to.map(|(id, _)| id),
            files: found.files,
            truncated: found.truncated,
        })
    }
}

/// A checkpoint by its id. A text that is no such id names none.
pub(super) fn checkpoint(id: &str) -> Result<(CheckpointId, u64), HostError> {
    let named = number_of(id).and_then(|number| Some((CheckpointId::parse(id).ok()?, number)));
    named.ok_or_else(|| {
        let shown = id.chars().take(80).collect::<String>();
        HostError::from(CheckpointError::NotFound { id: shown })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::reading::testing::Bench;

    fn read(bench: &Bench, more: Value) -> Result<Value, String> {
        let mut request = json!({"runId": bench.run_id});
        request
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let request: ReadDiff = serde_json::from_value(request).unwrap();
        let found = bench.reader.read_agent_diff(&request);
        found
            .map(|found| serde_json::to_value(found).unwrap())
            .map_err(|error| error.code)
    }

    #[test]
    fn what_a_run_did_since_it_began_is_told_as_a_diff() {
        let bench = Bench::new();
        bench.put("input/persist_snapshot.json", r#"{"files": []}"#);
        bench.put("output/a.md", "a\n");
        bench.put("plan/b.md", "b\n");
        let file = json!({
            "path": "plan/b.md", "kind": "added", "newSha256": innkeeper_protocol::digest::Sha256::of(b"b\n"),
            "addedLines": 1, "removedLines": 0, "diff": "--- /dev/null\n+++ b/plan/b.md\n@@ -0,0 +1 @@\n+b\n",
        });
        let expected = json!({"runId": bench.run_id, "files": [file], "truncated": false});
        assert_eq!(read(&bench, json!({"path": "plan/b.md"})), Ok(expected));
        assert_eq!(read(&bench, json!({"maxChars": 3})).unwrap()["truncated"], true);
    }

    #[test]
    fn what_cannot_be_compared_has_a_code() {
        let bench = Bench::new();
        let code = |more: Value| read(&bench, more).unwrap_err();
        assert_eq!(code(json!({"from": "cp_000001"})), "agent.checkpoint_not_found");
        assert_eq!(code(json!({"to": "../cp_000001"})), "agent.checkpoint_not_found");
        assert_eq!(code(json!({"path": "/etc/passwd"})), "workspace.invalid_path");
        // Nobody knows with what this run began.
        assert_eq!(code(json!({})), "store.record_damaged");
    }
}
