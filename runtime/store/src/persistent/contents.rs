//! What lies below a persistent root, in a run or in a state, and which of it counts.
//!
//! Links, special files and names that are no workspace path are passed over and counted. The file in which macOS keeps a folder's view
//! is passed over too, in silence: it appears whenever somebody looks.

use std::io;

use cap_std::fs::File;
use innkeeper_protocol::id::StateId;
use innkeeper_protocol::path::{RootName, WorkspacePath};

use super::manifest::PersistSnapshot;
use super::{PersistentError, persistent_roots};
use crate::listing::ListedFile;
use crate::tree::{Entry, Kind, Scope, Tree, TreeError, hash_into};

/// The file in which macOS keeps a folder's view.
const FINDER_METADATA: &str = ".DS_Store";

/// Everything below one root that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Contents {
    /// Without the root; outer ones first.
    pub(super) folders: Vec<WorkspacePath>,
    /// In byte order.
    pub(super) files: Vec<WorkspacePath>,
    /// What was passed over.
    pub(super) skipped: u64,
}

/// Looks through a root of a state, or of the run itself when `state_id` is `None`. No root: `None`.
pub(super) fn contents(
    tree: &Tree,
    root: &RootName,
    state_id: Option<&StateId>,
) -> Result<Option<Contents>, PersistentError> {
    let path = root.to_path();
    match tree.find(&path) {
        Ok(Some(Entry {
            kind: Kind::Directory, ..
        })) => {}
        Ok(None) => return Ok(None),
        Err(error) if error.is_fault() => return Err(error.into()),
        Ok(Some(_)) | Err(_) => {
            return Err(PersistentError::RootInvalid {
                root: root.clone(),
                state_id: state_id.cloned(),
            });
        }
    }
    let listing = tree.list(&Scope::Path(path), u32::MAX, usize::MAX)?;
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for Entry { kind, path, .. } in listing.entries {
        match (kind, path.file_name() == FINDER_METADATA) {
            (Kind::Directory, true) => return Err(PersistentError::MetadataFolder { path }),
            (Kind::Directory, false) => folders.push(path),
            (Kind::File, true) => {}
            (Kind::File, false) => files.push(path),
        }
    }
    Ok(Some(Contents {
        folders,
        files,
        skipped: listing.skipped,
    }))
}

/// Opens a file that was listed; `None` when it is no longer one.
pub(super) fn open(tree: &Tree, path: &WorkspacePath) -> Result<Option<File>, PersistentError> {
    match tree.open_file(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.is_fault() => Err(error.into()),
        Err(_) => Ok(None),
    }
}

/// What the persistent files of a run are now, which is what its changes are later measured by. Writers wait meanwhile.
///
/// # Errors
/// When a root is no folder, or something below it cannot be read: that is never taken for an empty one.
pub fn baseline(tree: &Tree, base_state_id: Option<StateId>) -> Result<PersistSnapshot, PersistentError> {
    let _writing = tree.lock();
    let mut files = Vec::new();
    for root in persistent_roots() {
        for path in contents(tree, &root, None)?.map_or_else(Vec::new, |found| found.files) {
            let Some(mut file) = open(tree, &path)? else { continue };
            let (sha256, bytes) =
                hash_into(&mut file, &mut io::sink()).map_err(TreeError::io("read", path.as_str()))?;
            files.push(ListedFile { path, sha256, bytes });
        }
    }
    files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    Ok(PersistSnapshot { base_state_id, files })
}

#[cfg(test)]
mod tests;
