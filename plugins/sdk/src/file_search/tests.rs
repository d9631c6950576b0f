//! Bounds, order, cuts, and the words.

use super::*;

fn found(limit: u64, files: &[(&str, &str)]) -> Found {
    let limit = Limit::new(Some(Whole(limit))).expect("a limit");
    let context = Context::new(Some(Whole(0))).expect("lines");
    let mut found = Found::new("key door", limit, context);
    for (path, text) in files {
        found.search(Searched {
            path,
            text,
            sha256: "00",
        });
    }
    found
}

fn refs(found: &Found) -> Vec<String> {
    found.places.iter().map(|place| place.reference("x:")).collect()
}

#[test]
fn numbers_have_bounds_and_defaults() {
    let limits = [None, Some(0), Some(1), Some(50), Some(51), Some(u64::MAX)].map(|given| Limit::new(given.map(Whole)));
    let expected = [
        Ok(Limit(20)),
        Err(OutOfBounds(0)),
        Ok(Limit(1)),
        Ok(Limit(50)),
        Err(OutOfBounds(51)),
        Err(OutOfBounds(u64::MAX)),
    ];
    assert_eq!(limits, expected);
    let lines = [None, Some(0), Some(5), Some(6)].map(|given| Context::new(given.map(Whole)));
    assert_eq!(
        lines,
        [Ok(Context(2)), Ok(Context(0)), Ok(Context(5)), Err(OutOfBounds(6))]
    );
}

#[test]
fn the_best_places_come_first_whatever_the_order_of_the_files() {
    let one = ("b.md", "key\n\nkey door");
    let other = ("a.md", "key door\nx\ndoor");
    let expected = ["x:a.md#L1-L1", "x:b.md#L3-L3", "x:a.md#L3-L3"];
    for files in [[one, other], [other, one]] {
        let found = found(3, &files);
        assert_eq!(refs(&found), expected);
        assert_eq!((found.searched, found.truncated()), (2, true));
    }
}

#[test]
fn a_limit_that_is_just_met_cuts_nothing() {
    let files = [("a.md", "key\nx\ndoor"), ("b.md", "nothing")];
    let met = found(2, &files);
    assert_eq!((met.places.len(), met.searched, met.truncated()), (2, 2, false));
    let cut = found(1, &files);
    assert_eq!((cut.places.len(), cut.truncated()), (1, true));
}

#[test]
fn an_endless_line_is_cut() {
    let found = found(1, &[("a.md", &format!("key{}", "é".repeat(100_000)))]);
    assert_eq!(found.places.first().map(Place::chars), Some(8_007));
}

#[test]
fn the_words_end_with_what_was_left_out() {
    let mut found = found(1, &[("a.md", "x\nkey door\nkey")]);
    found.skip(2);
    assert_eq!(
        found.words("1 place", &refs(&found)),
        "1 place\n\na.md score 1.000 ref x:a.md#L2-L2\n2 | key door\n\n\
         (best 1; more match: raise limit, up to 50, or narrow the query or the path)\n\
         (files and links skipped, because they cannot be searched: 2)"
    );
}

#[test]
fn at_the_highest_limit_only_a_narrower_search_shows_more() {
    let found = found(50, &[("a.md", &"key\n".repeat(51))]);
    let words = found.words("50 places", &[]);
    assert_eq!(
        words,
        "50 places\n\n(best 50; more match: narrow the query or the path)"
    );
}

#[test]
fn a_clipped_line_and_files_left_out_are_said() {
    let mut found = found(1, &[("a.md", &format!("{}key", "x".repeat(9_000)))]);
    found.unsearched = true;
    assert_eq!(
        found.words("1 place", &[]),
        "1 place\n\n(\"...\" marks where a long line was clipped around its match)\n(not all files were searched, because \
         there are too many: narrow the path)"
    );
}

#[test]
fn no_places_have_a_cause() {
    let none = found(1, &[]);
    assert_eq!(
        none.nothing("key", "\"plan\""),
        "No hits: there are no files in \"plan\"."
    );
    let mut skipped = found(1, &[]);
    skipped.skip(1);
    assert_eq!(
        skipped.nothing("key", "\"plan\""),
        "No hits: nothing in \"plan\" can be searched, because only UTF-8 text of at most 16 MiB can, and no links."
    );
    let searched = found(1, &[("a", "x"), ("b", "y")]);
    assert_eq!(
        searched.nothing("key", "\"plan\""),
        "No hits: in \"plan\" no line of the 2 files searched holds a word of \"key\"."
    );
    let (limit, context) = (Limit(1), Context(0));
    assert_eq!(
        Found::new("?!", limit, context).nothing("?!", "\"plan\""),
        "No hits: \"?!\" has no word, only signs, so there is nothing to look for. Call again with words."
    );
}
