//! Books in both forms, the traps between them, and books that cannot be used.

use innkeeper_protocol::model::Role;
use innkeeper_protocol::worldinfo::EntryPosition;
use serde_json::json;

use super::*;
use crate::worldinfo::entry::Logic;

fn only(value: &Value) -> Entry {
    let book = Book::parse(value, "stem").unwrap();
    assert_eq!(book.issues, []);
    let [entry] = <[Entry; 1]>::try_from(book.entries).unwrap();
    entry
}

#[test]
fn both_forms_of_an_entry_read_the_same() {
    let stand_alone = only(&json!({"entries": {"7": {
        "uid": 7, "key": ["lamp"], "keysecondary": ["oil"], "selectiveLogic": 3, "comment": "Lamp", "content": "Bright.",
        "order": 20, "position": 4, "depth": 1, "role": 2, "scanDepth": 5, "caseSensitive": true, "matchWholeWords": false,
        "probability": 40, "useProbability": true, "group": "a, b", "groupOverride": true, "groupWeight": 7,
        "excludeRecursion": true, "preventRecursion": true, "delayUntilRecursion": 2, "delay": 3, "ignoreBudget": true,
        "triggers": ["swipe"], "matchScenario": true,
    }}}));
    let embedded = only(&json!({"entries": [{
        "id": 7, "keys": ["lamp"], "secondary_keys": ["oil"], "selective": true, "comment": "Lamp", "content": "Bright.",
        "insertion_order": 20, "enabled": true, "position": "after_char", "case_sensitive": false, "use_regex": true,
        "extensions": {
            "selectiveLogic": 3, "position": 4, "depth": 1, "role": 2, "scan_depth": 5, "case_sensitive": true,
            "match_whole_words": false, "probability": 40, "useProbability": true, "group": "a, b", "group_override": true,
            "group_weight": 7, "exclude_recursion": true, "prevent_recursion": true, "delay_until_recursion": 2, "delay": 3,
            "ignore_budget": true, "triggers": ["swipe"], "match_scenario": true,
        },
    }]}));
    assert_eq!(stand_alone, embedded);
    assert_eq!(
        (
            embedded.position,
            embedded.depth,
            embedded.role,
            embedded.logic,
            embedded.level
        ),
        (EntryPosition::Depth, 1, Role::Assistant, Logic::AndAll, 2)
    );
}

#[test]
fn defaults_differ_where_the_forms_do() {
    let stand_alone = only(
        &json!({"entries": {"x": {"key": "a, b", "keysecondary": ["c"], "role": null, "delayUntilRecursion": true}}}),
    );
    assert_eq!(stand_alone.keys, ["a", "b"]);
    assert_eq!(
        (
            stand_alone.secondary.len(),
            stand_alone.level,
            stand_alone.order,
            stand_alone.uid.as_str()
        ),
        (1, 1, 100, "x")
    );
    let embedded = only(&json!({"entries": [{"keys": ["a"], "secondary_keys": ["c"], "position": "after_char"}]}));
    assert_eq!(
        (
            embedded.secondary.len(),
            embedded.position,
            embedded.probability,
            embedded.uid.as_str()
        ),
        (0, EntryPosition::After, 100, "0")
    );
}

#[test]
fn entries_stand_in_the_order_of_their_numbers() {
    let book = Book::parse(
        &json!({"name": "Own", "entries": {"b": {}, "10": {}, "9": {}, "a": {}}}),
        "stem",
    )
    .unwrap();
    let uids: Vec<&str> = book.entries.iter().map(|entry| entry.uid.as_str()).collect();
    assert_eq!((book.name.as_str(), uids), ("Own", vec!["9", "10", "b", "a"]));
}

#[test]
fn a_bad_entry_is_told_and_the_others_stay() {
    let book = Book::parse(
        &json!({"spec": "lorebook_v3", "data": {"entries": [{"keys": ["a"]}, {"keys": 5}, 6, {"keys": [], "content": []}]}}),
        "stem",
    )
    .unwrap();
    let told: Vec<String> = book.issues.iter().map(ToString::to_string).collect();
    assert_eq!(book.entries.len(), 1);
    assert_eq!(
        told,
        [
            "the entry 1 of the book \"stem\" is left out: keys must be a list of texts, and is a number",
            "the entry 2 of the book \"stem\" is left out: entries.2 must be an object, and is a number",
            "the entry 3 of the book \"stem\" is left out: content must be a text, and is a list",
        ]
    );
}

#[test]
fn what_is_no_book_says_why() {
    let told = |value: Value| Book::parse(&value, "B").map(|_| ()).map_err(|error| error.to_string());
    let refused = |why: &str| Err(format!("the world info book \"B\" cannot be used: {why}"));
    assert_eq!(told(json!("x")), refused("it is a JSON object, and this is a text"));
    assert_eq!(
        told(json!({})),
        refused("entries must be an object or a list, and is null")
    );
    assert_eq!(
        told(json!({"lorebookVersion": 5, "entries": []})),
        refused("it is in the format of NovelAI")
    );
    assert_eq!(
        told(json!({"kind": "memory", "entries": []})),
        refused("it is in the format of Agnai")
    );
    let many: Vec<Value> = (0..=MAX_ENTRIES).map(|_| json!({})).collect();
    assert_eq!(
        told(json!({"entries": many})),
        refused("it has 20001 entries, the limit is 20000")
    );
}
