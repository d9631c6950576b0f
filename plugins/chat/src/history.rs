//! The chat as the tools see it: a few questions to the host, and the words for a chat that is not there.
//!
//! Index 0 is the oldest message; there is no way to ask for anything beyond the run's input boundary.

use std::fmt;

use innkeeper_tool::{Failure, failure};
use serde::{Deserialize, Serialize};

/// The messages that a run may see.
pub trait History {
    /// How many messages there are; nothing when the run has no chat, or its file is gone.
    fn count(&self) -> Option<u32>;

    /// One message.
    fn get(&self, index: u32) -> Option<Message>;

    /// Messages from `start`, at most `count`. A page may be shorter than asked for, but is empty only at
    /// the end.
    fn page(&self, start: u32, count: u32) -> Vec<Message>;
}

/// One message of a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Position in the chat, from 0.
    pub index: u32,
    /// Who speaks.
    pub role: Role,
    /// The speaker's name as stored; may be empty.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// As stored, never interpreted.
    pub send_date: Option<String>,
}

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The character.
    Assistant,
    /// Neither.
    System,
}

impl fmt::Display for Role {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
        })
    }
}

/// How many messages the run may see.
///
/// # Errors
/// `chat.not_found` when there is no chat.
pub(crate) fn visible(history: &impl History) -> Result<u32, Failure> {
    history.count().ok_or_else(not_found)
}

/// The failure of a run without a readable chat.
pub(crate) fn not_found() -> Failure {
    failure(
        "chat.not_found",
        "This run has no chat, or its file is gone, so there are no messages to search or read. Go on with \
         what is in the conversation and the workspace.",
    )
}
