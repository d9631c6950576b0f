//! Changing files: all of a call's changes or none, each only if its guard holds.
//!
//! Guards are checked before anything is written, and once more on what is replaced. New contents are complete on the disk before the first is put
//! in place by a rename, so a reader sees the old file or the new one, and a hard link elsewhere keeps the old. A failure in the middle
//! puts everything back. A process that is killed in the middle of several renames leaves some of them done; every file is whole even then.

use std::collections::HashMap;
use std::io;
use std::rc::Rc;

use cap_std::fs::Dir;
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::path::WorkspacePath;

use super::node::Node;
use super::read::hash_into;
use super::staging::Staging;
use super::walk::{self, Missing};
use super::{Tree, TreeError};
use crate::atomic::sync_folder;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod undo_tests;

/// On which present state a change is based.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guard {
    /// Any: for files that the runtime owns.
    Unchecked,
    /// No file is there.
    MustNotExist,
    /// The file has this content.
    MustMatch(Sha256),
}

/// One change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Creates or replaces a file; missing folders on the way are created.
    Write {
        /// Which file.
        path: WorkspacePath,
        /// The whole new content.
        bytes: Vec<u8>,
        /// What it is based on.
        guard: Guard,
    },
    /// Removes a file; its folder stays.
    Remove {
        /// Which file.
        path: WorkspacePath,
        /// What it is based on.
        guard: Guard,
    },
}

/// What became of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// Which file.
    pub path: WorkspacePath,
    /// The content before; `None` when the file is new.
    pub before: Option<Sha256>,
    /// The content now; `None` when the file was removed.
    pub after: Option<Sha256>,
}

impl Change {
    fn path(&self) -> &WorkspacePath {
        match self {
            Self::Write { path, .. } | Self::Remove { path, .. } => path,
        }
    }

    /// Whether the change may be made to what is there now.
    fn admit(&self, actual: Option<&Sha256>) -> Result<(), TreeError> {
        let (Self::Write { path, guard, .. } | Self::Remove { path, guard }) = self;
        match (guard, actual) {
            (Guard::MustNotExist, Some(actual)) => Err(TreeError::AlreadyExists {
                path: path.clone(),
                actual: actual.clone(),
            }),
            (Guard::MustMatch(expected), actual) if actual != Some(expected) => Err(TreeError::Stale {
                path: path.clone(),
                expected: expected.clone(),
                actual: actual.cloned(),
            }),
            (_, None) if matches!(self, Self::Remove { .. }) => Err(TreeError::FileNotFound { path: path.clone() }),
            _ => Ok(()),
        }
    }
}

impl Tree {
    /// Makes all the changes or none, durably. Two changes must not be about one file or one inside the other.
    ///
    /// # Errors
    /// When a path is refused, a guard does not hold or the disk refuses; then nothing has changed (but see
    /// [`TreeError::RollbackIncomplete`]).
    pub fn apply(&self, changes: &[Change]) -> Result<Vec<Applied>, TreeError> {
        self.check_root()?;
        check_overlaps(changes)?;
        let _writing = self.lock();
        for change in changes {
            change.admit(self.digest_of(change.path())?.as_ref())?;
        }
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let mut staging = Staging::create(self.root()).map_err(TreeError::io("prepare a change in", "."))?;
        let staged = changes
            .iter()
            .map(|change| stage(&mut staging, change))
            .collect::<Result<Vec<_>, _>>()?;
        let mut transaction = Transaction {
            root: self.root(),
            staging,
            folders: HashMap::new(),
            undo: Vec::new(),
        };
        transaction
            .run(changes, &staged)
            .map_err(|cause| transaction.undo(cause))
    }

    /// The digest of the file at a path; `None` when nothing is there.
    fn digest_of(&self, path: &WorkspacePath) -> Result<Option<Sha256>, TreeError> {
        match self.open_file(path) {
            Ok(mut file) => match hash_into(&mut file, &mut io::sink()) {
                Ok((digest, _)) => Ok(Some(digest)),
                Err(error) => Err(TreeError::io("read", path.as_str())(error)),
            },
            Err(TreeError::FileNotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Refuses changes whose outcome would depend on their order.
fn check_overlaps(changes: &[Change]) -> Result<(), TreeError> {
    let mut keyed: Vec<(String, &WorkspacePath)> = changes
        .iter()
        .map(|change| (change.path().caseless_key() + "/", change.path()))
        .collect();
    // With the slash at the end, a path sorts right before what lies beneath it.
    keyed.sort();
    for pair in keyed.windows(2) {
        if let [(one, other), (next, path)] = pair
            && next.starts_with(one.as_str())
        {
            return Err(TreeError::Overlap {
                path: (*path).clone(),
                other: (*other).clone(),
            });
        }
    }
    Ok(())
}

/// The new content of a change, complete on the disk under a name in the staging folder.
struct Staged {
    name: String,
    digest: Sha256,
}

fn stage(staging: &mut Staging<'_>, change: &Change) -> Result<Option<Staged>, TreeError> {
    match change {
        Change::Write { path, bytes, .. } => {
            let name = staging.add(bytes).map_err(TreeError::io("write", path.as_str()))?;
            Ok(Some(Staged {
                name,
                digest: Sha256::of(bytes),
            }))
        }
        Change::Remove { .. } => Ok(None),
    }
}

/// A change that only lacks its last step.
struct Ready<'a> {
    path: &'a WorkspacePath,
    folder: Rc<Dir>,
    kept: Option<Kept>,
}

/// A copy of what is about to be replaced or removed.
struct Kept {
    name: String,
    digest: Sha256,
}

/// How to take one step back.
enum Undo {
    RemoveFolder {
        parent: Dir,
        name: String,
    },
    PutBack {
        folder: Rc<Dir>,
        path: WorkspacePath,
        kept: Option<String>,
    },
}

/// The steps that change what others see.
struct Transaction<'a> {
    root: &'a Dir,
    staging: Staging<'a>,
    /// One handle for each folder, however many of its files change: handles are few on some systems.
    folders: HashMap<Option<WorkspacePath>, Rc<Dir>>,
    undo: Vec<Undo>,
}

impl Transaction<'_> {
    fn run(&mut self, changes: &[Change], staged: &[Option<Staged>]) -> Result<Vec<Applied>, TreeError> {
        let ready = changes
            .iter()
            .map(|change| self.prepare(change))
            .collect::<Result<Vec<_>, _>>()?;
        for (ready, staged) in ready.iter().zip(staged) {
            self.commit(ready, staged.as_ref())?;
        }
        self.sync()?;
        let applied = |(ready, staged): (Ready<'_>, &Option<Staged>)| Applied {
            path: ready.path.clone(),
            before: ready.kept.map(|kept| kept.digest),
            after: staged.as_ref().map(|staged| staged.digest.clone()),
        };
        Ok(ready.into_iter().zip(staged).map(applied).collect())
    }

    /// Creates missing folders, keeps the present content and compares it again.
    fn prepare<'c>(&mut self, change: &'c Change) -> Result<Ready<'c>, TreeError> {
        let path = change.path();
        let folder = self.folder(change)?;
        let kept = self.keep(&folder, path)?;
        change.admit(kept.as_ref().map(|kept| &kept.digest))?;
        Ok(Ready { path, folder, kept })
    }

    fn folder(&mut self, change: &Change) -> Result<Rc<Dir>, TreeError> {
        let path = change.path();
        if let Some(folder) = self.folders.get(&path.parent()) {
            return Ok(Rc::clone(folder));
        }
        let undo = &mut self.undo;
        let mut created = |parent: &Dir, name: &str| {
            undo.push(Undo::RemoveFolder {
                parent: parent.try_clone()?,
                name: name.to_owned(),
            });
            Ok(())
        };
        let missing = match change {
            Change::Write { .. } => Missing::Create(&mut created),
            Change::Remove { .. } => Missing::Stop,
        };
        let gone = || TreeError::FileNotFound { path: path.clone() };
        let folder = Rc::new(walk::parent(self.root, path, missing)?.ok_or_else(gone)?);
        self.folders.insert(path.parent(), Rc::clone(&folder));
        Ok(folder)
    }

    fn keep(&mut self, folder: &Dir, path: &WorkspacePath) -> Result<Option<Kept>, TreeError> {
        let io = TreeError::io("keep a copy of", path.as_str());
        match walk::target(folder, path)? {
            None => Ok(None),
            Some(Node::Directory) => Err(TreeError::IsDirectory { path: path.clone() }),
            Some(_) => {
                let opened = super::node::open_file(folder, path.file_name());
                let Some(mut file) = opened.map_err(TreeError::io("open", path.as_str()))? else {
                    return Err(TreeError::Link {
                        path: path.clone(),
                        at: path.clone(),
                    });
                };
                let (name, digest) = self.staging.keep(&mut file).map_err(io)?;
                Ok(Some(Kept { name, digest }))
            }
        }
    }

    fn commit(&mut self, ready: &Ready<'_>, staged: Option<&Staged>) -> Result<(), TreeError> {
        let path = ready.path;
        let name = path.file_name();
        let operation = if staged.is_some() { "replace" } else { "remove" };
        match staged {
            Some(staged) => self.staging.place(&staged.name, &ready.folder, name),
            None => ready.folder.remove_file(name),
        }
        .map_err(TreeError::io(operation, path.as_str()))?;
        let kept = ready.kept.as_ref().map(|kept| kept.name.clone());
        self.undo.push(Undo::PutBack {
            folder: Rc::clone(&ready.folder),
            path: path.clone(),
            kept,
        });
        Ok(())
    }

    /// Makes every folder that changed durable; those that were created come before what lies in them.
    fn sync(&self) -> Result<(), TreeError> {
        for step in &self.undo {
            if let Undo::RemoveFolder { parent, name } = step {
                sync_folder(parent).map_err(TreeError::io("make durable", name.as_str()))?;
            }
        }
        for (path, folder) in &self.folders {
            let path = path.as_ref().map_or(".", WorkspacePath::as_str);
            sync_folder(folder).map_err(TreeError::io("make durable", path))?;
        }
        Ok(())
    }

    /// Takes every step back, last first, and goes on past one that fails: the more is as it was, the better.
    fn undo(&mut self, cause: TreeError) -> TreeError {
        let mut failed = None;
        while let Some(step) = self.undo.pop() {
            if let Err(failure) = self.undo_step(step) {
                failed.get_or_insert(failure);
            }
        }
        match failed {
            None => cause,
            Some((path, source)) => TreeError::RollbackIncomplete {
                path,
                cause: Box::new(cause),
                source,
            },
        }
    }

    fn undo_step(&self, step: Undo) -> Result<(), (String, io::Error)> {
        match step {
            // Somebody else may have put a file into it; then it is theirs now.
            Undo::RemoveFolder { parent, name } => match parent.remove_dir(&name) {
                Err(error)
                    if !matches!(
                        error.kind(),
                        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                    ) =>
                {
                    Err((name, error))
                }
                _ => Ok(()),
            },
            Undo::PutBack { folder, path, kept } => {
                let back = match kept {
                    Some(kept) => self.staging.put_back(&kept, &folder, path.file_name()),
                    None => remove_if_there(&folder, path.file_name()),
                };
                back.and_then(|()| sync_folder(&folder))
                    .map_err(|error| (path.into(), error))
            }
        }
    }
}

/// Removes a file that somebody else may have removed already.
fn remove_if_there(folder: &Dir, name: &str) -> io::Result<()> {
    match folder.remove_file(name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
