//! Events come as they are written, and following ends when there is nobody left to write.

use innkeeper_protocol::envelope::Level;
use serde_json::{Value, json};

use super::*;
use crate::journal::testing::{Bench, draft, seqs_of, stamp};
use crate::journal::{Durability, Journal, LOCK_FILE};

/// Far more than any of these waits takes, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

async fn next(follower: &mut Follower) -> Option<Vec<u64>> {
    let page = tokio::time::timeout(PATIENCE, follower.next()).await.unwrap().unwrap();
    page.map(|page| seqs_of(&page.events))
}

fn append(journal: &mut Journal, kind: &str, number: u32) {
    journal
        .append(draft(kind, json!({"n": number})), stamp(number))
        .unwrap();
}

fn owned(bench: &Bench) -> Journal {
    Journal::create(bench.location.clone(), Durability::Durable).unwrap()
}

#[tokio::test]
async fn events_come_as_they_are_written_until_the_owner_lets_go() {
    let bench = Bench::new();
    let mut journal = owned(&bench);
    append(&mut journal, "run_created", 1);
    let mut follower = Follower::new(bench.location.clone(), 0, None);
    assert_eq!(next(&mut follower).await, Some(vec![1]));
    let writer = std::thread::spawn(move || {
        append(&mut journal, "status_changed", 2);
        append(&mut journal, "run_completed", 3);
        append(&mut journal, "agent_invocation_completed", 4);
    });
    let mut seen = Vec::new();
    while let Some(seqs) = next(&mut follower).await {
        seen.extend(seqs);
    }
    writer.join().unwrap();
    assert_eq!(seen, [2, 3, 4]);
}

#[tokio::test]
async fn a_written_event_ends_the_wait_long_before_the_next_check() {
    let bench = Bench::new();
    let mut journal = owned(&bench);
    append(&mut journal, "run_created", 1);
    let mut follower = Follower::new(bench.location.clone(), 1, None);
    let waiting = tokio::spawn(async move { next(&mut follower).await });
    // The reader has looked and waits, or will look after the write: both must give the event.
    tokio::task::yield_now().await;
    append(&mut journal, "status_changed", 2);
    assert_eq!(waiting.await.unwrap(), Some(vec![2]));
}

#[tokio::test]
async fn a_run_without_an_owner_ends_without_a_last_event() {
    let bench = Bench::with_events(3);
    let mut follower = Follower::new(bench.location.clone(), 1, None);
    assert_eq!(next(&mut follower).await, Some(vec![2, 3]));
    assert_eq!(next(&mut follower).await, None);
}

#[tokio::test]
async fn an_owner_that_lives_on_is_not_waited_for_after_the_end() {
    let bench = Bench::new();
    let mut journal = owned(&bench);
    append(&mut journal, "run_cancelled", 1);
    let mut follower = Follower::new(bench.location.clone(), 0, None);
    assert_eq!(next(&mut follower).await, Some(vec![1]));
    assert_eq!(next(&mut follower).await, None);
    drop(journal);
}

#[tokio::test]
async fn a_damaged_place_is_told_once() {
    let bench = Bench::with_events(3);
    let mut lines = bench.lines();
    lines[1] = b"no event\n".to_vec();
    bench.set_lines(&lines);
    let mut follower = Follower::new(bench.location.clone(), 0, None);
    let page = follower.next().await.unwrap().unwrap();
    assert_eq!((seqs_of(&page.events), page.issues.len()), (vec![1, 3], 1));
    assert_eq!(next(&mut follower).await, None);
}

#[tokio::test]
async fn an_invocation_sees_its_own_events_only() {
    let bench = Bench::new();
    let mut journal = owned(&bench);
    for (number, id) in [(1, "inv_root"), (2, "inv_a"), (3, "inv_root")] {
        let scoped = crate::journal::testing::draft("model_completed", json!({"invocationId": id}));
        journal.append(scoped, stamp(number)).unwrap();
    }
    drop(journal);
    let mut follower = Follower::new(bench.location.clone(), 0, Some("inv_a".to_owned()));
    assert_eq!(next(&mut follower).await, Some(vec![2]));
    assert_eq!(next(&mut follower).await, None);
}

#[test]
fn readers_do_not_take_each_other_for_the_owner() {
    let bench = Bench::with_events(1);
    let reader = std::fs::File::open(bench.location.dir.join(LOCK_FILE)).unwrap();
    reader.lock_shared().unwrap();
    assert!(!bench.location.is_owned().unwrap());
    drop(reader);
    let owner = bench.open().unwrap();
    assert!(bench.location.is_owned().unwrap());
    drop(owner);
    assert!(!bench.location.is_owned().unwrap());
}

#[test]
fn the_end_is_seen_twice_before_it_is_believed() {
    let mut end = End::default();
    assert!(!end.is_reached(false));
    assert!(end.is_reached(false));
    let page = Page {
        events: vec![envelope("run_failed")],
        issues: Vec::new(),
    };
    let mut end = End::default();
    end.note(&page);
    let looks = (0..=SETTLE_LOOKS).map(|_| end.is_reached(true)).collect::<Vec<_>>();
    assert_eq!(looks.iter().filter(|reached| **reached).count(), 1);
    assert_eq!(looks.last(), Some(&true));
}

fn envelope(kind: &str) -> innkeeper_protocol::envelope::Envelope {
    innkeeper_protocol::envelope::Envelope {
        seq: 1,
        id: "evt_1".to_owned(),
        run_id: "run_1".to_owned(),
        timestamp: "2026-01-01T00:00:00Z".to_owned(),
        level: Level::Info,
        kind: kind.to_owned(),
        payload: Value::Null,
        extra: serde_json::Map::new(),
    }
}
