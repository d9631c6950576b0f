//! `approvals.jsonl` in the data root: the answers of a person that hold in every run ("always"), one JSON object a line.
//!
//! A line grants or revokes; lines are only ever added. An answer holds for exactly one tool and exactly these arguments, by their
//! digests. Every doubt ends in an error and never in an answer, so that whoever asks here asks the person instead: a damaged line
//! spoils the whole file, and a last line that was never finished grants nothing. Whether a question is needed at all, and what an
//! answer may cover, is decided elsewhere.

mod error;
mod ledger;

use std::fs::File as LockFile;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};
use innkeeper_protocol::approval::{ApprovalBinding, ApprovalId};
use serde::Serialize;

use crate::atomic::sync_folder;
use crate::chat::lock::{ATTEMPTS, lock_file};
use crate::regular::{open_in, read_in, read_whole};

pub use error::ApprovalsError;
pub use ledger::StandingApproval;
use ledger::{Ledger, Revocation};

const FILE_NAME: &str = "approvals.jsonl";
const LOCK_NAME: &str = "approvals.jsonl.lock";

/// No answer is added beyond this: some ten thousand of them, all of which are read for every question.
const MAX_GRANTED_BYTES: u64 = 4 * 1024 * 1024;
/// A larger file is not ours. A revocation is shorter than what it revokes, so there is always room to revoke every answer.
const MAX_BYTES: u64 = 2 * MAX_GRANTED_BYTES;

/// The standing answers of one data root. Everything here blocks for the time that files take, and at most some ten seconds for
/// another process.
#[derive(Debug, Clone)]
pub struct Approvals {
    data_root: PathBuf,
}

impl Approvals {
    /// For a data root, which is made when it is first written to.
    #[must_use]
    pub fn new(data_root: &Path) -> Self {
        Self {
            data_root: data_root.to_owned(),
        }
    }

    /// The newest answer that covers a call.
    ///
    /// # Errors
    /// As [`Approvals::list`]; no answer stands then.
    pub fn find(&self, binding: &ApprovalBinding) -> Result<Option<StandingApproval>, ApprovalsError> {
        let standing = self.list()?;
        Ok(standing.into_iter().rev().find(|approval| approval.covers(binding)))
    }

    /// The answers that stand, oldest first.
    ///
    /// # Errors
    /// [`ApprovalsError::Damaged`], [`ApprovalsError::Unreadable`] or [`ApprovalsError::Locked`].
    pub fn list(&self) -> Result<Vec<StandingApproval>, ApprovalsError> {
        if self.is_missing() {
            return Ok(Vec::new());
        }
        // While a writer cuts off an unfinished line, a reader could put two halves together.
        let _lock = self.lock(|source| self.unreadable(source))?;
        let folder = self.folder().map_err(|source| self.unreadable(source))?;
        let bytes = match read_in(&folder, FILE_NAME, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.unreadable(error)),
        };
        Ok(self.ledger(&bytes)?.into_standing())
    }

    /// Adds an answer; it is on the disk when this returns.
    ///
    /// # Errors
    /// Any [`ApprovalsError`]; `WriteFailed` also for an id that was answered before, and for a file that is full.
    pub fn grant(&self, approval: &StandingApproval) -> Result<(), ApprovalsError> {
        let _lock = self.lock(|source| self.write_failed(source))?;
        let (mut file, ledger) = self.open()?;
        if ledger.knows(&approval.approval_id) {
            let source = io::Error::new(io::ErrorKind::AlreadyExists, "the same question was answered before");
            return Err(self.write_failed(source));
        }
        self.append(&mut file, &ledger, approval, MAX_GRANTED_BYTES)
    }

    /// Takes an answer back; that is on the disk when this returns. False when no such answer stands.
    ///
    /// # Errors
    /// Any [`ApprovalsError`]; the answer then still stands, unless the file is damaged.
    pub fn revoke(&self, approval_id: &ApprovalId, revoked_at: &str) -> Result<bool, ApprovalsError> {
        if self.is_missing() {
            return Ok(false);
        }
        let _lock = self.lock(|source| self.write_failed(source))?;
        let (mut file, ledger) = self.open()?;
        if !ledger.stands(approval_id) {
            return Ok(false);
        }
        let revocation = Revocation {
            approval_id: approval_id.clone(),
            revoked_at: revoked_at.to_owned(),
        };
        self.append(&mut file, &ledger, &revocation, MAX_BYTES)?;
        Ok(true)
    }

    fn path(&self) -> PathBuf {
        self.data_root.join(FILE_NAME)
    }

    /// Only a clear "not there" counts.
    fn is_missing(&self) -> bool {
        matches!(std::fs::symlink_metadata(self.path()), Err(error) if error.kind() == io::ErrorKind::NotFound)
    }

    fn folder(&self) -> io::Result<Dir> {
        Dir::open_ambient_dir(&self.data_root, ambient_authority())
    }

    /// The file, made where it is missing, and what it holds. Only under the lock.
    fn open(&self) -> Result<(File, Ledger), ApprovalsError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        // Whoever may write here answers for the person.
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let open = || {
            let mut file = open_in(&self.folder()?, FILE_NAME, options)?;
            let bytes = read_whole(&mut file, MAX_BYTES)?;
            Ok((file, bytes))
        };
        let (file, bytes) = open().map_err(|source| self.unreadable(source))?;
        let ledger = self.ledger(&bytes)?;
        Ok((file, ledger))
    }

    fn ledger(&self, bytes: &[u8]) -> Result<Ledger, ApprovalsError> {
        Ledger::read(bytes).map_err(|flaw| ApprovalsError::Damaged {
            path: self.path(),
            line: flaw.line,
            problem: flaw.problem,
        })
    }

    fn append(
        &self,
        file: &mut File,
        ledger: &Ledger,
        line: &impl Serialize,
        max_bytes: u64,
    ) -> Result<(), ApprovalsError> {
        let end = ledger.end as u64;
        let written = add_line(file, ledger, line, max_bytes).and_then(|()| sync_folder(&self.folder()?));
        written.map_err(|source| {
            // What cannot be cut off here is no whole line, or is an answer that was given.
            let _ = file.set_len(end);
            self.write_failed(source)
        })
    }

    fn lock(&self, refused: impl Fn(io::Error) -> ApprovalsError) -> Result<LockFile, ApprovalsError> {
        lock_file(&self.data_root.join(LOCK_NAME), ATTEMPTS)
            .map_err(refused)?
            .ok_or_else(|| ApprovalsError::Locked { path: self.path() })
    }

    fn unreadable(&self, source: io::Error) -> ApprovalsError {
        ApprovalsError::Unreadable {
            path: self.path(),
            source,
        }
    }

    fn write_failed(&self, source: io::Error) -> ApprovalsError {
        ApprovalsError::WriteFailed {
            path: self.path(),
            source,
        }
    }
}

/// Writes a line with one call behind what holds, in the place of what was never finished.
fn add_line(file: &mut File, ledger: &Ledger, line: &impl Serialize, max_bytes: u64) -> io::Result<()> {
    let end = ledger.end as u64;
    let mut bytes = Vec::new();
    if ledger.lacks_feed {
        bytes.push(b'\n');
    }
    serde_json::to_writer(&mut bytes, line)?;
    bytes.push(b'\n');
    if end.saturating_add(bytes.len() as u64) > max_bytes {
        let reason = format!("it would be larger than {max_bytes} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    if file.write(&bytes)? < bytes.len() {
        return Err(io::Error::from(io::ErrorKind::WriteZero));
    }
    file.sync_all()
}

#[cfg(test)]
mod tests;
