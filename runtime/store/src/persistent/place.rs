//! Putting folders and files into an open folder, one component at a time and never through a link.
//!
//! It never replaces a file, and does not choose what is copied.

use std::io;

use cap_fs_ext::DirExt as _;
use cap_std::fs::{Dir, File, OpenOptions};
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::path::WorkspacePath;

use crate::atomic::{Durability, sync_folder};
use crate::tree::hash_into;

/// Opens a folder directly in another, creating it if it is missing. Fails when the name is a link or a file.
pub(crate) fn ensure_folder(parent: &Dir, name: &str) -> io::Result<Dir> {
    match parent.create_dir(name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => parent.open_dir_nofollow(name),
    }
}

/// A folder that is being filled.
pub(super) struct Place<'a> {
    root: &'a Dir,
    durability: Durability,
    /// The folder of the last file: files come in order, so the next is mostly in the same one.
    last: Option<(WorkspacePath, Dir)>,
}

impl<'a> Place<'a> {
    pub(super) fn new(root: &'a Dir, durability: Durability) -> Self {
        Self {
            root,
            durability,
            last: None,
        }
    }

    /// Opens a folder, creating what is missing of it.
    pub(super) fn folder(&self, path: &WorkspacePath) -> io::Result<Dir> {
        let mut here = self.root.try_clone()?;
        for name in path.components() {
            here = ensure_folder(&here, name)?;
        }
        Ok(here)
    }

    /// Creates a file with everything that `source` still holds; its digest and length.
    pub(super) fn file(&mut self, path: &WorkspacePath, source: &mut File) -> io::Result<(Sha256, u64)> {
        let parent = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = match self.last.take() {
            Some((last, folder)) if last == parent => folder,
            _ => self.folder(&parent)?,
        };
        let copied = self.copy(&folder, path.file_name(), source);
        self.last = Some((parent, folder));
        copied
    }

    fn copy(&self, folder: &Dir, name: &str, source: &mut File) -> io::Result<(Sha256, u64)> {
        let mut file = folder.open_with(name, OpenOptions::new().write(true).create_new(true))?;
        let copied = hash_into(source, &mut file)?;
        if self.durability == Durability::Durable {
            file.sync_all()?;
        }
        Ok(copied)
    }

    /// Makes the names in a folder durable.
    pub(super) fn sync(&self, path: &WorkspacePath) -> io::Result<()> {
        sync_folder(&self.folder(path)?)
    }
}
