//! Ranking, the window of messages, refusals, and the reply's two forms.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::fake::{Chat, NoChat};

fn call(arguments: Value, history: &impl History) -> Result<Reply, Failure> {
    search(&innkeeper_tool::arguments(&arguments.to_string())?, history)
}

fn structured(arguments: Value, history: &impl History) -> Value {
    let reply = call(arguments, history).expect("a reply");
    serde_json::from_str(&reply.structured.expect("structured")).expect("JSON")
}

/// The indexes of the hits, in their order.
fn found(arguments: Value, history: &impl History) -> Vec<u64> {
    let hits = structured(arguments, history);
    let hits = hits["hits"].as_array().expect("hits").clone();
    hits.iter()
        .map(|hit| hit["index"].as_u64().expect("an index"))
        .collect()
}

fn code(arguments: Value, history: &impl History) -> String {
    call(arguments, history).expect_err("a failure").code.into_owned()
}

#[test]
fn the_text_has_all_that_the_model_needs() {
    let chat = Chat::new(["a storm", "she hid the brass compass", "the compass of brass"]);
    let reply = call(json!({"query": " brass compass "}), &chat).expect("a reply");
    assert_eq!(
        reply.text,
        "2 hits for \"brass compass\", best first. Read whole messages with chat_read_messages, by index.\n\n\
         message 2 user score 1.000 ref chat:current#2\nthe compass of brass\n\n\
         message 1 assistant score 1.000 ref chat:current#1\nshe hid the brass compass"
    );
    assert_eq!(reply.resource_refs, ["chat:current#2", "chat:current#1"]);
}

#[test]
fn the_structured_form_is_for_programs() {
    let chat = Chat::new(["nothing", "the old pier"]);
    let expected = json!({"query": "old pier", "hits": [{
        "index": 1, "role": "assistant", "score": 1.0, "snippet": "the old pier", "chars": 12, "words": 3,
        "ref": "chat:current#1",
    }]});
    assert_eq!(structured(json!({"query": "old pier"}), &chat), expected);
}

#[test]
fn zero_hits_are_a_success_in_one_sentence() {
    let chat = Chat::new(["one", "two"]);
    let reply = call(json!({"query": "xyzzy quux"}), &chat).expect("a reply");
    assert_eq!(
        reply.text,
        "No hits for \"xyzzy quux\" in the 2 messages searched, all there are; try other words."
    );
    assert_eq!(found(json!({"query": "!?…"}), &chat), [0u64; 0]);
}

#[test]
fn no_hits_have_a_cause() {
    let chat = Chat::new(["one", "two", "three"]);
    let table = [
        (json!({"query": "!?…"}), "has no word, only signs"),
        (
            json!({"query": "one", "start_message": 3}),
            "start_message 3 is past the last message, which has index 2.",
        ),
        (
            json!({"query": "one", "role": "system"}),
            "none of the 3 messages searched has the role system;",
        ),
        (
            json!({"query": "one", "scan_limit": 1, "end_message": 1}),
            "scan_limit 1 takes only the newest messages, and none of them is in the range;",
        ),
        (
            json!({"query": "qq qq2", "role": "assistant"}),
            "in the 1 assistant message searched; try other words, or a wider range of messages.",
        ),
    ];
    for (arguments, cause) in table {
        let reply = call(arguments.clone(), &chat).expect("a reply");
        assert!(reply.text.contains(cause), "{arguments}: {}", reply.text);
    }
    let empty = call(json!({"query": "one", "start_message": 3}), &Chat::new([""; 0])).expect("a reply");
    assert_eq!(
        empty.text,
        "No hits for \"one\": the chat is empty, there is nothing to search."
    );
}

#[test]
fn hits_that_the_limit_cut_off_are_said() {
    let chat = Chat::new(["old pier"; 60]);
    let header = |limit: u64| {
        let reply = call(json!({"query": "old pier", "limit": limit}), &chat).expect("a reply");
        reply.text.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(
        header(20),
        "20 hits for \"old pier\", best first. 40 more match, but not better: raise limit, up to 50, or narrow the range of \
         messages or the query. Read whole messages with chat_read_messages, by index."
    );
    assert_eq!(
        header(50),
        "50 hits for \"old pier\", best first. 10 more match, but not better: narrow the range of messages or the query. \
         Read whole messages with chat_read_messages, by index."
    );
}

#[test]
fn a_chinese_phrase_ranks_first_and_keeps_its_place_under_a_role() {
    let chat = Chat::new(["北京的雨", "我们去吃北京烤鸭吧", "烤肉", "晚安"]);
    let hits = structured(json!({"query": "北京烤鸭"}), &chat);
    assert_eq!(hits["hits"][0]["index"], 1);
    assert!(hits["hits"][0]["score"].as_f64().expect("a score") > 0.9, "{hits}");
    assert_eq!(hits["hits"][1]["score"], json!(0.2), "{hits}");
    assert_eq!(found(json!({"query": "北京烤鸭", "role": "assistant"}), &chat), [1]);
}

#[test]
fn case_is_ignored_on_both_sides() {
    let chat = Chat::new(["ЛОДКА у причала", "Στο λιμάνι", "die STRASSE"]);
    assert_eq!(found(json!({"query": "лодка Причала"}), &chat), [0]);
    assert_eq!(found(json!({"query": "ΣΤΟ ΛΙΜΆΝΙ"}), &chat), [1]);
    assert_eq!(found(json!({"query": "die straße"}), &chat), [2]);
}

#[test]
fn one_english_word_has_weak_hits_after_the_exact_one() {
    let chat = Chat::new(["the lantern", "she ran", "fog"]);
    let hits = structured(json!({"query": "Lantern"}), &chat);
    let scores: Vec<_> = [0, 1]
        .map(|at| (&hits["hits"][at]["index"], &hits["hits"][at]["score"]))
        .into();
    assert_eq!(scores, [(&json!(0), &json!(1.0)), (&json!(1), &json!(0.105_263_16))]);
}

#[test]
fn ties_are_newest_first_and_the_limit_keeps_the_newest() {
    let chat = Chat::new(["old pier"; 25]);
    assert_eq!(found(json!({"query": "old pier", "limit": 2}), &chat), [24, 23]);
    assert_eq!(found(json!({"query": "old pier"}), &chat).len(), 20);
}

#[test]
fn a_window_is_inclusive_and_clamped() {
    let chat = Chat::new(["old pier"; 5]);
    let within = |start: Value, end: Value| {
        found(
            json!({"query": "old pier", "start_message": start, "end_message": end}),
            &chat,
        )
    };
    assert_eq!(within(json!(1), json!(2)), [2, 1]);
    assert_eq!(within(json!(3), json!(u64::MAX)), [4, 3]);
    assert_eq!(within(Value::Null, json!(0)), [0]);
    assert_eq!(within(json!(5), Value::Null), [0u64; 0]);
    assert_eq!(within(json!(u64::MAX), Value::Null), [0u64; 0]);
    assert_eq!(found(json!({"query": "x"}), &Chat::new([""; 0])), [0u64; 0]);
}

#[test]
fn a_scan_limit_counts_the_newest_visible_messages() {
    let chat = Chat::new(["old pier"; 5]);
    let scanned = |scan: u64, end: Option<u64>| {
        found(
            json!({"query": "old pier", "scan_limit": scan, "end_message": end}),
            &chat,
        )
    };
    assert_eq!(scanned(1, None), [4]);
    assert_eq!(scanned(100_000, None), [4, 3, 2, 1, 0]);
    assert_eq!(scanned(3, Some(2)), [2]);
    assert_eq!(scanned(1, Some(2)), [0u64; 0]);
}

#[test]
fn arguments_out_of_range_are_refused_with_the_range() {
    let chat = Chat::new(["one"]);
    for bad in [
        json!({"query": " "}),
        json!({"query": "x", "limit": 0}),
        json!({"query": "x", "limit": 51}),
        json!({"query": "x", "limit": -1}),
        json!({"query": "x", "scan_limit": 0}),
        json!({"query": "x", "scan_limit": 100_001}),
        json!({"query": "x", "start_message": 3, "end_message": 2}),
    ] {
        assert_eq!(code(bad.clone(), &chat), INVALID_ARGUMENTS, "{bad}");
    }
    let refused = call(json!({"query": "x", "limit": 51}), &chat).expect_err("51");
    assert_eq!(
        refused.message,
        "Argument /limit is 51, but must be 1 to 50. Call again with a number in that range, or leave it out."
    );
}

#[test]
fn arguments_are_checked_before_the_chat_is_looked_for() {
    assert_eq!(code(json!({"query": ""}), &NoChat), INVALID_ARGUMENTS);
    assert_eq!(code(json!({"query": "x"}), &NoChat), "chat.not_found");
}

#[test]
fn long_chats_are_read_in_pages_from_the_end() {
    let chat = Chat::new((0..2_500).map(|at| if at == 700 { "old pier" } else { "fog" }));
    assert_eq!(found(json!({"query": "old pier"}), &chat), [700]);
    assert_eq!(*chat.pages.borrow(), [(1_500, 1_000), (500, 1_000), (0, 500)]);
}

#[test]
fn a_page_that_the_host_cut_is_asked_for_again() {
    let chat = Chat::new(["old pier"; 7]).with_short_pages(3);
    assert_eq!(found(json!({"query": "old pier"}), &chat), [6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(*chat.pages.borrow(), [(0, 7), (3, 4), (6, 1)]);
}

#[test]
fn a_chat_that_vanishes_is_no_empty_result() {
    let chat = Chat::new(["old pier"]).with_short_pages(0);
    assert_eq!(code(json!({"query": "pier"}), &chat), "chat.not_found");
}

#[test]
fn a_snippet_is_right_where_folding_changes_lengths() {
    let text = format!("{}kompass{}", "İ".repeat(300), "ß".repeat(300));
    let hits = structured(json!({"query": "kompass"}), &Chat::new([text]));
    let snippet = format!("...{}kompass{}...", "İ".repeat(40), "ß".repeat(153));
    assert_eq!(hits["hits"][0]["snippet"], json!(snippet));
    assert_eq!(hits["hits"][0]["chars"], 206);
}

proptest! {
    #[test]
    fn any_query_and_chat_give_ranked_hits(
        query in "[a-cA-Cß İ京烤鸭!_]{1,20}|\\PC{1,20}",
        texts in prop::collection::vec("[a-cA-Cß İ京烤鸭!_\\n]{0,400}", 0..12),
        limit in 1u64..=50,
    ) {
        prop_assume!(!query.trim().is_empty());
        let chat = Chat::new(texts.clone());
        let hits = structured(json!({"query": query, "limit": limit}), &chat);
        let hits = hits["hits"].as_array().expect("hits");
        prop_assert!(hits.len() as u64 <= limit);
        for hit in hits {
            let text = &texts[hit["index"].as_u64().expect("an index") as usize];
            let snippet = hit["snippet"].as_str().expect("a snippet");
            let cut = snippet.strip_prefix("...").unwrap_or(snippet);
            let cut = cut.strip_suffix("...").unwrap_or(cut);
            prop_assert!(text.contains(cut), "{snippet:?} is not of {text:?}");
            let score = hit["score"].as_f64().expect("a score");
            prop_assert!(score > 0.0 && score <= 1.0);
        }
        prop_assert!(hits.windows(2).all(|two| two[0]["score"].as_f64() >= two[1]["score"].as_f64()));
    }
}
