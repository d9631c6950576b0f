//! The owner's side: appending, failing disks, torn tails, one owner at a time.

use std::fs;
use std::io;
use std::process::Command;
use std::sync::{Arc, Mutex};

use innkeeper_protocol::envelope::{Draft, Envelope, Level};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::journal::files::Medium;
use crate::journal::testing::{Bench, draft, seqs_of, stamp};
use crate::journal::{Durability, EVENTS_FILE, Journal, JournalError, LOCK_FILE, read};

/// A disk that can fill up, lose a sync, or refuse a cut.
#[derive(Debug, Default)]
struct Faults {
    /// Bytes that still fit.
    space: Option<usize>,
    sync_fails: bool,
    cut_fails: bool,
    syncs: usize,
}

#[derive(Debug)]
struct FaultyDisk {
    file: fs::File,
    faults: Arc<Mutex<Faults>>,
}

impl Medium for FaultyDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut faults = self.faults.lock().unwrap();
        let fits = faults.space.map_or(bytes.len(), |space| space.min(bytes.len()));
        if fits == 0 {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        faults.space = faults.space.map(|space| space - fits);
        Medium::write(&mut self.file, &bytes[..fits])
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut faults = self.faults.lock().unwrap();
        faults.syncs += 1;
        if faults.sync_fails {
            Err(io::Error::other("input/output error"))
        } else {
            Ok(())
        }
    }

    fn cut(&mut self, bytes: u64) -> io::Result<()> {
        if self.faults.lock().unwrap().cut_fails {
            return Err(io::Error::other("input/output error"));
        }
        Medium::cut(&mut self.file, bytes)
    }
}

fn faulty(bench: &Bench, durability: Durability) -> (Journal, Arc<Mutex<Faults>>) {
    let mut journal = Journal::create(bench.location.clone(), durability).unwrap();
    let faults = Arc::new(Mutex::new(Faults::default()));
    let file = super::files::open(&bench.location.events(), super::Access::Append).unwrap();
    journal.medium = Box::new(FaultyDisk {
        file,
        faults: Arc::clone(&faults),
    });
    (journal, faults)
}

fn note(number: u32) -> Draft {
    draft("status_changed", json!({"status": "created", "number": number}))
}

#[test]
fn appended_events_are_read_back_in_order() {
    let bench = Bench::new();
    let mut journal = Journal::create(bench.location.clone(), Durability::Durable).unwrap();
    let sent: Vec<Envelope> = (1..=3).map(|n| journal.append(note(n), stamp(n)).unwrap()).collect();
    assert_eq!(seqs_of(&sent), [1, 2, 3]);
    assert_eq!(read(&bench.location).unwrap().events, sent);
    assert_eq!((journal.last_seq(), journal.bytes()), (3, bench.bytes().len() as u64));
}

#[test]
fn an_opened_journal_goes_on_where_it_ended() {
    let bench = Bench::with_events(3);
    let mut seen = Vec::new();
    let mut journal = Journal::open_existing(
        bench.location.clone(),
        Durability::Durable,
        &mut || stamp(9),
        &mut |event| {
            seen.push(event.seq);
        },
    )
    .unwrap();
    assert_eq!(seen, [1, 2, 3]);
    assert_eq!(journal.append(note(4), stamp(4)).unwrap().seq, 4);
    drop(journal);
    assert_eq!(bench.open().unwrap().last_seq(), 4);
}

#[test]
fn a_tail_cut_at_every_byte_leaves_the_prefix_and_a_record() {
    let bench = Bench::with_events(3);
    let (sound, lines) = (bench.bytes(), bench.lines());
    let kept = lines[0].len() + lines[1].len();
    for end in kept + 1..sound.len() {
        bench.set_bytes(&sound[..end]);
        assert_eq!(bench.seqs(), [1, 2], "a reader ignores the tail");
        let mut journal = bench.open().unwrap();
        let page = read(&bench.location).unwrap();
        let repaired = page.events.last().unwrap();
        let expected = json!({"offset": kept, "removedBytes": end - kept, "lastSeq": 2});
        assert_eq!(
            (repaired.seq, repaired.kind.as_str(), &repaired.payload),
            (3, "journal_repaired", &expected)
        );
        assert_eq!(&bench.bytes()[..kept], &sound[..kept]);
        assert_eq!(journal.append(note(4), stamp(4)).unwrap().seq, 4);
        drop(journal);
        assert_eq!((bench.seqs(), bench.open().is_ok()), (vec![1, 2, 3, 4], true));
    }
}

#[test]
fn an_interrupted_repair_ends_in_the_same_bytes() {
    let bench = Bench::with_events(3);
    let sound = bench.bytes();
    let torn = &sound[..sound.len() - 5];
    bench.set_bytes(torn);
    drop(bench.open().unwrap());
    let clean = bench.bytes();
    // Before its rename a repair has only written a part of the file beside.
    for written in 0..=clean.len() {
        bench.set_bytes(torn);
        fs::write(bench.location.repair(), &clean[..written]).unwrap();
        drop(bench.open().unwrap());
        assert_eq!(
            (bench.bytes(), bench.location.repair().exists()),
            (clean.clone(), false),
            "{written} bytes"
        );
    }
    drop(bench.open().unwrap());
    assert_eq!(bench.bytes(), clean, "a repaired journal is not repaired again");
}

#[test]
fn a_full_disk_at_every_byte_loses_nothing_and_heals() {
    let line = {
        let bench = Bench::with_events(0);
        let mut journal = bench.open().unwrap();
        journal.append(note(1), stamp(1)).unwrap();
        bench.bytes().len()
    };
    for space in 0..line {
        let bench = Bench::new();
        let (mut journal, faults) = faulty(&bench, Durability::Durable);
        journal.append(note(1), stamp(1)).unwrap();
        let before = bench.bytes();
        faults.lock().unwrap().space = Some(space);
        let error = journal.append(note(2), stamp(2)).unwrap_err();
        assert_eq!(error.code(), "store.journal_write_failed");
        assert_eq!(bench.bytes(), before, "the half line is cut");
        faults.lock().unwrap().space = None;
        assert_eq!(journal.append(note(3), stamp(3)).unwrap().seq, 2);
        drop(journal);
        assert_eq!((bench.seqs(), bench.open().is_ok()), (vec![1, 2], true));
    }
}

#[test]
fn a_half_line_that_cannot_be_cut_is_never_followed() {
    let bench = Bench::new();
    let (mut journal, faults) = faulty(&bench, Durability::Durable);
    journal.append(note(1), stamp(1)).unwrap();
    *faults.lock().unwrap() = Faults {
        space: Some(10),
        cut_fails: true,
        ..Faults::default()
    };
    journal.append(note(2), stamp(2)).unwrap_err();
    faults.lock().unwrap().space = None;
    let error = journal.append(note(2), stamp(2)).unwrap_err();
    assert!(matches!(error, JournalError::WriteFailed { .. }));
    faults.lock().unwrap().cut_fails = false;
    journal.append(note(2), stamp(2)).unwrap();
    drop(journal);
    assert_eq!((bench.seqs(), bench.open().is_ok()), (vec![1, 2], true));
}

#[test]
fn after_a_failed_sync_nothing_more_is_written() {
    let bench = Bench::new();
    let (mut journal, faults) = faulty(&bench, Durability::Durable);
    journal.append(note(1), stamp(1)).unwrap();
    faults.lock().unwrap().sync_fails = true;
    assert_eq!(
        journal.append(note(2), stamp(2)).unwrap_err().code(),
        "store.journal_write_failed"
    );
    faults.lock().unwrap().sync_fails = false;
    let (bytes, error) = (bench.bytes(), journal.append(note(3), stamp(3)).unwrap_err());
    assert!(matches!(error, JournalError::ReadOnly { .. }), "{error:?}");
    assert_eq!((error.code(), bench.bytes()), ("store.journal_write_failed", bytes));
}

#[test]
fn only_debug_events_wait_for_a_later_sync() {
    for (durability, expected) in [(Durability::Durable, [1, 2, 3]), (Durability::Batched, [0, 1, 1])] {
        let bench = Bench::new();
        let (mut journal, faults) = faulty(&bench, durability);
        let mut counts = Vec::new();
        for level in [Level::Debug, Level::Info, Level::Debug] {
            journal.append(Draft::new(level, "x", Value::Null), stamp(1)).unwrap();
            counts.push(faults.lock().unwrap().syncs);
        }
        assert_eq!(counts, expected, "{durability:?}");
    }
}

#[test]
fn an_event_that_no_reader_would_take_is_refused_and_costs_nothing() {
    let bench = Bench::with_events(1);
    let mut journal = bench.open().unwrap();
    let long = draft("x", json!({"text": "x".repeat(super::line::MAX_LINE_BYTES)}));
    let error = journal.append(long, stamp(2)).unwrap_err();
    assert!(matches!(error, JournalError::EventRefused { .. }));
    assert_eq!(journal.append(note(2), stamp(2)).unwrap().seq, 2);
}

#[test]
fn a_second_handle_is_refused_at_once_and_the_lock_ends_with_the_owner() {
    let bench = Bench::with_events(1);
    let owner = bench.open().unwrap();
    assert_eq!(bench.open().unwrap_err().code(), "store.run_locked");
    assert_eq!(bench.seqs(), [1], "reading needs no lock");
    drop(owner);
    assert!(
        bench.location.dir.join(LOCK_FILE).exists(),
        "a lock file left behind means nothing"
    );
    assert!(bench.open().is_ok());
}

/// The name of the test below when it runs again as the other process.
const OTHER_PROCESS: &str = "INNKEEPER_TEST_JOURNAL_FOLDER";

#[test]
fn a_second_process_is_refused_at_once() {
    if let Ok(dir) = std::env::var(OTHER_PROCESS) {
        let location = super::Location {
            dir: dir.into(),
            run_id: Bench::new().location.run_id,
        };
        let opened = Journal::open_existing(location, Durability::Durable, &mut || stamp(9), &mut |_| ());
        println!("outcome: {}", opened.map_or_else(|error| error.code(), |_| "opened"));
        return;
    }
    let bench = Bench::with_events(1);
    let owner = bench.open().unwrap();
    let ask = || {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["a_second_process_is_refused_at_once", "--nocapture"])
            .env(OTHER_PROCESS, &bench.location.dir)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let locked = ask();
    assert!(locked.contains("outcome: store.run_locked"), "{locked}");
    drop(owner);
    let free = ask();
    assert!(free.contains("outcome: opened"), "{free}");
}

#[cfg(unix)]
#[test]
fn links_pipes_and_folders_are_refused_without_waiting() {
    use std::os::unix::fs::symlink;
    for name in [EVENTS_FILE, LOCK_FILE] {
        let make: [fn(&std::path::Path); 3] = [
            |path| symlink("/dev/zero", path).unwrap(),
            |path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
            |path| fs::create_dir(path).unwrap(),
        ];
        for make in make {
            let bench = Bench::with_events(1);
            fs::remove_file(bench.location.dir.join(name)).unwrap();
            make(&bench.location.dir.join(name));
            let error = bench.open().unwrap_err();
            assert!(matches!(error, JournalError::NotRegular { .. }), "{name}: {error:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn the_files_are_the_users_own() {
    use std::os::unix::fs::PermissionsExt as _;
    let bench = Bench::with_events(1);
    for name in [EVENTS_FILE, LOCK_FILE] {
        let mode = fs::metadata(bench.location.dir.join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn an_existing_journal_is_never_created_anew() {
    let bench = Bench::with_events(2);
    assert!(Journal::create(bench.location.clone(), Durability::Durable).is_err());
    assert_eq!(bench.seqs(), [1, 2]);
}

fn payloads() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn drafts() -> impl Strategy<Value = Vec<Draft>> {
    let level = prop_oneof![
        Just(Level::Debug),
        Just(Level::Info),
        Just(Level::Warn),
        Just(Level::Error)
    ];
    let draft =
        (level, any::<String>(), payloads()).prop_map(|(level, kind, payload)| Draft::new(level, &kind, payload));
    prop::collection::vec(draft, 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_sent_is_read_and_any_truncation_gives_an_exact_prefix(drafts in drafts(), cut in any::<prop::sample::Index>()) {
        let bench = Bench::new();
        let mut journal = Journal::create(bench.location.clone(), Durability::Batched).unwrap();
        let sent: Vec<Envelope> = drafts.into_iter().map(|draft| journal.append(draft, stamp(1)).unwrap()).collect();
        drop(journal);
        let page = read(&bench.location).unwrap();
        prop_assert_eq!((&page.events, page.issues.len()), (&sent, 0));

        let bytes = bench.bytes();
        let end = cut.index(bytes.len() + 1);
        let whole = bytes[..end].iter().filter(|byte| **byte == b'\n').count();
        bench.set_bytes(&bytes[..end]);
        let page = read(&bench.location).unwrap();
        prop_assert_eq!((&page.events[..], page.issues.len()), (&sent[..whole], 0));
        let journal = bench.open().unwrap();
        let repaired = u64::from(bytes[..end].last().is_some_and(|byte| *byte != b'\n'));
        prop_assert_eq!(journal.last_seq(), whole as u64 + repaired);
    }
}
