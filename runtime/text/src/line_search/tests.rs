//! Line search: tokens, scores, places. No files.

use proptest::prelude::*;

use super::{LineHits, LineQuery};

fn places<'a>(found: &LineHits<'a>) -> Vec<(f32, u32, u32, &'a str)> {
    found
        .hits
        .iter()
        .map(|hit| (hit.score, hit.start_line, hit.end_line, hit.text))
        .collect()
}

#[test]
fn splits_a_query_into_different_weighed_tokens() {
    let query = LineQuery::new("silver key, Silver door!");
    assert_eq!(query.tokens.as_pairs(), [("silver", 6), ("key", 3), ("door", 4)]);
    assert_eq!(LineQuery::new("北京烤鸭").tokens.as_pairs(), [("北京烤鸭", 4)]);
    assert!(LineQuery::new("?! -").is_empty());
    let many: Vec<String> = (0..90).map(|number| format!("t{number}")).collect();
    assert_eq!(LineQuery::new(&many.join(" ")).tokens.as_pairs().len(), 64);
}

#[test]
fn scores_by_the_weight_of_what_a_line_holds() {
    let found = LineQuery::new("silver key, door!").search("none\nSilver DOOR\nparty", 9, 0);
    assert_eq!(places(&found), [(10.0 / 13.0, 2, 2, "Silver DOOR")]);
    let found = LineQuery::new("art").search("party", 9, 2);
    assert_eq!(places(&found), [(1.0, 1, 1, "party")]);
}

#[test]
fn ignores_case_in_every_script() {
    for (query, line) in [
        ("ЖУК", "жук"),
        ("straße", "STRASSE"),
        ("SOS", "ſos"),
        ("ΣΟΦΟΣ", "σοφος"),
    ] {
        assert_eq!(LineQuery::new(query).search(line, 1, 0).hits.len(), 1, "{query}");
    }
}

#[test]
fn an_empty_query_or_text_has_no_hits() {
    let none = LineHits {
        hits: Vec::new(),
        truncated: false,
    };
    assert_eq!(LineQuery::new("...").search("a\nb", 9, 2), none);
    assert_eq!(LineQuery::new("a").search("", 9, 2), none);
    assert_eq!(LineQuery::new("a").search("\n \n", 9, 2), none);
}

#[test]
fn clamps_the_context_to_the_text() {
    let text = "a\nb\nkey\n";
    for (context, start, end, shown) in [(0, 3, 3, "key"), (1, 2, 4, "b\nkey\n"), (9, 1, 4, text)] {
        let found = LineQuery::new("key").search(text, 9, context);
        assert_eq!(places(&found), [(1.0, start, end, shown)], "context {context}");
    }
    let found = LineQuery::new("key").search("key\nb\nc", 9, 1);
    assert_eq!(places(&found), [(1.0, 1, 2, "key\nb")]);
}

#[test]
fn drops_a_place_that_shares_a_line_with_a_better_one() {
    let text = "1\n2\n3\n4\nkey\n6\n7\nkey\n9\n10\n11";
    let lines = |context| -> Vec<(u32, u32)> {
        let found = LineQuery::new("key").search(text, 9, context);
        found.hits.iter().map(|hit| (hit.start_line, hit.end_line)).collect()
    };
    assert_eq!(lines(2), [(3, 7)]);
    assert_eq!(lines(1), [(4, 6), (7, 9)]);
}

#[test]
fn orders_by_score_then_line_and_says_when_more_was_there() {
    let text = "key\nkey door\nkey\nkey door";
    let query = LineQuery::new("key door");
    let found = query.search(text, 3, 0);
    let lines: Vec<u32> = found.hits.iter().map(|hit| hit.start_line).collect();
    assert_eq!((lines, found.truncated), (vec![2, 4, 1], true));
    assert!(!query.search(text, 4, 0).truncated);
}

#[test]
fn numbers_the_snippet() {
    let text = format!("{}key\nend", "x\n".repeat(8));
    let found = LineQuery::new("key").search(&text, 1, 1);
    assert_eq!(found.hits[0].snippet(), " 8 | x\n 9 | key\n10 | end");
}

proptest! {
    /// The bounded search finds what a search that keeps everything would.
    #[test]
    fn agrees_with_a_plain_search(text in "[ab\n ]{0,120}", limit in 1..4_u32, context in 0..4_u32) {
        let lines: Vec<&str> = text.split('\n').collect();
        let last = lines.len() as u32;
        let mut ranked: Vec<(u32, u32)> = (1..=last)
            .map(|line| {
                let held = lines[line as usize - 1];
                (u32::from(held.contains('a')) + 2 * u32::from(held.contains("bb")), line)
            })
            .filter(|(weight, _)| *weight > 0)
            .collect();
        ranked.sort_by_key(|(weight, line)| (std::cmp::Reverse(*weight), *line));
        let mut taken: Vec<(u32, u32)> = Vec::new();
        for (_, line) in ranked {
            let range = (line.saturating_sub(context).max(1), (line + context).min(last));
            if taken.iter().all(|other| range.1 < other.0 || other.1 < range.0) {
                taken.push(range);
            }
        }
        let found = LineQuery::new("a bb").search(&text, limit, context);
        let places: Vec<(u32, u32)> = found.hits.iter().map(|hit| (hit.start_line, hit.end_line)).collect();
        prop_assert_eq!(found.truncated, taken.len() > limit as usize);
        taken.truncate(limit as usize);
        prop_assert_eq!(places, taken);
        for hit in &found.hits {
            let want = lines[hit.start_line as usize - 1..hit.end_line as usize].join("\n");
            prop_assert_eq!(hit.text, want.as_str());
        }
    }
}
