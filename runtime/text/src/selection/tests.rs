//! Selections: one table per rule, and properties over generated texts. No rendering.

use proptest::prelude::*;

use super::{Caps, RangeError, Selection, Span, select};
use crate::metrics::{Metrics, measure};

const WIDE: Caps = Caps {
    max_lines: 1_200,
    max_chars: 80_000,
};

fn lines(start: u32, count: Option<u32>) -> Span {
    Span::Lines { start, count }
}

fn chars(start: u32, max: Option<u32>) -> Span {
    Span::Chars { start, max }
}

fn caps(max_lines: u32, max_chars: u32) -> Caps {
    Caps { max_lines, max_chars }
}

/// Text, lines shown, next line, characters shown.
type Shown<'a> = (&'a str, (u32, u32), Option<u32>, (u32, u32));

fn shown<'a>(text: &'a str, span: Span, caps: Caps) -> Shown<'a> {
    let page = select(text, span, caps).unwrap();
    (
        page.text,
        (page.start_line, page.end_line),
        page.next_start_line,
        (page.start_char, page.end_char),
    )
}

#[test]
fn an_empty_text_has_a_first_line_and_a_first_character_and_no_second() {
    let empty = Selection {
        text: "",
        metrics: Metrics::default(),
        total: Metrics::default(),
        total_lines: 0,
        start_line: 0,
        end_line: 0,
        next_start_line: None,
        start_char: 0,
        end_char: 0,
        line_truncated: false,
        truncated: false,
    };
    let error = RangeError {
        total_lines: 0,
        total_chars: 0,
    };
    for span in [
        Span::All,
        lines(1, None),
        lines(1, Some(9)),
        chars(0, None),
        chars(0, Some(9)),
    ] {
        assert_eq!(select("", span, WIDE), Ok(empty), "{span:?}");
    }
    for span in [
        lines(2, None),
        lines(0, None),
        lines(1, Some(0)),
        chars(1, None),
        chars(0, Some(0)),
    ] {
        assert_eq!(select("", span, WIDE), Err(error), "{span:?}");
    }
}

#[test]
fn refuses_ranges_outside_the_text() {
    let error = RangeError {
        total_lines: 2,
        total_chars: 3,
    };
    for span in [
        lines(0, None),
        lines(3, None),
        lines(1, Some(0)),
        lines(u32::MAX, Some(u32::MAX)),
        chars(3, None),
        chars(0, Some(0)),
        chars(u32::MAX, Some(u32::MAX)),
    ] {
        assert_eq!(select("a\nb", span, WIDE), Err(error), "{span:?}");
    }
}

#[test]
fn reads_lines_without_the_last_line_feed() {
    let text = "ab\ncd\n";
    assert_eq!(shown(text, Span::All, WIDE), (text, (1, 3), None, (0, 6)));
    assert_eq!(shown(text, lines(1, Some(1)), WIDE), ("ab", (1, 1), Some(2), (0, 2)));
    assert_eq!(
        shown(text, lines(2, Some(u32::MAX)), WIDE),
        ("cd\n", (2, 3), None, (3, 6))
    );
    assert_eq!(shown(text, lines(3, None), WIDE), ("", (3, 3), None, (6, 6)));
    assert_eq!(
        shown("a\r\nb", lines(1, Some(1)), WIDE),
        ("a\r", (1, 1), Some(2), (0, 2))
    );
}

#[test]
fn stops_before_the_line_that_does_not_fit() {
    let text = "abc\nde\nf";
    assert_eq!(shown(text, Span::All, caps(9, 6)), ("abc\nde", (1, 2), Some(3), (0, 6)));
    assert_eq!(shown(text, Span::All, caps(9, 5)), ("abc", (1, 1), Some(2), (0, 3)));
    assert_eq!(shown(text, Span::All, caps(9, 8)), (text, (1, 3), None, (0, 8)));
    assert_eq!(
        shown(text, Span::All, caps(2, 80)),
        ("abc\nde", (1, 2), Some(3), (0, 6))
    );
    assert_eq!(
        shown(text, lines(2, Some(5)), caps(1, 80)),
        ("de", (2, 2), Some(3), (4, 6))
    );
}

#[test]
fn a_message_of_two_long_lines_shows_the_first() {
    let text = format!("{}\n{}", "x".repeat(5_000), "y".repeat(5_000));
    let page = select(&text, Span::All, caps(1_200, 8_000)).unwrap();
    assert_eq!(
        (page.end_line, page.next_start_line, page.metrics.chars),
        (1, Some(2), 5_000)
    );
    assert!(page.truncated && !page.line_truncated);
}

#[test]
fn cuts_only_a_first_line_that_is_too_long() {
    let text = "x".repeat(80_001);
    let page = select(&text, Span::All, WIDE).unwrap();
    assert_eq!((page.start_line, page.end_line, page.next_start_line), (1, 1, None));
    assert_eq!((page.start_char, page.end_char), (0, 80_000));
    assert!(page.line_truncated && page.truncated);

    assert_eq!(
        shown("é😀abc\nd", Span::All, caps(9, 3)),
        ("é😀a", (1, 1), Some(2), (0, 3))
    );
}

#[test]
fn many_lines_are_read_in_three_pages() {
    let text = vec!["l"; 2_500].join("\n");
    let starts: Vec<_> = [1, 1_201, 2_401]
        .into_iter()
        .map(|start| select(&text, lines(start, None), WIDE).unwrap())
        .map(|page| (page.end_line, page.next_start_line, page.truncated))
        .collect();
    assert_eq!(
        starts,
        [
            (1_200, Some(1_201), true),
            (2_400, Some(2_401), true),
            (2_500, None, true)
        ]
    );
}

#[test]
fn truncated_says_that_something_is_missing_on_either_side() {
    let table = [
        (Span::All, false),
        (lines(1, Some(3)), false),
        (lines(1, Some(2)), true),
        (lines(2, None), true),
        (chars(0, Some(5)), false),
        (chars(0, Some(4)), true),
        (chars(1, None), true),
    ];
    for (span, truncated) in table {
        assert_eq!(select("a\nb\nc", span, WIDE).unwrap().truncated, truncated, "{span:?}");
    }
}

#[test]
fn reads_characters_as_scalars_and_lowers_to_the_cap() {
    let text = "é😀e\u{301}雨";
    assert_eq!(shown(text, chars(1, Some(2)), WIDE), ("😀e", (1, 1), None, (1, 3)));
    assert_eq!(shown(text, chars(4, None), WIDE), ("雨", (1, 1), None, (4, 5)));
    assert_eq!(
        shown(text, chars(0, Some(u32::MAX)), caps(1, 2)),
        ("é😀", (1, 1), None, (0, 2))
    );
}

#[test]
fn a_character_read_names_the_lines_that_it_touches() {
    let text = "ab\n\ncd\n";
    assert_eq!(shown(text, chars(0, Some(3)), WIDE), ("ab\n", (1, 1), None, (0, 3)));
    assert_eq!(shown(text, chars(2, Some(2)), WIDE), ("\n\n", (1, 2), None, (2, 4)));
    assert_eq!(shown(text, chars(3, Some(2)), WIDE), ("\nc", (2, 3), None, (3, 5)));
    assert_eq!(shown(text, chars(4, None), WIDE), ("cd\n", (3, 4), None, (4, 7)));
}

fn texts() -> impl Strategy<Value = String> {
    "[a-c\r\n é雨😀\u{301}]{0,60}"
}

proptest! {
    #[test]
    fn never_panics_and_totals_agree(
        text in texts(), start in any::<u32>(), count in any::<Option<u32>>(),
        near in 0..70_u32, max_lines in 0..9_u32, max_chars in 0..20_u32,
    ) {
        for start in [start, near] {
            for span in [Span::All, lines(start, count), chars(start, count)] {
                let page = select(&text, span, caps(max_lines, max_chars));
                let Ok(page) = page else { continue };
                prop_assert_eq!(page.total, measure(&text));
                prop_assert_eq!(page.metrics, measure(page.text));
                prop_assert!(page.metrics.chars <= max_chars);
                prop_assert_eq!(page.end_char - page.start_char, page.metrics.chars);
                let slice: String =
                    text.chars().skip(page.start_char as usize).take(page.metrics.chars as usize).collect();
                prop_assert_eq!(slice.as_str(), page.text);
            }
        }
    }

    #[test]
    fn pages_of_lines_restore_the_text(text in texts(), max_lines in 1..5_u32, max_chars in 1..12_u32) {
        let mut restored = Vec::new();
        let mut next = Some(1);
        while let Some(start) = next {
            let page = select(&text, lines(start, None), caps(max_lines, max_chars)).unwrap();
            let mut part = page.text.to_owned();
            if page.line_truncated {
                let line = text.split('\n').nth(start as usize - 1).unwrap();
                let missing = line.chars().count() as u32 - page.metrics.chars;
                let rest = select(&text, chars(page.end_char, Some(missing)), WIDE).unwrap();
                part.push_str(rest.text);
            }
            restored.push(part);
            next = page.next_start_line;
        }
        prop_assert_eq!(restored.join("\n"), text);
    }

    #[test]
    fn pages_of_characters_restore_the_text(text in texts(), max in 1..9_u32) {
        let mut restored = String::new();
        let mut start = 0;
        loop {
            let page = select(&text, chars(start, Some(max)), WIDE).unwrap();
            restored.push_str(page.text);
            start = page.end_char;
            if start == page.total.chars {
                break;
            }
        }
        prop_assert_eq!(restored, text);
    }
}
