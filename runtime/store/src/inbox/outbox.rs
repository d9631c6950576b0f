//! The side of another process: it posts a request and looks for the answer.
//!
//! Whether the owner still lives is told by the run's lock, not here; nothing here waits.

use std::io;

use super::error::InboxError;
use super::message::{InboxAnswer, InboxRequest};
use super::place::{Place, RequestId};
use crate::runs::RunFolder;

/// Messages to the owner of a run. Everything here blocks for the time that small files take.
#[derive(Debug)]
pub struct Outbox {
    place: Place,
}

impl Outbox {
    /// Opens the inbox of a run for writing to its owner.
    ///
    /// # Errors
    /// [`InboxError::Missing`] when the owner takes no messages, else [`InboxError::Unreadable`], also for a link.
    pub fn open(run: &RunFolder) -> Result<Self, InboxError> {
        Ok(Self {
            place: Place::open(run)?,
        })
    }

    /// Sends a request.
    ///
    /// # Errors
    /// [`InboxError::TooLarge`], [`InboxError::Missing`] or [`InboxError::WriteFailed`]; nothing was sent.
    pub fn post(&self, request: &InboxRequest) -> Result<RequestId, InboxError> {
        let id = RequestId::fresh();
        self.place.write(&id.request(), request)?;
        Ok(id)
    }

    /// The answer to a request, if it is there; it is given once.
    ///
    /// # Errors
    /// [`InboxError::Unreadable`] or [`InboxError::Damaged`].
    pub fn answer_of(&self, id: &RequestId) -> Result<Option<InboxAnswer>, InboxError> {
        let name = id.answer();
        let bytes = match self.place.read(&name) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.place.unreadable(error)),
        };
        self.place.discard(&name);
        let answer = serde_json::from_slice(&bytes).map_err(|error| InboxError::Damaged {
            path: self.place.path().join(name),
            problem: error.to_string(),
        })?;
        Ok(Some(answer))
    }

    /// Gives up on a request. True when the owner had not taken it, and now never will; else it may have had its effect, and its
    /// answer goes nowhere.
    ///
    /// # Errors
    /// [`InboxError::WriteFailed`]; the request may still be taken.
    pub fn withdraw(&self, id: &RequestId) -> Result<bool, InboxError> {
        let failed = |source| self.place.write_failed(source);
        if self.place.remove(&id.request()).map_err(failed)? {
            return Ok(true);
        }
        // An owner that answers finds this gone and takes its answer back. One that answered before leaves the answer to be removed.
        self.place.remove(&id.taken()).map_err(failed)?;
        self.place.remove(&id.answer()).map_err(failed)?;
        Ok(false)
    }
}
