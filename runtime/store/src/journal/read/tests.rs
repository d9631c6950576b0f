//! Pages: which events, in which order, at which cost.

use serde_json::json;

use crate::journal::testing::{Bench, draft, seqs_of, stamp};
use crate::journal::{Damage, Durability, Journal, Location, Page, PageQuery, fold, fold_from, read, read_page};

fn after(seq: u64, limit: u64) -> PageQuery {
    PageQuery {
        after_seq: Some(seq),
        limit: Some(limit),
        ..PageQuery::default()
    }
}

fn before(seq: u64, limit: u64) -> PageQuery {
    PageQuery {
        before_seq: Some(seq),
        limit: Some(limit),
        ..PageQuery::default()
    }
}

fn page(bench: &Bench, query: &PageQuery) -> Page {
    read_page(&bench.location, query).unwrap()
}

#[test]
fn pages_are_the_windows_of_the_whole_whatever_the_query() {
    let bench = Bench::with_events(40);
    let all: Vec<u64> = (1..=40).collect();
    for seq in [0, 1, 2, 17, 39, 40, 41, u64::MAX] {
        for limit in [1, 7, 40, 500] {
            let wanted = usize::try_from(limit).unwrap();
            let later: Vec<u64> = all.iter().copied().filter(|n| *n > seq).take(wanted).collect();
            assert_eq!(
                seqs_of(&page(&bench, &after(seq, limit)).events),
                later,
                "after {seq}, {limit}"
            );
            let earlier: Vec<u64> = all.iter().copied().filter(|n| *n < seq).collect();
            let earlier = &earlier[earlier.len().saturating_sub(wanted)..];
            assert_eq!(
                seqs_of(&page(&bench, &before(seq, limit)).events),
                earlier,
                "before {seq}, {limit}"
            );
        }
    }
}

#[test]
fn the_limit_is_brought_into_its_range_and_before_wins() {
    let bench = Bench::with_events(600);
    let count = |limit| {
        page(
            &bench,
            &PageQuery {
                limit,
                ..PageQuery::default()
            },
        )
        .events
        .len()
    };
    assert_eq!([count(None), count(Some(0)), count(Some(9_999))], [100, 1, 500]);
    let both = PageQuery {
        after_seq: Some(500),
        before_seq: Some(3),
        ..PageQuery::default()
    };
    assert_eq!(seqs_of(&page(&bench, &both).events), [1, 2]);
}

#[test]
fn pages_of_a_damaged_journal_hold_what_a_whole_reading_holds() {
    let bench = Bench::with_events(30);
    let mut lines = bench.lines();
    lines.remove(9);
    lines[19] = b"garbage\n".to_vec();
    bench.set_lines(&lines);
    let whole = read(&bench.location).unwrap();
    let found: Vec<_> = whole
        .issues
        .iter()
        .map(|issue| (issue.line, issue.damage.clone()))
        .collect();
    assert_eq!(
        found,
        [
            (
                10,
                Damage::Sequence {
                    expected: 10,
                    found: 11
                }
            ),
            (20, Damage::NotAnEvent)
        ]
    );
    for seq in 0..=32 {
        let wanted: Vec<u64> = seqs_of(&whole.events)
            .into_iter()
            .filter(|n| *n > seq)
            .take(4)
            .collect();
        assert_eq!(seqs_of(&page(&bench, &after(seq, 4)).events), wanted, "after {seq}");
        let wanted: Vec<u64> = seqs_of(&whole.events).into_iter().filter(|n| *n < seq).collect();
        let wanted = &wanted[wanted.len().saturating_sub(4)..];
        assert_eq!(seqs_of(&page(&bench, &before(seq, 4)).events), wanted, "before {seq}");
    }
    assert_eq!(page(&bench, &after(8, 4)).issues, whole.issues[..1]);
}

#[test]
fn the_last_page_of_a_long_journal_does_not_read_what_is_before() {
    let bench = Bench::with_events(2_000);
    let mut lines = bench.lines();
    // A whole reading would report this line, so a page without issues has not met it.
    lines[4] = b"garbage\n".to_vec();
    bench.set_lines(&lines);
    let last = page(&bench, &before(u64::MAX, 50));
    assert_eq!(
        (seqs_of(&last.events), last.issues),
        ((1_951..=2_000).collect(), vec![])
    );
    let new = page(&bench, &after(1_998, 50));
    assert_eq!((seqs_of(&new.events), new.issues), (vec![1_999, 2_000], vec![]));
}

#[test]
fn an_invocation_filter_counts_before_the_limit() {
    let bench = Bench::new();
    let mut journal = Journal::create(bench.location.clone(), Durability::Durable).unwrap();
    for number in 1..=12 {
        let id = if number % 3 == 0 { "inv_a" } else { "inv_root" };
        journal
            .append(draft("tool_call_started", json!({"invocationId": id})), stamp(number))
            .unwrap();
    }
    let filtered = |query| {
        page(
            &bench,
            &PageQuery {
                invocation: Some(" inv_a ".to_owned()),
                ..query
            },
        )
    };
    assert_eq!(seqs_of(&filtered(after(3, 2)).events), [6, 9]);
    assert_eq!(seqs_of(&filtered(before(12, 2)).events), [6, 9]);
    for id in ["", "  ", "a/b", "a\\b"] {
        let query = PageQuery {
            invocation: Some(id.to_owned()),
            ..PageQuery::default()
        };
        let error = read_page(&bench.location, &query).unwrap_err();
        assert_eq!(error.code(), "agent.read_events_invocation_id_invalid", "{id:?}");
    }
}

#[test]
fn unknown_types_and_members_are_shown() {
    let bench = Bench::with_events(1);
    let text = String::from_utf8(bench.bytes()).unwrap();
    let (bare, _) = text.split_once(",\"chain\"").unwrap();
    let newer = format!(
        "{},\"origin\":{{\"phone\":1}}}}",
        bare.replace("model_response_stored", "dream_recorded")
    );
    bench.set_bytes(format!("{newer}\n").as_bytes());
    let events = read(&bench.location).unwrap().events;
    assert_eq!(serde_json::to_string(&events[0]).unwrap(), newer);
}

#[test]
fn readers_never_see_the_link() {
    let events = read(&Bench::with_events(1).location).unwrap().events;
    assert!(!serde_json::to_string(&events).unwrap().contains("chain"));
}

#[test]
fn a_run_without_a_journal_has_no_events_and_no_run_is_not_found() {
    let bench = Bench::new();
    assert_eq!(page(&bench, &PageQuery::default()), Page::default());
    let nowhere = Location {
        dir: bench.location.dir.join("nowhere"),
        run_id: bench.location.run_id.clone(),
    };
    assert_eq!(read(&nowhere).unwrap_err().code(), "agent.not_found");
}

#[test]
fn a_fold_goes_on_from_any_line_and_from_nowhere_else() {
    let bench = Bench::with_events(5);
    let lines = bench.lines();
    let mut offset = 0;
    for (done, line) in lines.iter().enumerate() {
        let mut seqs = Vec::new();
        let reading = fold_from(&bench.location, offset, &mut |event| seqs.push(event.seq)).unwrap();
        assert_eq!(
            reading.map(|r| (r.bytes, r.issues)),
            Some((bench.bytes().len() as u64, vec![]))
        );
        assert_eq!(seqs, (done as u64 + 1..=5).collect::<Vec<_>>());
        assert_eq!(fold_from(&bench.location, offset + 1, &mut |_| ()).unwrap(), None);
        offset += line.len() as u64;
    }
    assert_eq!(
        fold_from(&bench.location, offset, &mut |_| ())
            .unwrap()
            .map(|r| r.bytes),
        Some(offset)
    );
    assert_eq!(fold(&bench.location, &mut |_| ()).unwrap().bytes, offset);
}
