//! Following a journal while its owner, in this process or another, writes it.
//!
//! Events come in order, each once, and only when they are whole on the disk. The end is when the run has no owner and everything is
//! read; or, where an owner lives on, when nothing more came for a while after the event that ended the run. Nothing is written, and
//! the run is not kept from anybody.

use std::collections::HashSet;
use std::time::Duration;

use super::error::{JournalError, JournalIssue};
use super::files::Location;
use super::read::{Page, PageQuery, read_page};
use super::watch::{Watch, of_journal};

/// How long the system's word is trusted: not every drive tells of changes, and none tells when a process dies.
const CHECK_EVERY: Duration = Duration::from_secs(2);
/// The same once the run has ended: its last bookkeeping follows at once, or not at all.
const SETTLE_EVERY: Duration = Duration::from_millis(100);
/// After this many looks that brought nothing since the run's end the rest is not waited for.
const SETTLE_LOOKS: u32 = 20;
/// Events that are read at a time.
const PAGE: u64 = 500;
/// The events after which only bookkeeping follows.
const TERMINAL: [&str; 4] = ["run_completed", "run_partial_success", "run_failed", "run_cancelled"];

/// A reader that waits for what comes next.
pub struct Follower {
    location: Location,
    query: PageQuery,
    watch: Watch,
    /// Damaged places that were told already.
    told: HashSet<u64>,
    end: End,
}

/// How near the end is.
#[derive(Debug, Default)]
struct End {
    /// The run's last event was seen.
    has_ended: bool,
    /// Nobody owned the run at the last look.
    is_free: bool,
    /// Looks that brought nothing since the last event.
    idle: u32,
}

/// What one look at the run gave.
struct Look {
    page: Page,
    is_owned: bool,
}

impl Follower {
    /// Follows the events after this number; with an invocation only those about it.
    #[must_use]
    pub fn new(location: Location, after_seq: u64, invocation: Option<String>) -> Self {
        let watch = Watch::begin(&location.dir, of_journal);
        let query = PageQuery {
            after_seq: Some(after_seq),
            limit: Some(PAGE),
            invocation,
            ..PageQuery::default()
        };
        Self {
            location,
            query,
            watch,
            told: HashSet::new(),
            end: End::default(),
        }
    }

    /// The next events, at least one, with the damaged places met for the first time; none when there is no more to come. May be dropped
    /// while it waits, and asked again: nothing is lost.
    ///
    /// # Errors
    /// As [`read_page`].
    pub async fn next(&mut self) -> Result<Option<Page>, JournalError> {
        loop {
            let Look { mut page, is_owned } = self.look().await?;
            page.issues
                .retain(|issue: &JournalIssue| self.told.insert(issue.offset));
            if let Some(last) = page.events.last() {
                self.query.after_seq = Some(last.seq);
                self.end.note(&page);
                return Ok(Some(page));
            }
            if self.end.is_reached(is_owned) {
                return Ok((!page.issues.is_empty()).then_some(page));
            }
            self.watch.wait(self.end.patience()).await;
        }
    }

    /// Reads a page; where there is nothing new, also asks whether anybody is there to write more.
    async fn look(&self) -> Result<Look, JournalError> {
        let (location, query) = (self.location.clone(), self.query.clone());
        let look = move || {
            let page = read_page(&location, &query)?;
            let is_owned = page.events.is_empty() && location.is_owned()?;
            Ok(Look { page, is_owned })
        };
        tokio::task::spawn_blocking(look)
            .await
            .unwrap_or_else(|error| Err(self.broken(std::io::Error::other(error))))
    }

    fn broken(&self, source: std::io::Error) -> JournalError {
        JournalError::Io {
            path: self.location.events(),
            source,
        }
    }
}

impl End {
    fn note(&mut self, page: &Page) {
        self.has_ended |= page.events.iter().any(|event| TERMINAL.contains(&event.kind.as_str()));
        self.is_free = false;
        self.idle = 0;
    }

    /// Whether nothing more is to come, after a look that brought nothing. An owner may have written and let go between the reading and
    /// the look at its lock, so a free run is read once more.
    fn is_reached(&mut self, is_owned: bool) -> bool {
        let was_free = std::mem::replace(&mut self.is_free, !is_owned);
        self.idle = self.idle.saturating_add(1);
        (was_free && self.is_free) || (self.has_ended && self.idle > SETTLE_LOOKS)
    }

    fn patience(&self) -> Duration {
        match (self.is_free, self.has_ended) {
            (true, _) => Duration::ZERO,
            (false, true) => SETTLE_EVERY,
            (false, false) => CHECK_EVERY,
        }
    }
}

#[cfg(test)]
mod tests;
