//! Waiting until something in a folder of a run may have changed.
//!
//! The system tells when it can; where it cannot (some network drives, no watch left) only the time limit of a wait helps. What has
//! changed is not told: the reader looks.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;

use super::files::{EVENTS_FILE, LOCK_FILE};

/// Says whether a change of the file with this name is worth a look.
pub(crate) type Concerns = fn(&OsStr) -> bool;

/// A watch on a folder.
pub(crate) struct Watch {
    changed: Arc<Notify>,
    // Only held: dropping it ends the watch. None where the system gives no watch.
    _watcher: Option<RecommendedWatcher>,
}

impl Watch {
    /// Begins to watch; whatever changes from now on ends the next wait.
    pub(crate) fn begin(dir: &Path, concerns: Concerns) -> Self {
        let changed = Arc::new(Notify::new());
        let watcher = watch(dir, concerns, Arc::clone(&changed));
        if let Err(error) = &watcher {
            tracing::debug!(%error, "a run cannot be watched and is looked at from time to time");
        }
        Self {
            changed,
            _watcher: watcher.ok(),
        }
    }

    /// Returns once something may have changed since the last wait, or after `limit`.
    pub(crate) async fn wait(&self, limit: Duration) {
        // Either way the reader looks next.
        let _ = tokio::time::timeout(limit, self.changed.notified()).await;
    }
}

fn watch(dir: &Path, concerns: Concerns, changed: Arc<Notify>) -> notify::Result<RecommendedWatcher> {
    let tell = move |event: notify::Result<Event>| {
        if event.as_ref().map_or(true, |event| matters(event, concerns)) {
            // A permit is kept when nobody waits just now, so no change between two waits is missed.
            changed.notify_one();
        }
    };
    let mut watcher = notify::recommended_watcher(tell)?;
    watcher.watch(dir, RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

/// Whether a look is worth it. Reading is told as well, and would wake the reader for its own reading.
fn matters(event: &Event, concerns: Concerns) -> bool {
    let is_change = match event.kind {
        EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
        _ => true,
    };
    let is_ours = |path: &Path| path.file_name().is_none_or(concerns);
    is_change && (event.paths.is_empty() || event.paths.iter().any(|path| is_ours(path)))
}

/// The files of a run that tell something: an event was written, the owner let go.
const OURS: [&str; 2] = [EVENTS_FILE, LOCK_FILE];

/// What concerns a reader of the journal.
pub(super) fn of_journal(name: &OsStr) -> bool {
    OURS.iter().any(|ours| name == OsStr::new(ours))
}

#[cfg(test)]
mod tests {
    use notify::event::{DataChange, ModifyKind};

    use super::*;

    fn event(kind: EventKind, path: &str) -> Event {
        Event::new(kind).add_path(path.into())
    }

    #[test]
    fn writing_wakes_and_reading_does_not() {
        let written = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        let let_go = EventKind::Access(AccessKind::Close(AccessMode::Write));
        let looked_at = EventKind::Access(AccessKind::Close(AccessMode::Read));
        let seen = [
            event(written, "/r/events.jsonl"),
            event(let_go, "/r/run.lock"),
            event(looked_at, "/r/events.jsonl"),
            event(written, "/r/manifest.json"),
        ];
        assert_eq!(
            seen.map(|event| matters(&event, of_journal)),
            [true, true, false, false]
        );
    }
}
