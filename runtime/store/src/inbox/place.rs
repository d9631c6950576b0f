//! The folder of the messages and the names in it.
//!
//! A request is `<uuid>.json`, renamed to `<uuid>.taken` by the owner, so that exactly one of owner and sender gets hold of it; its
//! answer is `<uuid>.answer.json`. What a message says is not known here.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use cap_fs_ext::DirExt as _;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use serde::Serialize;

use super::error::InboxError;
use crate::atomic::{Durability, is_temp_name, write_in};
use crate::regular::read_in;
use crate::runs::RunFolder;

/// Name of the inbox in a run's folder.
pub(crate) const FOLDER: &str = "inbox";

const ANSWER_SUFFIX: &str = ".answer.json";
const REQUEST_SUFFIX: &str = ".json";
const TAKEN_SUFFIX: &str = ".taken";

/// The longest guidance that a run takes has 16,000 characters, at most 96 KB as JSON; a reason comes from a person, too.
pub const MAX_MESSAGE_BYTES: u64 = 256 * 1024;

/// A request and its answer. Ids of one sender are in the order of its requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(uuid::Uuid);

impl RequestId {
    /// An id that no other request has. It tells the order of requests (RFC 9562, version 7), and no replay of a run sees it.
    pub(super) fn fresh() -> Self {
        Self(uuid::Uuid::now_v7())
    }

    fn parse(text: &str) -> Option<Self> {
        let id = Self(uuid::Uuid::try_parse(text).ok()?);
        // The name is made from the id again, so there must be one way to write it.
        (id.to_string() == text).then_some(id)
    }

    pub(super) fn request(self) -> String {
        format!("{self}{REQUEST_SUFFIX}")
    }

    pub(super) fn taken(self) -> String {
        format!("{self}{TAKEN_SUFFIX}")
    }

    pub(super) fn answer(self) -> String {
        format!("{self}{ANSWER_SUFFIX}")
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_hyphenated().fmt(f)
    }
}

/// What a name in the folder says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    /// A request that waits.
    Request(RequestId),
    /// A request in the owner's hands.
    Taken,
    /// An answer that its sender has not fetched.
    Answer,
    /// A message that is being written.
    Unfinished,
    /// None of ours.
    Junk,
}

impl Item {
    pub(super) fn of(name: &str) -> Self {
        let has_id = |suffix| name.strip_suffix(suffix).and_then(RequestId::parse).is_some();
        if has_id(ANSWER_SUFFIX) {
            Self::Answer
        } else if has_id(TAKEN_SUFFIX) {
            Self::Taken
        } else if let Some(id) = name.strip_suffix(REQUEST_SUFFIX).and_then(RequestId::parse) {
            Self::Request(id)
        } else if is_temp_name(name) {
            Self::Unfinished
        } else {
            Self::Junk
        }
    }
}

/// The folder, held open: what later takes its place is not it.
#[derive(Debug)]
pub(super) struct Place {
    folder: Dir,
    path: PathBuf,
}

impl Place {
    pub(super) fn path_in(run: &RunFolder) -> PathBuf {
        run.path().join(FOLDER)
    }

    /// Opens the folder, which is there.
    pub(super) fn open(run: &RunFolder) -> Result<Self, InboxError> {
        let path = Self::path_in(run);
        let opened = Dir::open_ambient_dir(run.path(), ambient_authority()).and_then(|run| {
            if run.symlink_metadata(FOLDER)?.is_symlink() {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    "it is a link, and links are not followed",
                ));
            }
            run.open_dir_nofollow(FOLDER)
        });
        match opened {
            Ok(folder) => Ok(Self { folder, path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(InboxError::Missing { path }),
            Err(source) => Err(InboxError::Unreadable { path, source }),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Calls `each` with every name that is Unicode; other names are none of ours. A folder that is gone is empty.
    pub(super) fn for_each(&self, mut each: impl FnMut(&str)) -> Result<(), InboxError> {
        let unreadable = |source| self.unreadable(source);
        let entries = match self.folder.entries() {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(self.unreadable(error)),
        };
        for entry in entries {
            if let Some(name) = entry.map_err(unreadable)?.file_name().to_str() {
                each(name);
            }
        }
        Ok(())
    }

    /// Whether the name is a regular file's.
    pub(super) fn is_file(&self, name: &str) -> bool {
        self.folder
            .symlink_metadata(name)
            .is_ok_and(|metadata| metadata.is_file())
    }

    pub(super) fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        read_in(&self.folder, name, MAX_MESSAGE_BYTES)
    }

    /// Puts a message there, whole or not at all. It need not outlive a power cut: the run does not either.
    pub(super) fn write(&self, name: &str, message: &impl Serialize) -> Result<(), InboxError> {
        let write_failed = |source| self.write_failed(source);
        let bytes = serde_json::to_vec(message).map_err(|error| write_failed(error.into()))?;
        if bytes.len() as u64 > MAX_MESSAGE_BYTES {
            return Err(InboxError::TooLarge {
                bytes: bytes.len() as u64,
                max: MAX_MESSAGE_BYTES,
            });
        }
        write_in(&self.folder, name, &bytes, Durability::Cache).map_err(write_failed)
    }

    /// Gives a file another name; false when it is gone.
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<bool> {
        was_there(self.folder.rename(from, &self.folder, to))
    }

    /// Removes a file or a link; false when it is gone.
    pub(super) fn remove(&self, name: &str) -> io::Result<bool> {
        was_there(self.folder.remove_file(name))
    }

    /// Removes what nobody needs; what cannot be removed stays.
    pub(super) fn discard(&self, name: &str) {
        if let Err(error) = self.remove(name) {
            tracing::debug!(%error, name, "something in a run's inbox was not removed");
        }
    }

    pub(super) fn unreadable(&self, source: io::Error) -> InboxError {
        InboxError::Unreadable {
            path: self.path.clone(),
            source,
        }
    }

    pub(super) fn write_failed(&self, source: io::Error) -> InboxError {
        // The owner removes the whole folder when the run ends.
        if source.kind() == io::ErrorKind::NotFound {
            return InboxError::Missing {
                path: self.path.clone(),
            };
        }
        InboxError::WriteFailed {
            path: self.path.clone(),
            source,
        }
    }
}

fn was_there(done: io::Result<()>) -> io::Result<bool> {
    match done {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
