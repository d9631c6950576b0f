//! The conversation of a run as it is sent: older and over-long tool results are one line that says where the whole result lies.
//!
//! Only what is sent changes: no stored result is touched, and nothing but tool results is ever shortened. A message is shortened once,
//! when its time has come; a request shares the messages and copies none, so a turn costs the same however long the conversation is.

use std::collections::VecDeque;
use std::sync::Arc;

use innkeeper_protocol::model::{Message, Part, ToolResultPart};
use innkeeper_protocol::path::WorkspacePath;

use super::template::fill_in;

const LEFT_OUT: &str = include_str!("left_out_result.md");
const LEFT_OUT_ERROR: &str = include_str!("left_out_error.md");

/// The message that answers a call, with a pointer to the stored result. The pointer is not sent; [`Conversation`] reads it.
#[must_use]
pub fn tool_result_message(result: ToolResultPart, stored_at: &WorkspacePath) -> Message {
    let mut message = Message::of_tool_result(result);
    message.parts.push(Part::ResourceRef {
        uri: stored_at.to_string(),
    });
    message
}

/// All that a model has been told and has said, oldest message first.
#[derive(Debug, Clone)]
pub struct Conversation {
    messages: Vec<Arc<Message>>,
    /// Where the newest results stand, oldest first; at most `keep_full`.
    recent: VecDeque<usize>,
    keep_full: usize,
    max_chars: Option<usize>,
}

impl Conversation {
    /// A conversation that begins with these messages, and in which the newest `keep_full` tool results are sent whole where they
    /// have at most `max_chars` Unicode scalars.
    #[must_use]
    pub fn new(opening: Vec<Message>, keep_full: u32, max_chars: Option<u32>) -> Self {
        Self {
            messages: opening.into_iter().map(Arc::new).collect(),
            recent: VecDeque::new(),
            keep_full: usize::try_from(keep_full).unwrap_or(usize::MAX),
            max_chars: max_chars.and_then(|max| usize::try_from(max).ok()),
        }
    }

    /// Adds a message. A tool result must be as [`tool_result_message`] makes it, or it is never shortened.
    pub fn push(&mut self, message: Message) {
        let place = self.messages.len();
        let is_too_long = stored_result(&message).map(|(result, _)| self.is_too_long(result));
        self.messages.push(Arc::new(message));
        let Some(is_too_long) = is_too_long else { return };
        if is_too_long {
            self.shorten(place);
        }
        self.recent.push_back(place);
        if self.recent.len() > self.keep_full
            && let Some(oldest) = self.recent.pop_front()
        {
            self.shorten(oldest);
        }
    }

    /// Messages so far.
    #[must_use]
    pub fn message_count(&self) -> usize {
        self.messages.len()
    }

    /// What is sent, shared with the conversation.
    #[must_use]
    pub fn to_send(&self) -> Vec<Arc<Message>> {
        self.messages.clone()
    }

    fn is_too_long(&self, result: &ToolResultPart) -> bool {
        self.max_chars
            .is_some_and(|max| result.content.chars().nth(max).is_some())
    }

    /// Replaces a result by its line, if it is still whole: a line has no pointer any more.
    fn shorten(&mut self, place: usize) {
        if let Some(message) = self.messages.get_mut(place)
            && let Some((result, stored_at)) = stored_result(message)
        {
            *message = Arc::new(left_out(result, stored_at));
        }
    }
}

/// The result that a message holds, and where it is stored.
fn stored_result(message: &Message) -> Option<(&ToolResultPart, &str)> {
    let result = message.parts.iter().find_map(|part| match part {
        Part::ToolResult { result } => Some(result),
        _ => None,
    })?;
    let stored_at = message.parts.iter().find_map(|part| match part {
        Part::ResourceRef { uri } => Some(uri.as_str()),
        _ => None,
    })?;
    Some((result, stored_at))
}

fn left_out(result: &ToolResultPart, stored_at: &str) -> Message {
    let template = if result.is_error { LEFT_OUT_ERROR } else { LEFT_OUT };
    let chars = result.content.chars().count().to_string();
    Message::of_tool_result(ToolResultPart {
        call_id: result.call_id.clone(),
        alias: result.alias.clone(),
        content: fill_in(template, &[("chars", &chars), ("path", stored_at)]),
        is_error: result.is_error,
        error_code: result.error_code.clone(),
    })
}

#[cfg(test)]
mod tests;
