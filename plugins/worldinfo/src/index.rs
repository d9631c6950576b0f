//! The list of activated entries: one line each, with what is needed to choose, and no text of any.

use innkeeper_tool::one_line;
use innkeeper_tool::range::MAX_ITEMS;
use serde::Serialize;

use crate::activated::{Entry, Position};

/// One entry in the list, for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Line<'a> {
    world: &'a str,
    uid: &'a str,
    display_name: &'a str,
    constant: bool,
    position: Option<Position>,
    total_chars: u32,
    total_words: u32,
    total_lines: u32,
    r#ref: &'a str,
}

impl<'a> Line<'a> {
    fn new(entry: &'a Entry) -> Self {
        Self {
            world: &entry.world,
            uid: &entry.uid,
            display_name: entry.label(),
            constant: entry.constant,
            position: entry.position,
            total_chars: entry.chars,
            total_words: entry.words,
            total_lines: entry.lines,
            r#ref: &entry.r#ref,
        }
    }
}

/// The entries for programs.
pub(crate) fn lines(entries: &[Entry]) -> Vec<Line<'_>> {
    entries.iter().map(Line::new).collect()
}

/// The entries as a model reads them.
pub(crate) fn text(entries: &[Entry]) -> String {
    let mut text = match entries.len() {
        0 => return "No world info entry is activated for this run, so there is nothing to read.".to_owned(),
        1 => "1 world info entry is activated for this run, listed here without its text.".to_owned(),
        count => format!("{count} world info entries are activated for this run, listed here without their texts."),
    };
    text.push_str(&format!(
        " Read texts with worldinfo_read_activated {{\"entries\": [{{\"ref\": \"...\"}}]}}, up to {MAX_ITEMS} refs at once.\n"
    ));
    for (entry, number) in entries.iter().zip(1_u64..) {
        text.push_str(&format!("\n{number}. {}", line(entry)));
    }
    text
}

fn line(entry: &Entry) -> String {
    let mut parts = vec![
        entry.shown_ref(),
        one_line(entry.label()),
        format!("world={}", one_line(&entry.world)),
        format!("lines={}", entry.lines),
        format!("chars={}", entry.chars),
        format!("words={}", entry.words),
    ];
    parts.extend(entry.position.map(|position| format!("position={position}")));
    if entry.constant {
        parts.push("constant".to_owned());
    }
    parts.join(" | ")
}
