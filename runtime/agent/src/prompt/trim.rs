//! Older and over-long tool results, replaced in a request by one line that says where the whole result lies.
//!
//! Only what is sent changes: neither the conversation nor a stored result is touched, and nothing but tool results is ever shortened.

use std::collections::HashMap;

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::id::CallId;
use innkeeper_protocol::model::{Message, Part, ToolResultPart};
use innkeeper_protocol::path::WorkspacePath;

use super::template::fill_in;

const LEFT_OUT: &str = include_str!("left_out_result.md");
const LEFT_OUT_ERROR: &str = include_str!("left_out_error.md");
/// Hex digits of a call id's digest in the name of its file.
const STEM_HEX: usize = 16;

/// The message that answers a call, with a pointer to the stored result. The pointer is not sent; [`trim_tool_results`] reads it.
#[must_use]
pub fn tool_result_message(result: ToolResultPart, stored_at: &WorkspacePath) -> Message {
    let mut message = Message::of_tool_result(result);
    message.parts.push(Part::ResourceRef {
        uri: stored_at.to_string(),
    });
    message
}

/// The messages as they are sent: all but the newest `keep_full` tool results, and every result of more than `max_chars` Unicode
/// scalars, are one line with the path of the stored result.
///
/// The path is the one that [`tool_result_message`] put in. A message without one gets the name that a result of this call id is
/// stored under: by its digest, numbered where the provider has used an id again.
#[must_use]
pub fn trim_tool_results(messages: &[Message], keep_full: u32, max_chars: Option<u32>) -> Vec<Message> {
    let count = messages
        .iter()
        .flat_map(|message| &message.parts)
        .filter(|part| is_result(part))
        .count();
    let mut older = count.saturating_sub(usize::try_from(keep_full).unwrap_or(usize::MAX));
    let is_too_long = |content: &str| {
        let max = max_chars.and_then(|max| usize::try_from(max).ok());
        max.is_some_and(|max| content.chars().nth(max).is_some())
    };
    let mut seen: HashMap<CallId, u32> = HashMap::new();
    let mut sent = messages.to_vec();
    for message in &mut sent {
        let pointer = message.parts.iter().find_map(|part| match part {
            Part::ResourceRef { uri } => Some(uri.clone()),
            _ => None,
        });
        for part in &mut message.parts {
            let Part::ToolResult { result } = part else { continue };
            let occurrence = seen.entry(result.call_id.clone()).or_insert(0);
            *occurrence = occurrence.saturating_add(1);
            if older > 0 || is_too_long(&result.content) {
                let path = pointer
                    .clone()
                    .unwrap_or_else(|| usual_path(&result.call_id, *occurrence));
                result.content = one_line(result, &path);
            }
            older = older.saturating_sub(1);
        }
    }
    sent
}

const fn is_result(part: &Part) -> bool {
    matches!(part, Part::ToolResult { .. })
}

fn one_line(result: &ToolResultPart, path: &str) -> String {
    let template = if result.is_error { LEFT_OUT_ERROR } else { LEFT_OUT };
    fill_in(
        template,
        &[("chars", &result.content.chars().count().to_string()), ("path", path)],
    )
}

/// Where the result of a call is stored when nothing says otherwise.
fn usual_path(call: &CallId, occurrence: u32) -> String {
    let digest = Sha256::of(call.as_str().as_bytes());
    let stem = digest.as_str().get(..STEM_HEX).unwrap_or_default();
    let number = if occurrence > 1 {
        format!("-{occurrence}")
    } else {
        String::new()
    };
    format!("tool-results/call_{stem}{number}.json")
}
