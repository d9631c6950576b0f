//! The frozen input of a run: how many messages it may see, which bytes the chat had when it started, and a view of just that.
//!
//! The view holds the chat as it was; whatever is written to the file later never shows in it. Nothing here writes.

use std::sync::Arc;

use async_trait::async_trait;
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::event::InputBoundary;
use innkeeper_protocol::port::{ChatHistory, ChatMessage, ChatRole, HistoryError};
use innkeeper_protocol::run::GenerationType;

use super::error::{ChatError, Refusal};
use super::file::{ChatFile, content_lines};

/// Most text of one page of history, in bytes.
pub const PAGE_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// What a run may see of a chat, fixed at its start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrozenInput {
    /// Messages `0..visible` exist for the run's tools.
    pub visible: u32,
    /// The whole file at the start; commits compare with it.
    pub boundary: InputBoundary,
}

/// Freezes the input of a run.
///
/// # Errors
/// [`ChatError::SwipeTargetInvalid`] when a swipe has no assistant message at the end.
pub fn freeze(chat: &ChatFile, generation: GenerationType) -> Result<FrozenInput, ChatError> {
    Ok(FrozenInput {
        visible: visible_count(chat, generation)?,
        boundary: chat.fingerprint(),
    })
}

fn visible_count(chat: &ChatFile, generation: GenerationType) -> Result<u32, ChatError> {
    let total = chat.total();
    match (generation, chat.last_role()) {
        (GenerationType::Swipe, Some(ChatRole::Assistant)) => Ok(total.saturating_sub(1)),
        (GenerationType::Swipe, found) => Err(ChatError::SwipeTargetInvalid {
            path: chat.path().to_owned(),
            found,
        }),
        (GenerationType::Regenerate, Some(ChatRole::Assistant | ChatRole::System)) => Ok(total.saturating_sub(1)),
        _ => Ok(total),
    }
}

/// The messages below a run's input boundary.
#[derive(Debug, Clone)]
pub struct HistoryView {
    chat: Arc<ChatFile>,
    visible: u32,
}

impl HistoryView {
    /// Shows the first `visible` messages of a chat.
    ///
    /// # Errors
    /// [`ChatError::HistoryConflict`] when the chat has fewer.
    pub fn new(chat: Arc<ChatFile>, visible: u32) -> Result<Self, ChatError> {
        if visible > chat.total() {
            return Err(ChatError::HistoryConflict {
                path: chat.path().to_owned(),
                total: chat.total(),
                visible,
            });
        }
        Ok(Self { chat, visible })
    }

    /// How many messages there are to see.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.visible
    }

    /// One message; nothing at or beyond the boundary.
    #[must_use]
    pub fn get(&self, index: u32) -> Option<ChatMessage> {
        if index < self.visible {
            self.chat.message(index)
        } else {
            None
        }
    }

    /// Messages from `start`, at most `count`, cut so that their text stays within [`PAGE_TEXT_BYTES`] (but at least one message).
    /// An empty page means the end.
    #[must_use]
    pub fn page(&self, start: u32, count: u32) -> Vec<ChatMessage> {
        let end = start.saturating_add(count).min(self.visible);
        let mut page = Vec::new();
        let mut bytes = 0;
        for message in (start..end).filter_map(|index| self.get(index)) {
            bytes += message.text.len() + message.name.len();
            if bytes > PAGE_TEXT_BYTES && !page.is_empty() {
                break;
            }
            page.push(message);
        }
        page
    }

    /// The persistent state that a run with this input builds on: that of the newest visible assistant message whose agent metadata
    /// says one was kept.
    ///
    /// # Errors
    /// [`ChatError::PersistStatusInvalid`] and [`ChatError::PersistStateMissing`] when the deciding message's metadata is unusable.
    pub fn persist_base(&self) -> Result<Option<String>, ChatError> {
        super::metadata::persist_base(&self.chat, self.visible)
    }
}

#[async_trait]
impl ChatHistory for HistoryView {
    async fn count(&self) -> Result<u32, HistoryError> {
        Ok(self.count())
    }

    async fn page(&self, start: u32, count: u32) -> Result<Vec<ChatMessage>, HistoryError> {
        Ok(self.page(start, count))
    }
}

/// Checks that a chat is one of the states that a run knows: the start, or what its own commits left behind. White space added at
/// the end is no change.
///
/// # Errors
/// A [`Refusal`] that says what is different from the newest known state.
pub fn check_known(chat: &ChatFile, known: &[InputBoundary]) -> Result<(), Refusal> {
    let mut verdict = Err(Refusal::PrefixChanged { expected: 0 });
    for (age, state) in known.iter().rev().enumerate() {
        match compare(chat, state) {
            Ok(()) => return Ok(()),
            Err(refusal) if age == 0 => verdict = Err(refusal),
            Err(_) => {}
        }
    }
    verdict
}

fn compare(chat: &ChatFile, state: &InputBoundary) -> Result<(), Refusal> {
    if chat.len() < state.bytes {
        return Err(Refusal::Shorter {
            expected: state.bytes,
            found: chat.len(),
        });
    }
    let length = usize::try_from(state.bytes).unwrap_or(usize::MAX);
    let (known, added) = chat.text().as_bytes().split_at_checked(length).unwrap_or_default();
    if Sha256::of(known) != state.sha256 {
        return Err(Refusal::PrefixChanged { expected: state.bytes });
    }
    // The known bytes were a valid text, so what follows them is one too.
    match content_lines(std::str::from_utf8(added).unwrap_or("?")) {
        0 => Ok(()),
        lines => Err(Refusal::ForeignLines { lines }),
    }
}
