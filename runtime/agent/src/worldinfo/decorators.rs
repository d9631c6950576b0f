//! Decorators: lines `@@name value` at the beginning of an entry's text (character card specification, version 3).
//!
//! Those that speak of what a scan can know are applied. Others are taken out of the text like them, and change nothing.

use innkeeper_protocol::model::Role;
use innkeeper_protocol::worldinfo::EntryPosition;

use super::entry::{Entry, Logic};
use crate::fields::split_at_commas;

/// Applies what the text of the entry begins with, and takes it out.
pub(super) fn apply(entry: &mut Entry) {
    if !entry.content.trim_start().starts_with("@@") {
        return;
    }
    let text = std::mem::take(&mut entry.content);
    let mut rest = text.trim_start();
    let mut is_settled = false;
    while let Some(line) = rest.strip_prefix("@@") {
        let (line, after) = line.split_once('\n').unwrap_or((line, ""));
        let line = line.trim();
        // A third sign marks what to do where the line before was not understood.
        is_settled = match line.strip_prefix('@') {
            Some(_) if is_settled => true,
            Some(instead) => apply_one(entry, instead),
            None => apply_one(entry, line),
        };
        rest = after;
    }
    rest.clone_into(&mut entry.content);
}

/// Whether the decorator is known.
fn apply_one(entry: &mut Entry, line: &str) -> bool {
    let (name, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let value = value.trim();
    match name {
        "activate" => entry.constant = true,
        "dont_activate" => entry.enabled = false,
        "depth" => {
            let Ok(depth) = value.parse() else { return false };
            entry.depth = depth;
            entry.position = EntryPosition::Depth;
        }
        "role" => {
            entry.role = match value {
                "system" => Role::System,
                "user" => Role::User,
                "assistant" => Role::Assistant,
                _ => return false,
            };
        }
        "position" => {
            entry.position = match value {
                "before_desc" => EntryPosition::Before,
                "after_desc" => EntryPosition::After,
                _ => return false,
            };
        }
        "scan_depth" => {
            let Ok(depth) = value.parse() else { return false };
            entry.scan_depth = Some(depth);
        }
        // An entry has one list of secondary keys; it is not overwritten.
        "additional_keys" if entry.secondary.is_empty() => secondary(entry, value, Logic::AndAny),
        "exclude_keys" if entry.secondary.is_empty() => secondary(entry, value, Logic::NotAny),
        _ => return false,
    }
    true
}

fn secondary(entry: &mut Entry, value: &str, logic: Logic) {
    entry.secondary = split_at_commas(value);
    entry.logic = logic;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(content: &str) -> Entry {
        let value = json!({"keys": ["lamp"], "content": content});
        Entry::parse(value.as_object().unwrap(), "0").unwrap()
    }

    #[test]
    fn known_ones_are_applied_and_all_are_taken_out() {
        let plain = entry("The lamp.\n@@depth 9");
        let decorated = entry(
            "@@depth 2\n@@role user\n@@scan_depth 7\r\n@@exclude_keys day, noon\n@@is_greeting 1\nThe lamp.\n@@depth 9",
        );
        let expected = Entry {
            depth: 2,
            position: EntryPosition::Depth,
            role: Role::User,
            scan_depth: Some(7),
            secondary: vec!["day".to_owned(), "noon".to_owned()],
            logic: Logic::NotAny,
            ..plain
        };
        assert_eq!(decorated, expected);
    }

    #[test]
    fn a_fall_back_counts_where_the_line_before_is_not_understood() {
        let fallen = entry("@@instruct_depth 3\n@@@unknown\n@@@position after_desc\n@@@position before_desc\nx");
        assert_eq!((fallen.position, fallen.content.as_str()), (EntryPosition::After, "x"));
        let settled = entry("@@activate\n@@@dont_activate\nx");
        assert_eq!((settled.constant, settled.enabled), (true, true));
    }

    #[test]
    fn a_text_of_decorators_alone_is_empty() {
        let entry = entry("@@dont_activate");
        assert_eq!((entry.enabled, entry.content.as_str()), (false, ""));
    }
}
