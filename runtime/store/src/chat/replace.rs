//! Replaces a chat file so that at any moment it holds wholly the old or wholly the new bytes.
//!
//! The new bytes go to a file of their own in the same folder, are made durable, and take the place of the old file by one rename,
//! right after the old file was compared once more with what the plan was made from. Between that comparison and the rename a few
//! instructions remain in which another program can save; the header's changed integrity value then makes the loss visible. Extended
//! attributes are not carried over.

use std::ffi::OsStr;
use std::io::{self, Read, Write};

use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use innkeeper_protocol::digest::Sha256;

use crate::atomic::sync_folder;

use super::error::{ChatError, Refusal};
use super::open::ChatPath;

/// The steps of a replacement, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// Making the new file beside the old one.
    CreateTemp,
    /// Filling it.
    Write,
    /// Making its bytes durable.
    SyncTemp,
    /// Comparing the old file with the bytes that the plan was made from.
    Compare,
    /// Putting the new file in the old one's place.
    Rename,
    /// Making the rename durable.
    SyncFolder,
}

impl Step {
    fn words(self) -> &'static str {
        match self {
            Self::CreateTemp => "creating the new file",
            Self::Write => "writing the new file",
            Self::SyncTemp => "making the new file durable",
            Self::Compare => "comparing the old file",
            Self::Rename => "renaming the new file",
            Self::SyncFolder => "making the rename durable",
        }
    }
}

/// A place where tests fail a step or act between two of them, as another program or a full disk would.
pub(super) trait Faults: Send + Sync {
    /// Called before each step; an error is taken as that step's own.
    ///
    /// # Errors
    /// Whatever the test wants the step to fail with.
    fn before(&self, step: Step) -> io::Result<()>;
}

/// Lets every step happen.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NoFaults;

impl Faults for NoFaults {
    fn before(&self, _step: Step) -> io::Result<()> {
        Ok(())
    }
}

/// How often a name for the new file is tried; names come from random ids, so even a second try means a leftover.
const NAME_ATTEMPTS: u32 = 16;

/// Chunk of the comparison: large enough to be fast, small beside the chat.
const COMPARE_CHUNK: usize = 256 * 1024;

/// One replacement of `old` by `new`.
pub(super) struct Replacement<'a> {
    pub(super) path: &'a ChatPath,
    pub(super) old: &'a [u8],
    pub(super) new: &'a [u8],
    /// Any fresh text; it becomes part of the new file's name until the rename.
    pub(super) nonce: &'a str,
    pub(super) faults: &'a dyn Faults,
}

impl Replacement<'_> {
    /// Does it. True when the rename is known to be durable too; on an error the old file is still there and the new one is gone.
    pub(super) fn run(&self) -> Result<bool, ChatError> {
        let folder = self.path.open_folder()?;
        let present = self
            .path
            .open_in(&folder)?
            .metadata()
            .map_err(|source| self.failed(Step::CreateTemp, source))?;
        if present.permissions().readonly() {
            let source = io::Error::new(io::ErrorKind::PermissionDenied, "the chat file is read-only");
            return Err(self.failed(Step::CreateTemp, source));
        }
        self.remove_leftovers(&folder);
        let (mut temp, mut file) = self.step(Step::CreateTemp, || self.create(&folder))?;
        self.step(Step::Write, || file.write_all(self.new))?;
        self.step(Step::SyncTemp, || {
            carry_access(&file, &present)?;
            file.sync_all()
        })?;
        drop(file);
        self.compare(&folder)?;
        self.step(Step::Rename, || folder.rename(&temp.name, &folder, self.path.name()))?;
        temp.placed = true;
        Ok(self.step(Step::SyncFolder, || sync_folder(&folder)).is_ok())
    }

    fn step<T>(&self, step: Step, act: impl FnOnce() -> io::Result<T>) -> Result<T, ChatError> {
        self.faults
            .before(step)
            .and_then(|()| act())
            .map_err(|source| self.failed(step, source))
    }

    fn failed(&self, step: Step, source: io::Error) -> ChatError {
        ChatError::WriteFailed {
            path: self.path.as_path().to_owned(),
            step: step.words(),
            source,
        }
    }

    fn create<'d>(&self, folder: &'d Dir) -> io::Result<(Temp<'d>, File)> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        private(&mut options);
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for attempt in 0..NAME_ATTEMPTS {
            let name = self.temp_name(attempt);
            match folder.open_with(&name, &options) {
                Ok(file) => {
                    return Ok((
                        Temp {
                            folder,
                            name,
                            placed: false,
                        },
                        file,
                    ));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    fn temp_name(&self, attempt: u32) -> String {
        let random = Sha256::of(format!("{}#{attempt}", self.nonce).as_bytes());
        format!(
            "{}{}.tmp",
            temp_prefix(self.path.name()),
            random.as_str().get(..16).unwrap_or("0")
        )
    }

    /// Removes new files of this chat that a killed process left: we hold the chat's lock, so nobody is writing one.
    fn remove_leftovers(&self, folder: &Dir) {
        let prefix = temp_prefix(self.path.name());
        let Ok(entries) = folder.entries() else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let ours = name
                .to_str()
                .is_some_and(|name| name.starts_with(&prefix) && name.ends_with(".tmp"));
            if ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                // A leftover that stays is clutter, no reason to refuse the commit.
                let _ = folder.remove_file(&name);
            }
        }
    }

    fn compare(&self, folder: &Dir) -> Result<(), ChatError> {
        self.step(Step::Compare, || Ok(()))?;
        let file = self.path.open_in(folder)?;
        if same_content(file, self.old).map_err(|source| self.failed(Step::Compare, source))? {
            return Ok(());
        }
        Err(ChatError::Refused {
            path: self.path.as_path().to_owned(),
            reason: Refusal::ChangedMeanwhile,
        })
    }
}

/// The new file before it has its place; removed unless the rename happened.
struct Temp<'d> {
    folder: &'d Dir,
    name: String,
    placed: bool,
}

impl Drop for Temp<'_> {
    fn drop(&mut self) {
        if !self.placed {
            // The next replacement of this chat removes what cannot be removed now.
            let _ = self.folder.remove_file(&self.name);
        }
    }
}

/// A short name of the chat in front keeps the leftovers of different chats apart; the full name could make ours too long.
fn temp_prefix(chat: &OsStr) -> String {
    let digest = Sha256::of(chat.as_encoded_bytes());
    format!(".innkeeper-{}-", digest.as_str().get(..12).unwrap_or("0"))
}

fn same_content(mut file: File, expected: &[u8]) -> io::Result<bool> {
    let mut rest = expected;
    let mut chunk = vec![0; COMPARE_CHUNK];
    loop {
        let count = match file.read(&mut chunk) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if count == 0 {
            return Ok(rest.is_empty());
        }
        match (rest.split_at_checked(count), chunk.get(..count)) {
            (Some((known, after)), Some(read)) if known == read => rest = after,
            _ => return Ok(false),
        }
    }
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    use cap_std::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn private(_options: &mut OpenOptions) {}

/// Gives the new file the old one's owner (where we may) and permissions.
#[cfg(unix)]
fn carry_access(file: &File, old: &Metadata) -> io::Result<()> {
    use cap_std::fs::{MetadataExt, PermissionsExt};
    use rustix::fs::{Gid, Uid, fchown};

    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // Only an administrator may give files away; without that right the file stays the committing user's.
        let _ = fchown(file, Some(Uid::from_raw(old.uid())), Some(Gid::from_raw(old.gid())));
    }
    file.set_permissions(cap_std::fs::Permissions::from_mode(old.permissions().mode() & 0o7777))
}

#[cfg(not(unix))]
fn carry_access(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
