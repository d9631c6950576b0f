//! Plans a commit: from the chat as it is and a commit to the chat's new bytes. A pure function, so that every case can be tested
//! on values.
//!
//! Only the target line and the header's `integrity` value differ afterwards, and in the target line only the keys that a
//! generation owns: `mes`, its alternative, the generation dates and parts of `extra`. It does not read or write files and does not
//! check whether someone else changed the chat; see [`check_known`](super::check_known).

use std::ops::Range;

use innkeeper_protocol::call::CommitMode;
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::port::ChatRole;
use innkeeper_protocol::run::GenerationType;

use super::error::{ChatError, Refusal};
use super::file::ChatFile;
use super::json::encode_string;
use super::message::{Change, edit_message, new_message};
use super::metadata::{Holder, find_commit, find_run, keep_state};
use super::request::{ChatCommit, StateNote};
use super::role::{role_of, truthy};
use super::splice::RawObject;
use super::swipes;

/// What is to be done for a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitPlan {
    /// Replace the file by these bytes.
    Write {
        /// The whole new file.
        bytes: Vec<u8>,
        /// The message that the run wrote, 0-based.
        message_index: u32,
    },
    /// The chat holds it already; there is nothing to write.
    AlreadyApplied {
        /// The message that holds it, 0-based.
        message_index: u32,
    },
}

/// Where a commit goes.
enum Target {
    NewLine,
    Message { index: u32, change: Change },
}

/// One change of the message lines.
enum LineEdit {
    Append(String),
    Replace(Range<usize>, String),
}

/// Plans a commit.
///
/// A run's first commit goes where its generation type says: *normal* a new line; *regenerate* the last assistant message, whose
/// other swipes stay; *swipe* a further alternative of the last message; *continue* behind the last assistant message's text. With a
/// user message after that assistant message, regenerate and continue write a new line. Later commits of the run replace or extend
/// the run's own text in the same message.
///
/// # Errors
/// [`ChatError::Refused`] with the reason; the chat is then to be left alone.
pub fn plan(chat: &ChatFile, commit: &ChatCommit) -> Result<CommitPlan, ChatError> {
    check_content(commit).map_err(|reason| refused(chat, reason))?;
    if let Some(message_index) = find_commit(chat, &commit.asked.commit_id) {
        return Ok(CommitPlan::AlreadyApplied { message_index });
    }
    let (message_index, edit) = match target(chat, commit).map_err(|reason| refused(chat, reason))? {
        Target::NewLine => (chat.total(), LineEdit::Append(new_message(chat, commit))),
        Target::Message { index, change } => (index, message_edit(chat, commit, index, change)?),
    };
    Ok(CommitPlan::Write {
        bytes: assemble(chat, edit, &commit.integrity),
        message_index,
    })
}

/// Plans the note about a run's kept persistent state in the run's message. It finds the message by its run, wherever it is now.
///
/// # Errors
/// [`ChatError::Refused`] when no message of the run is there.
pub fn plan_state_update(chat: &ChatFile, update: &StateNote) -> Result<CommitPlan, ChatError> {
    let gone = || refused(chat, Refusal::MessageGone);
    let message_index = find_run(chat, &update.asked.run_id).ok_or_else(gone)?.index;
    let line = chat.message_line(message_index).ok_or_else(gone)?;
    let mut message = RawObject::of(Some(chat.line_text(&line)));
    keep_state(&mut message, update);
    if message.has("swipe_info") {
        swipes::change_infos(&mut message, |_, info| keep_state(info, update));
    }
    let rendered = message.render();
    if rendered == chat.line_text(&line) {
        return Ok(CommitPlan::AlreadyApplied { message_index });
    }
    Ok(CommitPlan::Write {
        bytes: assemble(chat, LineEdit::Replace(line, rendered), &update.integrity),
        message_index,
    })
}

fn refused(chat: &ChatFile, reason: Refusal) -> ChatError {
    ChatError::Refused {
        path: chat.path().to_owned(),
        reason,
    }
}

fn check_content(commit: &ChatCommit) -> Result<(), Refusal> {
    let (expected, found) = (&commit.asked.planned.sha256, Sha256::of(commit.asked.text.as_bytes()));
    if found == *expected {
        return Ok(());
    }
    Err(Refusal::ContentChanged {
        expected: expected.clone(),
        found,
    })
}

fn target(chat: &ChatFile, commit: &ChatCommit) -> Result<Target, Refusal> {
    if let Some(own) = find_run(chat, &commit.asked.run_id) {
        let change = match (own.holder, commit.asked.planned.mode) {
            (Holder::OtherSwipe, _) => return Err(Refusal::OtherSwipeActive { index: own.index }),
            (Holder::Shown, CommitMode::Replace) => Change::ReplaceOwn,
            (Holder::Shown, CommitMode::Append) => Change::ExtendOwn,
        };
        return Ok(Target::Message {
            index: own.index,
            change,
        });
    }
    match commit.asked.generation_type {
        GenerationType::Normal => Ok(Target::NewLine),
        GenerationType::Regenerate => Ok(answer_or_new(chat, Change::Overwrite)),
        GenerationType::Continue => Ok(answer_or_new(chat, Change::Continue)),
        GenerationType::Swipe => match (chat.total().checked_sub(1), chat.last_role()) {
            (Some(index), Some(ChatRole::Assistant)) => Ok(Target::Message {
                index,
                change: Change::AddSwipe,
            }),
            (_, found) => Err(Refusal::NotAnAssistant { found }),
        },
    }
}

/// The last assistant message, unless the user has spoken since: then there is no answer yet to regenerate or continue.
fn answer_or_new(chat: &ChatFile, change: Change) -> Target {
    let speaker = chat
        .newest_first()
        .filter_map(|index| Some((index, chat.role(index)?)))
        .find(|(_, role)| *role != ChatRole::System);
    match speaker {
        Some((index, ChatRole::Assistant)) => Target::Message { index, change },
        _ => Target::NewLine,
    }
}

fn message_edit(chat: &ChatFile, commit: &ChatCommit, index: u32, change: Change) -> Result<LineEdit, ChatError> {
    let line = chat
        .message_line(index)
        .ok_or_else(|| refused(chat, Refusal::MessageGone))?;
    let message = RawObject::of(Some(chat.line_text(&line)));
    let edited = edit_message(message, change, commit).ok_or_else(|| refused(chat, Refusal::BaseTextGone { index }))?;
    Ok(LineEdit::Replace(line, edited))
}

/// Puts the new file together: the header with a new integrity value, then every line as it was except the one that is edited.
fn assemble(chat: &ChatFile, edit: LineEdit, integrity: &str) -> Vec<u8> {
    let text = chat.text();
    let mut bytes = Vec::with_capacity(text.len() + 4096);
    let mut done = 0;
    let mut replace = |line: Range<usize>, new: &str| {
        bytes.extend_from_slice(text.get(done..line.start).unwrap_or("").as_bytes());
        bytes.extend_from_slice(new.as_bytes());
        done = line.end;
    };
    if let Some(line) = chat.header_line()
        && let Some(header) = with_integrity(chat.line_text(&line), integrity)
    {
        replace(line, &header);
    }
    let mut appended = None;
    match edit {
        LineEdit::Replace(line, new) => replace(line, &new),
        LineEdit::Append(new) => appended = Some(new),
    }
    bytes.extend_from_slice(text.get(done..).unwrap_or("").as_bytes());
    if let Some(line) = appended {
        append_line(&mut bytes, &line, chat.line_ending().as_str());
    }
    bytes
}

/// Adds a line the way the file ends its lines: behind a final line break with one of its own, else with one in between.
fn append_line(bytes: &mut Vec<u8>, line: &str, ending: &str) {
    let closed = bytes.ends_with(b"\n");
    if !closed {
        // A lone carriage return at the end is the first half of a cut-off CRLF.
        let missing = if bytes.ends_with(b"\r") { "\n" } else { ending };
        bytes.extend_from_slice(missing.as_bytes());
    }
    bytes.extend_from_slice(line.as_bytes());
    if closed {
        bytes.extend_from_slice(ending.as_bytes());
    }
}

/// The header with another `chat_metadata.integrity`; `None` where the header has none.
///
/// A client that has the chat open compares this value before it saves. The new one makes it warn instead of overwriting us.
fn with_integrity(header: &str, integrity: &str) -> Option<String> {
    let mut header = RawObject::of(Some(header));
    let metadata = {
        let mut metadata = header.object("chat_metadata");
        metadata.get("integrity").filter(|raw| truthy(Some(raw)))?;
        metadata.set("integrity", encode_string(integrity));
        metadata.render()
    };
    header.set("chat_metadata", metadata);
    Some(header.render())
}

/// The name that a new message gets: that of the last assistant message which has one, else the given one (the card's, or the
/// person's choice).
///
/// # Errors
/// [`ChatError::SpeakerUnknown`] when there is neither; to be raised before a run starts.
pub fn speaker_name(chat: &ChatFile, given: Option<&str>) -> Result<String, ChatError> {
    let stored = last_speaker(chat).and_then(|message| message.text("name").map(|name| name.into_owned()));
    let given = given.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
    stored.or(given).ok_or_else(|| ChatError::SpeakerUnknown {
        path: chat.path().to_owned(),
    })
}

/// The last assistant message that has a name.
pub(super) fn last_speaker(chat: &ChatFile) -> Option<RawObject<'_>> {
    chat.newest_first()
        .filter_map(|index| chat.raw_message(index))
        .find(|message| {
            role_of(message) == ChatRole::Assistant && message.text("name").is_some_and(|name| !name.trim().is_empty())
        })
}
