//! How another process reaches the owner of a run: small files in the folder `inbox` of the run's folder.
//!
//! A sender posts a request, the owner takes it, acts, and leaves an answer, which the sender fetches. A request is taken at most once,
//! also by an owner that dies before it answers: what it asked for may have happened, and the journal tells. Nothing that lies in the
//! folder is trusted or can stop the run: what is no message is removed. Who may write there is decided by the folder's permissions;
//! what a request does, and whether a run still has an owner, is decided elsewhere.

mod error;
mod message;
mod outbox;
mod place;

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use crate::journal::Watch;
use crate::runs::{RunFolder, private_dir};

pub use error::InboxError;
pub use message::{InboxAnswer, InboxFailure, InboxRequest};
pub use outbox::Outbox;
pub(crate) use place::FOLDER;
use place::{Item, Place};
pub use place::{MAX_MESSAGE_BYTES, RequestId};

/// Most requests that are taken at a time, so that one look costs a bounded amount of memory and time.
pub const MAX_TAKEN: usize = 64;

/// The owner's side: requests come in, answers go out. Everything but [`Inbox::arrival`] blocks for the time that small files take.
pub struct Inbox {
    place: Place,
    watch: Watch,
}

/// A request that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// What its answer is given to.
    pub id: RequestId,
    /// The request, or why it is none; the sender is told in the answer.
    pub request: Result<InboxRequest, String>,
}

impl Inbox {
    /// Opens the inbox of a run, making it where it is missing; only the user can look into it. Only for the run's owner.
    ///
    /// # Errors
    /// [`InboxError::WriteFailed`] or [`InboxError::Unreadable`], also when a link or a file has the inbox's name.
    pub fn open(run: &RunFolder) -> Result<Self, InboxError> {
        let path = Place::path_in(run);
        match private_dir(false).create(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(InboxError::WriteFailed { path, source }),
        }
        let place = Place::open(run)?;
        let is_request = |name: &std::ffi::OsStr| {
            name.to_str()
                .is_some_and(|name| matches!(Item::of(name), Item::Request(_)))
        };
        let watch = Watch::begin(&path, is_request);
        Ok(Self { place, watch })
    }

    /// Returns once a request may have arrived since the last time, or after `limit`. Not every drive tells of arrivals, so whoever
    /// waits looks after a limit of his own, too.
    pub async fn arrival(&self, limit: Duration) {
        self.watch.wait(limit).await;
    }

    /// Takes the requests that wait, in the order in which they were posted, at most [`MAX_TAKEN`] of them: after a full hand more may
    /// wait. What is no request is removed and counted in the log.
    ///
    /// # Errors
    /// [`InboxError::Unreadable`] when the folder itself cannot be read.
    pub fn take(&self) -> Result<Vec<Received>, InboxError> {
        let mut waiting = BTreeSet::new();
        let mut junk = 0_u64;
        self.place.for_each(|name| match Item::of(name) {
            Item::Request(id) if self.place.is_file(name) => {
                waiting.insert(id);
                if waiting.len() > MAX_TAKEN {
                    waiting.pop_last();
                }
            }
            Item::Request(_) | Item::Junk => {
                junk = junk.saturating_add(1);
                self.place.discard(name);
            }
            Item::Taken | Item::Answer | Item::Unfinished => {}
        })?;
        if junk > 0 {
            tracing::debug!(junk, "a run's inbox held what is no request");
        }
        Ok(waiting.into_iter().filter_map(|id| self.claim(id)).collect())
    }

    /// Answers a request that was taken. The answer of one that was withdrawn goes nowhere.
    ///
    /// # Errors
    /// [`InboxError::TooLarge`] for an answer that the sender would not read, [`InboxError::Missing`] or [`InboxError::WriteFailed`].
    pub fn answer(&self, id: &RequestId, answer: &InboxAnswer) -> Result<(), InboxError> {
        self.place.write(&id.answer(), answer)?;
        let was_wanted = self
            .place
            .remove(&id.taken())
            .map_err(|source| self.place.write_failed(source))?;
        if !was_wanted {
            self.place.discard(&id.answer());
        }
        Ok(())
    }

    /// Ends the inbox at the end of the run: what waits goes unheard. Answers stay for their senders.
    ///
    /// # Errors
    /// [`InboxError::Unreadable`] when the folder cannot be read.
    pub fn clear(&self) -> Result<(), InboxError> {
        self.place.for_each(|name| {
            if Item::of(name) != Item::Answer {
                self.place.discard(name);
            }
        })?;
        if let Err(error) = std::fs::remove_dir(self.place.path()) {
            tracing::debug!(%error, "a run's inbox stays for the answers in it");
        }
        Ok(())
    }

    /// Gets hold of a request, unless it was withdrawn meanwhile.
    fn claim(&self, id: RequestId) -> Option<Received> {
        match self.place.rename(&id.request(), &id.taken()) {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => {
                tracing::debug!(%error, %id, "a request in a run's inbox could not be taken");
                return None;
            }
        }
        let bytes = self.place.read(&id.taken()).map_err(|error| error.to_string());
        let request = bytes.and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| error.to_string()));
        Some(Received { id, request })
    }
}

#[cfg(test)]
mod tests;
