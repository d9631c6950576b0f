//! `chat.read_messages`: messages by index, whole or in part.
//!
//! One bad item fails the whole call, so that a reply never leaves out what was asked for.

use innkeeper_text::{Caps, RangeError, Span, select};
use innkeeper_tool::range::{self, MAX_ITEMS, RangeArguments, RangePayload, Shown};
use innkeeper_tool::{Failure, INVALID_ARGUMENTS, Reply, Whole, failure};
use serde::{Deserialize, Serialize};

use crate::history::{History, Message, Role, visible};

const INVALID_RANGE: &str = "chat.invalid_message_range";

/// Arguments of `chat.read_messages`.
#[derive(Clone, Debug, Deserialize)]
pub struct ReadMessagesArguments {
    /// What to read, 1 to 20 items.
    pub messages: Vec<Item>,
}

/// One message to read.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Item {
    /// Position in the chat, from 0.
    pub index: Whole,
    /// First line, from 1.
    pub start_line: Option<Whole>,
    /// Lines wanted.
    pub line_count: Option<Whole>,
    /// First character, from 0.
    pub start_char: Option<Whole>,
    /// Characters wanted.
    pub max_chars: Option<Whole>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Structured {
    total_messages: u32,
    messages: Vec<Part>,
}

/// One message as far as it is shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    index: u32,
    role: Role,
    name: Option<String>,
    send_date: Option<String>,
    #[serde(flatten)]
    range: RangePayload,
    text: String,
    r#ref: String,
}

/// Reads messages in the order of the request; a repeated index is shown again.
///
/// # Errors
/// `tool.invalid_arguments` for no or too many items, `chat.not_found` without a chat, `chat.message_not_found` for
/// an index beyond the visible messages, `chat.invalid_message_range` for a range that is mixed or beyond the text.
pub fn read_messages(arguments: &ReadMessagesArguments, history: &impl History) -> Result<Reply, Failure> {
    let caps = caps(arguments.messages.len())?;
    let total = visible(history)?;
    for item in &arguments.messages {
        existing(*item, total)?;
    }
    let mut text = header(arguments.messages.len(), total);
    let mut messages = Vec::with_capacity(arguments.messages.len());
    for item in &arguments.messages {
        let index = existing(*item, total)?;
        let span = span(*item)?;
        let message = history.get(index).ok_or_else(|| missing(item.index, total))?;
        let (words, part) = show(&message, span, caps)?;
        text.push_str("\n\n");
        text.push_str(&words);
        messages.push(part);
    }
    let refs: Vec<String> = messages.iter().map(|part| part.r#ref.clone()).collect();
    Reply::text(text).refs(refs).structured(&Structured {
        total_messages: total,
        messages,
    })
}

/// What each of so many messages may show.
fn caps(items: usize) -> Result<Caps, Failure> {
    range::share(items).ok_or_else(|| {
        failure(
            INVALID_ARGUMENTS,
            format!(
                "Argument /messages has {items} items, but must have 1 to {MAX_ITEMS}. Call again with \
                 {{\"messages\": [{{\"index\": 0}}]}} or more items, in several calls where needed."
            ),
        )
    })
}

/// The item's index, if there is such a message.
fn existing(item: Item, total: u32) -> Result<u32, Failure> {
    u32::try_from(item.index.0)
        .ok()
        .filter(|index| *index < total)
        .ok_or_else(|| missing(item.index, total))
}

fn missing(index: Whole, total: u32) -> Failure {
    let advice = match total.checked_sub(1) {
        Some(0) => "Call again with index 0.".to_owned(),
        Some(last) => format!("Call again with indexes from 0 to {last}."),
        None => "There is nothing to read yet.".to_owned(),
    };
    failure(
        "chat.message_not_found",
        format!(
            "There is no message {}: {} visible. Nothing was read. {advice}",
            index.0,
            match total {
                0 => "the chat is empty, no message is".to_owned(),
                1 => "1 message is".to_owned(),
                _ => format!("{total} messages are"),
            }
        ),
    )
}

fn span(item: Item) -> Result<Span, Failure> {
    let asked = RangeArguments {
        start_line: item.start_line,
        line_count: item.line_count,
        start_char: item.start_char,
        max_chars: item.max_chars,
    };
    asked
        .span()
        .map_err(|_| failure(INVALID_RANGE, range::mixed(&format!("Message {}", item.index.0))))
}

/// The words of one message and its structured form.
fn show(message: &Message, span: Span, caps: Caps) -> Result<(String, Part), Failure> {
    let selection = select(&message.text, span, caps).map_err(|error| out_of_range(message.index, span, error))?;
    let shown = Shown {
        selection,
        by_chars: matches!(span, Span::Chars { .. }),
    };
    let part = Part {
        index: message.index,
        role: message.role,
        name: Some(message.name.clone()).filter(|name| !name.is_empty()),
        send_date: message.send_date.clone(),
        range: shown.payload(),
        text: selection.text.to_owned(),
        r#ref: format!("chat:current#{}:{}", message.index, shown.ref_part()),
    };
    let mut words = heading(&part, &shown);
    let continuation = shown.continuation(|range| {
        format!(
            "chat_read_messages with {{\"messages\": [{{\"index\": {}, {range}}}]}}",
            message.index
        )
    });
    let body = Some(shown.body()).filter(|body| !body.is_empty());
    for more in [body, continuation].into_iter().flatten() {
        words.push('\n');
        words.push_str(&more);
    }
    Ok((words, part))
}

fn header(items: usize, total: u32) -> String {
    let noun = if items == 1 { "message" } else { "messages" };
    let verb = if total == 1 { "is" } else { "are" };
    format!("{items} {noun} read; {total} {verb} visible, with indexes from 0.")
}

fn heading(part: &Part, shown: &Shown<'_>) -> String {
    let mut heading = format!("message {} {}", part.index, part.role);
    if let Some(name) = &part.name {
        heading.push_str(&format!(" name {name:?}"));
    }
    let (summary, preview) = (shown.summary(), shown.preview());
    heading.push_str(&format!(" {summary} ref {}{preview}", part.r#ref));
    if let Some(date) = &part.send_date {
        heading.push_str(&format!(" sent {date:?}"));
    }
    heading
}

fn out_of_range(index: u32, span: Span, error: RangeError) -> Failure {
    let what = format!("Message {index}");
    failure(INVALID_RANGE, range::out_of_range(&what, span, error))
}

#[cfg(test)]
mod tests;
