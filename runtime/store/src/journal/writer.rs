//! The owner of a run's journal: holds the lock, appends lines, and repairs a torn tail when it opens.
//!
//! It keeps the last number and link in memory, so an append costs the same at any length. It never rewrites a whole line, and it
//! does not look at what an event means.

use std::fs::{self, File};
use std::io::{self, BufReader, Read as _, Write as _};

use innkeeper_protocol::envelope::{Draft, Envelope, Level};
use serde_json::{Map, json};

use super::chain::Chain;
use super::error::{JournalError, Refused};
use super::files::{self, Access, Location, Medium, RunLock};
use super::line;
use super::scan::Scan;
use super::scope;

/// The event that records a cut tail.
const REPAIRED: &str = "journal_repaired";

/// Id and date of an event, made by the caller: the store has no clock and no randomness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// `evt_<32 hex>`.
    pub event_id: String,
    /// RFC 3339, UTC.
    pub timestamp: String,
}

/// Gives every event its id and date.
pub trait Stamps {
    /// The stamp of the next event.
    fn stamp(&mut self) -> Stamp;
}

impl<F: FnMut() -> Stamp> Stamps for F {
    fn stamp(&mut self) -> Stamp {
        self()
    }
}

/// When a line reaches the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Before `append` returns.
    #[default]
    Durable,
    /// Events of level debug, which announce no effect, wait for the next other event; all others as above.
    Batched,
}

/// Whether the next append may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Clean,
    /// A failed append may have left a part of its line.
    HalfLine,
    /// A sync failed. The system may have dropped the pages and report success the next time, so nothing more is believed.
    ReadOnly,
}

/// A journal open for appending. Dropping it gives up the run.
#[derive(Debug)]
pub struct Journal {
    location: Location,
    medium: Box<dyn Medium>,
    durability: Durability,
    state: State,
    seq: u64,
    chain: Chain,
    bytes: u64,
    // Only held: dropping it frees the run.
    _lock: RunLock,
}

impl Journal {
    /// Starts the journal of a new run in its existing, empty folder, and becomes the run's owner.
    ///
    /// # Errors
    /// `store.run_locked` when the run has an owner; others when the file exists or cannot be created.
    pub fn create(location: Location, durability: Durability) -> Result<Self, JournalError> {
        let lock = files::lock(&location.dir)?;
        let file = files::open(&location.events(), Access::CreateNew)?;
        files::sync_dir(&location.dir).map_err(|source| JournalError::Io {
            path: location.dir.clone(),
            source,
        })?;
        Ok(Self {
            location,
            medium: Box::new(file),
            durability,
            state: State::Clean,
            seq: 0,
            chain: Chain::START,
            bytes: 0,
            _lock: lock,
        })
    }

    /// Becomes the owner of an existing run: checks every line, hands every event to `observe`, and cuts a torn tail, which is
    /// recorded as `journal_repaired {offset, removedBytes, lastSeq}`.
    ///
    /// # Errors
    /// `store.run_locked` when the run has an owner, `store.journal_damaged` when a line is not the one that was written or no line
    /// has a link, `store.journal_write_failed` when the repair could not be written. Nothing is changed in these cases.
    pub fn open_existing(
        location: Location,
        durability: Durability,
        stamps: &mut dyn Stamps,
        observe: &mut dyn FnMut(&Envelope),
    ) -> Result<Self, JournalError> {
        let lock = files::lock(&location.dir)?;
        remove_leftover(&location)?;
        let file = files::open(&location.events(), Access::Append)?;
        let found = verify(&location, &file, observe)?;
        let mut journal = Self {
            location,
            medium: Box::new(file),
            durability,
            state: State::Clean,
            seq: found.seq,
            chain: found.chain,
            bytes: found.bytes,
            _lock: lock,
        };
        if found.torn_bytes > 0 {
            observe(&journal.repair(found.torn_bytes, stamps.stamp())?);
        }
        Ok(journal)
    }

    /// Whether it may take events again after one failed: not after a failed sync.
    #[must_use]
    pub fn may_recover(&self) -> bool {
        !matches!(self.state, State::ReadOnly)
    }

    /// Appends one event and returns it with its number, once it is on the disk.
    ///
    /// Its `eventScope` is added here when the payload names invocations.
    ///
    /// # Errors
    /// `store.journal_write_failed`: the event is not in the journal, and what it announces must not happen. When the disk was full
    /// the same journal can append again once there is space; after a failed sync it takes no more events. `agent.event_scope_invalid`
    /// when the payload's `eventScope` is no object.
    pub fn append(&mut self, draft: Draft, stamp: Stamp) -> Result<Envelope, JournalError> {
        self.make_ready()?;
        let durable = self.durability == Durability::Durable || draft.level != Level::Debug;
        let (envelope, line, chain) = self.encode(draft, stamp)?;
        if let Err(source) = write_line(self.medium.as_mut(), &line) {
            // Cut at once if that works: readers should not meet the half line. Else before the next append.
            self.state = if self.medium.cut(self.bytes).is_ok() {
                State::Clean
            } else {
                State::HalfLine
            };
            return Err(self.write_failed(source));
        }
        if durable && let Err(source) = self.medium.sync() {
            self.state = State::ReadOnly;
            return Err(self.write_failed(source));
        }
        self.advance(&envelope, &line, chain);
        Ok(envelope)
    }

    /// Makes durable what a batched journal still holds back.
    ///
    /// # Errors
    /// `store.journal_write_failed`; the journal takes no more events then.
    pub fn flush(&mut self) -> Result<(), JournalError> {
        self.make_ready()?;
        self.medium.sync().map_err(|source| {
            self.state = State::ReadOnly;
            self.write_failed(source)
        })
    }

    /// The number of the last event; 0 in an empty journal.
    #[must_use]
    pub fn last_seq(&self) -> u64 {
        self.seq
    }

    /// Bytes of all whole lines.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Where the journal is.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.location
    }

    fn make_ready(&mut self) -> Result<(), JournalError> {
        match self.state {
            State::Clean => Ok(()),
            State::ReadOnly => Err(JournalError::ReadOnly {
                path: self.location.events(),
            }),
            State::HalfLine => {
                self.medium
                    .cut(self.bytes)
                    .map_err(|source| self.write_failed(source))?;
                self.state = State::Clean;
                Ok(())
            }
        }
    }

    fn encode(&self, mut draft: Draft, stamp: Stamp) -> Result<(Envelope, Vec<u8>, Chain), JournalError> {
        scope::annotate(&mut draft)?;
        let refuse = |kind: &str, reason| JournalError::EventRefused {
            path: self.location.events(),
            kind: kind.to_owned(),
            reason,
        };
        let seq = self
            .seq
            .checked_add(1)
            .ok_or_else(|| refuse(&draft.kind, Refused::NoNumberLeft))?;
        let envelope = Envelope {
            seq,
            id: stamp.event_id,
            run_id: self.location.run_id.as_str().to_owned(),
            timestamp: stamp.timestamp,
            level: draft.level,
            kind: draft.kind,
            payload: draft.payload,
            extra: Map::new(),
        };
        let (line, chain) = line::encode(&envelope, self.chain).map_err(|reason| refuse(&envelope.kind, reason))?;
        Ok((envelope, line, chain))
    }

    fn advance(&mut self, envelope: &Envelope, line: &[u8], chain: Chain) {
        self.seq = envelope.seq;
        self.chain = chain;
        self.bytes = self.bytes.saturating_add(line.len() as u64);
    }

    /// Replaces the journal by its whole lines and the record of the cut. A cut followed by an append could be interrupted between
    /// the two, and then nobody would know of the cut; one rename cannot.
    fn repair(&mut self, removed_bytes: u64, stamp: Stamp) -> Result<Envelope, JournalError> {
        let payload = json!({"offset": self.bytes, "removedBytes": removed_bytes, "lastSeq": self.seq});
        let (envelope, line, chain) = self.encode(Draft::new(Level::Warn, REPAIRED, payload), stamp)?;
        let file = replace_tail(&self.location, self.bytes, &line).map_err(|source| self.write_failed(source))?;
        self.medium = Box::new(file);
        self.advance(&envelope, &line, chain);
        Ok(envelope)
    }

    fn write_failed(&self, source: io::Error) -> JournalError {
        JournalError::WriteFailed {
            path: self.location.events(),
            source,
        }
    }
}

/// What a journal holds, once every line was found to be the one that was written.
struct Verified {
    seq: u64,
    chain: Chain,
    bytes: u64,
    torn_bytes: u64,
}

fn verify(location: &Location, file: &File, observe: &mut dyn FnMut(&Envelope)) -> Result<Verified, JournalError> {
    let mut scan = Scan::from_start(BufReader::new(file), &location.run_id);
    let unreadable = |source| JournalError::Io {
        path: location.events(),
        source,
    };
    while let Some(seen) = scan.next_seen().map_err(unreadable)? {
        if let Some(issue) = seen.issue {
            let (line, offset, damage) = (issue.line, issue.offset, issue.damage);
            return Err(JournalError::Damaged {
                path: location.events(),
                line,
                offset,
                damage,
            });
        }
        if let Some(event) = &seen.event {
            observe(event);
        }
    }
    let (Some(chain), Some(true) | None) = (scan.chain(), scan.chained()) else {
        return Err(JournalError::Unchained {
            path: location.events(),
        });
    };
    Ok(Verified {
        seq: scan.last_seq(),
        chain,
        bytes: scan.end(),
        torn_bytes: scan.torn_bytes(),
    })
}

fn remove_leftover(location: &Location) -> Result<(), JournalError> {
    let path = location.repair();
    match fs::remove_file(&path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(JournalError::Io { path, source }),
        _ => Ok(()),
    }
}

fn replace_tail(location: &Location, kept_bytes: u64, line: &[u8]) -> io::Result<File> {
    let old = files::open(&location.events(), Access::Read).map_err(io::Error::other)?;
    let mut new = files::open(&location.repair(), Access::CreateNew).map_err(io::Error::other)?;
    let copied = io::copy(&mut old.take(kept_bytes), &mut new)?;
    if copied != kept_bytes {
        return Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            "the journal became shorter while it was repaired",
        ));
    }
    new.write_all(line)?;
    new.sync_all()?;
    fs::rename(location.repair(), location.events())?;
    files::sync_dir(&location.dir)?;
    // The open handle went with the file to its new name.
    Ok(new)
}

/// Writes a line with one call. A part of a line counts as nothing: another writer's bytes must never follow it.
fn write_line(medium: &mut dyn Medium, line: &[u8]) -> io::Result<()> {
    loop {
        return match medium.write(line) {
            Ok(written) if written == line.len() => Ok(()),
            Ok(_) => Err(io::Error::new(
                io::ErrorKind::WriteZero,
                "only a part of the line was written",
            )),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
    }
}

#[cfg(test)]
mod tests;
