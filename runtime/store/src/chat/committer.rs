//! Commits of one run to one chat file: under the chat's lock, against the states that the run knows, applied once.
//!
//! The lock is a file in Innkeeper's own data, named after the chat's canonical path: SillyTavern's folders stay clean, and the lock
//! outlives the chat file, which each commit replaces. SillyTavern takes no lock; against it stand the comparison before the rename
//! and the header's integrity value. All calls block; the caller keeps them off its async threads.

use std::fs::File;
use std::path::{Path, PathBuf};

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::event::InputBoundary;

use super::boundary::check_known;
use super::error::ChatError;
use super::file::ChatFile;
use super::lock::{ATTEMPTS, lock_file};
use super::metadata::find_commit;
use super::open::{ChatPath, read_chat};
use super::plan::{CommitPlan, plan, plan_state_update};
use super::replace::{Faults, NoFaults, Replacement};
use super::request::{ChatCommit, StateNote};

/// What came of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitOutcome {
    /// The run's message, 0-based.
    pub message_index: u32,
    /// False when the chat held this commit already and nothing was written.
    pub written: bool,
    /// False when the file is in place but the system could not promise that the rename survives a power failure.
    pub durable: bool,
}

/// The committing side of one run.
pub struct ChatCommitter {
    path: ChatPath,
    lock_folder: PathBuf,
    /// The states of the file that are the run's own: the start or its last commit, and one whose rename was not confirmed.
    known: Vec<InputBoundary>,
    faults: Box<dyn Faults>,
    pub(super) lock_attempts: u32,
}

impl ChatCommitter {
    /// For a run that started when the chat was as `start` says. Lock files are kept in `lock_folder`, which is made when needed.
    #[must_use]
    pub fn new(path: ChatPath, lock_folder: PathBuf, start: InputBoundary) -> Self {
        Self {
            path,
            lock_folder,
            known: vec![start],
            faults: Box::new(NoFaults),
            lock_attempts: ATTEMPTS,
        }
    }

    /// Lets a test fail or accompany the steps of each replacement.
    #[cfg(test)]
    pub(super) fn with_faults(mut self, faults: Box<dyn Faults>) -> Self {
        self.faults = faults;
        self
    }

    /// Commits once: the same commit id again changes nothing and gives the same message.
    ///
    /// # Errors
    /// [`ChatError::Refused`] when someone else changed the chat or the request fits nowhere, reading errors, [`ChatError::Locked`],
    /// [`ChatError::WriteFailed`]. The chat is unchanged then, and the commit may be tried again.
    pub fn commit(&mut self, commit: &ChatCommit) -> Result<CommitOutcome, ChatError> {
        let lock = self.lock()?;
        let chat = read_chat(&self.path)?;
        if let Some(message_index) = find_commit(&chat, &commit.asked.commit_id) {
            return Ok(CommitOutcome {
                message_index,
                written: false,
                durable: true,
            });
        }
        check_known(&chat, &self.known).map_err(|reason| ChatError::Refused {
            path: self.path.as_path().to_owned(),
            reason,
        })?;
        let planned = plan(&chat, commit)?;
        let outcome = self.apply(&chat, planned, &commit.integrity);
        drop(lock);
        outcome
    }

    /// Notes a kept persistent state in the run's message. Other programs' changes elsewhere in the chat are no obstacle: only the
    /// run's own metadata is touched.
    ///
    /// # Errors
    /// As [`ChatCommitter::commit`].
    pub fn keep_state(&mut self, update: &StateNote) -> Result<CommitOutcome, ChatError> {
        let lock = self.lock()?;
        let chat = read_chat(&self.path)?;
        let was_known = check_known(&chat, &self.known).is_ok();
        let before = self.known.clone();
        let planned = plan_state_update(&chat, update)?;
        let outcome = self.apply(&chat, planned, &update.integrity);
        if !was_known {
            // Someone else's changes do not become ours by our writing after them.
            self.known = before;
        }
        drop(lock);
        outcome
    }

    fn apply(&mut self, chat: &ChatFile, planned: CommitPlan, nonce: &str) -> Result<CommitOutcome, ChatError> {
        let (bytes, message_index) = match planned {
            CommitPlan::Write { bytes, message_index } => (bytes, message_index),
            CommitPlan::AlreadyApplied { message_index } => {
                return Ok(CommitOutcome {
                    message_index,
                    written: false,
                    durable: true,
                });
            }
        };
        let new = InputBoundary {
            bytes: bytes.len() as u64,
            sha256: Sha256::of(&bytes),
        };
        // Until the rename is confirmed both states count as ours: on some file systems a rename that fails has happened.
        self.known = vec![chat.fingerprint(), new.clone()];
        let replacement = Replacement {
            path: &self.path,
            old: chat.text().as_bytes(),
            new: &bytes,
            nonce,
            faults: self.faults.as_ref(),
        };
        let durable = replacement.run()?;
        self.known = vec![new];
        Ok(CommitOutcome {
            message_index,
            written: true,
            durable,
        })
    }

    /// Takes the chat's lock; dropping the file gives it back.
    fn lock(&self) -> Result<File, ChatError> {
        let chat = || self.path.as_path().to_owned();
        lock_file(
            &self.lock_folder.join(lock_name(self.path.as_path())),
            self.lock_attempts,
        )
        .map_err(|source| ChatError::WriteFailed {
            path: chat(),
            step: "locking the chat",
            source,
        })?
        .ok_or_else(|| ChatError::Locked { path: chat() })
    }
}

fn lock_name(chat: &Path) -> String {
    let digest = Sha256::of(chat.as_os_str().as_encoded_bytes());
    format!("chat-{}.lock", digest.as_str().get(..32).unwrap_or("0"))
}
