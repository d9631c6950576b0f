//! Writes the one line that a commit is about: a new message, or the run's part of an existing one.
//!
//! It sets the keys that a generation owns and leaves every other key's raw text alone. Which line is meant is decided elsewhere.

use super::file::ChatFile;
use super::json::{concat_strings, encode_string, utf16_len, utf16_prefix};
use super::metadata::{Placement, continued_base, first_agent, next_agent, put_agent, raw_agent};
use super::plan::last_speaker;
use super::request::{ChatCommit, CommitTimes};
use super::splice::RawObject;
use super::swipes;

/// Parts of `extra` that describe one text: a translation of it, its length.
const ABOUT_THE_TEXT: [&str; 2] = ["display_text", "token_count"];

/// Parts of `extra` that describe one generation; they would lie about another one.
const ABOUT_THE_GENERATION: [&str; 9] = [
    "reasoning",
    "reasoning_duration",
    "reasoning_type",
    "reasoning_signature",
    "reasoning_display_text",
    "time_to_first_token",
    "gen_id",
    "native",
    "tool_reasoning_content",
];

/// Keys that say which member of a group speaks; a new message of the same speaker needs them too.
const SPEAKER_KEYS: [&str; 2] = ["original_avatar", "force_avatar"];

/// What happens to an existing message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// First commit of a regeneration: the shown text is replaced.
    Overwrite,
    /// First commit of a swipe: a further alternative.
    AddSwipe,
    /// First commit of a continuation: text behind what is there.
    Continue,
    /// Later commit: the run's own text is replaced.
    ReplaceOwn,
    /// Later commit: text behind the run's own.
    ExtendOwn,
}

impl Change {
    fn is_first(self) -> bool {
        matches!(self, Self::Overwrite | Self::AddSwipe | Self::Continue)
    }

    /// Whether the shown text is a new generation from its first character on.
    fn starts_over(self) -> bool {
        matches!(self, Self::Overwrite | Self::AddSwipe)
    }
}

/// A whole new message line.
pub(super) fn new_message(chat: &ChatFile, commit: &ChatCommit) -> String {
    let mut message = RawObject::empty();
    message.set("name", encode_string(&commit.speaker));
    message.set("is_user", "false");
    message.set("is_system", "false");
    message.set("send_date", encode_string(&commit.times.send_date));
    message.set("mes", encode_string(&commit.asked.text));
    message.set("extra", "{}");
    set_generation(&mut message, &commit.times, false);
    copy_speaker(chat, commit, &mut message);
    message.set("swipe_id", "0");
    message.set("swipes", "[\"\"]");
    let placement = Placement {
        created: true,
        swipe: Some(0),
        base_utf16: None,
    };
    let extra = new_extra(RawObject::empty(), commit, first_agent(commit, placement));
    message.set("extra", extra);
    swipes::mirror(&mut message);
    message.render()
}

fn copy_speaker(chat: &ChatFile, commit: &ChatCommit, message: &mut RawObject<'_>) {
    let Some(previous) =
        last_speaker(chat).filter(|previous| previous.text("name").is_some_and(|name| name == commit.speaker))
    else {
        return;
    };
    for key in SPEAKER_KEYS {
        if let Some(raw) = previous.get(key) {
            message.set(key, raw.to_owned());
        }
    }
}

/// An existing message line after a commit; `None` when the text that the run continues is no longer there.
pub(super) fn edit_message(mut message: RawObject<'_>, change: Change, commit: &ChatCommit) -> Option<String> {
    let text = encode_string(&commit.asked.text);
    let present = swipes::raw_text(&message);
    let previous = raw_agent(&message).filter(|_| !change.is_first());
    let shown_text = match change {
        Change::Overwrite | Change::AddSwipe => text.clone(),
        Change::Continue | Change::ExtendOwn => concat_strings(&present, &text),
        Change::ReplaceOwn => match previous.as_deref().and_then(continued_base) {
            Some(units) => concat_strings(&utf16_prefix(&present, units)?, &text),
            None => text.clone(),
        },
    };
    if change == Change::AddSwipe {
        swipes::open_new(&mut message, &text);
    } else {
        swipes::repair(&mut message);
    }
    message.set("mes", shown_text);
    if change.starts_over() {
        message.set("send_date", encode_string(&commit.times.send_date));
    }
    set_generation(&mut message, &commit.times, !change.starts_over());
    let agent = match previous {
        Some(previous) => next_agent(&previous, commit),
        None => first_agent(commit, placement(&message, change, &present)),
    };
    let extra = edited_extra(&message, change, commit, agent);
    message.set("extra", extra);
    swipes::mirror(&mut message);
    Some(message.render())
}

fn placement(message: &RawObject<'_>, change: Change, present: &str) -> Placement {
    let base_utf16 = (change == Change::Continue).then(|| utf16_len(present));
    Placement {
        created: false,
        swipe: swipes::shown(message),
        base_utf16,
    }
}

/// Sets the generation's times; without new ones the old are kept or, for a new generation, dropped.
fn set_generation(message: &mut RawObject<'_>, times: &CommitTimes, keep: bool) {
    if !keep {
        message.remove("gen_started");
        message.remove("gen_finished");
    }
    if let Some(started) = times.started.as_deref().filter(|_| !message.has("gen_started")) {
        message.set("gen_started", encode_string(started));
    }
    if let Some(finished) = &times.finished {
        message.set("gen_finished", encode_string(finished));
    }
}

fn edited_extra(message: &RawObject<'_>, change: Change, commit: &ChatCommit, agent: String) -> String {
    let mut extra = if change == Change::AddSwipe {
        RawObject::empty()
    } else {
        message.object("extra")
    };
    for key in ABOUT_THE_TEXT {
        extra.remove(key);
    }
    if change == Change::Overwrite {
        for key in ABOUT_THE_GENERATION {
            extra.remove(key);
        }
    }
    new_extra(extra, commit, agent)
}

fn new_extra(mut extra: RawObject<'_>, commit: &ChatCommit, agent: String) -> String {
    for (key, value) in [
        ("api", &commit.api),
        ("model", &commit.model),
        ("reasoning", &commit.asked.reasoning),
    ] {
        if let Some(value) = value {
            extra.set(key, encode_string(value));
        }
    }
    put_agent(&mut extra, agent);
    extra.render()
}
