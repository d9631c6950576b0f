//! The key that seals artefacts: 32 random bytes beside the cache's folder, for this user's eyes only.
//!
//! A key that others could have read or written is replaced, which makes every entry a miss.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::artefact::folder::{is_ours_alone, open_plain};

/// Bytes of a key.
const KEY_BYTES: usize = 32;

/// A key.
pub(super) struct Key([u8; KEY_BYTES]);

impl Key {
    /// The key of the cache in this folder; a new one when there is none that can be trusted.
    pub(super) fn of(dir: &Path) -> Result<Self, String> {
        let path = path(dir).ok_or("it has no folder around it")?;
        let failed = |e: std::io::Error| format!("its key {} cannot be used: {e}", path.display());
        if let Some(key) = read(&path).map_err(failed)? {
            return Ok(key);
        }
        match make(&path) {
            // Another process was first, and its key is whole: it appears at once under its name.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => read(&path)
                .map_err(failed)?
                .ok_or_else(|| failed(ErrorKind::InvalidData.into())),
            made => made.map_err(failed),
        }
    }

    pub(super) fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }
}

/// `cache.key` beside `cache`: out of reach of whatever only fills the folder.
fn path(dir: &Path) -> Option<PathBuf> {
    let mut name = dir.file_name()?.to_owned();
    name.push(".key");
    Some(dir.with_file_name(name))
}

/// The key, if there is one that only this user can have seen. Anything else in its place is removed.
fn read(path: &Path) -> std::io::Result<Option<Key>> {
    let opened = match open_plain(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened,
    };
    match opened.and_then(|mut file| trusted(&mut file)) {
        Ok(key) => Ok(Some(key)),
        Err(reason) => {
            tracing::warn!(path = %path.display(), %reason, "the key of the cache is replaced, and what was compiled is compiled again");
            std::fs::remove_file(path)?;
            Ok(None)
        }
    }
}

fn trusted(file: &mut File) -> std::io::Result<Key> {
    let found = file.metadata()?;
    if !found.is_file() || !is_ours_alone(&found) || found.len() != KEY_BYTES as u64 {
        return Err(std::io::Error::new(
            ErrorKind::InvalidData,
            "it is not 32 bytes that only this user can read",
        ));
    }
    let mut key = [0; KEY_BYTES];
    file.read_exact(&mut key)?;
    Ok(Key(key))
}

fn make(path: &Path) -> std::io::Result<Key> {
    let mut key = [0; KEY_BYTES];
    getrandom::fill(&mut key).map_err(|e| std::io::Error::other(e.to_string()))?;
    let mut file = NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(&key)?;
    file.persist_noclobber(path).map_err(|e| e.error)?;
    Ok(Key(key))
}
