//! A lock file, held for the length of one change.
//!
//! The operating system gives the lock back when the file is dropped or its process dies, so a lock file that is merely there locks
//! nothing; it is never removed. It does not wait forever.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

/// A change takes as long as one file takes to write; ten seconds of tries means that the holder hangs.
pub(crate) const ATTEMPTS: u32 = 500;
const PAUSE: Duration = Duration::from_millis(20);

/// Takes the lock, making the file and its folder where needed. `None` when someone else keeps it.
pub(crate) fn lock_file(path: &Path, attempts: u32) -> io::Result<Option<File>> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    for _ in 0..attempts {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(source)) => return Err(unsupported(&source)),
        }
    }
    Ok(None)
}

/// Without locks two programs could each undo what the other did, so nothing is done at all.
fn unsupported(source: &io::Error) -> io::Error {
    let message = format!("its folder must be on a file system that has locks ({source})");
    io::Error::new(source.kind(), message)
}
