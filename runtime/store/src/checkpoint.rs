//! Checkpoints: what the files that the model sees were at one moment of a run.
//!
//! Contents are stored once each, under their digest; a checkpoint is a list of paths and digests. The list is written last: without it
//! the checkpoint does not exist. Nothing here restores: that is done by [`crate::rollback`].

mod error;
mod files;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::path::{RootName, WorkspacePath};
use serde::{Deserialize, Serialize};

pub use error::CheckpointError;

use crate::atomic::{Durability, sweep_temps, sync_folder, write_in};
use crate::listing::ListedFile;
use crate::persistent::ensure_folder;
use crate::tree::{FileStamp, Tree, TreeError};

/// The folder of all checkpoints of a run.
const FOLDER: &str = "checkpoints";

/// The folder of contents in it.
const BLOBS: &str = "blobs";

/// The list of a checkpoint's files, in its folder.
const MANIFEST: &str = "checkpoint.json";

/// How a checkpoint's identifier begins.
const ID_PREFIX: &str = "cp_";

/// The most that is read of a list, in bytes: room for some 400,000 files.
const MAX_MANIFEST_BYTES: u64 = 64 * 1024 * 1024;

/// A checkpoint as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// `cp_` and the number in six digits or more.
    pub id: String,
    /// The number.
    pub seq: u64,
    /// Whose files these are.
    pub run_id: String,
    /// RFC 3339, UTC.
    pub created_at: String,
    /// What it was made for.
    pub reason: String,
    /// Sequence number of the event that it was made for.
    pub event_seq: u64,
    /// In byte order of the paths.
    pub files: Vec<ListedFile>,
}

/// What is to be said about a new checkpoint; the files are found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCheckpoint {
    /// One more than the highest in the journal: numbers are never used again.
    pub number: u64,
    /// See [`Checkpoint::run_id`].
    pub run_id: String,
    /// See [`Checkpoint::created_at`].
    pub created_at: String,
    /// See [`Checkpoint::reason`].
    pub reason: String,
    /// See [`Checkpoint::event_seq`].
    pub event_seq: u64,
}

/// A checkpoint that was just made, and what it cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// As it is stored.
    pub checkpoint: Checkpoint,
    /// Files whose content had to be read.
    pub hashed: usize,
    /// Contents that had to be stored.
    pub stored: usize,
    /// Links, special files and names that are no workspace path, left out.
    pub skipped: u64,
}

/// The files of the workspace at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present {
    /// In byte order of the paths.
    pub files: Vec<ListedFile>,
    /// Links, special files and names that are no workspace path, left out.
    pub skipped: u64,
}

/// The checkpoints of one run.
#[derive(Debug)]
pub struct Checkpoints {
    tree: Arc<Tree>,
    /// Digests of files that have not changed since: a checkpoint after each write must not read everything again.
    known: Mutex<HashMap<WorkspacePath, Known>>,
}

#[derive(Debug, Clone)]
struct Known {
    stamp: FileStamp,
    sha256: Sha256,
    bytes: u64,
}

/// The identifier of the checkpoint with this number.
#[must_use]
pub fn checkpoint_id(number: u64) -> String {
    format!("{ID_PREFIX}{number:06}")
}

impl Checkpoints {
    /// Works on the files of this run.
    #[must_use]
    pub fn new(tree: Arc<Tree>) -> Self {
        Self {
            tree,
            known: Mutex::default(),
        }
    }

    /// Records what the files below output, scratch, plan, summaries and persist are now. Writers wait meanwhile.
    ///
    /// # Errors
    /// When the number is taken or the disk refuses; then there is no such checkpoint.
    pub fn create(&self, new: NewCheckpoint) -> Result<Created, CheckpointError> {
        self.tree.check_root()?;
        let _writing = self.tree.lock();
        let id = checkpoint_id(new.number);
        let io = |source| CheckpointError::Io { id: id.clone(), source };
        let folder = ensure_folder(self.tree.root(), FOLDER).map_err(io)?;
        let own = ensure_folder(&folder, &id).map_err(io)?;
        if own.try_exists(MANIFEST).map_err(io)? {
            return Err(CheckpointError::AlreadyExists { id });
        }
        let created = self.fill(new, &id, &folder, &own);
        if created.is_err() {
            // Without its list it is no checkpoint; only the empty folder would stay.
            let _ = folder.remove_dir(&id);
        }
        created
    }

    fn fill(&self, new: NewCheckpoint, id: &str, folder: &Dir, own: &Dir) -> Result<Created, CheckpointError> {
        let io = |source| CheckpointError::Io {
            id: id.to_owned(),
            source,
        };
        let blobs = ensure_folder(folder, BLOBS).map_err(io)?;
        // The folder was made just now: its stamp is the disk's present time.
        let moment = FileStamp::of(&own.dir_metadata().map_err(io)?);
        let gathered = self.gather(&RootName::universe(), &moment, &blobs)?;
        let checkpoint = Checkpoint {
            id: id.to_owned(),
            seq: new.number,
            run_id: new.run_id,
            created_at: new.created_at,
            reason: new.reason,
            event_seq: new.event_seq,
            files: gathered.files,
        };
        let bytes = serde_json::to_vec_pretty(&checkpoint).map_err(|error| io(error.into()))?;
        if gathered.stored > 0 {
            sync_folder(&blobs).map_err(io)?;
        }
        sync_folder(folder).map_err(io)?;
        write_in(own, MANIFEST, &bytes, Durability::Durable).map_err(io)?;
        Ok(Created {
            checkpoint,
            hashed: gathered.hashed,
            stored: gathered.stored,
            skipped: gathered.skipped,
        })
    }

    /// The files that a checkpoint would hold if it were made now. Stores nothing.
    ///
    /// # Errors
    /// When a folder or file cannot be read: that is never taken for an empty one.
    pub fn present(&self) -> Result<Present, CheckpointError> {
        self.tree.check_root()?;
        let _writing = self.tree.lock();
        let scan = self.tree.scan(&RootName::universe())?;
        let mut files = Vec::with_capacity(scan.files.len());
        let mut skipped = scan.skipped;
        for (path, stamp) in scan.files {
            match self.known(&path, &stamp) {
                Some(known) => files.push(ListedFile {
                    path,
                    sha256: known.sha256,
                    bytes: known.bytes,
                }),
                None => match self.hash(&path)? {
                    Some((sha256, bytes)) => files.push(ListedFile { path, sha256, bytes }),
                    None => skipped = skipped.saturating_add(1),
                },
            }
        }
        Ok(Present { files, skipped })
    }

    /// Reads a checkpoint's list and checks it as if a stranger had written it. The contents are checked by
    /// [`verify`](Self::verify).
    ///
    /// # Errors
    /// When there is no such checkpoint, or its list is damaged: the file is named.
    pub fn load(&self, number: u64) -> Result<Checkpoint, CheckpointError> {
        let id = checkpoint_id(number);
        let file = format!("{FOLDER}/{id}/{MANIFEST}");
        let damaged = |problem: String| CheckpointError::Damaged {
            file: file.clone(),
            problem,
        };
        let path = WorkspacePath::parse(&file).map_err(|refusal| damaged(refusal.to_string()))?;
        let bytes = match self.tree.read_bytes(&path, MAX_MANIFEST_BYTES) {
            Ok(file) => file.bytes,
            Err(TreeError::FileNotFound { .. }) => return Err(CheckpointError::NotFound { id }),
            Err(error) if error.is_fault() => return Err(error.into()),
            Err(error) => return Err(damaged(error.to_string())),
        };
        let checkpoint: Checkpoint = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        check(&checkpoint, number).map_err(damaged)?;
        Ok(checkpoint)
    }

    /// Checks every content of a checkpoint: what is to be restored must be whole before the first file is touched.
    ///
    /// # Errors
    /// Names the first file whose content is missing or is not what its digest says.
    pub fn verify(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        checkpoint.files.iter().try_for_each(|file| self.verify_blob(file))
    }

    /// The numbers of all checkpoints that exist, ascending.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn numbers(&self) -> Result<Vec<u64>, CheckpointError> {
        let Some(folder) = self.folder()? else {
            return Ok(Vec::new());
        };
        let io = |source| CheckpointError::Io {
            id: FOLDER.to_owned(),
            source,
        };
        let mut numbers = Vec::new();
        for entry in folder.entries().map_err(io)? {
            let name = entry.map_err(io)?.file_name();
            if let Some(number) = name.to_str().and_then(number_of)
                && folder
                    .try_exists(format!("{}/{MANIFEST}", checkpoint_id(number)))
                    .map_err(io)?
            {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Removes what a process that was killed left behind: half contents, and folders without a list. Only for the run's owner.
    ///
    /// # Errors
    /// When the folder cannot be read or a leftover cannot be removed.
    pub fn sweep_leftovers(&self) -> Result<usize, CheckpointError> {
        let _writing = self.tree.lock();
        let Some(folder) = self.folder()? else {
            return Ok(0);
        };
        let io = |source| CheckpointError::Io {
            id: FOLDER.to_owned(),
            source,
        };
        let mut removed = 0;
        for entry in folder.entries().map_err(io)? {
            let entry = entry.map_err(io)?;
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| *name == BLOBS || number_of(name).is_some()) else {
                continue;
            };
            let Ok(inner) = folder.open_dir_nofollow(name) else {
                continue;
            };
            removed += sweep_temps(&inner).map_err(io)?;
            if name != BLOBS && !inner.try_exists(MANIFEST).map_err(io)? {
                folder.remove_dir_all(name).map_err(io)?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    fn folder(&self) -> Result<Option<Dir>, CheckpointError> {
        match self.tree.root().open_dir_nofollow(FOLDER) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(CheckpointError::Io {
                id: FOLDER.to_owned(),
                source,
            }),
        }
    }

    fn known(&self, path: &WorkspacePath, stamp: &FileStamp) -> Option<Known> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(path).filter(|known| known.stamp == *stamp).cloned()
    }
}

/// What must hold of a list beyond its form.
fn check(checkpoint: &Checkpoint, number: u64) -> Result<(), String> {
    if checkpoint.seq != number || checkpoint.id != checkpoint_id(number) {
        return Err(format!("it says that it is {} ({})", checkpoint.id, checkpoint.seq));
    }
    let roots = RootName::universe();
    let mut before: Option<&WorkspacePath> = None;
    for ListedFile { path, .. } in &checkpoint.files {
        if !roots.iter().any(|root| path.is_beneath(root)) {
            return Err(format!("`{path}` lies outside the roots"));
        }
        if before.is_some_and(|before| before >= path) {
            return Err(format!("`{path}` is out of order or there twice"));
        }
        before = Some(path);
    }
    Ok(())
}

/// The number in a checkpoint's identifier, if it is spelled as we spell it.
#[must_use]
pub fn number_of(name: &str) -> Option<u64> {
    let number = name.strip_prefix(ID_PREFIX)?.parse().ok()?;
    (checkpoint_id(number) == name).then_some(number)
}
