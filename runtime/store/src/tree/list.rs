//! Listing files and folders.
//!
//! A listing holds no more than its limit in memory, however many files there are. Which roots are visible is the caller's to say.

use std::collections::BinaryHeap;
use std::io;
use std::time::SystemTime;

use cap_fs_ext::DirEntryExt as _;
use cap_std::fs::Metadata;
use innkeeper_protocol::path::{RootName, WorkspacePath};

use super::node::{self, Lookup, Node};
use super::walk::{self, Missing};
use super::{Tree, TreeError};

/// Where a listing begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// These roots, as far as they exist, and what is beneath them.
    Roots(Vec<RootName>),
    /// What is beneath this folder, or just this file.
    Path(WorkspacePath),
}

/// What an entry is. Folders come before files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A folder.
    Directory,
    /// A regular file.
    File,
}

/// One file or folder. The order of the fields is the order of a listing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// What it is.
    pub kind: Kind,
    /// Where it is, from the run's folder.
    pub path: WorkspacePath,
    /// Length; 0 for a folder.
    pub bytes: u64,
}

/// What a listing found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Folders first, then files, each by path in byte order.
    pub entries: Vec<Entry>,
    /// Entries beyond the limit exist.
    pub truncated: bool,
    /// Links, special files and names that are no workspace path, passed over.
    pub skipped: u64,
}

/// All files below some roots, in byte order.
#[derive(Debug)]
pub(crate) struct Scan {
    pub(crate) files: Vec<(WorkspacePath, FileStamp)>,
    pub(crate) skipped: u64,
}

/// What changes whenever a file's content does, unless it does so twice within one tick of the disk's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileStamp {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: Option<SystemTime>,
    /// Seconds and nanoseconds of the last change of any kind, which nobody can set back.
    #[cfg(unix)]
    changed: (i64, i64),
}

impl FileStamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        use cap_std::fs::MetadataExt as _;
        Self {
            device: cap_fs_ext::MetadataExt::dev(metadata),
            inode: cap_fs_ext::MetadataExt::ino(metadata),
            bytes: metadata.len(),
            modified: metadata.modified().ok().map(cap_std::time::SystemTime::into_std),
            #[cfg(unix)]
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether the last change came before the other's, by the disk's own clock: then any later one gives another stamp.
    pub(crate) fn is_older_than(&self, other: &Self) -> bool {
        #[cfg(unix)]
        let older = self.changed < other.changed;
        #[cfg(not(unix))]
        let older = self.modified < other.modified;
        older
    }
}

impl Tree {
    /// Lists a scope. Depth 0 is its immediate children (of [`Scope::Roots`]: the roots themselves), each further level one more; at most
    /// `limit` entries are returned, the first in order.
    ///
    /// # Errors
    /// When the path is missing or refused, or a folder cannot be read: that is never taken for an empty one.
    pub fn list(&self, scope: &Scope, depth: u32, limit: usize) -> Result<Listing, TreeError> {
        self.check_root()?;
        let mut best = Best {
            limit,
            heap: BinaryHeap::new(),
            truncated: false,
        };
        let skipped = match scope {
            Scope::Roots(roots) => self.list_roots(roots, depth, &mut best)?,
            Scope::Path(path) => self.list_path(path, depth, &mut best)?,
        };
        Ok(Listing {
            entries: best.heap.into_sorted_vec(),
            truncated: best.truncated,
            skipped,
        })
    }

    /// What is at a path; `None` when nothing is.
    ///
    /// # Errors
    /// When the path is refused or cannot be looked at.
    pub fn find(&self, path: &WorkspacePath) -> Result<Option<Entry>, TreeError> {
        self.check_root()?;
        let Some(parent) = walk::parent(self.root(), path, Missing::Stop)? else {
            return Ok(None);
        };
        Ok(walk::target(&parent, path)?.map(|node| entry(path.clone(), node)))
    }

    fn list_roots(&self, roots: &[RootName], depth: u32, best: &mut Best) -> Result<u64, TreeError> {
        let mut starts = Vec::new();
        let mut odd: u64 = 0;
        for root in roots {
            match node::look_up(self.root(), root.as_str()).map_err(TreeError::io("look up", root.as_str()))? {
                Lookup::Absent => {}
                Lookup::Twin(_) | Lookup::Exact(Node::Link | Node::Special) => odd = odd.saturating_add(1),
                Lookup::Exact(node) => {
                    let found = entry(root.to_path(), node);
                    if let (Kind::Directory, Some(depth)) = (found.kind, depth.checked_sub(1)) {
                        starts.push((found.path.clone(), depth));
                    }
                    best.offer(found.kind, found.path, || Ok(found.bytes))
                        .map_err(TreeError::io("list", root.as_str()))?;
                }
            }
        }
        Ok(self.list_below(starts, best)?.saturating_add(odd))
    }

    fn list_path(&self, path: &WorkspacePath, depth: u32, best: &mut Best) -> Result<u64, TreeError> {
        let found = self
            .find(path)?
            .ok_or_else(|| TreeError::PathNotFound { path: path.clone() })?;
        match found.kind {
            Kind::Directory => self.list_below(vec![(found.path, depth)], best),
            Kind::File => {
                best.offer(found.kind, found.path, || Ok(found.bytes))
                    .map_err(TreeError::io("list", path.as_str()))?;
                Ok(0)
            }
        }
    }

    fn list_below(&self, starts: Vec<(WorkspacePath, u32)>, best: &mut Best) -> Result<u64, TreeError> {
        walk::below(self.root(), starts, &mut |found| {
            let at = found.path.to_string();
            let bytes = || match found.kind {
                Kind::Directory => Ok(0),
                Kind::File => found.entry.metadata().map(|metadata| metadata.len()),
            };
            match best.offer(found.kind, found.path, bytes) {
                // Removed between the listing of its name and the look at its length.
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                offered => offered.map_err(TreeError::io("list", at)),
            }
        })
    }

    /// Every regular file below some roots, with what tells its version from others.
    pub(crate) fn scan(&self, roots: &[RootName]) -> Result<Scan, TreeError> {
        let starts = roots.iter().map(|root| (root.to_path(), u32::MAX)).collect();
        let mut files = Vec::new();
        let skipped = walk::below(self.root(), starts, &mut |found| {
            if found.kind == Kind::File {
                match found.entry.full_metadata() {
                    Ok(metadata) => files.push((found.path, FileStamp::of(&metadata))),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(TreeError::io("look up", found.path)(error)),
                }
            }
            Ok(())
        })?;
        files.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Ok(Scan { files, skipped })
    }
}

fn entry(path: WorkspacePath, node: Node) -> Entry {
    match node {
        Node::File { bytes } => Entry {
            kind: Kind::File,
            path,
            bytes,
        },
        Node::Directory | Node::Link | Node::Special => Entry {
            kind: Kind::Directory,
            path,
            bytes: 0,
        },
    }
}

/// The first `limit` entries in order of all that are offered.
struct Best {
    limit: usize,
    /// The last in order is on top.
    heap: BinaryHeap<Entry>,
    truncated: bool,
}

impl Best {
    /// `bytes` is asked for only where the entry stays: a look at each of 100,000 files would be slow.
    fn offer(&mut self, kind: Kind, path: WorkspacePath, bytes: impl FnOnce() -> io::Result<u64>) -> io::Result<()> {
        if self.heap.len() >= self.limit {
            self.truncated = true;
            if self
                .heap
                .peek()
                .is_none_or(|last| (kind, &path) >= (last.kind, &last.path))
            {
                return Ok(());
            }
        }
        self.heap.push(Entry {
            kind,
            path,
            bytes: bytes()?,
        });
        if self.heap.len() > self.limit {
            self.heap.pop();
        }
        Ok(())
    }
}
