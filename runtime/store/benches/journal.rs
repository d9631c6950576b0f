//! Whether an append costs the same at the tenth and at the ten-thousandth event.
//!
//! Syncing is left out (events of level debug in a batched journal): it would measure the disk. The ratio is printed, not asserted.

#![expect(
    clippy::expect_used,
    reason = "a benchmark that cannot set itself up has nothing to measure"
)]

use std::time::Instant;

use innkeeper_protocol::envelope::{Draft, Level};
use innkeeper_protocol::id::RunId;
use innkeeper_store::journal::{Durability, Journal, Location, Stamp};
use serde_json::json;

/// Appends that are timed together: one alone is near the clock's resolution.
const SAMPLE: u32 = 200;
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
        let stamp = Stamp {
            event_id: format!("evt_{:032x}", 7),
            timestamp: "2026-01-01T00:00:00Z".to_owned(),
        };
        self.journal
            .append(Draft::new(Level::Debug, "model_response_stored", payload), stamp)
            .expect("an append");
    }
}

#[divan::bench(args = [10, 10_000])]
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

#[expect(clippy::print_stdout, reason = "a benchmark prints its result")]
fn main() {
    divan::main();
    let (early, late) = (fastest(10), fastest(10_000));
    let ratio = late.saturating_mul(100) / early.max(1);
    println!(
        "append without sync: {early} ns at event 10, {late} ns at event 10,000, ratio {}.{:02}",
        ratio / 100,
        ratio % 100
    );
}
