//! The first messages of a prompt that we put together ourselves: system prompt, the newest of the chat, the instruction.
//!
//! Character cards and world info are texts by the time they come here. A prompt that an application assembled is not touched by this.

use std::collections::HashSet;

use innkeeper_protocol::model::{Message, Role};
use innkeeper_protocol::port::ChatRole;

use super::template::fill_in;
use crate::profile::PromptBudget;

const CUT: &str = include_str!("cut_message.md");
/// What is kept of the newest message at least, in Unicode scalars, even where nothing is left of the budget: an agent that cannot see
/// what it answers to writes about nothing.
pub const MIN_NEWEST_CHARS: usize = 1_000;

/// A message of the chat, as far as a prompt shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatLine {
    /// Who speaks.
    pub role: ChatRole,
    /// The speaker's name; may be empty.
    pub name: String,
    /// The text.
    pub text: String,
    /// Whether the application hides it from models.
    pub hidden: bool,
}

/// A text between the messages of a chat, or behind them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insertion {
    /// Messages of the chat after it; where there are fewer, it stands before all of them.
    pub depth: usize,
    /// Who says it.
    pub role: Role,
    /// The text.
    pub text: String,
}

/// The parts of a first request.
#[derive(Debug, Clone, Copy)]
pub struct FirstRequest<'a> {
    /// Rules, card, world info.
    pub system: &'a str,
    /// The chat, oldest line first.
    pub history: &'a [ChatLine],
    /// What goes between the lines. Of two at one depth the first stays the first.
    pub insertions: &'a [Insertion],
    /// What the person wants.
    pub instruction: Option<&'a str>,
    /// How much may be sent.
    pub budget: PromptBudget,
}

/// The first messages: the system prompt, then as many of the newest lines of the chat as fit, oldest first, then the instruction in
/// the user's role.
///
/// - The budget is that of the whole prompt. System prompt, insertions and instruction always go in whole, and what they take is taken
///   from the chat.
/// - Hidden and blank lines are skipped and do not count. There is no gap: the first line that does not fit ends the selection.
/// - The newest line is never dropped. If it does not fit, its beginning is cut off, which the text says; at least
///   [`MIN_NEWEST_CHARS`] of its end stay.
/// - Where one role is spoken by several names, as in a group chat, each of its lines starts with the speaker's name.
#[must_use]
pub fn initial_messages(request: FirstRequest<'_>) -> Vec<Message> {
    let instruction = request.instruction.filter(|text| !text.trim().is_empty());
    let left = to_usize(request.budget.max_chars).saturating_sub(request.fixed_chars());
    let max_lines = request.budget.max_messages.map_or(usize::MAX, to_usize);

    let mut messages = Vec::new();
    if !request.system.trim().is_empty() {
        messages.push(Message::of_text(Role::System, request.system));
    }
    messages.extend(interleave(newest(request.history, left, max_lines), request.insertions));
    messages.extend(instruction.map(|text| Message::of_text(Role::User, text)));
    messages
}

impl FirstRequest<'_> {
    /// Characters of everything but the chat.
    #[must_use]
    pub fn fixed_chars(&self) -> usize {
        let inserted = self.insertions.iter().map(|insertion| insertion.text.as_str());
        let texts = [self.system].into_iter().chain(self.instruction).chain(inserted);
        texts.map(|text| text.chars().count()).fold(0, usize::saturating_add)
    }
}

/// The messages with the insertions among them.
fn interleave(messages: Vec<Message>, insertions: &[Insertion]) -> Vec<Message> {
    let count = messages.len();
    let mut mixed = Vec::with_capacity(count.saturating_add(insertions.len()));
    let place = |insertion: &Insertion| count.saturating_sub(insertion.depth);
    let at = |here: usize| insertions.iter().filter(move |insertion| place(insertion) == here);
    let spoken = |insertion: &Insertion| Message::of_text(insertion.role, insertion.text.as_str());
    for (index, message) in messages.into_iter().enumerate() {
        mixed.extend(at(index).map(spoken));
        mixed.push(message);
    }
    mixed.extend(at(count).map(spoken));
    mixed
}

/// The newest lines that fit into `left` characters, oldest first.
fn newest(history: &[ChatLine], mut left: usize, max_lines: usize) -> Vec<Message> {
    let shown = || {
        history
            .iter()
            .filter(|line| !line.hidden && !line.text.trim().is_empty())
    };
    let named = roles_with_several_names(shown());
    let mut messages: Vec<Message> = Vec::new();
    for line in shown().rev().take(max_lines) {
        let speaker = if named.contains(&role_of(line)) {
            line.name.trim()
        } else {
            ""
        };
        let text = if speaker.is_empty() {
            line.text.clone()
        } else {
            format!("{speaker}: {}", line.text)
        };
        let chars = text.chars().count();
        if chars <= left {
            left -= chars;
            messages.push(Message::of_text(role_of(line), text));
            continue;
        }
        if messages.is_empty() {
            messages.push(Message::of_text(
                role_of(line),
                end_of(&text, chars, left.max(MIN_NEWEST_CHARS)),
            ));
        }
        break;
    }
    messages.reverse();
    messages
}

/// The last `keep` characters, with a word about what is missing.
fn end_of(text: &str, chars: usize, keep: usize) -> String {
    let cut = chars.saturating_sub(keep);
    if cut == 0 {
        return text.to_owned();
    }
    let end: String = text.chars().skip(cut).collect();
    format!("{}\n\n{end}", fill_in(CUT, &[("chars", &cut.to_string())]))
}

fn role_of(line: &ChatLine) -> Role {
    match line.role {
        ChatRole::User => Role::User,
        ChatRole::Assistant => Role::Assistant,
        ChatRole::System => Role::System,
    }
}

fn roles_with_several_names<'a>(lines: impl Iterator<Item = &'a ChatLine>) -> Vec<Role> {
    let names: HashSet<(ChatName, &str)> = lines
        .filter(|line| !line.name.trim().is_empty())
        .map(|line| (ChatName::of(line.role), line.name.trim()))
        .collect();
    let count = |kind| names.iter().filter(|(name, _)| *name == kind).count();
    let several = [(ChatName::User, Role::User), (ChatName::Assistant, Role::Assistant)];
    several
        .into_iter()
        .filter(|(kind, _)| count(*kind) > 1)
        .map(|(_, role)| role)
        .collect()
}

/// Roles whose speakers have names; a system line is nobody's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ChatName {
    User,
    Assistant,
    Nobody,
}

impl ChatName {
    const fn of(role: ChatRole) -> Self {
        match role {
            ChatRole::User => Self::User,
            ChatRole::Assistant => Self::Assistant,
            ChatRole::System => Self::Nobody,
        }
    }
}

fn to_usize(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
