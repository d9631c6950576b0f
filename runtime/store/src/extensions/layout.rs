//! The names in the folder of extensions, and moving folders between them.
//!
//! Which of them count is said by the lock file alone.

use std::io;

use cap_std::fs::Dir;
use innkeeper_protocol::digest::Sha256;

use super::open_in;
use crate::atomic::{sync_folder, unique};

/// Below the data root.
pub(super) const FOLDER: &str = "extensions";
pub(super) const LOCK_FILE: &str = "extensions.lock.json";
pub(super) const LOCK_NAME: &str = "extensions.lock";
/// No extension can have this id.
pub(super) const STAGING: &str = ".staging";

/// Digits of a package's digest in its folder's name. Enough to tell packages apart, and short where paths must be; the files themselves
/// are checked against whole digests.
const DIGEST_DIGITS: usize = 32;

/// The name of a package's folder.
pub(super) fn package_folder(package: &Sha256) -> String {
    package.as_str().chars().take(DIGEST_DIGITS).collect()
}

/// Whether a folder has a name of that form.
pub(super) fn is_package_folder(name: &str) -> bool {
    name.len() == DIGEST_DIGITS && name.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// Opens a folder, which is made where it is missing.
pub(super) fn enter(folder: &Dir, name: &str) -> io::Result<Dir> {
    match folder.create_dir(name) {
        Ok(()) => sync_folder(folder)?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    open_in(folder, name)
}

/// Whether anything has this name.
pub(super) fn exists(folder: &Dir, name: &str) -> io::Result<bool> {
    match folder.symlink_metadata(name) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Takes something out of sight at once; it is removed later. Half a folder is then never seen.
pub(super) fn move_away(folder: &Dir, name: &str, staging: &Dir) -> io::Result<()> {
    folder.rename(name, staging, unique().to_string())?;
    sync_folder(folder)
}
