//! The changes of a rollback, in an order in which none is in another's way: files go, emptied folders go, files come.
//!
//! Every change holds only if the file is still as the plan knows it. Contents come from the checkpoint's store, each checked again.

use std::collections::BTreeSet;
use std::io;

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;
use innkeeper_protocol::path::WorkspacePath;

use super::{Rollback, RollbackError};
use crate::listing::{Difference, ListedFile};
use crate::tree::{Change, Guard, TreeError};

/// Bytes of content that are put in place together: all of them are in memory once.
const MAX_BATCH_BYTES: u64 = 32 * 1024 * 1024;
/// Files that are put in place together.
const MAX_BATCH_FILES: usize = 256;
/// How deep empty folders are looked into; ours are never that deep, and a deeper one is in the way.
const MAX_LEVELS: u32 = 128;

impl Rollback {
    /// Makes all of the changes, or stops at the first that fails.
    pub(super) fn carry_out(&self, found: &[Difference<'_>]) -> Result<(), RollbackError> {
        let going: Vec<&ListedFile> = found
            .iter()
            .filter(|difference| difference.after().is_none())
            .filter_map(Difference::before)
            .collect();
        for batch in going.chunks(MAX_BATCH_FILES) {
            let changes: Vec<Change> = batch.iter().map(|file| removal(file)).collect();
            self.tree.apply(&changes)?;
        }
        let coming: Vec<(&ListedFile, Guard)> = found.iter().filter_map(arrival).collect();
        self.remove_emptied(&going)?;
        self.clear_places(&coming)?;
        let mut rest = coming.as_slice();
        while !rest.is_empty() {
            let (batch, later) = rest.split_at(batch_length(rest));
            let changes = batch.iter().map(|(file, guard)| self.write(file, guard));
            self.tree.apply(&changes.collect::<Result<Vec<_>, _>>()?)?;
            rest = later;
        }
        Ok(())
    }

    fn write(&self, file: &ListedFile, guard: &Guard) -> Result<Change, RollbackError> {
        Ok(Change::Write {
            path: file.path.clone(),
            bytes: self.checkpoints.content(file)?,
            guard: guard.clone(),
        })
    }

    /// Removes the folders that held nothing but files that went, inner ones first. Roots stay.
    fn remove_emptied(&self, gone: &[&ListedFile]) -> Result<(), RollbackError> {
        let mut folders = BTreeSet::new();
        for file in gone {
            let mut folder = file.path.parent();
            while let Some(path) = folder {
                folder = path.parent();
                if folder.is_some() {
                    folders.insert(path);
                }
            }
        }
        // In reverse order what lies inside a folder comes before it.
        let removed = folders.iter().rev().try_for_each(|folder| {
            let parent = open_parent(self.tree.root(), folder)?;
            parent.map_or(Ok(()), |parent| remove_if_empty(&parent, folder.file_name()))
        });
        Ok(removed.map_err(TreeError::io("remove an emptied folder of", "."))?)
    }

    /// Removes empty folders that stand where a file is to come.
    fn clear_places(&self, coming: &[(&ListedFile, Guard)]) -> Result<(), RollbackError> {
        for (file, _) in coming {
            let path = &file.path;
            let clear = || match open_parent(self.tree.root(), path)? {
                Some(parent) => remove_empty_tree(&parent, path.file_name(), MAX_LEVELS),
                None => Ok(()),
            };
            clear().map_err(TreeError::io("make room for", path.as_str()))?;
        }
        Ok(())
    }
}

fn removal(file: &ListedFile) -> Change {
    Change::Remove {
        path: file.path.clone(),
        guard: Guard::MustMatch(file.sha256.clone()),
    }
}

fn arrival<'a>(difference: &Difference<'a>) -> Option<(&'a ListedFile, Guard)> {
    let guard = match difference.before() {
        Some(file) => Guard::MustMatch(file.sha256.clone()),
        None => Guard::MustNotExist,
    };
    Some((difference.after()?, guard))
}

/// How many files come next: at least one, and no more than fit into a batch.
fn batch_length(rest: &[(&ListedFile, Guard)]) -> usize {
    let mut bytes: u64 = 0;
    let fits = |(file, _): &&(&ListedFile, Guard)| {
        bytes = bytes.saturating_add(file.bytes);
        bytes <= MAX_BATCH_BYTES
    };
    rest.iter().take(MAX_BATCH_FILES).take_while(fits).count().max(1)
}

/// The folder that holds a path's last name, opened without following anything; none when it is not there.
fn open_parent(root: &Dir, path: &WorkspacePath) -> io::Result<Option<Dir>> {
    let mut here = root.try_clone()?;
    let Some(parent) = path.parent() else {
        return Ok(Some(here));
    };
    for name in parent.components() {
        here = match here.open_dir_nofollow(name) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
    }
    Ok(Some(here))
}

fn remove_if_empty(parent: &Dir, name: &str) -> io::Result<()> {
    match parent.remove_dir(name) {
        Err(error) if !is_no_empty_folder(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Removes a folder that holds nothing but folders. A file in it, or in its place, is left alone.
fn remove_empty_tree(parent: &Dir, name: &str, levels: u32) -> io::Result<()> {
    let is_folder = parent.symlink_metadata(name).is_ok_and(|metadata| metadata.is_dir());
    let Some(levels) = levels.checked_sub(1).filter(|_| is_folder) else {
        return Ok(());
    };
    let folder = parent.open_dir_nofollow(name)?;
    for entry in folder.entries()? {
        if let Some(inner) = entry?.file_name().to_str() {
            remove_empty_tree(&folder, inner, levels)?;
        }
    }
    drop(folder);
    remove_if_empty(parent, name)
}

fn is_no_empty_folder(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
