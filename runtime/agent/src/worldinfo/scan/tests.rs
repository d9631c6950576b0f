//! What a chat activates: keys, depth, budgets, recursion, chance, and books that are made to do harm.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// A scan over a chat of these messages, oldest first.
struct Scene {
    messages: Vec<String>,
    card: Option<Card>,
    generation: GenerationType,
    seed: u64,
    max_chars: usize,
}

fn chat(messages: &[&str]) -> Scene {
    Scene {
        messages: messages.iter().map(|text| (*text).to_owned()).collect(),
        card: None,
        generation: GenerationType::Normal,
        seed: 1,
        max_chars: 1_000,
    }
}

impl Scene {
    fn scan(&self, books: &[Book]) -> ScanResult {
        let names = Names::new("Ilo", "Wren");
        activate(
            books,
            ScanInput {
                messages: &self.messages,
                total_messages: u32::try_from(self.messages.len()).unwrap(),
                names: &names,
                card: self.card.as_ref(),
                character_id: Some("wren-avatar"),
                generation: self.generation,
                seed: self.seed,
                max_chars: self.max_chars,
            },
        )
    }

    /// The ids of what a book of these entries gives.
    fn uids(&self, entries: &Value) -> Vec<String> {
        uids(&self.scan(&[book(entries)]))
    }
}

fn uids(result: &ScanResult) -> Vec<String> {
    result.entries.iter().map(|entry| entry.uid.clone()).collect()
}

/// Entries without a text say their own id.
fn book(entries: &Value) -> Book {
    let mut entries = entries.clone();
    for (uid, entry) in entries.as_object_mut().unwrap() {
        if entry.get("content").is_none() {
            entry["content"] = json!(format!("text {uid}"));
        }
    }
    Book::parse(&json!({ "entries": entries }), "B").unwrap()
}

#[test]
fn an_activated_entry_is_told_whole_and_its_macros_are_replaced() {
    let entries = json!({"4": {
        "key": ["lamp of {{user}}"], "comment": " Lamp ", "content": " {{char}} keeps it. ", "position": 4, "depth": 3, "role": 1, "order": 7,
    }});
    let result = chat(&["the lamp of Ilo"]).scan(&[book(&entries)]);
    let expected = Activated {
        world: "B".to_owned(),
        uid: "4".to_owned(),
        title: "Lamp".to_owned(),
        constant: false,
        position: EntryPosition::Depth,
        depth: 3,
        role: Role::User,
        order: 7,
        content: "Wren keeps it.".to_owned(),
    };
    assert_eq!(result.entries, [expected]);
    assert_eq!(
        result.to_activation(9, GenerationType::Swipe),
        json!({"timestampMs": 9, "trigger": "swipe", "entries": [{
            "world": "B", "uid": "4", "displayName": "Lamp", "constant": false, "position": "depth", "content": "Wren keeps it.",
        }]})
    );
}

#[test]
fn what_a_front_end_has_activated_is_not_there_twice() {
    let mut result = chat(&["x"]).scan(&[book(&json!({"1": {"constant": true}, "2": {"constant": true}}))]);
    let captured =
        json!({"entries": [{"world": "B", "uid": 1, "content": "x"}, {"world": "C", "uid": 2, "content": "x"}]});
    result.leave_out(&Activation::parse(&captured).unwrap());
    assert_eq!(uids(&result), ["2"]);
}

#[test]
fn secondary_keys_decide_by_their_logic() {
    let entry = |logic: u32| json!({"key": ["lamp"], "keysecondary": ["oil", "wick"], "selectiveLogic": logic});
    let entries = json!({"0": entry(0), "1": entry(1), "2": entry(2), "3": entry(3), "4": {"key": ["lamp"]}});
    assert_eq!(chat(&["lamp"]).uids(&entries), ["1", "2", "4"]);
    assert_eq!(chat(&["lamp, oil"]).uids(&entries), ["0", "1", "4"]);
    assert_eq!(chat(&["lamp, oil, wick"]).uids(&entries), ["0", "3", "4"]);
    assert_eq!(chat(&["oil, wick"]).uids(&entries), [] as [&str; 0]);
}

#[test]
fn keys_are_looked_for_as_deep_as_the_entry_says() {
    let entries = json!({
        "0": {"key": ["lamp"]}, "1": {"key": ["lamp"], "scanDepth": 3}, "2": {"key": ["lamp"], "scanDepth": 0},
        "3": {"key": ["rope"], "scanDepth": 1},
    });
    assert_eq!(chat(&["a lamp", "b", "a rope"]).uids(&entries), ["1", "3"]);
    assert_eq!(chat(&["b", "a lamp", "c"]).uids(&entries), ["0", "1"]);
}

#[test]
fn who_may_not_take_part_does_not() {
    let entries = json!({
        "0": {"constant": true, "disable": true}, "1": {"constant": true, "triggers": ["swipe"]},
        "2": {"constant": true, "delay": 2}, "3": {"constant": true, "content": " "}, "4": {"key": []},
        "5": {"constant": true, "characterFilter": {"names": ["wren-avatar"], "isExclude": true}},
        "6": {"constant": true, "characterFilter": {"names": ["wren-avatar"]}},
        "7": {"constant": true, "characterFilter": {"tags": ["river"]}},
        "8": {"constant": true, "probability": 0}, "9": {"constant": true, "probability": 0, "useProbability": false},
    });
    assert_eq!(chat(&["x"]).uids(&entries), ["6", "9"]);
    let mut other = chat(&["x", "y"]);
    other.generation = GenerationType::Swipe;
    other.card = Some(Card {
        name: "Wren".to_owned(),
        tags: vec!["river".to_owned()],
        ..Card::default()
    });
    assert_eq!(other.uids(&entries), ["1", "2", "6", "7", "9"]);
}

#[test]
fn the_card_is_looked_through_where_an_entry_asks() {
    let mut scene = chat(&["x"]);
    scene.card = Some(Card {
        name: "Wren".to_owned(),
        scenario: "A lamp burns.".to_owned(),
        ..Card::default()
    });
    let entries = json!({"0": {"key": ["lamp"]}, "1": {"key": ["lamp"], "matchScenario": true}});
    assert_eq!(scene.uids(&entries), ["1"]);
}

#[test]
fn entries_bring_in_others_unless_one_of_them_refuses() {
    let entries = json!({
        "0": {"key": ["lamp"], "content": "oil and rope"}, "1": {"key": ["oil"], "content": "whales"},
        "2": {"key": ["rope"], "excludeRecursion": true}, "3": {"key": ["whales"], "preventRecursion": true, "content": "sea"},
        "4": {"key": ["sea"]}, "5": {"key": ["lamp"], "delayUntilRecursion": true}, "6": {"constant": true, "delayUntilRecursion": 2},
    });
    assert_eq!(chat(&["lamp"]).uids(&entries), ["0", "1", "5", "3", "6"]);
    let still = Book::parse(
        &json!({"recursive_scanning": false, "entries": [
            {"keys": ["lamp"], "content": "oil"}, {"keys": ["oil"], "content": "x"},
        ]}),
        "still",
    );
    assert_eq!(uids(&chat(&["lamp"]).scan(&[still.unwrap()])), ["0"]);
}

#[test]
fn the_order_decides_who_gets_the_room() {
    let entries = json!({
        "0": {"constant": true, "order": 1, "content": "1234"}, "1": {"constant": true, "order": 9, "content": "123456"},
        "2": {"constant": true, "order": 5, "content": "12345"}, "3": {"constant": true, "order": 1, "content": "a", "ignoreBudget": true},
    });
    let mut scene = chat(&["x"]);
    scene.max_chars = 10;
    let result = scene.scan(&[book(&entries)]);
    assert_eq!(uids(&result), ["1", "3"]);
    let told: Vec<String> = result.issues.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "B#2 is left out: there is no room for its 5 characters",
            "B#0 is left out: there is no room for its 4 characters"
        ]
    );
}

#[test]
fn a_cards_book_comes_first_and_keeps_to_its_own_budget() {
    let card = Card {
        name: "Wren".to_owned(),
        book: Some(json!({"token_budget": 2, "entries": [
            {"keys": [], "constant": true, "content": "12345678", "insertion_order": 1},
            {"keys": [], "constant": true, "content": "9", "insertion_order": 1},
        ]})),
        ..Card::default()
    };
    let own = Book::of_card(&card).unwrap().unwrap();
    let other = book(&json!({"0": {"constant": true, "order": 500}}));
    let result = chat(&["x"]).scan(&[other, own]);
    let seen: Vec<_> = result
        .entries
        .iter()
        .map(|e| (e.world.as_str(), e.content.as_str()))
        .collect();
    assert_eq!(seen, [("Wren", "12345678"), ("B", "text 0")]);
}

#[test]
fn of_a_group_one_is_taken() {
    let entries = json!({
        "0": {"constant": true, "group": "g", "groupWeight": 0}, "1": {"constant": true, "group": "g, h"},
        "2": {"constant": true, "group": "h", "order": 200, "groupOverride": true}, "3": {"key": ["text"], "group": "h"},
    });
    assert_eq!(chat(&["x"]).uids(&entries), ["2", "0"]);
    let drawn: Vec<Vec<String>> = (0..64)
        .map(|seed| {
            let mut scene = chat(&["x"]);
            scene.seed = seed;
            scene.uids(&json!({"0": {"constant": true, "group": "g", "groupWeight": 30}, "1": {"constant": true, "group": "g"}}))
        })
        .collect();
    let firsts = drawn.iter().filter(|uids| **uids == ["0"]).count();
    assert!(drawn.iter().all(|uids| uids.len() == 1));
    assert!((4..32).contains(&firsts), "{firsts} of 64");
}

#[test]
fn an_expression_that_gives_up_is_told_and_the_others_are_scanned() {
    let entries = json!({
        "0": {"key": ["/(?=x|a)(a+)+\\1$/", "lamp"]}, "1": {"key": ["/(/"]}, "2": {"key": ["/LAMP(?!s)/i"]},
    });
    let text = format!("{}! lamp", "a".repeat(50_000));
    let result = chat(&[&text]).scan(&[book(&entries)]);
    assert_eq!(uids(&result), ["0", "2"]);
    let codes: Vec<_> = result.issues.iter().map(ScanIssue::code).collect();
    assert_eq!(codes, ["worldinfo.key_invalid"; 2]);
    let first = result.issues[0].to_string();
    assert!(
        first.starts_with("the key /(?=x|a)(a+)+\\1$/ of B#0 is passed over: it gave up"),
        "{first}"
    );
}

#[test]
fn an_expression_that_is_lost_counts_as_never_found() {
    let entry = |logic: u32| json!({"key": ["lamp"], "keysecondary": ["/(/", "oil"], "selectiveLogic": logic});
    let entries = json!({
        "0": entry(0), "1": entry(1), "2": entry(2), "3": entry(3), "4": {"key": ["lamp"]},
        "5": {"key": ["lamp"], "keysecondary": ["/(/"]},
    });
    assert_eq!(chat(&["lamp"]).uids(&entries), ["1", "2", "4"]);
    assert_eq!(chat(&["lamp, oil"]).uids(&entries), ["0", "1", "4"]);
}

#[test]
fn thousands_of_costly_keys_stop_in_time() {
    let entry = |n: usize| (n.to_string(), json!({"key": [format!("/(?=x|a)(a+)+\\1$|k{n}/")]}));
    let entries: Value = (0..10_000).map(entry).collect::<serde_json::Map<_, _>>().into();
    let text = format!("{}!", "a".repeat(5_000));
    let result = chat(&[&text]).scan(&[book(&entries)]);
    assert_eq!(result.entries.len(), 0);
    let [told @ .., ScanIssue::More { count }, ScanIssue::WorkSpent] = &result.issues[..] else {
        panic!("{:?}", result.issues.last());
    };
    assert_eq!(told.len(), MAX_ISSUES);
    assert!(*count < 1_000, "{count} of 10,000");
}

#[test]
fn thousands_of_entries_that_always_apply_keep_to_the_budget() {
    let entry = |n: usize| {
        (
            n.to_string(),
            json!({"constant": true, "order": n % 7, "content": "0123456789"}),
        )
    };
    let entries: Value = (0..5_000).map(entry).collect::<serde_json::Map<_, _>>().into();
    let result = chat(&["x"]).scan(&[book(&entries)]);
    let expected: Vec<String> = (0..100).map(|n| (6 + n * 7).to_string()).collect();
    assert_eq!(uids(&result), expected);
    assert_eq!(
        result.issues.last(),
        Some(&ScanIssue::More {
            count: 5_000 - 100 - MAX_ISSUES
        })
    );
    let huge = json!({"0": {"constant": true, "content": "x".repeat(MAX_ACTIVATED_CHARS + 1), "ignoreBudget": true}});
    assert_eq!(chat(&["x"]).uids(&huge), [] as [&str; 0]);
}

#[test]
fn a_chain_without_end_stops_after_its_passes() {
    let link = |n: usize| {
        (
            n.to_string(),
            json!({"key": [format!("k{n}")], "content": format!("k{}", n + 1)}),
        )
    };
    let entries: Value = (0..100).map(link).collect::<serde_json::Map<_, _>>().into();
    let result = chat(&["k0"]).scan(&[book(&entries)]);
    assert_eq!(result.entries.len(), MAX_PASSES as usize);
    assert_eq!(result.issues, [ScanIssue::PassesSpent]);
}

proptest! {
    /// Whatever the books say, a scan ends within its budget and gives the same again.
    #[test]
    fn a_scan_is_bounded_and_repeatable(seed: u64, shapes in proptest::collection::vec((0_u8..5, 0_u8..5, any::<bool>(), 0_i64..3), 0..40)) {
        let entry = |(n, (key, says, constant, order)): (usize, (u8, u8, bool, i64))| {
            let value = json!({
                "key": [format!("k{key}")], "content": format!("k{says}"), "constant": constant, "order": order, "probability": 50,
                "group": if n % 3 == 0 { "g" } else { "" },
            });
            (n.to_string(), value)
        };
        let entries: Value = shapes.into_iter().enumerate().map(entry).collect::<serde_json::Map<_, _>>().into();
        let mut scene = chat(&["k0"]);
        (scene.seed, scene.max_chars) = (seed, 20);
        let result = scene.scan(&[book(&entries)]);
        prop_assert!(result.entries.iter().map(|entry| entry.content.len()).sum::<usize>() <= 20);
        prop_assert_eq!(&result, &scene.scan(&[book(&entries)]));
    }
}
