//! What the host of a plain chat file adds to a run's request: the speaker's name, times, the provider and fresh ids.
//!
//! Plain data: everything comes in with the request, so that planning needs neither clock nor randomness.

use innkeeper_protocol::port::{CommitRequest, MetadataUpdate};

/// When the text was made; for the form of dates see [`iso_date`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitTimes {
    /// For `send_date` of a new message or swipe.
    pub send_date: String,
    /// For `gen_started`.
    pub started: Option<String>,
    /// For `gen_finished`.
    pub finished: Option<String>,
}

/// One commit, with all that goes into the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatCommit {
    /// What the run asks for. Its `reasoning` is the whole of the run so far; `None` leaves what the message has.
    pub asked: CommitRequest,
    /// Name of a new message, see [`speaker_name`](super::speaker_name).
    pub speaker: String,
    /// When the text was made.
    pub times: CommitTimes,
    /// The provider, for `extra.api`.
    pub api: Option<String>,
    /// The model, for `extra.model`.
    pub model: Option<String>,
    /// A fresh UUID for the header's `chat_metadata.integrity`.
    pub integrity: String,
}

/// A kept persistent state, to be noted in the run's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateNote {
    /// What the run asks for. The message is found by its run; the message id is not needed.
    pub asked: MetadataUpdate,
    /// A fresh UUID for the header's `chat_metadata.integrity`.
    pub integrity: String,
}

/// A moment as modern SillyTavern writes it: ISO 8601 in UTC with milliseconds, `2026-10-05T07:00:05.000Z`.
///
/// `None` for a moment outside the years 0 to 9999.
#[must_use]
pub fn iso_date(unix_ms: i64) -> Option<String> {
    let moment = time::OffsetDateTime::from_unix_timestamp_nanos(i128::from(unix_ms) * 1_000_000).ok()?;
    if !(0..=9999).contains(&moment.year()) {
        return None;
    }
    let (date, clock) = (moment.date(), moment.time());
    Some(format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        date.year(),
        u8::from(date.month()),
        date.day(),
        clock.hour(),
        clock.minute(),
        clock.second(),
        clock.millisecond()
    ))
}
