//! JSON files of ours in a run's folder: written whole and durably, read with a limit.
//!
//! What the values mean is said by the other files of this module.

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::path::WorkspacePath;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::WorkspaceError;
use crate::tree::{Change, Guard, Tree, TreeError};

/// A file that is to be written once.
pub(super) fn new_file<T: Serialize + ?Sized>(path: &str, value: &T) -> Result<Change, WorkspaceError> {
    change(WorkspacePath::parse(path)?, value, Guard::MustNotExist)
}

/// A file that replaces the version which was read.
pub(super) fn next_version<T: Serialize + ?Sized>(
    path: WorkspacePath,
    value: &T,
    read: Sha256,
) -> Result<Change, WorkspaceError> {
    change(path, value, Guard::MustMatch(read))
}

fn change<T: Serialize + ?Sized>(path: WorkspacePath, value: &T, guard: Guard) -> Result<Change, WorkspaceError> {
    match serde_json::to_vec_pretty(value) {
        Ok(mut bytes) => {
            bytes.push(b'\n');
            Ok(Change::Write { path, bytes, guard })
        }
        Err(source) => Err(WorkspaceError::Serialise { path, source }),
    }
}

/// Writes all of the files or none.
pub(super) fn write(tree: &Tree, changes: &[Change]) -> Result<(), WorkspaceError> {
    match tree.apply(changes) {
        Ok(_) => Ok(()),
        Err(TreeError::AlreadyExists { path, .. }) => Err(WorkspaceError::AlreadyExists { path }),
        Err(error) => Err(error.into()),
    }
}

/// A value of ours and the version of its file.
pub(super) struct Stored<T> {
    pub(super) value: T,
    pub(super) sha256: Sha256,
}

/// Reads a value of at most `limit` bytes; `None` when there is no such file.
pub(super) fn read<T: DeserializeOwned>(
    tree: &Tree,
    path: &WorkspacePath,
    limit: u64,
) -> Result<Option<Stored<T>>, WorkspaceError> {
    let damaged = |problem: String| WorkspaceError::Damaged {
        path: path.clone(),
        problem,
    };
    let file = match tree.read_bytes(path, limit) {
        Ok(file) => file,
        Err(TreeError::FileNotFound { .. }) => return Ok(None),
        Err(error) if error.is_fault() => return Err(error.into()),
        // A link, a folder, or more bytes than we ever write.
        Err(error) => return Err(damaged(error.to_string())),
    };
    let value = serde_json::from_slice(&file.bytes).map_err(|error| damaged(error.to_string()))?;
    Ok(Some(Stored {
        value,
        sha256: file.sha256,
    }))
}
