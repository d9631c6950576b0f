//! The files of one run, reached through an open handle on its folder and never by a path of the system.
//!
//! Every access walks from that handle one component at a time and opens nothing through a link, so that no link, and no folder that is
//! swapped for one in the middle of a walk, leads out. Links and special files are answers, never faults; only a replaced root is one.
//!
//! It does not know who may see or write what, keeps no read-state, and never blocks on a pipe. All functions are synchronous: callers
//! move them to a blocking thread.

mod apply;
mod error;
mod list;
mod node;
mod read;
mod staging;
mod walk;

#[cfg(test)]
mod list_tests;
#[cfg(test)]
mod swap_tests;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use cap_fs_ext::MetadataExt as _;
use cap_std::ambient_authority;
use cap_std::fs::Dir;

pub use apply::{Applied, Change, Guard};
pub use error::TreeError;
pub(crate) use list::FileStamp;
pub use list::{Entry, Kind, Listing, Scope};
pub(crate) use read::hash_into;
pub use read::{FileBytes, FileText, MAX_FILE_BYTES};
pub(crate) use staging::is_staging_name;

/// The files of one run.
///
/// Writers of one folder exclude one another, also through two `Tree`s in this process. One lock for the whole folder rather than one
/// for each path: two writers of different files could otherwise create twin folders (`A`, `a`), and a change of several files would have to
/// order its locks.
#[derive(Debug)]
pub struct Tree {
    path: PathBuf,
    root: Dir,
    id: FolderId,
    writing: Arc<Mutex<()>>,
}

/// What tells a folder from every other that exists at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct FolderId {
    device: u64,
    inode: u64,
}

impl FolderId {
    fn of(folder: &Dir) -> io::Result<Self> {
        let metadata = folder.dir_metadata()?;
        Ok(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
        })
    }
}

impl Tree {
    /// Opens the folder of a run and remembers which folder it is. Links on the way to it are followed once, here.
    ///
    /// # Errors
    /// When it cannot be opened as a folder.
    pub fn open(folder: &Path) -> Result<Self, TreeError> {
        let open = || {
            let path = std::fs::canonicalize(folder)?;
            let root = Dir::open_ambient_dir(&path, ambient_authority())?;
            let id = FolderId::of(&root)?;
            Ok(Self {
                path,
                root,
                id,
                writing: writing_lock(id),
            })
        };
        open().map_err(TreeError::io("open the run's folder", "."))
    }

    /// Removes what a writer that was killed left behind, and says how many there were. Only for the run's owner, before it writes.
    ///
    /// # Errors
    /// When the folder cannot be read or a leftover cannot be removed.
    pub fn sweep_leftovers(&self) -> Result<usize, TreeError> {
        let _writing = self.lock();
        staging::sweep(&self.root).map_err(TreeError::io("remove leftovers in", "."))
    }

    /// Whether the path that was opened still leads to the same folder.
    ///
    /// # Errors
    /// [`TreeError::RootReplaced`] when it does not.
    pub fn check_root(&self) -> Result<(), TreeError> {
        let now = Dir::open_ambient_dir(&self.path, ambient_authority()).and_then(|folder| FolderId::of(&folder));
        match now {
            Ok(id) if id == self.id => Ok(()),
            Ok(_) => Err(TreeError::RootReplaced),
            Err(error) if error.kind() == io::ErrorKind::NotFound || node::is_link_refusal(&error) => {
                Err(TreeError::RootReplaced)
            }
            Err(error) => Err(TreeError::io("open the run's folder", ".")(error)),
        }
    }

    /// The open folder, for other parts of the store that keep their own files beside the workspace.
    pub(crate) fn root(&self) -> &Dir {
        &self.root
    }

    /// Keeps other writers of this folder out until dropped.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ()> {
        // The lock guards no data: a writer that panicked left the disk as its undoing left it.
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The lock of a folder; the table holds it only as long as some tree does.
fn writing_lock(id: FolderId) -> Arc<Mutex<()>> {
    static LOCKS: LazyLock<Mutex<HashMap<FolderId, Weak<Mutex<()>>>>> = LazyLock::new(Mutex::default);
    let mut locks = LOCKS.lock().unwrap_or_else(PoisonError::into_inner);
    locks.retain(|_, lock| lock.strong_count() > 0);
    if let Some(lock) = locks.get(&id).and_then(Weak::upgrade) {
        return lock;
    }
    let lock = Arc::new(Mutex::new(()));
    locks.insert(id, Arc::downgrade(&lock));
    lock
}
