//! Opening what lies directly in a folder, if it is a regular file: a link is not followed, and a pipe is not waited for.
//!
//! It makes no folders and takes no locks.

use std::io::{self, Read};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, File, FileType, OpenOptions};

/// Opens the file `name`, which may be missing where the options create it.
pub(crate) fn open_in(folder: &Dir, name: &str, mut options: OpenOptions) -> io::Result<File> {
    match folder.symlink_metadata(name) {
        Ok(metadata) => check_regular(metadata.file_type())?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    options.follow(FollowSymlinks::No).nonblock(true);
    let file = folder.open_with(name, &options)?;
    // What was looked at and what was opened need not be the same thing.
    check_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// The content of the file `name`, if it is not larger than `max_bytes`.
pub(crate) fn read_in(folder: &Dir, name: &str, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.read(true);
    read_whole(&mut open_in(folder, name, options)?, max_bytes)
}

/// Everything from here on, if it is not more than `max_bytes`.
pub(crate) fn read_whole(file: &mut impl Read, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(too_large(max_bytes));
    }
    Ok(bytes)
}

/// That a file has more than `max_bytes`.
pub(crate) fn too_large(max_bytes: u64) -> io::Error {
    let reason = format!("it is larger than {max_bytes} bytes");
    io::Error::new(io::ErrorKind::FileTooLarge, reason)
}

/// Refuses what is no regular file, and says what it is.
pub(crate) fn check_regular(kind: FileType) -> io::Result<()> {
    let what = if kind.is_file() {
        return Ok(());
    } else if kind.is_symlink() {
        "it is a link, and links are not followed"
    } else if kind.is_dir() {
        "it is a folder"
    } else {
        "it is no regular file"
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}
