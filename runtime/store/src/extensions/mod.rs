//! Installed extensions on disk: their packages, and the lock file that says which of them count.
//!
//! ```text
//! DATA/extensions/
//!   extensions.lock.json          what is installed: versions, digests, grants; the one truth
//!   extensions.lock               held while something changes
//!   <extension id>/<32 hex>/      a package's files, never changed; named by the package's digest
//!   .staging/                     packages on their way in or out
//! ```
//!
//! A change writes the new files where nobody looks, moves them into place, replaces the lock file, and only then removes what is no longer
//! named in it. So a process that is killed anywhere leaves the old state or the new one, with its grants; what it leaves lying about is
//! swept by the next change or the next start.
//!
//! What a manifest says, what can be granted, and whether a component may be loaded is decided by whoever reads.

mod error;
mod layout;
mod lock;
mod package;
mod sweep;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use cap_fs_ext::DirExt as _;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::extension::ExtensionId;

use crate::atomic::{Durability, write_in};
use crate::chat::lock::{ATTEMPTS, lock_file};
use crate::regular::{read_in, too_large};

pub use error::ExtensionsError;
pub use lock::{Edition, Installed, LockFile};
pub use package::{Documents, MAX_MANIFEST_BYTES, PackageError, PackageFiles, PackageSource};

use layout::{FOLDER, LOCK_FILE, LOCK_NAME, package_folder};

/// The name of the manifest in every package.
pub const MANIFEST: &str = "extension.toml";

/// Thousands of extensions; a larger file is not ours.
const MAX_LOCK_BYTES: u64 = 16 * 1024 * 1024;

/// The installed extensions of one data root. Everything here blocks for the time that files take.
#[derive(Debug, Clone)]
pub struct ExtensionsFolder {
    data_root: PathBuf,
}

/// The two files of an installed package that a host needs, as they were pinned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledFiles {
    /// The manifest's text.
    pub manifest: Vec<u8>,
    /// The component.
    pub component: Vec<u8>,
}

/// A change of one extension: what it is about was looked at before, and must still be so.
#[derive(Debug, Clone, Copy)]
pub struct Replacement<'a> {
    /// The extension.
    pub id: &'a ExtensionId,
    /// What the lock file was found to say of it.
    pub expected: Option<&'a Installed>,
    /// What it is to say; `None` removes the extension.
    pub new: Option<&'a Installed>,
    /// The files of a package that comes with the change.
    pub files: Option<&'a PackageFiles>,
}

/// The moments of a change at which a process may be killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Locked,
    FileStaged,
    Staged,
    OldMovedAway,
    Moved,
    LockWritten,
    Swept,
}

/// Is told of every moment; an error stops the change there, with nothing cleared up.
type Watch<'a> = &'a mut dyn FnMut(Moment) -> io::Result<()>;

impl ExtensionsFolder {
    /// For a data root. Nothing is made before something is installed.
    #[must_use]
    pub fn new(data_root: impl Into<PathBuf>) -> Self {
        Self {
            data_root: data_root.into(),
        }
    }

    /// Where everything lies, or would lie.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.data_root.join(FOLDER)
    }

    /// The lock file, which need not exist.
    #[must_use]
    pub fn lock_path(&self) -> PathBuf {
        self.path().join(LOCK_FILE)
    }

    /// Where the files of an edition lie.
    #[must_use]
    pub fn package_path(&self, id: &ExtensionId, edition: &Edition) -> PathBuf {
        self.path().join(id.as_str()).join(package_folder(&edition.package))
    }

    /// What is installed; nothing where there is no lock file.
    ///
    /// # Errors
    /// [`ExtensionsError::Unreadable`] or [`ExtensionsError::LockDamaged`].
    pub fn read(&self) -> Result<LockFile, ExtensionsError> {
        match self.load()? {
            None => Ok(LockFile::default()),
            Some(bytes) => lock::parse(&bytes).map_err(|problem| ExtensionsError::LockDamaged {
                path: self.lock_path(),
                problem,
            }),
        }
    }

    /// The digest of the lock file, to see whether anything has changed; `None` where there is none, or it cannot be read.
    #[must_use]
    pub fn stamp(&self) -> Option<Sha256> {
        self.load().ok().flatten().map(|bytes| Sha256::of(&bytes))
    }

    /// The files of an installed edition, if they are those that were pinned.
    ///
    /// # Errors
    /// [`ExtensionsError::FileMissing`], [`ExtensionsError::FileChanged`] or [`ExtensionsError::FileUnreadable`].
    pub fn open(&self, id: &ExtensionId, edition: &Edition) -> Result<InstalledFiles, ExtensionsError> {
        let folder = self.package_path(id, edition);
        let source = PackageSource::open(&folder).map_err(|error| ExtensionsError::of_file(id, &folder, error))?;
        let read = |path: &str, limit: u64, pinned: &Sha256| {
            let file = folder.join(path);
            let bytes = source.read(path, limit);
            let bytes = bytes.map_err(|error| ExtensionsError::of_file(id, &file, error))?;
            if Sha256::of(&bytes) == *pinned {
                Ok(bytes)
            } else {
                Err(ExtensionsError::FileChanged {
                    id: id.clone(),
                    path: file,
                })
            }
        };
        Ok(InstalledFiles {
            manifest: read(MANIFEST, MAX_MANIFEST_BYTES, &edition.manifest)?,
            component: read(edition.component.as_str(), edition.bytes, &edition.sha256)?,
        })
    }

    /// Installs, changes or removes an extension, all or nothing.
    ///
    /// # Errors
    /// [`ExtensionsError::ChangedMeanwhile`] when it is not as expected any more; any other one about the files or the lock. Nothing has
    /// changed then.
    pub fn replace(&self, change: &Replacement<'_>) -> Result<(), ExtensionsError> {
        let done = self.replace_watched(change, &mut |_| Ok(()));
        if done.is_err() {
            self.sweep();
        }
        done
    }

    /// Removes what changes that were cut off have left. Says nothing where that cannot be done: it costs room and nothing else.
    pub fn sweep(&self) {
        if !self.path().is_dir() {
            return;
        }
        // Whoever holds the lock sweeps too.
        let Ok(Some(_held)) = lock_file(&self.path().join(LOCK_NAME), 1) else {
            return;
        };
        self.sweep_locked();
    }

    fn replace_watched(&self, change: &Replacement<'_>, watch: Watch<'_>) -> Result<(), ExtensionsError> {
        let _held = self.hold()?;
        let mut lock = self.read()?;
        if lock.extensions.get(change.id) != change.expected {
            return Err(ExtensionsError::ChangedMeanwhile { id: change.id.clone() });
        }
        let failed = |source| ExtensionsError::WriteFailed {
            path: self.path(),
            source,
        };
        watch(Moment::Locked).map_err(failed)?;
        self.sweep_locked();
        if let Some(files) = change.files {
            self.bring_in(change.id, files, watch).map_err(failed)?;
        }
        match change.new {
            Some(new) => lock.extensions.insert(change.id.clone(), new.clone()),
            None => lock.extensions.remove(change.id),
        };
        self.write(&lock).map_err(failed)?;
        // From here on the change is made, and nothing takes it back.
        if watch(Moment::LockWritten).is_ok() {
            self.sweep_locked();
            let _ = watch(Moment::Swept);
        }
        Ok(())
    }

    /// Writes a package where nobody looks, then moves it into place. One that is there already stays, unless its files were changed.
    fn bring_in(&self, id: &ExtensionId, files: &PackageFiles, watch: Watch<'_>) -> io::Result<()> {
        let target = package_folder(&files.digest());
        if files.are_in(&self.path().join(id.as_str()).join(&target)) {
            return Ok(());
        }
        let home = open_folder(&self.path())?;
        let staging = layout::enter(&home, layout::STAGING)?;
        let name = crate::atomic::unique().to_string();
        files.write_into(&staging, &name, &mut || watch(Moment::FileStaged))?;
        watch(Moment::Staged)?;
        let folder = layout::enter(&home, id.as_str())?;
        if layout::exists(&folder, &target)? {
            layout::move_away(&folder, &target, &staging)?;
            watch(Moment::OldMovedAway)?;
        }
        staging.rename(&name, &folder, &target)?;
        crate::atomic::sync_folder(&folder)?;
        watch(Moment::Moved)
    }

    fn sweep_locked(&self) {
        // A lock file that cannot be read names packages that are still wanted.
        let named = match self.load() {
            Ok(None) => None,
            Ok(Some(bytes)) => match lock::parse(&bytes) {
                Ok(lock) => Some(lock),
                Err(_) => return,
            },
            Err(_) => return,
        };
        if let Err(error) = sweep::sweep(&self.path(), named.as_ref()) {
            tracing::debug!(%error, "leftovers of extensions stay where they are");
        }
    }

    fn hold(&self) -> Result<File, ExtensionsError> {
        let failed = |source| ExtensionsError::WriteFailed {
            path: self.path(),
            source,
        };
        let held = lock_file(&self.path().join(LOCK_NAME), ATTEMPTS).map_err(failed)?;
        held.ok_or_else(|| ExtensionsError::Locked { path: self.path() })
    }

    fn load(&self) -> Result<Option<Vec<u8>>, ExtensionsError> {
        let read = || read_in(&open_folder(&self.path())?, LOCK_FILE, MAX_LOCK_BYTES);
        match read() {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ExtensionsError::Unreadable {
                path: self.lock_path(),
                source,
            }),
        }
    }

    fn write(&self, lock: &LockFile) -> io::Result<()> {
        let bytes = lock::to_bytes(lock)?;
        if bytes.len() as u64 > MAX_LOCK_BYTES {
            return Err(too_large(MAX_LOCK_BYTES));
        }
        write_in(&open_folder(&self.path())?, LOCK_FILE, &bytes, Durability::Durable)
    }
}

fn open_folder(path: &Path) -> io::Result<Dir> {
    Dir::open_ambient_dir(path, ambient_authority())
}

/// A folder directly in another one, never through a link.
fn open_in(folder: &Dir, name: &str) -> io::Result<Dir> {
    folder.open_dir_nofollow(name)
}
