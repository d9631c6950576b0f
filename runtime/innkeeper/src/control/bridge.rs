//! A host that is a front end: it reads in the journal what is asked of it, and answers with a command.
//!
//! The front end owns the chat; nothing here reads or writes one. An answer may take as long as it likes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use innkeeper_protocol::id::{CommitId, RunId};
use innkeeper_protocol::port::{ChatHost, CommitReceipt, CommitRefusal, CommitRequest, MetadataUpdate};
use tokio::sync::oneshot;

use crate::error::HostError;

/// A question that was put to the front end.
struct Waiting<T> {
    run_id: RunId,
    /// Where the answer goes; none once it was given, which may be before anybody waits for it.
    answer: Option<oneshot::Sender<Answer<T>>>,
    /// Where it arrives, until somebody waits for it.
    arrival: Option<oneshot::Receiver<Answer<T>>>,
}

type Answer<T> = Result<T, CommitRefusal>;

/// Questions of one kind, by their ids.
struct Desk<T> {
    waiting: Mutex<HashMap<String, Waiting<T>>>,
    codes: &'static DeskCodes,
}

/// The codes that tell one kind of question from another.
struct DeskCodes {
    what: &'static str,
    invalid: &'static str,
    not_pending: &'static str,
    run_mismatch: &'static str,
    failed: &'static str,
    closed: &'static str,
}

const COMMITS: DeskCodes = DeskCodes {
    what: "commit",
    invalid: "agent.chat_commit_resolve_invalid",
    not_pending: "agent.chat_commit_not_pending",
    run_mismatch: "agent.chat_commit_run_mismatch",
    failed: "agent.chat_commit_resolve_failed",
    closed: "agent.chat_commit_channel_closed",
};

const UPDATES: DeskCodes = DeskCodes {
    what: "metadata update",
    invalid: "agent.persistent_state_metadata_update_resolve_invalid",
    not_pending: "agent.persistent_state_metadata_update_not_pending",
    run_mismatch: "agent.persistent_state_metadata_update_run_mismatch",
    failed: "agent.persistent_state_metadata_update_resolve_failed",
    closed: "agent.persistent_state_metadata_update_resolve_failed",
};

impl<T> Desk<T> {
    fn new(codes: &'static DeskCodes) -> Self {
        Self {
            waiting: Mutex::default(),
            codes,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Waiting<T>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a question.
    fn announce(&self, run_id: &RunId, id: &str) {
        let (answer, arrival) = oneshot::channel();
        let waiting = Waiting {
            run_id: run_id.clone(),
            answer: Some(answer),
            arrival: Some(arrival),
        };
        self.lock().insert(id.to_owned(), waiting);
    }

    /// Waits for the answer to a question that was put. Whoever stops waiting takes the question away.
    async fn wait(&self, id: &str) -> Answer<T> {
        let arrival = self.lock().get_mut(id).and_then(|waiting| waiting.arrival.take());
        let _gone = TakenAway { desk: self, id };
        let unanswered = || {
            let (what, code) = (self.codes.what, self.codes.closed);
            Err(CommitRefusal {
                reason: format!("The {what} was never answered [{code}]."),
            })
        };
        match arrival {
            Some(arrival) => arrival.await.unwrap_or_else(|_| unanswered()),
            None => unanswered(),
        }
    }

    fn forget(&self, run_id: &RunId) {
        self.lock().retain(|_, waiting| waiting.run_id != *run_id);
    }

    /// Answers a question.
    fn resolve(&self, run_id: &str, id: &str, answer: Answer<T>) -> Result<(), HostError> {
        let (run_id, id, codes) = (run_id.trim(), id.trim(), self.codes);
        if run_id.is_empty() || id.is_empty() {
            let message = format!("an answer to a {} needs the id of its run and its own", codes.what);
            return Err(HostError::new(codes.invalid, message));
        }
        let mut waiting = self.lock();
        let Some(asked) = waiting.get_mut(id).filter(|asked| asked.answer.is_some()) else {
            let message = format!("no {} {id:?} waits for an answer", codes.what);
            let error = HostError::new(codes.not_pending, message);
            return Err(error.with_hint("It was answered before, or its run has ended: read the run's events."));
        };
        if asked.run_id.as_str() != run_id {
            let message = format!("the {} {id:?} belongs to the run {}", codes.what, asked.run_id);
            return Err(HostError::new(codes.run_mismatch, message));
        }
        match asked.answer.take().map(|sender| sender.send(answer)) {
            Some(Ok(())) => Ok(()),
            _ => {
                let message = format!("the run {run_id} ended while its {} was being answered", codes.what);
                Err(HostError::new(codes.failed, message))
            }
        }
    }
}

/// Removes a question when nobody waits for it any more.
struct TakenAway<'a, T> {
    desk: &'a Desk<T>,
    id: &'a str,
}

impl<T> Drop for TakenAway<'_, T> {
    fn drop(&mut self) {
        self.desk.lock().remove(self.id);
    }
}

/// The questions of all runs of a host whose chats belong to a front end.
pub struct HostBridge {
    commits: Desk<CommitReceipt>,
    updates: Desk<()>,
}

impl Default for HostBridge {
    fn default() -> Self {
        Self {
            commits: Desk::new(&COMMITS),
            updates: Desk::new(&UPDATES),
        }
    }
}

impl HostBridge {
    /// The front end has put a commit into the chat, or refuses to. A blank error counts as success.
    ///
    /// # Errors
    /// `agent.chat_commit_resolve_invalid` for an empty id, `agent.chat_commit_not_pending` when nothing of that id waits (any more),
    /// `agent.chat_commit_run_mismatch` when it belongs to another run and goes on waiting, `agent.chat_commit_resolve_failed` when the
    /// run ended in this moment.
    pub fn resolve_commit(
        &self,
        run_id: &str,
        commit_id: &str,
        message_id: Option<&str>,
        error: Option<&str>,
    ) -> Result<(), HostError> {
        let receipt = || CommitReceipt {
            message_id: message_id.map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned),
        };
        self.commits
            .resolve(run_id, commit_id, refusal(error).map_or_else(|| Ok(receipt()), Err))
    }

    /// The front end has named the persistent state in the message, or could not. A blank error counts as success.
    ///
    /// # Errors
    /// The `agent.persistent_state_metadata_update_*` codes that say what [`resolve_commit`](Self::resolve_commit) says of commits.
    pub fn resolve_metadata_update(&self, run_id: &str, update_id: &str, error: Option<&str>) -> Result<(), HostError> {
        self.updates
            .resolve(run_id, update_id, refusal(error).map_or(Ok(()), Err))
    }
}

fn refusal(error: Option<&str>) -> Option<CommitRefusal> {
    let reason = error.map(str::trim).filter(|error| !error.is_empty())?;
    Some(CommitRefusal {
        reason: reason.to_owned(),
    })
}

#[async_trait]
impl ChatHost for HostBridge {
    async fn commit(&self, request: &CommitRequest) -> Result<CommitReceipt, CommitRefusal> {
        self.commits.wait(request.commit_id.as_str()).await
    }

    async fn update_metadata(&self, update: &MetadataUpdate) -> Result<(), CommitRefusal> {
        self.updates.wait(&update.update_id).await
    }

    fn announce_commit(&self, run_id: &RunId, commit_id: &CommitId) {
        self.commits.announce(run_id, commit_id.as_str());
    }

    fn announce_update(&self, run_id: &RunId, update_id: &str) {
        self.updates.announce(run_id, update_id);
    }

    fn withdraw(&self, run_id: &RunId) {
        self.commits.forget(run_id);
        self.updates.forget(run_id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_was_withdrawn_cannot_be_answered_and_others_can() {
        let bridge = HostBridge::default();
        let run = |id: &str| RunId::parse(id).unwrap();
        let commit = |id: &str| CommitId::parse(id).unwrap();
        bridge.announce_commit(&run("run_1"), &commit("commit_1"));
        bridge.announce_commit(&run("run_2"), &commit("commit_2"));
        bridge.withdraw(&run("run_1"));
        let code = |run: &str, id: &str| {
            bridge
                .resolve_commit(run, id, Some("2"), None)
                .err()
                .map(|error| error.code)
        };
        assert_eq!(
            code("run_1", "commit_1").as_deref(),
            Some("agent.chat_commit_not_pending")
        );
        assert_eq!(code("run_2", "commit_2"), None);
    }
}
