//! The tools in worlds that tests make up.

use innkeeper_extension::Block;
use innkeeper_extension::host::chat::Role;
use innkeeper_extension::testing::{World, call, call_in};
use serde_json::{Value, json};

use super::*;

fn talk() -> World {
    World::new()
        .message(Role::Assistant, "Mira", "The ferry leaves at dusk.")
        .message(Role::User, "Tomas", "Then we have an hour.")
        .message(Role::System, "Narrator", "It rains.")
        .message(Role::Assistant, "  Mira\n", "Yes.")
        .message(Role::User, "", "Hm.")
}

#[test]
fn speakers_are_counted_and_the_loudest_come_first() {
    let reply = call(&tools(), "cast.list", &json!({}), &talk()).unwrap();
    let words = "3 of 3 who speak:\n\n- **Mira**: 2 messages, 6 words, last at 3\n- **Tomas**: 1 message, 5 words, last at 1\n\
                 - **(no name)**: 1 message, 1 words, last at 4";
    assert_eq!(reply.content(), [Block::Text(words.to_owned())]);
    let structured: Value = serde_json::from_str(reply.structured_json().unwrap()).unwrap();
    let expected = json!({"speakers": [
        {"name": "Mira", "messages": 2, "words": 6, "last": 3},
        {"name": "Tomas", "messages": 1, "words": 5, "last": 1},
        {"name": "(no name)", "messages": 1, "words": 1, "last": 4},
    ], "total": 3});
    assert_eq!(structured, expected);
}

#[test]
fn a_range_beyond_the_end_and_a_run_without_a_chat_are_failures() {
    let code = |arguments, world: &World| call(&tools(), "cast.list", &arguments, world).unwrap_err().code();
    assert_eq!(code(json!({"from": 5}), &talk()), "beyond_the_end");
    assert_eq!(code(json!({}), &World::new()), "no_chat");
}

#[test]
fn the_list_is_written() {
    let mut world = talk();
    let reply = call_in(&tools(), "cast.write", &json!({"limit": 1}), &mut world);
    assert_eq!(
        reply,
        Ok(Reply::text("Wrote plan/cast.md: 1 of 3 who speak.").refs(["workspace:plan/cast.md"]))
    );
    assert_eq!(
        world.text_of("plan/cast.md"),
        Some("# Cast\n\n- **Mira**: 2 messages, 6 words, last at 3\n")
    );
}

#[test]
fn every_refusal_leads_on() {
    for (error, code) in [
        (WriteError::RequiresRead, "read_first"),
        (WriteError::Stale, "read_first"),
        (WriteError::OverBudget("64 files".to_owned()), "no_room"),
        (WriteError::Path(workspace::PathError::NotWritable), "unwritable"),
    ] {
        assert_eq!(refused(error).code(), code);
    }
}
