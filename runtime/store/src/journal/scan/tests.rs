//! Damage of every kind: the place is named, and the rest is read.

use crate::journal::testing::{Bench, stamp};
use crate::journal::{Damage, Durability, Journal, JournalError, read};

/// (line, damage) of every issue, and the numbers that were read.
fn survey(bench: &Bench) -> (Vec<(u64, Damage)>, Vec<u64>) {
    let page = read(&bench.location).unwrap();
    let issues = page
        .issues
        .into_iter()
        .map(|issue| (issue.line, issue.damage))
        .collect();
    (issues, page.events.iter().map(|event| event.seq).collect())
}

fn gap(expected: u64, found: u64) -> Damage {
    Damage::Sequence { expected, found }
}

#[test]
fn a_sound_journal_has_no_issues() {
    assert_eq!(survey(&Bench::with_events(5)), (vec![], vec![1, 2, 3, 4, 5]));
}

#[test]
fn a_deleted_line_is_named_by_the_line_that_follows() {
    let bench = Bench::with_events(6);
    let mut lines = bench.lines();
    lines.remove(2);
    bench.set_lines(&lines);
    assert_eq!(survey(&bench), (vec![(3, gap(3, 4))], vec![1, 2, 4, 5, 6]));
}

#[test]
fn swapped_lines_are_named() {
    let bench = Bench::with_events(6);
    let mut lines = bench.lines();
    lines.swap(1, 2);
    bench.set_lines(&lines);
    let issues = vec![(2, gap(2, 3)), (4, gap(3, 4))];
    assert_eq!(survey(&bench), (issues, vec![1, 2, 4, 5, 6]));
}

#[test]
fn a_line_of_another_run_is_named_and_left_out() {
    let bench = Bench::with_events(4);
    let mut lines = bench.lines();
    let foreign = String::from_utf8(lines[1].clone())
        .unwrap()
        .replace("run_1", "run_2")
        .into_bytes();
    lines.insert(2, foreign);
    bench.set_lines(&lines);
    assert_eq!(survey(&bench), (vec![(3, Damage::ForeignRun)], vec![1, 2, 3, 4]));
}

#[test]
fn a_line_that_is_no_event_hides_only_itself() {
    let bench = Bench::with_events(4);
    let mut lines = bench.lines();
    lines[1] = b"{\"seq\":2}\n".to_vec();
    bench.set_lines(&lines);
    assert_eq!(survey(&bench), (vec![(2, Damage::NotAnEvent)], vec![1, 3, 4]));
}

#[test]
fn an_altered_text_is_named_and_shown() {
    let bench = Bench::with_events(4);
    let mut lines = bench.lines();
    lines[1] = String::from_utf8(lines[1].clone())
        .unwrap()
        .replace("\"round\":2", "\"round\":7")
        .into_bytes();
    bench.set_lines(&lines);
    assert_eq!(survey(&bench), (vec![(2, Damage::Chain)], vec![1, 2, 3, 4]));
}

#[test]
fn an_altered_link_is_named_once() {
    let bench = Bench::with_events(4);
    let mut lines = bench.lines();
    let at = lines[1].len() - 4;
    lines[1][at] = if lines[1][at] == b'0' { b'1' } else { b'0' };
    bench.set_lines(&lines);
    assert_eq!(survey(&bench), (vec![(2, Damage::Chain)], vec![1, 2, 3, 4]));
}

#[test]
fn an_altered_number_does_not_hide_what_follows() {
    let bench = Bench::with_events(6);
    let mut lines = bench.lines();
    lines[2] = String::from_utf8(lines[2].clone())
        .unwrap()
        .replace("\"seq\":3", "\"seq\":9")
        .into_bytes();
    bench.set_lines(&lines);
    assert_eq!(survey(&bench), (vec![(3, gap(3, 9))], vec![1, 2, 4, 5, 6]));
}

#[test]
fn every_flipped_byte_is_named_at_its_line_and_blocks_writing() {
    let bench = Bench::with_events(3);
    let sound = bench.bytes();
    let first = bench.lines()[0].len();
    let second = first + bench.lines()[1].len();
    for at in first..second - 1 {
        for flip in [0x01, 0x20, 0x80] {
            let mut bytes = sound.clone();
            bytes[at] ^= flip;
            bench.set_bytes(&bytes);
            let page = read(&bench.location).unwrap();
            let place = page.issues.first().map(|issue| (issue.line, issue.offset));
            assert_eq!(place, Some((2, first as u64)), "byte {at} flipped by {flip:#x}");
            let numbers = crate::journal::testing::seqs_of(&page.events);
            assert!(
                numbers.contains(&1) && numbers.contains(&3),
                "byte {at} hides others: {numbers:?}"
            );
            let error = bench.open().unwrap_err();
            assert_eq!(error.code(), "store.journal_damaged");
            assert!(matches!(error, JournalError::Damaged { line: 2, .. }));
            assert_eq!(bench.bytes(), bytes, "a damaged journal is not touched");
        }
    }
}

#[test]
fn blank_lines_are_skipped_and_counted() {
    let bench = Bench::with_events(3);
    let mut lines = bench.lines();
    lines.insert(1, b" \r\n".to_vec());
    bench.set_lines(&lines);
    assert_eq!(survey(&bench), (vec![], vec![1, 2, 3]));
    lines[3] = b"?\n".to_vec();
    bench.set_lines(&lines);
    assert_eq!(survey(&bench), (vec![(4, Damage::NotAnEvent)], vec![1, 2]));
}

#[test]
fn a_journal_without_links_is_read_but_not_continued() {
    let bench = Bench::new();
    let line = |seq| {
        format!(
            "{{\"seq\":{seq},\"id\":\"e\",\"runId\":\"run_1\",\"timestamp\":\"t\",\"level\":\"info\",\"type\":\"x\",\"payload\":null}}\n"
        )
    };
    let text = format!("{}{}torn", line(1), line(2));
    bench.set_bytes(text.as_bytes());
    assert_eq!(survey(&bench), (vec![], vec![1, 2]));
    let error = bench.open().unwrap_err();
    assert!(matches!(error, JournalError::Unchained { .. }), "{error:?}");
    assert_eq!(bench.bytes(), text.as_bytes());
}

#[test]
fn a_line_whose_link_was_taken_away_is_named() {
    let bench = Bench::with_events(3);
    let mut lines = bench.lines();
    let text = String::from_utf8(lines[2].clone()).unwrap();
    let (bare, _) = text.split_once(",\"chain\"").unwrap();
    lines[2] = format!("{bare}}}\n").into_bytes();
    bench.set_lines(&lines);
    assert_eq!(survey(&bench), (vec![(3, Damage::Chain)], vec![1, 2, 3]));
}

#[test]
fn a_journal_of_another_run_in_our_place_is_not_continued() {
    let (ours, theirs) = (Bench::new(), Bench::with_events(2));
    let other = crate::journal::Location {
        dir: ours.location.dir.clone(),
        run_id: innkeeper_protocol::id::RunId::parse("run_2").unwrap(),
    };
    ours.set_bytes(&theirs.bytes());
    let opened = Journal::open_existing(other, Durability::Durable, &mut || stamp(1), &mut |_| ());
    assert!(matches!(
        opened,
        Err(JournalError::Damaged {
            line: 1,
            damage: Damage::ForeignRun,
            ..
        })
    ));
}
