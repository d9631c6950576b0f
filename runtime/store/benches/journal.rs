//! Whether an append costs the same at the tenth and at the hundred-thousandth event, and how long ten thousand events take to be
//! checked and folded again.
//!
//! Syncing is left out (events of level debug in a batched journal): it would measure the disk. What comes out is printed, not asserted.

#![expect(
    clippy::expect_used,
    reason = "a benchmark that cannot set itself up has nothing to measure"
)]

use std::time::Instant;

use innkeeper_protocol::envelope::{Draft, Level};
use innkeeper_protocol::id::RunId;
use innkeeper_store::journal::{Durability, Journal, Location, Stamp};
use innkeeper_store::runs::RunFold;
use serde_json::json;

/// Appends that are timed together: one alone is near the clock's resolution.
const SAMPLE: u32 = 200;
/// Events before the appends that are compared.
const EARLY: u32 = 10;
const LATE: u32 = 100_000;
/// Events that are read again as the next owner of the run does.
const REPLAYED: u32 = 10_000;
/// Samples of which the fastest counts, so that other work of the machine does not.
const SAMPLES: u32 = 15;

struct Filled {
    journal: Journal,
    _dir: tempfile::TempDir,
}

impl Filled {
    fn new(events: u32) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let run_id = RunId::parse("run_1").expect("a run id");
        let location = Location {
            dir: dir.path().to_owned(),
            run_id,
        };
        let mut filled = Self {
            journal: Journal::create(location, Durability::Batched).expect("a journal"),
            _dir: dir,
        };
        (0..events).for_each(|_| filled.append());
        filled
    }

    fn append(&mut self) {
        let payload = json!({"round": 3, "invocationId": "inv_root", "path": "model-responses/round-003.json"});
        self.journal
            .append(Draft::new(Level::Debug, "model_response_stored", payload), stamp(7))
            .expect("an append");
    }
}

fn stamp(number: u32) -> Stamp {
    Stamp {
        event_id: format!("evt_{number:032x}"),
        timestamp: "2026-01-01T00:00:00Z".to_owned(),
    }
}

#[divan::bench(args = [EARLY, LATE])]
fn append_after(bencher: divan::Bencher<'_, '_>, events: u32) {
    let mut filled = Filled::new(events);
    bencher.bench_local(|| filled.append());
}

/// The fastest sample, in nanoseconds per append.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn fastest(events: u32) -> u128 {
    let sample = |filled: &mut Filled| {
        let start = Instant::now();
        (0..SAMPLE).for_each(|_| filled.append());
        start.elapsed().as_nanos() / u128::from(SAMPLE)
    };
    let mut filled = Filled::new(events);
    (0..SAMPLES).map(|_| sample(&mut filled)).min().unwrap_or_default()
}

/// A journal of so many events whose owner is gone.
fn abandoned(events: u32) -> (Location, tempfile::TempDir) {
    let Filled { journal, _dir: dir } = Filled::new(events);
    (journal.location().clone(), dir)
}

/// Becomes the owner: every line is checked, every event is folded.
fn replay(location: &Location) -> u64 {
    let mut stamps = || stamp(1);
    let mut fold = RunFold::default();
    let opened = Journal::open_existing(location.clone(), Durability::Durable, &mut stamps, &mut |event| {
        fold.apply(event)
    });
    opened.expect("a sound journal").last_seq()
}

#[divan::bench]
fn replay_ten_thousand(bencher: divan::Bencher<'_, '_>) {
    let (location, _dir) = abandoned(REPLAYED);
    bencher.bench_local(|| replay(&location));
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its result")]
fn main() {
    divan::main();
    let (early, late) = (fastest(EARLY), fastest(LATE));
    let ratio = late.saturating_mul(100) / early.max(1);
    println!(
        "append without sync: {early} ns at event {EARLY}, {late} ns at event {LATE}, ratio {}.{:02}",
        ratio / 100,
        ratio % 100
    );
}
