//! The contents behind a checkpoint: gathering the present ones, storing each once, reading them back with their digest checked.
//!
//! It knows nothing of lists and numbers.

use std::collections::HashMap;
use std::io;
use std::sync::PoisonError;

use cap_std::fs::{Dir, File, OpenOptions};
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::path::{RootName, WorkspacePath};

use super::{BLOBS, CheckpointError, Checkpoints, FOLDER, Known};
use crate::atomic::temp_name;
use crate::listing::ListedFile;
use crate::tree::{FileStamp, TreeError, hash_into};

/// What a pass over the files gave.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) files: Vec<ListedFile>,
    pub(super) hashed: usize,
    pub(super) stored: usize,
    pub(super) skipped: u64,
}

impl Checkpoints {
    /// Finds every file's digest and stores the contents that are not stored yet. Remembers the digests of files that did not change after
    /// `moment` began: one that changed within the same tick of the disk's clock could change again without another stamp.
    pub(super) fn gather(
        &self,
        roots: &[RootName],
        moment: &FileStamp,
        blobs: &Dir,
    ) -> Result<Gathered, CheckpointError> {
        let scan = self.tree.scan(roots)?;
        let mut gathered = Gathered {
            skipped: scan.skipped,
            ..Gathered::default()
        };
        let mut known = HashMap::with_capacity(scan.files.len());
        for (path, stamp) in scan.files {
            let Some(found) = self.settle(&path, stamp, blobs, &mut gathered)? else {
                gathered.skipped = gathered.skipped.saturating_add(1);
                continue;
            };
            gathered.files.push(ListedFile {
                path: path.clone(),
                sha256: found.sha256.clone(),
                bytes: found.bytes,
            });
            if found.stamp.is_older_than(moment) {
                known.insert(path, found);
            }
        }
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = known;
        Ok(gathered)
    }

    /// One file's digest, with its content stored; `None` when it is no longer a file.
    fn settle(
        &self,
        path: &WorkspacePath,
        stamp: FileStamp,
        blobs: &Dir,
        gathered: &mut Gathered,
    ) -> Result<Option<Known>, CheckpointError> {
        let (sha256, bytes) = match self.known(path, &stamp) {
            Some(known) => (known.sha256, known.bytes),
            None => {
                gathered.hashed += 1;
                let Some(hashed) = self.hash(path)? else {
                    return Ok(None);
                };
                hashed
            }
        };
        if has_blob(blobs, &sha256, bytes).map_err(TreeError::io("look for the stored content of", path.as_str()))? {
            return Ok(Some(Known { stamp, sha256, bytes }));
        }
        gathered.stored += 1;
        let Some(mut file) = self.open(path)? else {
            return Ok(None);
        };
        // The content may be another one by now; what was copied counts.
        let (sha256, bytes) = store(&mut file, blobs).map_err(TreeError::io("store the content of", path.as_str()))?;
        Ok(Some(Known { stamp, sha256, bytes }))
    }

    /// A file's digest and length; `None` when it is no longer a file.
    pub(super) fn hash(&self, path: &WorkspacePath) -> Result<Option<(Sha256, u64)>, CheckpointError> {
        let Some(mut file) = self.open(path)? else {
            return Ok(None);
        };
        let hashed = hash_into(&mut file, &mut io::sink()).map_err(TreeError::io("read", path.as_str()))?;
        Ok(Some(hashed))
    }

    fn open(&self, path: &WorkspacePath) -> Result<Option<File>, CheckpointError> {
        match self.tree.open_file(path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.is_fault() => Err(error.into()),
            Err(_) => Ok(None),
        }
    }

    /// The content of one file of a checkpoint, checked against its digest.
    ///
    /// # Errors
    /// When it is missing or is not what its digest says: the file is named.
    pub fn content(&self, file: &ListedFile) -> Result<Vec<u8>, CheckpointError> {
        let mut bytes = Vec::new();
        self.read_blob(file, &mut bytes)?;
        Ok(bytes)
    }

    pub(super) fn verify_blob(&self, file: &ListedFile) -> Result<(), CheckpointError> {
        self.read_blob(file, &mut io::sink())
    }

    fn read_blob(&self, file: &ListedFile, sink: &mut dyn io::Write) -> Result<(), CheckpointError> {
        let ListedFile { path, sha256, bytes } = file;
        let missing = || CheckpointError::BlobMissing {
            path: path.clone(),
            sha256: sha256.clone(),
        };
        let blob = WorkspacePath::parse(&format!("{FOLDER}/{BLOBS}/{sha256}")).map_err(|_| missing())?;
        // Whatever lies there that is no file is no content.
        let mut source = self.open(&blob)?.ok_or_else(missing)?;
        let (actual, length) = hash_into(&mut source, sink).map_err(TreeError::io("read", blob.as_str()))?;
        if actual != *sha256 || length != *bytes {
            return Err(CheckpointError::BlobDamaged {
                path: path.clone(),
                sha256: sha256.clone(),
                actual,
                bytes: length,
            });
        }
        Ok(())
    }
}

/// Whether a content is stored, as far as its length tells; one that was cut short is stored anew.
fn has_blob(blobs: &Dir, sha256: &Sha256, bytes: u64) -> io::Result<bool> {
    match blobs.symlink_metadata(sha256.as_str()) {
        Ok(metadata) => Ok(metadata.is_file() && metadata.len() == bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Copies a content in, durably but for its name, which the caller makes durable once for all.
fn store(source: &mut File, blobs: &Dir) -> io::Result<(Sha256, u64)> {
    let temp = temp_name("blob");
    let copy = |source: &mut File| {
        let mut file = blobs.open_with(&temp, OpenOptions::new().write(true).create_new(true))?;
        let (sha256, bytes) = hash_into(source, &mut file)?;
        file.sync_all()?;
        blobs.rename(&temp, blobs, sha256.as_str())?;
        Ok((sha256, bytes))
    };
    copy(source).inspect_err(|_| {
        let _ = blobs.remove_file(&temp);
    })
}
