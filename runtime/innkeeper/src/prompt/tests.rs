//! How captured and scanned world info come together, and which names a prompt goes by.

use std::path::Path;
use std::sync::Arc;

use innkeeper_store::chat::ChatFile;

use super::*;

#[test]
fn what_books_give_follows_what_a_front_end_captured() {
    let given = json!({"timestampMs": 1, "trigger": "swipe", "entries": [{"content": "a"}]});
    let scanned = json!({"timestampMs": 2, "trigger": "normal", "entries": [{"content": "b"}]});
    let both = json!({"timestampMs": 1, "trigger": "swipe", "entries": [{"content": "a"}, {"content": "b"}]});
    assert_eq!(merged(Some(given.clone()), Some(scanned.clone())), Some(both));
    assert_eq!(merged(Some(given.clone()), None), Some(given));
    assert_eq!(merged(None, Some(scanned.clone())), Some(scanned));
    assert_eq!(merged(None, None), None);
}

fn history(lines: usize) -> HistoryView {
    let line = |n: usize| json!({"name": "Ilo", "is_user": true, "mes": format!("{n:04}")});
    let text: Vec<String> = (0..lines).map(|n| line(n).to_string()).collect();
    let chat = ChatFile::parse(Path::new("c.jsonl"), text.join("\n").into_bytes()).unwrap();
    let total = chat.total();
    HistoryView::new(Arc::new(chat), total).unwrap()
}

#[test]
fn a_long_chat_is_read_from_its_end_as_far_as_it_can_be_shown() {
    let texts = |max_chars| {
        let lines = newest_lines(&history(450), max_chars);
        let ends = (lines.first().cloned(), lines.last().cloned());
        let text = |line: Option<ChatLine>| line.map(|line| line.text).unwrap_or_default();
        (lines.len(), text(ends.0), text(ends.1))
    };
    assert_eq!(texts(4), (200, "0250".to_owned(), "0449".to_owned()));
    assert_eq!(texts(800), (400, "0050".to_owned(), "0449".to_owned()));
    assert_eq!(texts(1_000_000), (450, "0000".to_owned(), "0449".to_owned()));
}

#[test]
fn a_line_is_looked_through_with_its_speaker() {
    let line = |name: &str| {
        spoken(ChatLine {
            role: ChatRole::User,
            name: name.to_owned(),
            text: "Hi.".to_owned(),
            hidden: false,
        })
    };
    assert_eq!([line(" Ilo "), line(" ")], ["Ilo: Hi.", "Hi."]);
}
