//! Finds the real file behind a chat path and reads it whole.
//!
//! The rule for links: links among the folders are resolved once, when the path is given; a link in the place of the file itself is
//! refused, because replacing the file would replace the link. Opening never waits for a pipe and never follows a link that was put
//! there later. Nothing here writes or creates anything.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, FileType, OpenOptions};

use super::error::ChatError;
use super::file::ChatFile;

/// Largest chat that is read, in bytes. Chats of years stay below a tenth of it; a commit holds the file twice in memory.
pub const MAX_CHAT_BYTES: u64 = 1024 * 1024 * 1024;

/// The canonical path of an existing regular file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChatPath {
    folder: PathBuf,
    name: OsString,
    full: PathBuf,
}

impl ChatPath {
    /// Resolves the folders of a path and checks that a regular file is there.
    ///
    /// # Errors
    /// [`ChatError::Missing`], [`ChatError::Link`], [`ChatError::NotAFile`] or [`ChatError::Unreadable`].
    pub fn resolve(path: &Path) -> Result<Self, ChatError> {
        let metadata = std::fs::symlink_metadata(path).map_err(|source| unreadable(path, source))?;
        check_kind(path, Kind::of_std(metadata.file_type()))?;
        let full = std::fs::canonicalize(path).map_err(|source| unreadable(path, source))?;
        let (Some(folder), Some(name)) = (full.parent(), full.file_name()) else {
            return Err(ChatError::NotAFile {
                path: path.to_owned(),
                kind: Kind::Folder.words(),
            });
        };
        Ok(Self {
            folder: folder.to_owned(),
            name: name.to_owned(),
            full: full.clone(),
        })
    }

    /// The whole canonical path.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        &self.full
    }

    pub(super) fn name(&self) -> &OsStr {
        &self.name
    }

    /// A handle on the folder: everything later happens below it, whatever becomes of its path.
    pub(super) fn open_folder(&self) -> Result<Dir, ChatError> {
        Dir::open_ambient_dir(&self.folder, ambient_authority()).map_err(|source| unreadable(&self.full, source))
    }

    /// Opens the file in its folder.
    pub(super) fn open_in(&self, folder: &Dir) -> Result<File, ChatError> {
        let fail = |source| unreadable(&self.full, source);
        let found = folder.symlink_metadata(&self.name).map_err(fail)?;
        check_kind(&self.full, Kind::of(found.file_type()))?;
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let file = folder.open_with(&self.name, &options).map_err(fail)?;
        // What was looked at and what was opened need not be the same thing.
        check_kind(&self.full, Kind::of(file.metadata().map_err(fail)?.file_type()))?;
        Ok(file)
    }
}

/// Reads and parses a chat of at most [`MAX_CHAT_BYTES`].
///
/// # Errors
/// Every reading and parsing error of [`ChatError`].
pub fn read_chat(path: &ChatPath) -> Result<ChatFile, ChatError> {
    read_chat_up_to(path, MAX_CHAT_BYTES)
}

/// Reads and parses a chat of at most `limit` bytes.
///
/// # Errors
/// As [`read_chat`].
pub fn read_chat_up_to(path: &ChatPath, limit: u64) -> Result<ChatFile, ChatError> {
    let file = path.open_in(&path.open_folder()?)?;
    let fail = |source| unreadable(path.as_path(), source);
    let too_large = || ChatError::TooLarge {
        path: path.full.clone(),
        limit,
    };
    let size = file.metadata().map_err(fail)?.len();
    if size > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    // The file may grow while it is read.
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(fail)?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    ChatFile::parse(path.as_path(), bytes)
}

pub(super) fn unreadable(path: &Path, source: io::Error) -> ChatError {
    match source.kind() {
        io::ErrorKind::NotFound => ChatError::Missing { path: path.to_owned() },
        _ => ChatError::Unreadable {
            path: path.to_owned(),
            source,
        },
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    Link,
    Special,
}

impl Kind {
    fn of(kind: FileType) -> Self {
        Self::from_flags(kind.is_file(), kind.is_dir(), kind.is_symlink())
    }

    fn of_std(kind: std::fs::FileType) -> Self {
        Self::from_flags(kind.is_file(), kind.is_dir(), kind.is_symlink())
    }

    fn from_flags(file: bool, folder: bool, link: bool) -> Self {
        match (file, folder, link) {
            (_, _, true) => Self::Link,
            (_, true, _) => Self::Folder,
            (true, ..) => Self::File,
            _ => Self::Special,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Folder => "a folder",
            Self::Link => "a symbolic link",
            Self::Special => "a pipe, socket or device",
        }
    }
}

fn check_kind(path: &Path, kind: Kind) -> Result<(), ChatError> {
    match kind {
        Kind::File => Ok(()),
        Kind::Link => Err(ChatError::Link { path: path.to_owned() }),
        Kind::Folder | Kind::Special => Err(ChatError::NotAFile {
            path: path.to_owned(),
            kind: kind.words(),
        }),
    }
}
