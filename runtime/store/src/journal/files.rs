//! Opening, locking and syncing the files of a run.
//!
//! Nothing here follows a link, waits on a pipe, or opens what is no regular file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use innkeeper_protocol::id::RunId;

use super::error::JournalError;

/// Name of the journal in a run's folder.
pub const EVENTS_FILE: &str = "events.jsonl";
/// Name of the file that carries the owner's lock.
pub const LOCK_FILE: &str = "run.lock";
/// A repaired journal before it takes the damaged one's place; found at start, it is a leftover.
pub(crate) const REPAIR_FILE: &str = "events.jsonl.repair";

/// Where a journal is, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The run's folder.
    pub dir: PathBuf,
    /// The run; every line must name it.
    pub run_id: RunId,
}

impl Location {
    /// The journal's path.
    #[must_use]
    pub fn events(&self) -> PathBuf {
        self.dir.join(EVENTS_FILE)
    }

    pub(crate) fn repair(&self) -> PathBuf {
        self.dir.join(REPAIR_FILE)
    }

    /// Whether somebody, here or in another process, owns the run now. It may be another way a moment later.
    ///
    /// # Errors
    /// When the lock file cannot be opened or asked; a run without one has no owner.
    pub fn is_owned(&self) -> Result<bool, JournalError> {
        let path = self.dir.join(LOCK_FILE);
        // For reading only, so that the look itself is no change of the file.
        let file = match open(&path, Access::Read) {
            Ok(file) => file,
            Err(JournalError::NotFound { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        // Shared, so that readers do not take each other for the owner.
        match file.try_lock_shared() {
            Ok(()) => {
                drop(RunLock(file));
                Ok(false)
            }
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(source)) => Err(JournalError::LockUnsupported { path, source }),
        }
    }
}

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reading only.
    Read,
    /// Reading, and writing at the end.
    Append,
    /// A file that must not exist yet.
    CreateNew,
    /// A file that is created when missing and only carries a lock.
    Lock,
}

/// Opens a regular file.
pub(crate) fn open(path: &Path, access: Access) -> Result<File, JournalError> {
    let mut options = OpenOptions::new();
    match access {
        Access::Read => options.read(true),
        Access::Append => options.read(true).append(true),
        Access::CreateNew => options.read(true).append(true).create_new(true),
        Access::Lock => options.read(true).write(true).create(true).truncate(false),
    };
    harden(&mut options);
    let file = options.open(path).map_err(|source| refused(path, source))?;
    let metadata = file.metadata().map_err(|source| JournalError::Io {
        path: path.to_owned(),
        source,
    })?;
    if metadata.is_file() {
        Ok(file)
    } else {
        Err(JournalError::NotRegular { path: path.to_owned() })
    }
}

#[cfg(unix)]
fn harden(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;

    // NOFOLLOW: a link in our place is not ours. NONBLOCK: opening a pipe returns at once; a regular file does not care.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    // Chats are private: nobody but the user reads them.
    options.custom_flags(flags.bits() as i32).mode(0o600);
}

#[cfg(not(unix))]
fn harden(_: &mut OpenOptions) {}

fn refused(path: &Path, source: io::Error) -> JournalError {
    let path = path.to_owned();
    let odd = path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file());
    if odd {
        JournalError::NotRegular { path }
    } else if source.kind() == io::ErrorKind::NotFound {
        JournalError::NotFound { path }
    } else {
        JournalError::Io { path, source }
    }
}

/// The ownership of a run, until it is dropped or the process dies: a lock file left behind means nothing.
#[derive(Debug)]
pub(crate) struct RunLock(File);

impl Drop for RunLock {
    fn drop(&mut self) {
        // Closing is not enough: a child process that is just being started still holds a copy of every file.
        let _ = self.0.unlock();
    }
}

/// How often a lock that is held is asked for once more. Whoever looks whether a run has an owner holds the lock for a moment, and must
/// not turn an owner away.
const LOCK_TRIES: u32 = 4;
/// The time between two of these.
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// Becomes the owner of the run, or says at once that someone else is.
pub(crate) fn lock(dir: &Path) -> Result<RunLock, JournalError> {
    let path = dir.join(LOCK_FILE);
    let file = open(&path, Access::Lock)?;
    for tries_left in (0..LOCK_TRIES).rev() {
        match file.try_lock() {
            Ok(()) => return Ok(RunLock(file)),
            Err(TryLockError::WouldBlock) if tries_left > 0 => thread::sleep(LOCK_PAUSE),
            Err(TryLockError::WouldBlock) => break,
            Err(TryLockError::Error(source)) => return Err(JournalError::LockUnsupported { path, source }),
        }
    }
    Err(JournalError::RunLocked { path })
}

/// Makes new and renamed entries of a folder durable.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    // Windows cannot open a folder as a file and needs no such sync.
    if cfg!(unix) {
        File::open(dir)?.sync_all()
    } else {
        Ok(())
    }
}

/// What a journal's lines go to: the file, or in a test a disk that fails.
pub(crate) trait Medium: Send + std::fmt::Debug {
    /// Writes at the end with one call; may write less.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;
    /// Makes everything written durable.
    fn sync(&mut self) -> io::Result<()>;
    /// Cuts everything after `bytes`.
    fn cut(&mut self, bytes: u64) -> io::Result<()>;
}

impl Medium for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(self, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }

    fn cut(&mut self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }
}
