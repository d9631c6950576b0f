//! One file in an open folder: read if it is a regular one and small enough, and looked at before it is replaced.
//!
//! Nothing is followed and nothing is waited for.

use std::io::{self, Read as _};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, FileType, OpenOptions};

/// Most bytes of a profile; real ones have a few thousand.
pub const MAX_PROFILE_BYTES: u64 = 1024 * 1024;

/// The whole file.
pub(super) fn read(folder: &Dir, name: &str) -> io::Result<Vec<u8>> {
    check_regular(folder.symlink_metadata(name)?.file_type())?;
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = folder.open_with(name, &options)?;
    // What was looked at and what was opened need not be the same thing.
    check_regular(file.metadata()?.file_type())?;
    let mut bytes = Vec::new();
    file.take(MAX_PROFILE_BYTES.saturating_add(1)).read_to_end(&mut bytes)?;
    check_size(bytes.len())?;
    Ok(bytes)
}

/// Refuses to put a file in the place of something that is none.
pub(super) fn check_replaceable(folder: &Dir, name: &str) -> io::Result<()> {
    match folder.symlink_metadata(name) {
        Ok(metadata) => check_regular(metadata.file_type()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Refuses what could not be read again.
pub(super) fn check_size(bytes: usize) -> io::Result<()> {
    if bytes as u64 > MAX_PROFILE_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 1 MiB"));
    }
    Ok(())
}

/// An error of ours in the words of the system.
pub(super) fn refusal(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

fn check_regular(kind: FileType) -> io::Result<()> {
    if kind.is_file() {
        Ok(())
    } else if kind.is_symlink() {
        Err(refusal("it is a link, and links are not followed"))
    } else if kind.is_dir() {
        Err(refusal("it is a folder"))
    } else {
        Err(refusal("it is no regular file"))
    }
}
