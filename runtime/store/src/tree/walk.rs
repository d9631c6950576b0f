//! Walking from the run's folder to a place, one component at a time, and through everything below a place.
//!
//! A component is looked at, then opened without following; when it became something else in between, it is looked at again. Nothing
//! is read or written here.

use std::io;

use cap_std::fs::{Dir, DirEntry};
use innkeeper_protocol::path::WorkspacePath;

use super::error::TreeError;
use super::list::Kind;
use super::node::{self, Lookup, Node};

/// How often a name that changes while it is being opened is looked at again before it is refused. Another process that swaps it without
/// a pause must not keep us here.
pub(super) const RACE_RETRIES: usize = 32;

/// What to do about a folder on the way that is not there.
pub(super) enum Missing<'a> {
    Stop,
    /// Create it, and report each one created: the folder it is in, and its name.
    Create(&'a mut dyn FnMut(&Dir, &str) -> io::Result<()>),
}

/// Opens the folder that holds the last component of `path`; `None` when a folder on the way is missing.
pub(super) fn parent(root: &Dir, path: &WorkspacePath, mut missing: Missing<'_>) -> Result<Option<Dir>, TreeError> {
    let mut here = root.try_clone().map_err(TreeError::io("open", "."))?;
    let count = path.components().count();
    for (depth, name) in path.components().enumerate().take(count.saturating_sub(1)) {
        let step = Step { path, depth, name };
        match step.enter(&here, &mut missing)? {
            Some(next) => here = next,
            None => return Ok(None),
        }
    }
    Ok(Some(here))
}

/// Opens `path` as a folder.
pub(super) fn folder(root: &Dir, path: &WorkspacePath) -> Result<Option<Dir>, TreeError> {
    let Some(parent) = parent(root, path, Missing::Stop)? else {
        return Ok(None);
    };
    last_step(path).enter(&parent, &mut Missing::Stop)
}

/// What the last component of `path` is in its folder: a file, a folder or nothing; anything else is refused.
pub(super) fn target(parent: &Dir, path: &WorkspacePath) -> Result<Option<Node>, TreeError> {
    last_step(path).look(parent)
}

fn last_step(path: &WorkspacePath) -> Step<'_> {
    Step {
        path,
        depth: path.components().count().saturating_sub(1),
        name: path.file_name(),
    }
}

/// One component on the way to `path`.
struct Step<'a> {
    path: &'a WorkspacePath,
    /// Components before this one.
    depth: usize,
    name: &'a str,
}

impl Step<'_> {
    fn look(&self, folder: &Dir) -> Result<Option<Node>, TreeError> {
        match node::look_up(folder, self.name).map_err(self.io("look up"))? {
            Lookup::Exact(Node::Link) => Err(self.link()),
            Lookup::Exact(Node::Special) => Err(TreeError::Special {
                path: self.path.clone(),
                at: self.at(),
            }),
            Lookup::Exact(node) => Ok(Some(node)),
            Lookup::Absent => Ok(None),
            Lookup::Twin(existing) => Err(self.conflict(&existing)),
        }
    }

    fn enter(&self, folder: &Dir, missing: &mut Missing<'_>) -> Result<Option<Dir>, TreeError> {
        for _ in 0..RACE_RETRIES {
            match self.look(folder)? {
                Some(Node::Directory) => match node::open_folder(folder, self.name) {
                    Ok(next) => return Ok(Some(next)),
                    Err(error) if node::is_link_refusal(&error) || error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(self.io("open")(error)),
                },
                Some(_) => {
                    return Err(TreeError::NotADirectory {
                        path: self.path.clone(),
                        at: self.at(),
                    });
                }
                None => match missing {
                    Missing::Stop => return Ok(None),
                    Missing::Create(created) => self.create(folder, created)?,
                },
            }
        }
        Err(self.link())
    }

    fn create(&self, folder: &Dir, created: &mut dyn FnMut(&Dir, &str) -> io::Result<()>) -> Result<(), TreeError> {
        match folder.create_dir(self.name) {
            Ok(()) => created(folder, self.name).map_err(self.io("create")),
            // Somebody else did; it is looked at next.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(self.io("create")(error)),
        }
    }

    /// The path up to and with this component.
    fn at(&self) -> WorkspacePath {
        let beyond = self
            .path
            .components()
            .count()
            .saturating_sub(self.depth.saturating_add(1));
        (0..beyond).fold(self.path.clone(), |path, _| path.parent().unwrap_or(path))
    }

    fn link(&self) -> TreeError {
        TreeError::Link {
            path: self.path.clone(),
            at: self.at(),
        }
    }

    fn conflict(&self, existing: &str) -> TreeError {
        let existing = self
            .at()
            .parent()
            .map_or_else(|| existing.to_owned(), |parent| format!("{parent}/{existing}"));
        TreeError::NameConflict {
            path: self.path.clone(),
            existing,
        }
    }

    fn io(&self, operation: &'static str) -> impl FnOnce(io::Error) -> TreeError {
        TreeError::io(operation, self.at())
    }
}

/// A file or folder that a walk came by.
pub(super) struct Found<'a> {
    pub(super) path: WorkspacePath,
    pub(super) kind: Kind,
    pub(super) entry: &'a DirEntry,
}

/// Visits everything below some folders, `depth` levels deeper than their immediate children, in no particular order. Returns how many
/// links, special files and names that are no workspace path were passed over.
///
/// Each folder is walked to anew from the root: a deep tree costs no handle for each level, and memory grows by waiting folders only.
pub(super) fn below(
    root: &Dir,
    starts: Vec<(WorkspacePath, u32)>,
    visit: &mut dyn FnMut(Found<'_>) -> Result<(), TreeError>,
) -> Result<u64, TreeError> {
    let mut waiting = starts;
    let mut skipped: u64 = 0;
    while let Some((path, depth)) = waiting.pop() {
        let folder = match folder(root, &path) {
            Ok(Some(folder)) => folder,
            Ok(None) => continue,
            Err(error) if error.is_fault() => return Err(error),
            // It became something else since it was listed.
            Err(_) => {
                skipped = skipped.saturating_add(1);
                continue;
            }
        };
        for entry in folder.entries().map_err(TreeError::io("list", path.as_str()))? {
            let entry = entry.map_err(TreeError::io("list", path.as_str()))?;
            match identify(&path, &entry).map_err(TreeError::io("list", path.as_str()))? {
                Identity::Gone => {}
                Identity::Odd => skipped = skipped.saturating_add(1),
                Identity::Known(child, kind) => {
                    if let (Kind::Directory, Some(depth)) = (kind, depth.checked_sub(1)) {
                        waiting.push((child.clone(), depth));
                    }
                    visit(Found {
                        path: child,
                        kind,
                        entry: &entry,
                    })?;
                }
            }
        }
    }
    Ok(skipped)
}

enum Identity {
    Known(WorkspacePath, Kind),
    /// A link, a special file, or a name that is no workspace path.
    Odd,
    Gone,
}

fn identify(folder: &WorkspacePath, entry: &DirEntry) -> io::Result<Identity> {
    let name = entry.file_name();
    let Some(path) = name.to_str().and_then(|name| folder.join(name).ok()) else {
        return Ok(Identity::Odd);
    };
    let node = match entry.file_type().and_then(|kind| Node::of_type(kind, || Ok(0))) {
        // Some disks do not say in a listing what a name is.
        Ok(Node::Special) => entry
            .metadata()
            .and_then(|metadata| Node::of_type(metadata.file_type(), || Ok(0))),
        known => known,
    };
    match node {
        Ok(Node::Directory) => Ok(Identity::Known(path, Kind::Directory)),
        Ok(Node::File { .. }) => Ok(Identity::Known(path, Kind::File)),
        Ok(Node::Link | Node::Special) => Ok(Identity::Odd),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Identity::Gone),
        Err(error) => Err(error),
    }
}
