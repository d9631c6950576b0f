//! Message search: tokens, scores, snippets, ranks. No chat.

use proptest::prelude::*;

use super::{MessageQuery, Ranked, best};

fn tokens(query: &str) -> Vec<(String, u32)> {
    let query = MessageQuery::new(query);
    query
        .tokens
        .as_pairs()
        .into_iter()
        .map(|(token, weight)| (token.to_owned(), weight))
        .collect()
}

fn words(query: &str) -> Vec<String> {
    tokens(query).into_iter().map(|(token, _)| token).collect()
}

#[test]
fn a_lone_word_is_looked_for_whole_and_in_pairs() {
    let phrase = [("北京烤鸭", 4), ("北京", 2), ("京烤", 2), ("烤鸭", 2)];
    assert_eq!(
        tokens("北京烤鸭"),
        phrase.map(|(token, weight)| (token.to_owned(), weight))
    );
    assert_eq!(words("Lantern"), ["lantern", "la", "an", "nt", "te", "er", "rn"]);
    assert_eq!(words("ab"), ["ab"]);
    assert_eq!(words("aaaa"), ["aaaa", "aa"]);
    assert_eq!(words("lamplight"), ["la", "am", "mp", "pl", "li", "ig", "gh", "ht"]);
}

#[test]
fn a_long_lone_word_takes_strided_pairs() {
    let word: String = ('\u{4E00}'..).take(40).collect();
    // 39 pairs, stride 2: the 1st, 3rd, ..., 39th.
    let pairs = words(&word);
    assert_eq!(
        (pairs.len(), pairs[1].as_str(), pairs[19].as_str()),
        (20, "\u{4E02}\u{4E03}", "\u{4E26}\u{4E27}")
    );
}

#[test]
fn several_words_stay_whole_but_long_phrases_without_ascii() {
    assert_eq!(words("brass Compass brass"), ["brass", "compass"]);
    assert_eq!(words("一二三四五六七 ab"), ["一二三四五六七", "ab"]);
    assert_eq!(
        words("一二三四五六七八 ab"),
        ["一二", "二三", "三四", "四五", "五六", "六七", "七八", "ab"]
    );
    assert_eq!(words("一二三四五六七八9 ab"), ["一二三四五六七八9", "ab"]);
    // Nine pairs, stride 2.
    assert_eq!(
        words("一二三四五六七八九十 ab"),
        ["一二", "三四", "五六", "七八", "九十", "ab"]
    );
}

#[test]
fn many_words_are_thinned_out_evenly() {
    let query: Vec<String> = (0..130).map(|number| format!("t{number}")).collect();
    let kept = words(&query.join(" "));
    assert_eq!((kept.len(), kept[1].as_str(), kept[43].as_str()), (44, "t3", "t129"));
}

#[test]
fn scores_the_worked_examples() {
    let table = [
        ("北京烤鸭", "今天吃北京烤鸭吧", Some(1.0)),
        ("北京烤鸭", "我在北京", Some(0.2)),
        ("lantern", "he ran", Some(2.0 / 19.0)),
        ("LANTERN", "a Lantern", Some(1.0)),
        ("straße", "STRASSE", Some(1.0)),
        ("lantern", "moss", None),
        ("?!", "what?!", None),
    ];
    for (query, message, score) in table {
        assert_eq!(MessageQuery::new(query).score(message), score, "{query} in {message}");
    }
}

#[test]
fn a_snippet_shows_the_match_with_some_lead() {
    let query = MessageQuery::new("compass");
    assert_eq!(query.snippet("a brass compass"), "a brass compass");

    let long = format!("{}Compass{}", "x ".repeat(60), " y".repeat(200));
    let shown = query.snippet(&long);
    assert!(shown.starts_with("...x x") && shown.ends_with("..."), "{shown}");
    assert_eq!((shown.chars().count(), shown.find("Compass")), (206, Some(43)));

    let early = format!("compass{}", "-".repeat(300));
    assert_eq!(query.snippet(&early), format!("compass{}...", "-".repeat(193)));

    let none = format!("{}{}", "-".repeat(100), "+".repeat(200));
    assert_eq!(query.snippet(&none), format!("...{}", "+".repeat(200)));
}

#[test]
fn a_match_after_letters_that_fold_longer_is_found_in_the_original() {
    let message = format!("{}key{}", "İß".repeat(60), "z".repeat(200));
    let shown = MessageQuery::new("key").snippet(&message);
    assert_eq!(shown.chars().skip(3).position(|scalar| scalar == 'k'), Some(40));
}

#[test]
fn equal_scores_rank_newest_first() {
    let hits = [(0.5, 1), (1.0, 0), (0.5, 7), (0.2, 9)];
    let hits = hits.map(|(score, index)| Ranked { score, index, item: () }).to_vec();
    let order: Vec<u32> = best(hits, 3).into_iter().map(|hit| hit.index).collect();
    assert_eq!(order, [0, 7, 1]);
}

proptest! {
    #[test]
    fn any_query_gives_bounded_scores_and_snippets(query in ".{0,80}", message in ".{0,400}") {
        let query = MessageQuery::new(&query);
        if let Some(score) = query.score(&message) {
            prop_assert!(score > 0.0 && score <= 1.0);
        }
        prop_assert!(query.tokens.as_pairs().len() <= 64);
        let shown = query.snippet(&message);
        prop_assert!(shown.chars().count() <= 206);
        let inner = shown.strip_prefix("...").unwrap_or(&shown);
        let inner = inner.strip_suffix("...").unwrap_or(inner);
        prop_assert!(message.contains(inner));
    }
}
