//! The list of a state's files as it is stored, and the list that a run began with.
//!
//! Both are checked when they are read as if a stranger had written them: a path in them decides what is copied where.

use std::collections::HashSet;

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::event::{ChangeKind, PersistentChange};
use innkeeper_protocol::id::{RunId, StableChatId, StateId, WorkspaceId};
use innkeeper_protocol::path::WorkspacePath;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{MANIFEST, PersistentError, States, persistent_roots, place_in};
use crate::listing::{Difference, ListedFile};
use crate::tree::{Tree, TreeError};

/// The form of a manifest that is written and read.
const VERSION: u32 = 1;

/// The most that is read of a manifest, in bytes: room for some 400,000 files.
const MAX_MANIFEST_BYTES: u64 = 64 * 1024 * 1024;

/// How one file of a state differs from the state before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateChange {
    /// Which file.
    pub path: WorkspacePath,
    /// How.
    pub kind: ChangeKind,
    /// Its content now; of a deleted file the one before.
    pub sha256: Sha256,
    /// Its length now; of a deleted file the one before.
    pub bytes: u64,
}

impl From<&Difference<'_>> for StateChange {
    fn from(difference: &Difference<'_>) -> Self {
        let file = difference.listed();
        Self {
            path: file.path.clone(),
            kind: difference.kind(),
            sha256: file.sha256.clone(),
            bytes: file.bytes,
        }
    }
}

impl From<&StateChange> for PersistentChange {
    fn from(change: &StateChange) -> Self {
        Self {
            path: change.path.clone(),
            kind: change.kind,
            sha256: change.sha256.clone(),
        }
    }
}

/// The persistent files as a run found them, `input/persist_snapshot.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PersistSnapshot {
    /// The state that they come from; none for the first run of a chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_state_id: Option<StateId>,
    /// In byte order of the paths.
    pub files: Vec<ListedFile>,
}

/// A state as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StateManifest {
    /// The form of this record.
    pub version: u32,
    /// The state.
    pub state_id: StateId,
    /// The run that made it.
    pub run_id: RunId,
    /// The folder of its chat.
    pub workspace_id: WorkspaceId,
    /// Its chat.
    pub stable_chat_id: StableChatId,
    /// The state that the run began with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_state_id: Option<StateId>,
    /// RFC 3339, UTC.
    pub created_at: String,
    /// Every file, in byte order of the paths.
    pub files: Vec<ListedFile>,
    /// What differs from the state that the run began with, in byte order of the paths.
    pub changes: Vec<StateChange>,
}

impl StateManifest {
    /// The version that is written.
    pub(super) const VERSION: u32 = VERSION;
}

impl States {
    /// Reads a state's manifest and checks it as if a stranger had written it. The contents are checked when they are restored.
    ///
    /// # Errors
    /// When there is no such state, it is another version's, another state's or another chat's, or it is damaged.
    pub fn load(&self, state_id: &StateId) -> Result<StateManifest, PersistentError> {
        self.read_manifest(&self.open_state(state_id)?, state_id)
    }

    /// Opens the files of a state.
    pub(crate) fn open_state(&self, state_id: &StateId) -> Result<Tree, PersistentError> {
        let not_found = || PersistentError::NotFound {
            state_id: state_id.clone(),
        };
        let states = self.folder()?.ok_or_else(not_found)?;
        match states.symlink_metadata(state_id.as_str()) {
            Ok(metadata) if metadata.is_dir() => Ok(Tree::open(&self.state_path(state_id))?),
            Ok(_) => Err(PersistentError::NotAFolder {
                state_id: state_id.clone(),
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(not_found()),
            Err(error) => Err(PersistentError::io(place_in(state_id, ""))(error)),
        }
    }

    pub(super) fn read_manifest(&self, state: &Tree, state_id: &StateId) -> Result<StateManifest, PersistentError> {
        let damaged = |problem: String| PersistentError::Damaged {
            file: place_in(state_id, MANIFEST),
            problem,
        };
        let path = WorkspacePath::parse(MANIFEST).map_err(|refusal| damaged(refusal.to_string()))?;
        let bytes = match state.read_bytes(&path, MAX_MANIFEST_BYTES) {
            Ok(file) => file.bytes,
            Err(TreeError::FileNotFound { .. }) => return Err(damaged("it is missing".to_owned())),
            Err(error) if error.is_fault() => return Err(error.into()),
            Err(error) => return Err(damaged(error.to_string())),
        };
        let json: Value = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        self.check_owner(&json, state_id)?;
        let manifest: StateManifest = serde_json::from_value(json).map_err(|error| damaged(error.to_string()))?;
        check_files(&manifest.files).map_err(damaged)?;
        check_paths(manifest.changes.iter().map(|change| &change.path)).map_err(damaged)?;
        Ok(manifest)
    }

    /// What decides whether the rest is worth reading: version, state, chat.
    fn check_owner(&self, json: &Value, state_id: &StateId) -> Result<(), PersistentError> {
        let text = |key: &str| json.get(key).and_then(Value::as_str).unwrap_or_default();
        let version = json.get("version").unwrap_or(&Value::Null);
        if version.as_u64() != Some(u64::from(VERSION)) {
            return Err(PersistentError::VersionUnsupported {
                state_id: state_id.clone(),
                version: shown(&version.to_string()),
                supported: VERSION,
            });
        }
        if text("stateId") != state_id.as_str() {
            return Err(PersistentError::ManifestMismatch {
                state_id: state_id.clone(),
                found: shown(text("stateId")),
            });
        }
        if text("workspaceId") != self.workspace_id.as_str() {
            return Err(PersistentError::WorkspaceMismatch {
                state_id: state_id.clone(),
                found: shown(text("workspaceId")),
                expected: self.workspace_id.clone(),
            });
        }
        Ok(())
    }
}

/// What must hold of a list of files beyond its form.
pub(crate) fn check_files(files: &[ListedFile]) -> Result<(), String> {
    check_paths(files.iter().map(|file| &file.path))
}

fn check_paths<'a>(paths: impl Iterator<Item = &'a WorkspacePath>) -> Result<(), String> {
    let roots: Vec<_> = persistent_roots().collect();
    let mut seen = HashSet::new();
    for path in paths {
        if !roots.iter().any(|root| path.is_beneath(root)) {
            return Err(format!("`{path}` lies outside the persistent roots"));
        }
        if !seen.insert(path) {
            return Err(format!("`{path}` is there twice"));
        }
    }
    Ok(())
}

/// The most that a message repeats of a damaged file, in characters.
const MAX_SHOWN_CHARS: usize = 200;

fn shown(text: &str) -> String {
    text.chars().take(MAX_SHOWN_CHARS).collect()
}

#[cfg(test)]
mod tests;
