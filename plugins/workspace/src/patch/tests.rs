//! The engine: tables of exact bytes, and properties over generated files and edits.

use proptest::prelude::*;

use super::{Edit, MAX_LINES_NAMED, PatchError, Patched, apply};

fn edit<'a>(old: &'a str, new: &'a str) -> Edit<'a> {
    Edit { old, new, all: false }
}

fn all<'a>(old: &'a str, new: &'a str) -> Edit<'a> {
    Edit { old, new, all: true }
}

fn patched(text: &str, edit: Edit<'_>) -> String {
    apply(text, edit).expect("a match").text
}

#[test]
fn replaces_exactly_and_keeps_every_other_byte() {
    let table = [
        ("the lamp  \nis out", "lamp", "fire", "the fire  \nis out"),
        ("a\nb\nc\n", "a\nb", "x", "x\nc\n"),
        ("a\nb", "b", "", "a\n"),
        ("whole", "whole", "other\n", "other\n"),
        ("aaa", "aa", "b", "ba"),
        ("“x” – y\u{A0}z", "x", "y", "“y” – y\u{A0}z"),
        ("Key key", "key", "lock", "Key lock"),
        ("e\u{301}", "\u{301}", "", "e"),
    ];
    for (text, old, new, result) in table {
        assert_eq!(patched(text, edit(old, new)), result, "{text:?}");
    }
}

#[test]
fn line_feeds_stand_for_the_line_ends_of_a_crlf_file() {
    let table = [
        ("a\r\nb\r\nc", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc"),
        ("a\r\nb\r\nc", "a\r\nb", "x\ny", "x\r\ny\r\nc"),
        ("a\r\nb", "\nb", "", "a"),
        ("a\r\nb", "b", "b\n", "a\r\nb\r\n"),
        // A lone CR is no line end, and stays.
        ("a\rb\r\nc", "b\nc", "d\n", "a\rd\r\n"),
        // Mixed and LF files: exact only.
        ("a\r\nb\nc", "b\nc", "x\ny", "a\r\nx\ny"),
        ("a\nb", "b", "c\r\n", "a\nc\r\n"),
        ("a", "a", "b\n", "b\n"),
    ];
    for (text, old, new, result) in table {
        assert_eq!(patched(text, edit(old, new)), result, "{text:?}");
    }
    assert!(matches!(
        apply("a\r\nb\nc", edit("a\nb", "x")),
        Err(PatchError::NotFound { .. })
    ));
    assert!(matches!(
        apply("a\nb", edit("a\r\nb", "x")),
        Err(PatchError::NotFound { .. })
    ));
}

#[test]
fn a_byte_order_mark_stays_once() {
    let table = [
        ("\u{FEFF}one\ntwo", "one", "1", "\u{FEFF}1\ntwo"),
        ("\u{FEFF}one\ntwo", "\u{FEFF}one", "1", "\u{FEFF}1\ntwo"),
        ("\u{FEFF}one\ntwo", "one", "\u{FEFF}1", "\u{FEFF}1\ntwo"),
        ("\u{FEFF}one\ntwo", "\u{FEFF}one", "\u{FEFF}1", "\u{FEFF}1\ntwo"),
        ("\u{FEFF}a\r\nb", "\u{FEFF}a\nb", "c\nd", "\u{FEFF}c\r\nd"),
        // No mark at the start: nothing special about the character.
        ("one\u{FEFF}two", "\u{FEFF}two", "2", "one2"),
    ];
    for (text, old, new, result) in table {
        assert_eq!(patched(text, edit(old, new)), result, "{text:?}");
    }
    assert_eq!(apply("\u{FEFF}a", edit("\u{FEFF}", "b")), Err(PatchError::EmptyOld));
    assert_eq!(apply("\u{FEFF}a", edit("\u{FEFF}a", "a")), Err(PatchError::NoChange));
}

#[test]
fn several_matches_need_replace_all_and_are_counted() {
    let text = "x\nkey\nkey key\n";
    let lines = vec![2, 3, 3];
    assert_eq!(
        apply(text, edit("key", "k")),
        Err(PatchError::NotUnique { count: 3, lines })
    );
    let result = Patched {
        text: "x\nk\nk k\n".to_owned(),
        replacements: 3,
    };
    assert_eq!(apply(text, all("key", "k")), Ok(result));

    let many = "a\n".repeat(25);
    let lines: Vec<u32> = (1..=10).collect();
    assert_eq!(lines.len(), MAX_LINES_NAMED);
    assert_eq!(
        apply(&many, edit("a", "b")),
        Err(PatchError::NotUnique { count: 25, lines })
    );
}

#[test]
fn a_result_beyond_a_files_limit_is_refused_before_it_is_built() {
    let text = "a".repeat(100_000);
    let new = "b".repeat(1_000_000);
    assert_eq!(
        apply(&text, all("a", &new)),
        Err(PatchError::TooLarge { bytes: 100_000_000_000 })
    );
}

/// Line, differing line and column, what the file and the text have there.
type Place = (u32, (u32, u32), Option<char>, char);

fn nearest(text: &str, old: &str) -> Option<Place> {
    match apply(text, edit(old, "new")) {
        Err(PatchError::NotFound { nearest, .. }) => nearest.map(|place| {
            (
                place.line,
                (place.differs_line, place.differs_column),
                place.file,
                place.wanted,
            )
        }),
        other => panic!("found: {other:?}"),
    }
}

#[test]
fn the_nearest_candidate_is_named_with_its_first_difference() {
    let text = "one\nthe lamp is out  \n“Don’t”, she said – twice\nlast\u{A0}line";
    let table = [
        ("lamp is out\n“Don", (2, (2, 16), Some(' '), '\n')),
        ("\"Don't\", she said", (3, (3, 1), Some('“'), '"')),
        ("she said - twice", (3, (3, 19), Some('–'), '-')),
        ("last line", (4, (4, 5), Some('\u{A0}'), ' ')),
        ("The Lamp is out", (2, (2, 1), Some('t'), 'T')),
        ("  the lamp", (2, (2, 1), Some('t'), ' ')),
        ("last\u{A0}line\n", (4, (4, 10), None, '\n')),
        ("the lamp is on and nobody", (2, (2, 14), Some('u'), 'n')),
        // The beginning is nowhere, the end is: aligned from there.
        ("hat lamp is out", (2, (2, 1), Some('t'), 'h')),
    ];
    for (old, place) in table {
        assert_eq!(nearest(text, old), Some(place), "{old:?}");
    }
    assert_eq!(nearest(text, "xyzzy"), None);
    assert_eq!(nearest("", "a"), None);
    assert_eq!(nearest("abc", " \n"), None);
}

#[test]
fn a_line_that_begins_alike_is_compared_from_its_beginning() {
    let table = [
        ("The lantern is low.", "The lamp is low.", (1, (1, 7), Some('n'), 'm')),
        (
            "x\n  The lantern is low.\n",
            "  The lamp is low.",
            (2, (2, 9), Some('n'), 'm'),
        ),
        (
            "a\nThe lantern\nis quite low.",
            "The lamp\nis quite low.",
            (2, (2, 7), Some('n'), 'm'),
        ),
    ];
    for (text, old, place) in table {
        assert_eq!(nearest(text, old), Some(place), "{old:?}");
    }
}

#[test]
fn line_numbers_of_the_rendering_are_recognised() {
    for old in [
        " 2 | the lamp",
        "2 | the lamp\n3 | nobody",
        "9 | the lamp\n10 |\n11 | x",
    ] {
        let Err(PatchError::NotFound { nearest, numbered }) = apply("one\nthe lamp\nnobody", edit(old, "")) else {
            panic!("{old:?} was found");
        };
        let place = nearest.expect("a candidate");
        assert_eq!(
            (numbered, place.line, place.differs_line, place.differs_column),
            (true, 2, 2, 1),
            "{old:?}"
        );
    }
    let plain = apply("one", edit("2 | one\ntwo", ""));
    assert!(
        matches!(plain, Err(PatchError::NotFound { numbered: false, .. })),
        "{plain:?}"
    );
}

#[test]
fn a_long_line_is_cut_around_the_difference() {
    let text = format!("{}here{}", "a ".repeat(500), " b".repeat(500));
    let Err(PatchError::NotFound {
        nearest: Some(place), ..
    }) = apply(&text, edit("a here c", ""))
    else {
        panic!("no candidate");
    };
    assert_eq!(place.excerpt.chars().count(), "1 | ".len() + 3 + 160 + 3);
    assert!(place.excerpt.contains("a here b"), "{}", place.excerpt);
}

/// The plainest replacement there is: byte by byte.
fn reference(text: &str, old: &str, new: &str) -> (String, u32) {
    let mut out = String::new();
    let mut rest = text;
    let mut count = 0;
    while let Some(scalar) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix(old) {
            out.push_str(new);
            rest = after;
            count += 1;
        } else {
            out.push(scalar);
            rest = &rest[scalar.len_utf8()..];
        }
    }
    (out, count)
}

fn check(text: &str, old: &str, new: &str, replace_all: bool) -> Result<(), TestCaseError> {
    let (result, count) = reference(text, old, new);
    match apply(
        text,
        Edit {
            old,
            new,
            all: replace_all,
        },
    ) {
        Ok(patched) => {
            prop_assert_eq!(patched.text, result);
            prop_assert_eq!(patched.replacements, count);
            prop_assert!(count == 1 || replace_all);
        }
        Err(PatchError::NotFound { .. }) => prop_assert_eq!(count, 0),
        Err(PatchError::NotUnique { count: found, .. }) => {
            prop_assert!(found == count && count > 1 && !replace_all)
        }
        Err(other) => prop_assert!(false, "{:?}", other),
    }
    Ok(())
}

proptest! {
    #[test]
    fn agrees_with_the_reference(
        text in "[ab“\n ]{0,40}", old in "[ab“\n ]{1,3}", new in "[xy\n]{0,4}", replace_all in any::<bool>(),
    ) {
        prop_assume!(old != new && !super::has_only_crlf(&text));
        check(&text, &old, &new, replace_all)?;
    }

    /// Texts cut out of the file match far more often than random ones.
    #[test]
    fn agrees_with_the_reference_on_pieces_of_the_file(
        text in "[abc雨\r\n]{1,40}", from in any::<prop::sample::Index>(), length in 1..6_usize, replace_all in any::<bool>(),
    ) {
        prop_assume!(!super::has_only_crlf(&text));
        let from = from.index(text.chars().count());
        let old: String = text.chars().skip(from).take(length).collect();
        check(&text, &old, "<new>", replace_all)?;
    }

    #[test]
    fn a_crlf_file_is_patched_like_its_lf_twin(
        text in "[ab\n]{1,30}", old in "[ab\n]{1,3}", new in "[xy\n]{0,4}", replace_all in any::<bool>(),
    ) {
        prop_assume!(text.contains('\n'));
        let crlf = |text: &str| text.replace('\n', "\r\n");
        let edit = Edit { old: &old, new: &new, all: replace_all };
        match (apply(&text, edit), apply(&crlf(&text), edit)) {
            (Ok(lf), Ok(twin)) => {
                prop_assert_eq!(crlf(&lf.text), twin.text);
                prop_assert_eq!(lf.replacements, twin.replacements);
            }
            (Err(lf), Err(twin)) => prop_assert_eq!(std::mem::discriminant(&lf), std::mem::discriminant(&twin)),
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn a_marked_file_is_patched_like_its_bare_twin(
        text in "[ab\r\n]{1,30}", old in "\u{FEFF}?[ab\n]{1,3}", new in "\u{FEFF}?[xy\n]{0,4}", replace_all in any::<bool>(),
    ) {
        let bare = |text: &str| text.trim_start_matches('\u{FEFF}').to_owned();
        let (bare_old, bare_new) = (bare(&old), bare(&new));
        let twin = apply(&text, Edit { old: &bare_old, new: &bare_new, all: replace_all });
        let marked = apply(&format!("\u{FEFF}{text}"), Edit { old: &old, new: &new, all: replace_all });
        let twin = twin.map(|patched| Patched { text: format!("\u{FEFF}{}", patched.text), ..patched });
        prop_assert_eq!(marked, twin);
    }

    /// Whatever does not match: no panic, and the named difference is one.
    #[test]
    fn a_candidate_is_where_it_says(text in "[ab ‘'\r\n雨İ]{0,40}", old in "[ab ‘'\n雨İ]{1,9}") {
        let Err(PatchError::NotFound { nearest: Some(place), .. }) = apply(&text, edit(&old, "new")) else {
            return Ok(());
        };
        let line = text.split('\n').nth(place.differs_line as usize - 1).unwrap();
        let in_line = format!("{line}\n").chars().nth(place.differs_column as usize - 1);
        let last = text.split('\n').count() == place.differs_line as usize;
        prop_assert!(in_line == place.file || (last && place.file.is_none()));
        prop_assert_ne!(place.file, Some(place.wanted));
        prop_assert!(place.line <= place.differs_line);
    }
}
