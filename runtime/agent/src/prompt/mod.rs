//! What a model is told: the system prompt, the first messages, the reminder after a turn without a call, and how much of older tool
//! results goes into a request.
//!
//! Pure functions from data to messages. The words themselves are the Markdown files beside this one; nothing here is tied to a
//! provider, and nothing is stored.

mod character;
mod conversation;
mod history;
mod macros;
mod oversize;
mod reminder;
mod system;
mod template;

use innkeeper_protocol::model::{Message, Part};

pub use character::{Scene, WorldText};
pub use conversation::{Conversation, tool_result_message};
pub use history::{ChatLine, FirstRequest, Insertion, MIN_NEWEST_CHARS, initial_messages};
pub use macros::Names;
pub use oversize::{ReadingTools, preview, readable_view};
pub use reminder::reminder;
pub use system::system_prompt;

/// The visible thoughts of a message, joined by blank lines; none where the model shows none.
#[must_use]
pub fn reasoning_text(message: &Message) -> Option<String> {
    let thoughts = message.parts.iter().filter_map(|part| match part {
        Part::Reasoning { text: Some(text), .. } if !text.is_empty() => Some(text.as_str()),
        _ => None,
    });
    let thoughts: Vec<&str> = thoughts.collect();
    if thoughts.is_empty() {
        None
    } else {
        Some(thoughts.join("\n\n"))
    }
}

#[cfg(test)]
mod tests;
