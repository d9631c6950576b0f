//! The harness over tools that reach for everything.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::*;
use crate::host::workspace::{self, Basis, LineSpan, Span};
use crate::host::{chat, clock, http, log, random, worldinfo};

#[derive(Deserialize, JsonSchema)]
struct Path {
    path: String,
}

fn tools() -> Vec<Tool> {
    let draw = |_: serde_json::Map<String, Value>| Ok(Reply::text(random::below(6).to_string()));
    let names = |_: serde_json::Map<String, Value>| {
        let names: Vec<String> = chat::messages(0).map(|message| message.name).collect();
        log::info("read");
        Ok(Reply::text(names.join(" ")))
    };
    let copy = |arguments: Path| {
        let text = workspace::read(&arguments.path)
            .map_err(|error| ToolError::new("unreadable", format!("{error:?}")))?
            .text;
        workspace::write("output/copy.md", &text, Basis::Rewrite)
            .map_err(|error| ToolError::new("unwritable", format!("{error:?}")))?;
        if text.is_empty() {
            return Err(ToolError::new("empty", "There is nothing in it."));
        }
        Ok(Reply::text(text))
    };
    let report = |_: serde_json::Map<String, Value>| {
        let request = http::post("https://a.example/", "text/plain", clock::now_ms().to_string());
        let answer = http::send(&request).map_err(|error| ToolError::new("unsent", format!("{error:?}")))?;
        Ok(Reply::text(answer.status.to_string()))
    };
    vec![
        Tool::new("t.draw", draw).uses(random::INTERFACE),
        Tool::new("t.stray", |_: serde_json::Map<String, Value>| {
            Ok(Reply::text(random::below(6).to_string()))
        }),
        Tool::new("t.names", names).uses(chat::INTERFACE),
        Tool::new("t.report", report)
            .uses(http::INTERFACE)
            .uses(clock::INTERFACE),
        Tool::new("t.copy", copy)
            .uses(workspace::READER)
            .uses(workspace::WRITER),
    ]
}

fn said(name: &str, arguments: &Value, world: &World) -> Result<Reply, ToolError> {
    call(&tools(), name, arguments, world)
}

#[test]
fn numbers_are_drawn_in_order_and_then_0() {
    let mut world = World::new().draws([4, 9]);
    let mut draw = || call_in(&tools(), "t.draw", &json!({}), &mut world);
    assert_eq!(
        [draw(), draw(), draw()],
        [Ok(Reply::text("4")), Ok(Reply::text("3")), Ok(Reply::text("0"))]
    );
}

#[test]
#[should_panic(expected = "the tool reaches for innkeeper:random/random, which its `uses` does not list")]
fn a_tool_is_held_to_what_it_uses() {
    let _ = said("t.stray", &json!({}), &World::new());
}

#[test]
#[should_panic(expected = "there is no host outside of a component")]
fn there_is_no_host_without_a_call() {
    let _ = random::below(2);
}

#[test]
fn a_long_chat_is_read_to_its_end() {
    let names = (0..450).fold(World::new(), |world, n| {
        world.message(chat::Role::User, &n.to_string(), "Hm.")
    });
    let mut world = names;
    let reply = call_in(&tools(), "t.names", &json!({}), &mut world);
    let expected: Vec<String> = (0..450).map(|n| n.to_string()).collect();
    assert_eq!(reply, Ok(Reply::text(expected.join(" "))));
    assert_eq!(world.logged(), ["read"]);
}

#[test]
fn a_failure_changes_no_file() {
    let mut world = World::new().file("plan/a.md", "").file("plan/b.md", "Hm.");
    let failed = call_in(&tools(), "t.copy", &json!({"path": "plan/a.md"}), &mut world);
    assert_eq!(failed.unwrap_err().code(), "empty");
    assert_eq!(world.text_of("output/copy.md"), None);
    let copied = call_in(&tools(), "t.copy", &json!({"path": "plan/b.md"}), &mut world);
    assert_eq!(copied, Ok(Reply::text("Hm.")));
    assert_eq!(world.text_of("output/copy.md"), Some("Hm."));
}

#[test]
fn a_name_that_is_not_there_and_bad_arguments_are_failures() {
    let code = |name: &str, arguments: Value| said(name, &arguments, &World::new()).unwrap_err().code();
    assert_eq!(code("t.other", json!({})), "unknown_tool");
    assert_eq!(code("t.copy", json!({"path": 3})), "invalid_arguments");
}

#[test]
fn files_are_listed_and_shown_in_parts() {
    let world = World::new()
        .file("plan/a/b.md", "one\ntwo\nthree\n")
        .file("plan/c.md", "");
    let listing = world.list("plan", 0, 10).unwrap();
    let paths: Vec<&str> = listing.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(paths, ["plan/a", "plan/c.md"]);
    assert_eq!(world.list("plan", 1, 1).map(|listing| listing.truncated), Ok(true));

    let lines = |start, count| Span::Lines(LineSpan { start, count });
    let page = world.show("plan/a/b.md", lines(2, Some(1)), 100, 100).unwrap();
    assert_eq!(
        (
            page.text.as_str(),
            page.start_line,
            page.end_line,
            page.next_start_line,
            page.fully_read
        ),
        ("two\n", 2, 2, Some(3), false)
    );
    assert!(world.show("plan/a/b.md", Span::All, 100, 100).unwrap().fully_read);
    assert!(world.show("plan/a/b.md", lines(9, None), 100, 100).is_err());
}

#[test]
fn world_info_is_there_only_where_it_was_captured() {
    assert!(World::new().activation().is_err());
    let world = World::new().entry("Harbour", "Tide", "It turns at six.");
    let entry = world.activation().unwrap().entries.remove(0);
    assert_eq!(entry.ref_, "worldinfo:Harbour#0");
    assert_eq!(world.entry_text(&entry.ref_).as_deref(), Some("It turns at six."));
    let _: Option<worldinfo::Position> = entry.position;
}

#[test]
fn a_request_gets_the_answer_that_was_made_up_for_it_and_the_time_stands_still() {
    let mut world = World::new().time(42).answer("POST", "https://a.example/", 201, "");
    assert_eq!(
        call_in(&tools(), "t.report", &json!({}), &mut world),
        Ok(Reply::text("201"))
    );
    let sent: Vec<_> = world.requests().iter().map(|request| request.body.clone()).collect();
    assert_eq!(sent, [Some(b"42".to_vec())]);
    let error = said("t.report", &json!({}), &World::new()).unwrap_err();
    assert_eq!(
        error,
        ToolError::new(
            "unsent",
            "FetchError::Unreachable(\"no test has an answer for this request\")"
        )
    );
}
