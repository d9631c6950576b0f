//! What a person has said to a run and no request has carried yet.
//!
//! It writes no event: whoever puts something in has journalled it first, and whoever takes it out journals that.

use std::sync::{Mutex, PoisonError};

use innkeeper_protocol::guidance::{Guidance, MAX_PENDING_CHARS, MAX_PENDING_ITEMS};

/// Why guidance cannot wait here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MailboxRefusal {
    /// The run takes no more.
    #[error("the run is at its end and takes no more guidance")]
    Closed,
    /// Too much waits already.
    #[error(
        "too much guidance waits for the run's next request: at most {MAX_PENDING_ITEMS} items and {MAX_PENDING_CHARS} characters; wait until the model has read some"
    )]
    Full,
}

impl MailboxRefusal {
    /// The stable code.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::Closed => "agent.guidance_mailbox_closed",
            Self::Full => "agent.guidance_mailbox_full",
        }
    }
}

#[derive(Debug, Default)]
struct State {
    items: Vec<Guidance>,
    is_closed: bool,
}

impl State {
    fn check(&self, chars: usize) -> Result<(), MailboxRefusal> {
        if self.is_closed {
            return Err(MailboxRefusal::Closed);
        }
        let waiting: usize = self.items.iter().map(|item| item.text.chars().count()).sum();
        if self.items.len() >= MAX_PENDING_ITEMS || waiting.saturating_add(chars) > MAX_PENDING_CHARS {
            return Err(MailboxRefusal::Full);
        }
        Ok(())
    }
}

/// The guidance of one run.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    state: Mutex<State>,
}

impl Mailbox {
    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether this much more could wait.
    pub(crate) fn check(&self, guidance: &Guidance) -> Result<(), MailboxRefusal> {
        self.with(|state| state.check(guidance.text.chars().count()))
    }

    /// Lets it wait; returns how much waits now.
    pub(crate) fn put(&self, guidance: Guidance) -> Result<usize, MailboxRefusal> {
        self.with(|state| {
            state.check(guidance.text.chars().count())?;
            state.items.push(guidance);
            Ok(state.items.len())
        })
    }

    /// What waits, in order. It stays until it is removed.
    pub(crate) fn waiting(&self) -> Vec<Guidance> {
        self.with(|state| state.items.clone())
    }

    /// The journal says that these were applied.
    pub(crate) fn remove(&self, ids: &[String]) {
        self.with(|state| state.items.retain(|item| !ids.contains(&item.id)));
    }

    /// Takes nothing more; returns what no request will carry.
    pub(crate) fn close(&self) -> Vec<Guidance> {
        self.with(|state| {
            state.is_closed = true;
            std::mem::take(&mut state.items)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: &str, text: &str) -> Guidance {
        Guidance::new(id.to_owned(), None, text).unwrap()
    }

    #[test]
    fn what_waits_stays_until_it_is_removed() {
        let mailbox = Mailbox::default();
        assert_eq!(mailbox.put(item("a", "slower")), Ok(1));
        assert_eq!(mailbox.put(item("b", "sadder")), Ok(2));
        assert_eq!(mailbox.waiting().len(), 2);
        mailbox.remove(&["a".to_owned()]);
        assert_eq!(mailbox.waiting(), [item("b", "sadder")]);
    }

    #[test]
    fn items_and_characters_are_limited_and_draining_makes_room() {
        let mailbox = Mailbox::default();
        let ids: Vec<String> = (0..MAX_PENDING_ITEMS).map(|number| format!("g{number}")).collect();
        for id in &ids {
            mailbox.put(item(id, "x")).unwrap();
        }
        assert_eq!(mailbox.put(item("more", "x")), Err(MailboxRefusal::Full));
        mailbox.remove(&ids);
        for id in &ids[..4] {
            mailbox.put(item(id, &"x".repeat(16_000))).unwrap();
        }
        assert_eq!(mailbox.put(item("more", "x")), Err(MailboxRefusal::Full));
    }

    #[test]
    fn a_closed_mailbox_gives_back_what_waits_and_takes_nothing() {
        let mailbox = Mailbox::default();
        mailbox.put(item("a", "slower")).unwrap();
        assert_eq!(mailbox.close(), [item("a", "slower")]);
        assert_eq!(mailbox.put(item("b", "x")), Err(MailboxRefusal::Closed));
        assert_eq!(mailbox.close(), []);
    }
}
