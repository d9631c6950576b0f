//! Whether an answer is a stream at all. Servers, and boxes in between, also answer in one piece when they were asked for a stream: with
//! an error, with a web page, or because they cannot stream.
//!
//! The bytes decide and not the content type, which many servers of this kind get wrong.

use super::sse::Events;
use crate::http::body;

/// The form of an answer, as far as it is known.
pub(super) enum Form {
    /// Only blanks came.
    Unknown(Vec<u8>),
    /// Events.
    Events {
        events: Events,
        /// What came, as long as no event did.
        silence: Option<Vec<u8>>,
    },
    /// One piece.
    Whole(Vec<u8>),
}

impl Default for Form {
    fn default() -> Self {
        Self::Unknown(Vec::new())
    }
}

impl Form {
    /// Takes bytes that complete nothing; tells whether they are such. Of others nothing is taken.
    pub(super) fn keeps(&mut self, bytes: &[u8]) -> bool {
        match self {
            Self::Events { events, silence: None } => events.keeps(bytes),
            _ => false,
        }
    }

    /// Takes bytes; gives the data of the events that they complete.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        match self {
            Self::Unknown(blanks) => {
                let first = bytes.iter().copied().find(|byte| !is_blank(*byte));
                blanks.extend_from_slice(bytes);
                let Some(first) = first else {
                    return Vec::new();
                };
                let is_whole = matches!(first, b'{' | b'[' | b'<');
                let all = std::mem::take(blanks);
                if is_whole {
                    *self = Self::Whole(all);
                    return Vec::new();
                }
                *self = Self::Events {
                    events: Events::default(),
                    silence: Some(Vec::new()),
                };
                self.feed(&all)
            }
            Self::Whole(all) => {
                all.extend_from_slice(bytes);
                Vec::new()
            }
            Self::Events { events, silence } => {
                let complete = events.feed(bytes);
                if !complete.is_empty() {
                    *silence = None;
                } else if let Some(silence) = silence {
                    let room = body::BEGINNING.saturating_sub(silence.len());
                    silence.extend(bytes.iter().take(room));
                }
                complete
            }
        }
    }

    /// The data of an event that the end of the stream completes.
    pub(super) fn finish(&mut self) -> Vec<Vec<u8>> {
        match self {
            Self::Events { events, .. } => events.finish(),
            Self::Unknown(_) | Self::Whole(_) => Vec::new(),
        }
    }

    /// The answer in one piece, if it is one.
    pub(super) fn whole(&self) -> Option<&[u8]> {
        match self {
            Self::Whole(all) => Some(all),
            Self::Unknown(_) | Self::Events { .. } => None,
        }
    }

    /// What came instead of events.
    pub(super) fn silence(&self) -> &[u8] {
        match self {
            Self::Events { silence, .. } => silence.as_deref().unwrap_or_default(),
            Self::Unknown(_) | Self::Whole(_) => b"",
        }
    }
}

/// Blanks, and the bytes of a byte order mark, which may come one by one.
fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF)
}
