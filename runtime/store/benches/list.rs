//! What a page of the list costs among 1,000 runs of which three are damaged: with caches, and without.
//!
//! The times are printed, not asserted; with caches a page is to stay well below a second.

#![expect(
    clippy::expect_used,
    reason = "a benchmark that cannot set itself up has nothing to measure"
)]

use std::fs;

use innkeeper_protocol::envelope::{Draft, Level};
use innkeeper_protocol::id::{RunId, WorkspaceId};
use innkeeper_store::journal::{Durability, Journal, Stamp};
use innkeeper_store::runs::{ListQuery, RunsRoot};
use serde_json::{Value, json};

const RUNS: u32 = 1_000;
/// Every run with a number that this divides is damaged: three of them.
const DAMAGED_EVERY: u32 = 333;

struct Filled {
    data: tempfile::TempDir,
    root: RunsRoot,
}

impl Filled {
    fn new() -> Self {
        let data = tempfile::tempdir().expect("a temporary folder");
        let filled = Self {
            root: RunsRoot::new(data.path()),
            data,
        };
        (1..=RUNS).for_each(|number| filled.add_run(number));
        filled
    }

    fn add_run(&self, number: u32) {
        let workspace = WorkspaceId::parse(&format!("chat_{:016x}", number % 7)).expect("a workspace id");
        let run_id = RunId::parse(&format!("run_{number:032x}")).expect("a run id");
        let folder = self.root.create_run(&workspace, &run_id).expect("a run's folder");
        let mut journal = Journal::create(folder.journal().clone(), Durability::Batched).expect("a journal");
        let created = json!({
            "workspaceId": workspace, "stableChatId": "s", "chatRef": {"kind": "group", "chatId": "g"},
            "generationType": "normal", "profileId": "writer", "inputMessageCount": 3, "presentation": "background",
        });
        let turn = json!({"round": 3, "invocationId": "inv_root", "path": "model-responses/round-003.json"});
        let middle = std::iter::repeat_n(("model_response_stored", turn), 40);
        let events = [("run_created", created)].into_iter().chain(middle);
        for (kind, payload) in events.chain([("run_completed", Value::Null)]) {
            let stamp = Stamp {
                event_id: format!("evt_{number:032x}"),
                timestamp: format!("2026-01-01T00:{:02}:{:02}Z", number / 60, number % 60),
            };
            // Of level debug, so that nothing is synced: that would measure the disk.
            journal
                .append(Draft::new(Level::Debug, kind, payload), stamp)
                .expect("an append");
        }
        if number.is_multiple_of(DAMAGED_EVERY) {
            fs::write(folder.journal().events(), "no journal\n").expect("a damaged journal");
        }
    }

    fn list(&self) {
        let page = self.root.list(&ListQuery::default()).expect("a page");
        assert_eq!((page.runs.len(), page.issues.len()), (50, 3));
    }

    /// Lists until every sound run is in the index: one listing caches a part of them.
    fn warm(&self) {
        let index = self.data.path().join("_tauritavern/agent-workspaces/index/runs");
        let sound = RUNS - RUNS / DAMAGED_EVERY;
        while fs::read_dir(&index).map_or(0, Iterator::count) < sound as usize {
            self.list();
        }
    }

    fn drop_caches(&self) {
        fs::remove_dir_all(self.data.path().join("_tauritavern/agent-workspaces/index")).expect("the index");
        for run in self.root.folders().expect("the folders").0 {
            // Damaged runs have none.
            let _ = fs::remove_file(run.path().join("run.json"));
        }
    }
}

#[divan::bench]
fn with_caches(bencher: divan::Bencher<'_, '_>) {
    let filled = Filled::new();
    filled.warm();
    bencher.bench_local(|| filled.list());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn without_caches(bencher: divan::Bencher<'_, '_>) {
    let filled = Filled::new();
    filled.warm();
    bencher
        .with_inputs(|| filled.drop_caches())
        .bench_local_values(|()| filled.list());
}

fn main() {
    divan::main();
}
