//! Writing whole files so that a crash leaves the old content or the new one: a temporary name beside the target, then a rename.
//!
//! It creates no folders and takes no locks; who may write which file, and when, is the caller's affair. Paths are taken as they are:
//! names that come from a model go through [`crate::tree`].

#[cfg(test)]
mod tests;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use serde::Serialize;

/// How a temporary file's name ends.
const TEMP_SUFFIX: &str = ".tmp";

/// How sure a write has to be when the call returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// File and directory entry are on the disk: records and manifests.
    Durable,
    /// Atomic, but may be lost with the power: caches that can be made again.
    Cache,
}

/// Why a whole-file write failed. The target is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AtomicError {
    /// The value has no JSON form.
    #[error("cannot turn the content of {} into JSON", path.display())]
    Serialise {
        /// The target.
        path: PathBuf,
        /// What the serialiser said.
        source: serde_json::Error,
    },
    /// The disk refused.
    #[error("cannot write {}", path.display())]
    Io {
        /// The target.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl AtomicError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Serialise { .. } => "store.serialise_failed",
            Self::Io { .. } => "store.io_failed",
        }
    }
}

/// Replaces the file at `path` by pretty-printed JSON.
///
/// # Errors
/// See [`AtomicError`]; the old content is still there.
pub fn write_json_atomic<T: Serialize + ?Sized>(
    path: &Path,
    value: &T,
    durability: Durability,
) -> Result<(), AtomicError> {
    let bytes = to_pretty_json(path, value)?;
    write_atomic(path, &bytes, durability)
}

/// Replaces the file at `path`.
///
/// # Errors
/// See [`AtomicError`]; the old content is still there.
pub fn write_atomic(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), AtomicError> {
    let write = || {
        let (folder, name) = open_folder(path)?;
        write_in(&folder, name, bytes, durability)
    };
    write().map_err(|source| AtomicError::Io {
        path: path.to_owned(),
        source,
    })
}

/// Replaces the file `name` directly in `folder`.
///
/// # Errors
/// What the system said; the old content is still there and the temporary file is gone.
pub(crate) fn write_in(folder: &Dir, name: &str, bytes: &[u8], durability: Durability) -> io::Result<()> {
    let temp = temp_name(name);
    let written = write_new(folder, &temp, bytes, durability).and_then(|()| folder.rename(&temp, folder, name));
    if let Err(error) = written {
        // It may not have come into being; the first error is the one that matters.
        let _ = folder.remove_file(&temp);
        return Err(error);
    }
    match durability {
        Durability::Durable => sync_folder(folder),
        Durability::Cache => Ok(()),
    }
}

/// Creates the file `name` directly in `folder`, durably; never replaces one.
///
/// # Errors
/// `AlreadyExists` when something of that name is there; else what the system said, and the new file is gone.
pub(crate) fn create_in(folder: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    match write_new(folder, name, bytes, Durability::Durable) {
        Ok(()) => sync_folder(folder),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(error) => {
            let _ = folder.remove_file(name);
            Err(error)
        }
    }
}

/// Makes the names in a folder durable. Windows cannot flush a folder and keeps its names in a journal of its own.
///
/// # Errors
/// What the system said.
pub(crate) fn sync_folder(folder: &Dir) -> io::Result<()> {
    if cfg!(windows) {
        Ok(())
    } else {
        folder.open(".")?.sync_all()
    }
}

/// A temporary name for `name`: `<name>.<uuid>.tmp`.
pub(crate) fn temp_name(name: &str) -> String {
    format!("{name}.{}{TEMP_SUFFIX}", unique())
}

/// Removes what writes of an earlier process left in a folder, and says how many there were. Only for who owns the folder: a write
/// that is going on would lose its file.
///
/// # Errors
/// What the system said.
pub(crate) fn sweep_temps(folder: &Dir) -> io::Result<usize> {
    let mut removed = 0;
    for entry in folder.entries()? {
        let name = entry?.file_name();
        if name.to_str().is_some_and(is_temp_name) {
            folder.remove_file(&name)?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Whether a name has the form that [`temp_name`] gives.
pub(crate) fn is_temp_name(name: &str) -> bool {
    name.strip_suffix(TEMP_SUFFIX)
        .and_then(|stem| stem.rsplit_once('.'))
        .is_some_and(|(_, id)| id.len() == uuid::fmt::Hyphenated::LENGTH && uuid::Uuid::try_parse(id).is_ok())
}

/// A text that no other temporary name has.
#[expect(
    clippy::disallowed_methods,
    reason = "a temporary name is gone when the write returns, and no replay sees it"
)]
pub(crate) fn unique() -> uuid::Uuid {
    uuid::Uuid::new_v4()
}

fn write_new(folder: &Dir, name: &str, bytes: &[u8], durability: Durability) -> io::Result<()> {
    let mut file = folder.open_with(name, OpenOptions::new().write(true).create_new(true))?;
    file.write_all(bytes)?;
    match durability {
        Durability::Durable => file.sync_all(),
        Durability::Cache => Ok(()),
    }
}

fn open_folder(path: &Path) -> io::Result<(Dir, &str)> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let folder = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    Ok((Dir::open_ambient_dir(folder, ambient_authority())?, name))
}

fn to_pretty_json<T: Serialize + ?Sized>(path: &Path, value: &T) -> Result<Vec<u8>, AtomicError> {
    let serialise = |source| AtomicError::Serialise {
        path: path.to_owned(),
        source,
    };
    let mut bytes = serde_json::to_vec_pretty(value).map_err(serialise)?;
    bytes.push(b'\n');
    Ok(bytes)
}
