//! Both modes, budgets, refusals, and the reply's two forms.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::fake::Fake;

fn call(arguments: Value, host: &impl Activated) -> Result<Reply, Failure> {
    read_activated(&innkeeper_tool::arguments(&arguments.to_string())?, host)
}

fn form(reply: &Reply) -> Value {
    serde_json::from_str(reply.structured.as_deref().expect("structured")).expect("JSON")
}

fn read(entries: Value, host: &impl Activated) -> Reply {
    call(json!({ "entries": entries }), host).expect("a reply")
}

fn code(entries: Value, host: &impl Activated) -> String {
    let refused = call(json!({ "entries": entries }), host).expect_err("a failure");
    refused.code.into_owned()
}

fn message(entries: Value, host: &impl Activated) -> String {
    call(json!({ "entries": entries }), host)
        .expect_err("a failure")
        .message
}

/// The arguments of the call that a reply says to make next: as they stand.
fn next_call(reply: &Reply) -> Option<Value> {
    let (_, more) = reply.text.rsplit_once(": call worldinfo_read_activated with ")?;
    Some(serde_json::from_str(more.strip_suffix(']').expect("the end")).expect("JSON"))
}

#[test]
fn the_list_has_a_line_for_each_entry_and_no_text() {
    let reply = call(json!({}), &Fake::harbor()).expect("a reply");
    let expected = "2 world info entries are activated for this run, listed here without their texts. Read texts with \
        worldinfo_read_activated {\"entries\": [{\"ref\": \"...\"}]}, up to 20 refs at once.\n\n\
        1. worldinfo:Harbor#12 | Old pier | world=Harbor | lines=2 | chars=62 | words=12 | constant\n\
        2. worldinfo:activated#1 | 7 | world= | lines=1 | chars=2 | words=2 | position=an_top";
    assert_eq!(reply.text, expected);
    assert_eq!(reply.resource_refs, ["worldinfo:Harbor#12", "worldinfo:activated#1"]);
    assert_eq!(call(json!({"entries": null}), &Fake::harbor()), Ok(reply));
}

#[test]
fn the_list_for_programs() {
    let reply = call(json!({}), &Fake::harbor()).expect("a reply");
    let expected = json!({
        "mode": "index", "timestampMs": 1_700_000_000_000_u64, "trigger": "normal", "totalEntries": 2,
        "entries": [
            {"world": "Harbor", "uid": "12", "displayName": "Old pier", "constant": true, "position": null,
             "totalChars": 62, "totalWords": 12, "totalLines": 2, "ref": "worldinfo:Harbor#12"},
            {"world": "", "uid": "7", "displayName": "7", "constant": false, "position": "an_top",
             "totalChars": 2, "totalWords": 2, "totalLines": 1, "ref": "worldinfo:activated#1"},
        ],
    });
    assert_eq!(form(&reply), expected);
}

#[test]
fn an_empty_list_is_a_success() {
    let reply = call(json!({}), &Fake::empty()).expect("a reply");
    assert_eq!(
        reply.text,
        "No world info entry is activated for this run, so there is nothing to read."
    );
    assert_eq!(
        (&form(&reply)["entries"], &form(&reply)["totalEntries"]),
        (&json!([]), &json!(0))
    );
    assert!(reply.resource_refs.is_empty());
}

#[test]
fn a_name_cannot_forge_a_line_of_the_list_and_its_shown_ref_can_be_read() {
    let host = Fake::empty().and("worldinfo:W\n2. worldinfo:W#1 ", "secret", |entry| {
        entry.world = "W\n2. worldinfo:W".into();
        entry.title = "a\u{2028}b".into();
    });
    let list = call(json!({}), &host).expect("a reply");
    let line = "\n1. worldinfo:W 2. worldinfo:W#1 | a b | world=W 2. worldinfo:W | lines=1 | chars=6 | words=1";
    assert!(list.text.ends_with(line), "{}", list.text);
    let reply = read(json!([{"ref": "worldinfo:W 2. worldinfo:W#1"}]), &host);
    assert_eq!(form(&reply)["entries"][0]["content"], "secret");
    assert_eq!(form(&reply)["entries"][0]["ref"], "worldinfo:W\n2. worldinfo:W#1 ");
}

#[test]
fn an_entry_without_any_name_is_untitled() {
    let host = Fake::empty().and("worldinfo:activated#0", "x", |_| {});
    let list = call(json!({}), &host).expect("a reply");
    let line = "\n1. worldinfo:activated#0 | untitled | world= | lines=1 | chars=1 | words=1";
    assert!(list.text.ends_with(line), "{}", list.text);
}

#[test]
fn a_text_is_shown_whole_with_numbered_lines() {
    let items = json!([{"ref": " worldinfo:Harbor#12 "}, {"ref": "worldinfo:activated#1"}]);
    let reply = read(items, &Fake::harbor());
    let expected = "2 texts read; 2 world info entries are activated for this run.\n\n\
        worldinfo:Harbor#12 | Old pier | world=Harbor | lines 1-2 of 2, 62 of 62 chars, 12 of 12 words\n\
        1 | The old pier creaks at low tide.\n2 | Nobody fishes there any more.\n\n\
        worldinfo:activated#1 | 7 | world= | lines 1-1 of 1, 2 of 2 chars, 2 of 2 words | position=an_top\n\
        1 | 雨夜";
    assert_eq!(reply.text, expected);
    assert_eq!(reply.resource_refs, ["worldinfo:Harbor#12", "worldinfo:activated#1"]);
}

#[test]
fn a_line_range_for_programs_says_where_to_go_on() {
    let reply = read(
        json!([{"ref": "worldinfo:Harbor#12", "line_count": 1}]),
        &Fake::harbor(),
    );
    let expected = json!({
        "mode": "content", "timestampMs": 1_700_000_000_000_u64, "trigger": "normal", "totalEntries": 2,
        "entries": [{
            "world": "Harbor", "uid": "12", "displayName": "Old pier", "constant": true, "position": null,
            "chars": 32, "words": 7, "totalChars": 62, "totalWords": 12, "totalLines": 2, "startLine": 1,
            "endLine": 1, "nextStartLine": 2, "lineTruncated": false, "truncated": true,
            "content": "The old pier creaks at low tide.", "ref": "worldinfo:Harbor#12",
        }],
    });
    assert_eq!(form(&reply), expected);
    let more = "\n[More: call worldinfo_read_activated with {\"entries\": [{\"ref\": \"worldinfo:Harbor#12\", \"start_line\": 2, \"line_count\": 1}]}]";
    assert!(reply.text.ends_with(more), "{}", reply.text);
}

#[test]
fn a_character_range_is_raw_and_in_the_ref() {
    let items = json!([{"ref": "worldinfo:Harbor#12", "start_char": 4, "max_chars": 8}]);
    let reply = read(items, &Fake::harbor());
    let expected = "1 text read; 2 world info entries are activated for this run.\n\n\
        worldinfo:Harbor#12 | Old pier | world=Harbor | characters 4..12, 8 of 62 chars, 2 of 12 words (preview)\n\
        old pier\n[More: call worldinfo_read_activated with {\"entries\": [{\"ref\": \"worldinfo:Harbor#12\", \"start_char\": 12, \"max_chars\": 8}]}]";
    assert_eq!(reply.text, expected);
    assert_eq!(reply.resource_refs, ["worldinfo:Harbor#12:chars=4..12"]);
    let part = &form(&reply)["entries"][0];
    assert_eq!(
        (&part["ref"], &part["startChar"], &part["endChar"], &part["totalLines"]),
        (&json!("worldinfo:Harbor#12"), &json!(4), &json!(12), &Value::Null)
    );
}

#[test]
fn a_ref_with_quotes_is_written_as_json_in_the_next_call() {
    let host = Fake::empty().and("worldinfo:The \"Inn\"#1", "one\ntwo", |_| {});
    let reply = read(json!([{"ref": "worldinfo:The \"Inn\"#1", "line_count": 1}]), &host);
    let reply = call(next_call(&reply).expect("more"), &host).expect("a reply");
    assert_eq!(form(&reply)["entries"][0]["content"], "two");
}

#[test]
fn entries_share_the_budget() {
    let long = "x".repeat(9_000);
    let host = Fake::with(vec![long.as_str(); 20]);
    for (items, chars) in [(1_usize, 8_000), (2, 8_000), (3, 6_666), (20, 1_000)] {
        let refs: Vec<Value> = (0..items)
            .map(|uid| json!({"ref": format!("worldinfo:Harbor#{uid}")}))
            .collect();
        let shown = form(&read(json!(refs), &host));
        for part in shown["entries"].as_array().expect("entries") {
            assert_eq!((&part["chars"], &part["lineTruncated"]), (&json!(chars), &json!(true)));
        }
    }
    let capped = json!([{"ref": "worldinfo:Harbor#0", "max_chars": 100_000}]);
    assert_eq!(form(&read(capped, &host))["entries"][0]["endChar"], 8_000);
}

#[test]
fn a_long_text_is_paged_by_whole_lines_and_a_long_line_by_characters() {
    let line = "x".repeat(5_000);
    let host = Fake::with([format!("{line}\n{line}"), "é".repeat(9_000)]);
    let pages = read(json!([{"ref": "worldinfo:Harbor#0"}]), &host);
    let next = "\n[More: call worldinfo_read_activated with {\"entries\": [{\"ref\": \"worldinfo:Harbor#0\", \"start_line\": 2, \"line_count\": 1}]}]";
    assert!(pages.text.ends_with(next), "{}", pages.text);
    let cut = read(json!([{"ref": "worldinfo:Harbor#1"}]), &host);
    let next = "\n[Line 1 was cut: call worldinfo_read_activated with {\"entries\": [{\"ref\": \"worldinfo:Harbor#1\", \"start_char\": 8000}]}]";
    assert!(cut.text.ends_with(next), "{}", cut.text);
}

#[test]
fn lines_are_capped() {
    let host = Fake::with(["\n".repeat(2_000)]);
    let part = &form(&read(json!([{"ref": "worldinfo:Harbor#0"}]), &host))["entries"][0];
    assert_eq!(
        (&part["endLine"], &part["nextStartLine"]),
        (&json!(1_200), &json!(1_201))
    );
}

#[test]
fn request_order_and_repeats_are_kept() {
    let host = Fake::with(["zero", "one"]);
    let items = json!([{"ref": "worldinfo:Harbor#1"}, {"ref": "worldinfo:Harbor#0"}, {"ref": "worldinfo:Harbor#1"}]);
    assert_eq!(
        read(items, &host).resource_refs,
        ["worldinfo:Harbor#1", "worldinfo:Harbor#0", "worldinfo:Harbor#1"]
    );
}

#[test]
fn an_empty_text_can_be_read() {
    let host = Fake::with([""]);
    let reply = read(json!([{"ref": "worldinfo:Harbor#0"}]), &host);
    let heading = "worldinfo:Harbor#0 | 0 | world=Harbor | is empty, 0 of 0 chars, 0 of 0 words";
    assert!(reply.text.ends_with(heading), "{}", reply.text);
    let reply = read(json!([{"ref": "worldinfo:Harbor#0", "start_char": 0}]), &host);
    assert_eq!(reply.resource_refs, ["worldinfo:Harbor#0:chars=0..0"]);
}

#[test]
fn too_few_too_many_and_blank_items_are_refused() {
    let host = Fake::with(["x"]);
    let item = json!({"ref": "worldinfo:Harbor#0"});
    for entries in [
        json!([]),
        json!(vec![item.clone(); 21]),
        json!([{}]),
        json!([item, {"ref": " "}]),
    ] {
        assert_eq!(code(entries.clone(), &host), "tool.invalid_arguments", "{entries}");
    }
    assert_eq!(
        message(json!([item, {"ref": " "}]), &host),
        "Argument /entries/1/ref is blank. Nothing was read. Call worldinfo_read_activated without arguments to list \
         the refs, then call again with one of them."
    );
    let negative = json!([{"ref": "worldinfo:Harbor#0", "start_line": -1}]);
    assert!(message(negative, &host).contains("/entries/0/start_line"));
}

#[test]
fn an_unknown_ref_fails_the_call_before_any_range() {
    let items = json!([{"ref": "worldinfo:Harbor#0", "start_line": 9}, {"ref": "worldinfo:Harbor#9"}]);
    let host = Fake::with(["x"]);
    assert_eq!(code(items.clone(), &host), "worldinfo.entry_not_found");
    assert_eq!(
        message(items, &host),
        "There is no activated entry \"worldinfo:Harbor#9\" among the 1 of this run. Nothing was read. Call \
         worldinfo_read_activated without arguments to list their refs, then call again with one of them."
    );
    assert_eq!(code(json!([{"ref": "x"}]), &Fake::empty()), "worldinfo.entry_not_found");
}

#[test]
fn an_entry_whose_text_is_gone_is_not_found() {
    let mut host = Fake::with(["x"]);
    host.texts.clear();
    assert_eq!(
        code(json!([{"ref": "worldinfo:Harbor#0"}]), &host),
        "worldinfo.entry_not_found"
    );
}

#[test]
fn mixed_and_impossible_ranges_are_refused() {
    let host = Fake::with(["one\ntwo", ""]);
    for (uid, range) in [
        (0, json!({"start_line": 1, "max_chars": 5})),
        (0, json!({"line_count": 1, "start_char": 0})),
        (0, json!({"start_line": 0})),
        (0, json!({"line_count": 0})),
        (0, json!({"start_line": 3})),
        (0, json!({"max_chars": 0})),
        (0, json!({"start_char": 7})),
        (1, json!({"start_char": 1})),
        (1, json!({"start_line": 2})),
    ] {
        let mut item = range.clone();
        item["ref"] = json!(format!("worldinfo:Harbor#{uid}"));
        assert_eq!(code(json!([item]), &host), "worldinfo.invalid_entry_range", "{range}");
    }
    assert_eq!(
        message(json!([{"ref": "worldinfo:Harbor#0", "start_line": 3}]), &host),
        "Entry \"worldinfo:Harbor#0\" has no such part: start_line 3 was asked for, but it has 2 lines and 7 \
         characters. Nothing was read. Call again with start_line from 1 or start_char from 0 inside it, and counts \
         of at least 1."
    );
}

#[test]
fn without_an_activation_there_is_nothing_after_the_arguments() {
    let host = Fake {
        activation: None,
        texts: Vec::new(),
    };
    let refused = call(json!({}), &host).expect_err("a failure");
    assert_eq!(refused.code, "worldinfo.activation_unavailable");
    assert_eq!(code(json!([{"ref": "x"}]), &host), "worldinfo.activation_unavailable");
    assert_eq!(code(json!([]), &host), "tool.invalid_arguments");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Following what each reply says to call next shows the whole text, whatever it is made of.
    #[test]
    fn following_the_continuations_shows_everything(text in "[a-cß 雨🌧\\r\\n]{0,3000}|[a雨]{0,3000}") {
        let host = Fake::with([&text]);
        let mut next = json!({"ref": "worldinfo:Harbor#0"});
        let mut seen = String::new();
        loop {
            // As many items as a call may have, so that each shows little.
            let reply = read(json!(vec![next; 20]), &host);
            let form = form(&reply);
            let part = &form["entries"][19];
            let content = part["content"].as_str().expect("text");
            prop_assert!(content.chars().count() <= 1_000);
            if part["startLine"].as_u64() > Some(1) {
                seen.push('\n');
            }
            seen.push_str(content);
            let Some(more) = next_call(&reply) else { break };
            next = more["entries"][0].clone();
        }
        prop_assert_eq!(seen, text);
    }
}
