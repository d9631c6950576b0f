//! Set-up for tests of the journal and of runs: a folder, stamps that count, drafts.
//!
//! No assertions live here.

use innkeeper_protocol::envelope::{Draft, Envelope, Level};
use innkeeper_protocol::id::RunId;
use serde_json::{Value, json};

use super::{Durability, Journal, Location, Stamp};

/// The stamp of this number.
pub(crate) fn stamp(number: u32) -> Stamp {
    let (minute, second) = (number / 60 % 60, number % 60);
    Stamp {
        event_id: format!("evt_{number:032x}"),
        timestamp: format!("2026-01-01T00:{minute:02}:{second:02}Z"),
    }
}

/// An info event.
pub(crate) fn draft(kind: &str, payload: Value) -> Draft {
    Draft::new(Level::Info, kind, payload)
}

/// A run's folder that vanishes with it.
pub(crate) struct Bench {
    _root: tempfile::TempDir,
    pub(crate) location: Location,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let location = Location {
            dir: root.path().to_owned(),
            run_id: RunId::parse("run_1").unwrap(),
        };
        Self { _root: root, location }
    }

    /// A closed journal of this many events.
    pub(crate) fn with_events(count: u32) -> Self {
        let bench = Self::new();
        let mut journal = Journal::create(bench.location.clone(), Durability::Batched).unwrap();
        for number in 1..=count {
            let draft = Draft::new(
                Level::Debug,
                "model_response_stored",
                json!({"round": number, "path": "ü\n"}),
            );
            journal.append(draft, stamp(number)).unwrap();
        }
        bench
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.location.events()).unwrap()
    }

    pub(crate) fn set_bytes(&self, bytes: &[u8]) {
        std::fs::write(self.location.events(), bytes).unwrap();
    }

    /// The lines, each with its line feed.
    pub(crate) fn lines(&self) -> Vec<Vec<u8>> {
        self.bytes()
            .split_inclusive(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect()
    }

    pub(crate) fn set_lines(&self, lines: &[Vec<u8>]) {
        self.set_bytes(&lines.concat());
    }

    pub(crate) fn open(&self) -> Result<Journal, super::JournalError> {
        Journal::open_existing(
            self.location.clone(),
            Durability::Durable,
            &mut || stamp(999),
            &mut |_| (),
        )
    }

    pub(crate) fn seqs(&self) -> Vec<u64> {
        super::read(&self.location)
            .unwrap()
            .events
            .iter()
            .map(|event| event.seq)
            .collect()
    }
}

/// The numbers of these events.
pub(crate) fn seqs_of(events: &[Envelope]) -> Vec<u64> {
    events.iter().map(|event| event.seq).collect()
}
