//! One watcher's updates, waiting to be taken.
//!
//! A watcher that is slow holds up nobody: pieces of one text are joined, and when too much waits, a new snapshot takes its place.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_core::Stream;

use super::shape::LiveUpdate;

/// Most updates that wait. Pieces of a text are joined, so that this many mean a watcher that stopped watching.
const MAX_WAITING: usize = 256;

/// Where updates are put.
#[derive(Debug, Default)]
pub(super) struct Mailbox(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    updates: VecDeque<LiveUpdate>,
    waker: Option<Waker>,
    is_closed: bool,
}

impl Mailbox {
    /// Adds an update; `snapshot` gives everything that is shown after it.
    pub(super) fn put(&self, update: &LiveUpdate, snapshot: impl FnOnce() -> LiveUpdate) {
        self.change(|waiting| {
            if waiting.joined(update) {
                return;
            }
            if waiting.updates.len() < MAX_WAITING {
                waiting.updates.push_back(update.clone());
            } else {
                waiting.updates = VecDeque::from([snapshot()]);
            }
        });
    }

    /// Ends the updates.
    pub(super) fn close(&self) {
        self.change(|waiting| waiting.is_closed = true);
    }

    fn change(&self, change: impl FnOnce(&mut Waiting)) {
        let waker = {
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            change(&mut waiting);
            waiting.waker.take()
        };
        // Not under the lock: who is woken may look at once.
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Waiting {
    /// Joins more of a text to the piece of it that waits last.
    fn joined(&mut self, update: &LiveUpdate) -> bool {
        let (
            Some(LiveUpdate::Append {
                invocation_id,
                tool_call_index,
                field,
                text,
                word_delta,
            }),
            LiveUpdate::Append {
                invocation_id: whose,
                tool_call_index: which,
                field: of,
                text: more,
                word_delta: words,
            },
        ) = (self.updates.back_mut(), update)
        else {
            return false;
        };
        let is_same = *invocation_id == *whose && *tool_call_index == *which && *field == *of;
        if is_same {
            text.push_str(more);
            *word_delta = word_delta.saturating_add(*words);
        }
        is_same
    }
}

/// What one watcher is told: a snapshot, then every change, until the run ends.
#[derive(Debug)]
pub struct LiveSubscription(pub(super) Arc<Mailbox>);

impl LiveSubscription {
    /// The next update; none after the end of the run.
    pub async fn next(&mut self) -> Option<LiveUpdate> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

impl Stream for LiveSubscription {
    type Item = LiveUpdate;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<LiveUpdate>> {
        let mut waiting = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        match waiting.updates.pop_front() {
            Some(update) => Poll::Ready(Some(update)),
            None if waiting.is_closed => Poll::Ready(None),
            None => {
                waiting.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
