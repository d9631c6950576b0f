//! Agent profiles on disk, as bytes: which there are, reading, replacing and removing one.
//!
//! ```text
//! DATA/_tauritavern/agent-profiles/
//!   profiles/<profile id>.json   the names are TauriTavern's
//!   .staging/                    new contents, until they are renamed into place
//! ```
//!
//! Only regular files are profiles: a link is not followed, and a pipe is not waited for. What a profile says, and whether it is one at
//! all, is decided by whoever reads; so a file that makes no sense is in nobody's way.

mod error;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use innkeeper_protocol::id::ProfileId;

use crate::atomic::{sync_folder, unique};
use crate::chat::lock::{ATTEMPTS, lock_file};
use crate::regular::{check_regular, read_in, too_large};

pub use error::ProfilesError;

const FOLDER: &str = "_tauritavern/agent-profiles";
const PROFILES: &str = "profiles";
const STAGING: &str = ".staging";
/// Lies where nobody looks for profiles.
const LOCK_NAME: &str = ".staging/lock";
const ENDING: &str = ".json";
/// Most bytes of a profile; real ones have a few thousand.
const MAX_PROFILE_BYTES: u64 = 1024 * 1024;

/// The profiles of one data root. Everything here blocks for the time that files take.
#[derive(Debug, Clone)]
pub struct ProfilesFolder {
    data_root: PathBuf,
}

impl ProfilesFolder {
    /// For a data root. Nothing is made before something is written.
    #[must_use]
    pub fn new(data_root: impl Into<PathBuf>) -> Self {
        Self {
            data_root: data_root.into(),
        }
    }

    /// Where the files lie, or would lie.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.home().join(PROFILES)
    }

    /// Where the file of a profile lies, or would lie.
    #[must_use]
    pub fn file(&self, id: &ProfileId) -> PathBuf {
        self.path().join(file_name(id))
    }

    /// The ids of everything that is named like a profile, in their order; none where there is no folder. Names without `.json`, and
    /// those that begin with a dot, belong to editors and file managers.
    ///
    /// # Errors
    /// [`ProfilesError::FolderUnreadable`]; [`ProfilesError::NameInvalid`] when a file cannot be a profile by its name.
    pub fn ids(&self) -> Result<Vec<ProfileId>, ProfilesError> {
        let Some(folder) = self.open()? else {
            return Ok(Vec::new());
        };
        let mut ids = Vec::new();
        for entry in folder.entries().map_err(|source| self.folder_unreadable(source))? {
            let name = entry.map_err(|source| self.folder_unreadable(source))?.file_name();
            let text = name.to_string_lossy();
            let Some(stem) = text.strip_suffix(ENDING).filter(|_| !text.starts_with('.')) else {
                continue;
            };
            // A name that is not Unicode has lost something in its text, which no id allows.
            let id = ProfileId::parse(stem).map_err(|source| ProfilesError::NameInvalid {
                path: self.path().join(&name),
                source,
            })?;
            ids.push(id);
        }
        ids.sort_unstable();
        Ok(ids)
    }

    /// The file of a profile; `None` when there is none.
    ///
    /// # Errors
    /// [`ProfilesError::FolderUnreadable`] or [`ProfilesError::Unreadable`].
    pub fn read(&self, id: &ProfileId) -> Result<Option<Vec<u8>>, ProfilesError> {
        match self.open()? {
            Some(folder) => self.read_in(&folder, id),
            None => Ok(None),
        }
    }

    /// Makes or replaces the file of a profile, durably.
    ///
    /// # Errors
    /// Any [`ProfilesError`] about the file; it is as it was. What is no regular file is left alone.
    pub fn write(&self, id: &ProfileId, bytes: &[u8]) -> Result<(), ProfilesError> {
        let _lock = self.lock(id)?;
        self.put(id, bytes)
    }

    /// Replaces the file of a profile if it still holds what was `read`, and says whether it did.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn replace(&self, id: &ProfileId, read: &[u8], bytes: &[u8]) -> Result<bool, ProfilesError> {
        let _lock = self.lock(id)?;
        if self.read(id)?.as_deref() != Some(read) {
            return Ok(false);
        }
        self.put(id, bytes).map(|()| true)
    }

    /// Removes the file of a profile, also one that cannot be read, and says whether there was one. Of a link only the link goes.
    ///
    /// # Errors
    /// Any [`ProfilesError`] about the file; it is as it was. A folder is left alone.
    pub fn delete(&self, id: &ProfileId) -> Result<bool, ProfilesError> {
        let Some(folder) = self.open()? else { return Ok(false) };
        let name = file_name(id);
        let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        match folder.symlink_metadata(&name) {
            Err(error) if is_gone(&error) => return Ok(false),
            Err(source) => return Err(self.unreadable(id, source)),
            Ok(metadata) if metadata.is_dir() => {
                let refusal = io::Error::new(io::ErrorKind::InvalidInput, "it is a folder");
                return Err(self.unreadable(id, refusal));
            }
            Ok(_) => {}
        }
        let _lock = self.lock(id)?;
        match folder.remove_file(&name).and_then(|()| sync_folder(&folder)) {
            Ok(()) => Ok(true),
            Err(error) if is_gone(&error) => Ok(false),
            Err(source) => Err(self.write_failed(id, source)),
        }
    }

    fn home(&self) -> PathBuf {
        self.data_root.join(FOLDER)
    }

    fn open(&self) -> Result<Option<Dir>, ProfilesError> {
        match open_folder(&self.path()) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(self.folder_unreadable(source)),
        }
    }

    fn read_in(&self, folder: &Dir, id: &ProfileId) -> Result<Option<Vec<u8>>, ProfilesError> {
        match read_in(folder, &file_name(id), MAX_PROFILE_BYTES) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(self.unreadable(id, source)),
        }
    }

    fn lock(&self, id: &ProfileId) -> Result<File, ProfilesError> {
        let lock = lock_file(&self.home().join(LOCK_NAME), ATTEMPTS);
        lock.map_err(|source| self.write_failed(id, source))?
            .ok_or_else(|| ProfilesError::Locked { path: self.path() })
    }

    /// Under the lock.
    fn put(&self, id: &ProfileId, bytes: &[u8]) -> Result<(), ProfilesError> {
        let put = || {
            if bytes.len() as u64 > MAX_PROFILE_BYTES {
                return Err(too_large(MAX_PROFILE_BYTES));
            }
            std::fs::create_dir_all(self.path())?;
            let (folder, staging) = (open_folder(&self.path())?, open_folder(&self.home().join(STAGING))?);
            check_replaceable(&folder, &file_name(id))?;
            stage(&staging, &folder, id, bytes)
        };
        put().map_err(|source| self.write_failed(id, source))
    }

    fn folder_unreadable(&self, source: io::Error) -> ProfilesError {
        ProfilesError::FolderUnreadable {
            path: self.path(),
            source,
        }
    }

    fn unreadable(&self, id: &ProfileId, source: io::Error) -> ProfilesError {
        ProfilesError::Unreadable {
            path: self.file(id),
            source,
        }
    }

    fn write_failed(&self, id: &ProfileId, source: io::Error) -> ProfilesError {
        ProfilesError::WriteFailed {
            path: self.file(id),
            source,
        }
    }
}

/// The name of a profile's file.
#[must_use]
pub fn file_name(id: &ProfileId) -> String {
    format!("{id}{ENDING}")
}

fn open_folder(path: &Path) -> io::Result<Dir> {
    Dir::open_ambient_dir(path, ambient_authority())
}

/// Refuses to put a file in the place of something that is none.
fn check_replaceable(folder: &Dir, name: &str) -> io::Result<()> {
    match folder.symlink_metadata(name) {
        Ok(metadata) => check_regular(metadata.file_type()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Writes the content under a name of its own, then renames it over the old one: a crash leaves one of the two, whole.
fn stage(staging: &Dir, folder: &Dir, id: &ProfileId, bytes: &[u8]) -> io::Result<()> {
    let name = format!("{id}.{}{ENDING}", unique());
    let staged = write_new(staging, &name, bytes).and_then(|()| staging.rename(&name, folder, file_name(id)));
    if let Err(error) = staged {
        // It may not have come into being; the first error is the one that matters.
        let _ = staging.remove_file(&name);
        return Err(error);
    }
    sync_folder(folder)
}

fn write_new(staging: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut file = staging.open_with(name, OpenOptions::new().write(true).create_new(true))?;
    io::Write::write_all(&mut file, bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests;
