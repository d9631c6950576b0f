//! Ranges, budgets, refusals, and the reply's two forms.

use serde_json::{Value, json};

use super::*;
use crate::fake::{Chat, NoChat};

fn call(messages: Value, history: &impl History) -> Result<Reply, Failure> {
    let arguments = json!({ "messages": messages }).to_string();
    read_messages(&innkeeper_tool::arguments(&arguments)?, history)
}

fn structured(messages: Value, history: &impl History) -> Value {
    let reply = call(messages, history).expect("a reply");
    serde_json::from_str(&reply.structured.expect("structured")).expect("JSON")
}

fn code(messages: Value, history: &impl History) -> String {
    call(messages, history).expect_err("a failure").code.into_owned()
}

#[test]
fn a_message_is_shown_whole_with_numbered_lines() {
    let chat = Chat::new(["Hi, old friend!\nSit down.", "x"]).with(0, |message| {
        message.name = "Mara".into();
        message.send_date = Some("1700000000".into());
    });
    let reply = call(json!([{"index": 0}]), &chat).expect("a reply");
    assert_eq!(
        reply.text,
        "1 message read; 2 are visible, with indexes from 0.\n\n\
         message 0 user name \"Mara\" lines 1-2 of 2, 25 of 25 chars, 5 of 5 words ref chat:current#0:L1-L2 \
         sent \"1700000000\"\n1 | Hi, old friend!\n2 | Sit down."
    );
    assert_eq!(reply.resource_refs, ["chat:current#0:L1-L2"]);
}

#[test]
fn the_structured_form_of_a_line_range() {
    let chat = Chat::new(["x", "one\ntwo\nthree"]);
    let expected = json!({"totalMessages": 2, "messages": [{
        "index": 1, "role": "assistant", "name": null, "sendDate": null, "chars": 3, "words": 1,
        "totalChars": 13, "totalWords": 3, "totalLines": 3, "startLine": 2, "endLine": 2, "nextStartLine": 3,
        "lineTruncated": false, "truncated": true, "text": "two", "ref": "chat:current#1:L2-L2",
    }]});
    let item = json!([{"index": 1, "start_line": 2, "line_count": 1}]);
    assert_eq!(structured(item, &chat), expected);
}

#[test]
fn a_character_range_is_raw_and_says_where_to_go_on() {
    let chat = Chat::new(["0123456789abcdefghijklmnopqrstuvwxyz"]);
    let item = json!([{"index": 0, "start_char": 10, "max_chars": 10}]);
    let reply = call(item.clone(), &chat).expect("a reply");
    assert_eq!(
        reply.text,
        "1 message read; 1 is visible, with indexes from 0.\n\n\
         message 0 user characters 10..20, 10 of 36 chars, 1 of 1 words ref chat:current#0:chars=10..20 (preview)\n\
         abcdefghij\n[More: call chat_read_messages with {\"messages\": [{\"index\": 0, \"start_char\": 20, \"max_chars\": 10}]}]"
    );
    let expected = json!({"totalMessages": 1, "messages": [{
        "index": 0, "role": "user", "name": null, "sendDate": null, "chars": 10, "words": 1, "totalChars": 36,
        "totalWords": 1, "startChar": 10, "endChar": 20, "truncated": true, "text": "abcdefghij",
        "ref": "chat:current#0:chars=10..20",
    }]});
    assert_eq!(structured(item, &chat), expected);
}

#[test]
fn request_order_and_repeats_are_kept() {
    let chat = Chat::new(["zero", "one"]);
    let reply = call(json!([{"index": 1}, {"index": 0}, {"index": 1}]), &chat).expect("a reply");
    assert_eq!(
        reply.resource_refs,
        ["chat:current#1:L1-L1", "chat:current#0:L1-L1", "chat:current#1:L1-L1"]
    );
}

#[test]
fn twenty_messages_share_the_budget() {
    let chat = Chat::new(vec!["x".repeat(5_000); 20]);
    let items: Vec<Value> = (0..20).map(|index| json!({"index": index})).collect();
    let shown = structured(json!(items), &chat);
    for part in shown["messages"].as_array().expect("messages") {
        assert_eq!((&part["chars"], &part["lineTruncated"]), (&json!(1_000), &json!(true)));
    }
}

#[test]
fn one_message_is_paged_by_whole_lines() {
    let long = "x".repeat(5_000);
    let chat = Chat::new([format!("{long}\n{long}")]);
    let reply = call(json!([{"index": 0}]), &chat).expect("a reply");
    let next = "\n[More: call chat_read_messages with {\"messages\": [{\"index\": 0, \"start_line\": 2, \
        \"line_count\": 1}]}]";
    assert!(reply.text.ends_with(next), "{}", reply.text);
    assert!(
        reply.text.contains(" lines 1-1 of 2, 5000 of 10001 chars, "),
        "{}",
        reply.text
    );
}

#[test]
fn a_line_too_long_for_one_read_goes_on_by_characters() {
    let chat = Chat::new([format!("first\n{}", "é".repeat(9_000))]);
    let reply = call(json!([{"index": 0, "start_line": 2}]), &chat).expect("a reply");
    let next =
        "\n[Line 2 was cut: call chat_read_messages with {\"messages\": [{\"index\": 0, \"start_char\": 8006}]}]";
    assert!(reply.text.ends_with(next), "{}", reply.text.len());
    let rest = structured(json!([{"index": 0, "start_char": 8_006}]), &chat);
    assert_eq!(rest["messages"][0]["text"], json!("é".repeat(1_000)));
}

#[test]
fn a_read_to_the_end_is_a_preview_without_a_next_page() {
    let chat = Chat::new(["1\n2\n3\n4\n5\n6"]);
    let part = &structured(json!([{"index": 0, "start_line": 5}]), &chat)["messages"][0];
    assert_eq!((&part["truncated"], &part["endLine"]), (&json!(true), &json!(6)));
    assert_eq!(part.get("nextStartLine"), None);
}

#[test]
fn large_counts_are_lowered_and_empty_messages_can_be_read() {
    let chat = Chat::new(["x".repeat(9_000), String::new()]);
    let capped = structured(json!([{"index": 0, "max_chars": 100_000}]), &chat);
    assert_eq!(capped["messages"][0]["endChar"], 8_000);
    let counted = structured(json!([{"index": 1, "line_count": u64::MAX}]), &chat);
    assert_eq!(counted["messages"][0]["ref"], "chat:current#1:L0-L0");
    let empty = structured(json!([{"index": 1, "start_char": 0}]), &chat);
    assert_eq!(empty["messages"][0]["ref"], "chat:current#1:chars=0..0");
}

#[test]
fn too_few_and_too_many_items_are_refused() {
    let chat = Chat::new(["x"]);
    assert_eq!(code(json!([]), &chat), INVALID_ARGUMENTS);
    assert_eq!(code(json!(vec![json!({"index": 0}); 21]), &chat), INVALID_ARGUMENTS);
    assert_eq!(code(json!([{"index": -1}]), &chat), INVALID_ARGUMENTS);
    assert_eq!(code(json!([{}]), &chat), INVALID_ARGUMENTS);
}

#[test]
fn a_missing_message_fails_the_call_and_states_the_total() {
    let chat = Chat::new(["zero", "one"]);
    let refused = call(json!([{"index": 0}, {"index": 2}]), &chat).expect_err("no third message");
    assert_eq!(refused.code, "chat.message_not_found");
    assert_eq!(
        refused.message,
        "There is no message 2: 2 messages are visible. Nothing was read. Call again with indexes from 0 to 1."
    );
    assert_eq!(code(json!([{"index": u64::MAX}]), &chat), "chat.message_not_found");
    assert_eq!(
        code(json!([{"index": 0}]), &Chat::new([""; 0])),
        "chat.message_not_found"
    );
}

#[test]
fn a_missing_message_is_said_before_a_bad_range() {
    let items = json!([{"index": 0, "start_line": 9}, {"index": 7}]);
    assert_eq!(code(items, &Chat::new(["x"])), "chat.message_not_found");
}

#[test]
fn mixed_and_impossible_ranges_are_refused() {
    let chat = Chat::new(["one\ntwo", ""]);
    for range in [
        json!({"index": 0, "start_line": 1, "max_chars": 5}),
        json!({"index": 0, "line_count": 1, "start_char": 0}),
        json!({"index": 0, "start_line": 0}),
        json!({"index": 0, "line_count": 0}),
        json!({"index": 0, "start_line": 3}),
        json!({"index": 0, "max_chars": 0}),
        json!({"index": 0, "start_char": 7}),
        json!({"index": 1, "start_char": 1}),
        json!({"index": 1, "start_line": 2}),
    ] {
        assert_eq!(code(json!([range]), &chat), INVALID_RANGE, "{range}");
    }
    let fine = json!([{"index": 0, "start_line": 1, "max_chars": null}]);
    assert_eq!(structured(fine, &chat)["messages"][0]["text"], "one\ntwo");
}

#[test]
fn a_range_beyond_the_text_states_its_size() {
    let refused = call(json!([{"index": 0, "start_line": 3}]), &Chat::new(["one\ntwo"])).expect_err("line 3");
    assert_eq!(
        refused.message,
        "Message 0 has no such part: start_line 3 was asked for, but it has 2 lines and 7 characters. Nothing was \
         read. Call again with start_line from 1 or start_char from 0 inside it, and counts of at least 1."
    );
}

#[test]
fn without_a_chat_there_is_nothing_to_read() {
    assert_eq!(code(json!([{"index": 0}]), &NoChat), "chat.not_found");
    assert_eq!(code(json!([]), &NoChat), INVALID_ARGUMENTS);
}
