//! Parsing, opening, and what a run may see.

use std::path::Path;
use std::sync::Arc;

use innkeeper_protocol::port::{ChatMessage, ChatRole};
use innkeeper_protocol::run::GenerationType;

use super::fixtures::*;
use crate::chat::*;

fn code_of(bytes: &[u8]) -> &'static str {
    ChatFile::parse(Path::new("chat.jsonl"), bytes.to_vec())
        .unwrap_err()
        .code()
}

#[test]
fn every_shape_is_read_the_same() {
    for shape in Shape::all() {
        let chat = parse(&shape.text());
        assert_eq!(
            (chat.header_line().is_some(), chat.total(), chat.text()),
            (shape.header != HeaderKind::None, 2, shape.text().as_str()),
            "{shape:?}"
        );
        let message = chat.message(1).unwrap();
        let expected = ChatMessage {
            index: 1,
            role: ChatRole::Assistant,
            name: "Alice".into(),
            text: "two".into(),
            send_date: Some("1673181146000".into()),
        };
        assert_eq!(message, expected, "{shape:?}");
    }
}

#[test]
fn dates_are_shown_as_stored() {
    let cases = [
        (r#""2026-10-05T07:00:05.000Z""#, Some("2026-10-05T07:00:05.000Z")),
        ("1673181146000", Some("1673181146000")),
        (r#""1673181146000""#, Some("1673181146000")),
        ("1673181146", Some("1673181146")),
        (r#""June 19, 2023 2:20pm""#, Some("June 19, 2023 2:20pm")),
        (r#""2024-07-12@01h31m37s123ms""#, Some("2024-07-12@01h31m37s123ms")),
        (
            r#""2023-4-21 @20h 02m 47s 124ms""#,
            Some("2023-4-21 @20h 02m 47s 124ms"),
        ),
        ("null", None),
    ];
    for (raw, expected) in cases {
        let chat = parse(&format!(r#"{{"mes":"x","send_date":{raw}}}"#));
        assert_eq!(chat.message(0).unwrap().send_date.as_deref(), expected);
    }
    assert_eq!(parse(r#"{"mes":"x"}"#).message(0).unwrap().send_date, None);
}

#[test]
fn odd_texts_are_shown() {
    let text = |raw: &str| {
        parse(&format!(r#"{{"is_user":false,"mes":{raw}}}"#))
            .message(0)
            .unwrap()
            .text
    };
    assert_eq!(text(r#"{"message":"from chub"}"#), "from chub");
    assert_eq!(text("null"), "");
    assert_eq!(text("12"), "12");
    assert_eq!(text(r#""cut \ud83d""#), "cut \u{fffd}");
    assert_eq!(parse(r#"{"is_user":true}"#).message(0).unwrap().text, "");
}

#[test]
fn a_header_alone_is_a_chat_without_messages() {
    let chat = parse(r#"{"chat_metadata":{}}"#);
    assert_eq!(
        (chat.header_line().is_some(), chat.total(), chat.message(0)),
        (true, 0, None)
    );
}

#[test]
fn only_the_first_line_can_be_a_header() {
    let chat = parse("{\"chat_metadata\":{}}\n{\"user_name\":\"x\"}");
    assert_eq!((chat.total(), chat.role(0)), (1, Some(ChatRole::Assistant)));
}

#[test]
fn what_cannot_be_read_is_an_error() {
    assert_eq!(code_of(b""), "store.chat_empty");
    assert_eq!(code_of(b"\xef\xbb\xbf \r\n\n"), "store.chat_empty");
    assert_eq!(code_of(b"{\"mes\":\"\xff\"}"), "store.chat_not_utf8");
    assert_eq!(code_of(b"\xff\xfe{\0}\0"), "store.chat_not_utf8");
    for broken in [
        "[]",
        "5",
        "{\"mes\":1} x",
        "\0\0\0",
        "{\"mes\":\"a\tb\"}",
        "{}{}",
        "\u{feff}\u{feff}{}",
    ] {
        assert_eq!(
            code_of(format!("{USER}\n{broken}\n{USER}").as_bytes()),
            "agent.chat_message_invalid_json",
            "{broken}"
        );
    }
}

#[test]
fn a_bad_line_is_named_by_place() {
    let error = |text: &str| ChatFile::parse(Path::new("a.jsonl"), text.as_bytes().to_vec()).unwrap_err();
    let middle = error(&format!("{USER}\r\n\r\n{{\"mes\":tru}}\r\n{USER}"));
    assert!(
        matches!(
            middle,
            ChatError::InvalidLine {
                line: 3,
                column: 8,
                last: false,
                ..
            }
        ),
        "{middle}"
    );
    assert!(middle.to_string().contains("line 3 of the chat file a.jsonl"));
    let broken = format!("{USER}\n{{\"mes\":\"\u{e9}");
    let mut bytes = broken.into_bytes();
    bytes.pop();
    let torn = ChatFile::parse(Path::new("a.jsonl"), bytes).unwrap_err();
    assert!(matches!(torn, ChatError::NotUtf8 { line: 2, .. }), "{torn}");
}

#[test]
fn a_torn_last_line_is_refused_at_every_offset() {
    let text = format!("{USER}\n{USER}");
    for cut in USER.len() + 2..text.len() {
        let error = ChatFile::parse(Path::new("a.jsonl"), text.as_bytes()[..cut].to_vec()).unwrap_err();
        assert!(
            matches!(
                error,
                ChatError::InvalidLine {
                    line: 2,
                    last: true,
                    ..
                }
            ),
            "{cut}: {error}"
        );
    }
}

#[test]
fn visible_messages_follow_the_generation_type() {
    let (user, answer) = (USER, r#"{"name":"A","mes":"x"}"#);
    let note = r#"{"is_system":true,"mes":"note"}"#;
    let count = |lines: &[&str], kind| {
        freeze(&parse(&format!("{{}}\n{}", lines.join("\n"))), kind)
            .map(|input| input.visible)
            .map_err(|error| error.code())
    };
    use GenerationType::*;
    for (lines, kind, expected) in [
        (vec![user, answer], Normal, Ok(2)),
        (vec![user, answer], Continue, Ok(2)),
        (vec![user, answer], Swipe, Ok(1)),
        (vec![user, answer], Regenerate, Ok(1)),
        (vec![user], Regenerate, Ok(1)),
        (vec![user, answer, note], Regenerate, Ok(2)),
        (vec![user], Swipe, Err("agent.swipe_target_invalid")),
        (vec![user, answer, note], Swipe, Err("agent.swipe_target_invalid")),
        (vec![], Swipe, Err("agent.swipe_target_invalid")),
        (vec![], Regenerate, Ok(0)),
        (vec![], Normal, Ok(0)),
    ] {
        assert_eq!(count(&lines, kind), expected, "{lines:?} {kind:?}");
    }
}

#[test]
fn the_view_ends_at_the_boundary() {
    let chat = Arc::new(parse(&[USER, USER, USER].join("\n")));
    let view = HistoryView::new(chat.clone(), 2).unwrap();
    assert_eq!(
        (view.count(), view.get(1).map(|message| message.index), view.get(2)),
        (2, Some(1), None)
    );
    let indexes = |page: Vec<ChatMessage>| page.iter().map(|message| message.index).collect::<Vec<_>>();
    assert_eq!(indexes(view.page(0, 1000)), [0, 1]);
    assert_eq!(indexes(view.page(1, u32::MAX)), [1]);
    assert_eq!(indexes(view.page(2, 1)), [0_u32; 0]);
    assert_eq!(
        HistoryView::new(chat, 4).unwrap_err().code(),
        "agent.input_history_conflict"
    );
}

#[test]
fn a_page_is_cut_by_size_but_never_empty() {
    let long = "x".repeat(PAGE_TEXT_BYTES - 10);
    let line = format!(r#"{{"mes":"{long}"}}"#);
    let chat = Arc::new(parse(&[line.as_str(), &line, USER].join("\n")));
    let view = HistoryView::new(chat, 3).unwrap();
    assert_eq!(
        (view.page(0, 3).len(), view.page(1, 3).len(), view.page(2, 3).len()),
        (1, 2, 1)
    );
}

#[test]
fn the_persist_base_is_the_newest_kept_state() {
    let line = |agent: &str| format!(r#"{{"mes":"x","extra":{{"tauritavern":{{"agent":{agent}}}}}}}"#);
    let base = |agents: &[&str]| {
        let lines: Vec<_> = agents.iter().map(|agent| line(agent)).collect();
        let chat = Arc::new(parse(&lines.join("\n")));
        HistoryView::new(chat.clone(), chat.total())
            .unwrap()
            .persist_base()
            .map_err(|error| error.code())
    };
    let (kept, open) = (
        r#"{"persistStateStatus":"committed","persistStateId":" s1 "}"#,
        r#"{"persistStateStatus":"not_committed","persistStateId":"s2"}"#,
    );
    assert_eq!(base(&[kept, open]), Ok(Some("s1".into())));
    assert_eq!(base(&[open]), Ok(None));
    assert_eq!(base(&[kept, r#"{"persistStateId":"s3"}"#]), Ok(Some("s3".into())));
    assert_eq!(base(&[kept, "{}"]), Err("agent.persist_state_missing"));
    assert_eq!(
        base(&[r#"{"persistStateStatus":"done","persistStateId":"s"}"#]),
        Err("agent.persist_state_status_invalid")
    );
    assert_eq!(base(&[kept, "null"]), Ok(Some("s1".into())));
}

#[test]
fn an_identity_is_found_in_a_swipe_too() {
    let chat = parse(concat!(
        r#"{"mes":"x","extra":{"tauritavern":{"agent":{"stableChatId":"id1"}}}}"#,
        "\n",
        r#"{"mes":"x","extra":{},"swipe_info":[null,{"extra":{"tauritavern":{"agent":{"stableChatId":"id2"}}}}]}"#
    ));
    assert_eq!(newest_stable_chat_id(&chat).map(String::from).as_deref(), Some("id2"));
}

#[test]
fn fifty_thousand_lines_are_read_and_committed_to() {
    let text = vec![USER; 50_000].join("\n");
    let chat = parse(&text);
    assert_eq!(chat.total(), 50_000);
    let (after, index) = write(&chat, &commit(GenerationType::Normal, "end"));
    assert_eq!((index, after.text().starts_with(&text)), (50_000, true));
}

#[test]
fn opening_names_what_is_wrong() {
    let folder = Folder::with("");
    let code = |name: &str| {
        let path = ChatPath::resolve(&folder.root.path().join(name)).map_err(|error| error.code())?;
        read_chat_up_to(&path, 200)
            .map(|chat| chat.total())
            .map_err(|error| error.code())
    };
    std::fs::create_dir(folder.root.path().join("dir")).unwrap();
    std::fs::write(folder.root.path().join("big"), [USER, USER, USER].join("\n")).unwrap();
    assert_eq!(code("chat.jsonl"), Err("store.chat_empty"));
    assert_eq!(code("none"), Err("chat.not_found"));
    assert_eq!(code("dir"), Err("store.chat_not_a_file"));
    assert_eq!(code("big"), Err("store.chat_too_large"));
}

#[cfg(unix)]
#[test]
fn pipes_and_links_are_refused_and_linked_folders_resolved() {
    let folder = Folder::with(USER);
    let at = |name: &str| folder.root.path().join(name);
    rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RWXU).unwrap();
    std::os::unix::fs::symlink(&folder.chat, at("link")).unwrap();
    std::os::unix::fs::symlink(folder.root.path(), at("folder")).unwrap();
    let code = |name: &str| ChatPath::resolve(&at(name)).map(|_| ()).map_err(|error| error.code());
    assert_eq!(
        (code("pipe"), code("link")),
        (Err("store.chat_not_a_file"), Err("store.chat_is_link"))
    );
    assert_eq!(ChatPath::resolve(&at("folder/chat.jsonl")).unwrap(), folder.path());

    // A pipe or a link that takes the file's place later.
    let path = folder.path();
    std::fs::rename(at("pipe"), &folder.chat).unwrap();
    assert_eq!(read_chat(&path).unwrap_err().code(), "store.chat_not_a_file");
    std::fs::remove_file(&folder.chat).unwrap();
    std::fs::rename(at("link"), &folder.chat).unwrap();
    assert_eq!(read_chat(&path).unwrap_err().code(), "store.chat_is_link");
}

#[test]
fn dates_are_written_as_modern_sillytavern_does() {
    assert_eq!(iso_date(1_791_183_605_000).as_deref(), Some("2026-10-05T07:00:05.000Z"));
    assert_eq!(iso_date(7).as_deref(), Some("1970-01-01T00:00:00.007Z"));
    assert_eq!((iso_date(i64::MAX), iso_date(i64::MIN)), (None, None));
}
