//! A folder for the files of one change while it is being made: new contents before they are put in place, old ones until it is over.
//!
//! It lies in the run's folder beside the roots, so that a rename out of it stays on one disk, and what a killed process leaves is neither
//! listed nor checkpointed as if it were somebody's file. It is gone when the change is.

use std::io::{self, Write as _};

use cap_std::fs::{Dir, File, OpenOptions};
use innkeeper_protocol::digest::Sha256;

use super::node;
use super::read::hash_into;
use crate::atomic::unique;

/// How the folder's name begins; a random identifier follows.
const PREFIX: &str = ".staging-";

/// The folder of one change.
pub(super) struct Staging<'a> {
    root: &'a Dir,
    name: String,
    folder: Dir,
    files: u32,
}

impl<'a> Staging<'a> {
    pub(super) fn create(root: &'a Dir) -> io::Result<Self> {
        let name = format!("{PREFIX}{}", unique());
        root.create_dir(&name)?;
        match node::open_folder(root, &name) {
            Ok(folder) => Ok(Self {
                root,
                name,
                folder,
                files: 0,
            }),
            Err(error) => {
                let _ = root.remove_dir(&name);
                Err(error)
            }
        }
    }

    /// Holds a new content ready, on the disk.
    pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<String> {
        let (name, mut file) = self.create_file()?;
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(name)
    }

    /// Keeps a copy of a file that is about to be replaced. A copy and not another name for it: the file may have more names outside.
    pub(super) fn keep(&mut self, file: &mut File) -> io::Result<(String, Sha256)> {
        let (name, mut copy) = self.create_file()?;
        let (digest, _) = hash_into(file, &mut copy)?;
        Ok((name, digest))
    }

    /// Puts a file of this folder in place, over what is there.
    pub(super) fn place(&self, staged: &str, folder: &Dir, name: &str) -> io::Result<()> {
        self.folder.rename(staged, folder, name)
    }

    /// Puts a kept file back in place, durably.
    pub(super) fn put_back(&self, kept: &str, folder: &Dir, name: &str) -> io::Result<()> {
        self.folder.open(kept)?.sync_all()?;
        self.place(kept, folder, name)
    }

    fn create_file(&mut self) -> io::Result<(String, File)> {
        let name = self.files.to_string();
        self.files = self.files.saturating_add(1);
        let file = self
            .folder
            .open_with(&name, OpenOptions::new().write(true).create_new(true))?;
        Ok((name, file))
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.root.remove_dir_all(&self.name) {
            tracing::warn!(folder = self.name, %error, "a staging folder stays until the run's folder is opened again");
        }
    }
}

/// Removes staging folders that were never dropped.
pub(super) fn sweep(root: &Dir) -> io::Result<usize> {
    let mut removed = 0;
    for entry in root.entries()? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_str().is_some_and(is_staging_name) && entry.file_type()?.is_dir() {
            root.remove_dir_all(&name)?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Whether a name has the form that staging folders have.
pub(crate) fn is_staging_name(name: &str) -> bool {
    name.strip_prefix(PREFIX)
        .is_some_and(|id| uuid::Uuid::try_parse(id).is_ok())
}
