//! An answer that comes in pieces: what can be shown at once, and the whole turn at the end.
//!
//! Fed with the bytes of the stream, in whatever pieces they come; it reads from no network. The end is put together as the answer
//! that would have come in one piece, and read by the same code. A turn of pieces that never ended is an error, not half a turn.

mod sse;

use std::collections::HashSet;

use innkeeper_protocol::id::ModelAlias;
use innkeeper_protocol::model::{BodyFault, Excerpt, ModelError, ModelInfo, ModelResponse};
use serde_json::{Map, Value};

use crate::key::ApiKey;
use crate::provider::Provider;
use crate::remote::DEFAULT_BODY_LIMIT;
use crate::{claude, gemini, openai, responses, wire};
use sse::Events;

/// A piece of a turn that may be shown before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    /// More of the visible text.
    Text(String),
    /// More of the visible thoughts.
    Reasoning(String),
    /// More of a call of an offered tool; the first piece, which may be empty, announces it.
    Call {
        /// Counts the turn's calls from 0.
        index: usize,
        /// The tool's offered name.
        alias: String,
        /// More of the text of its arguments.
        fragment: String,
    },
}

/// Puts an answer together from its events.
pub(crate) trait Rebuild: Send {
    /// Takes an event's object; tells what it adds.
    fn take(&mut self, event: &Map<String, Value>) -> Result<Vec<Delta>, StreamFault>;

    /// The answer as it would have come in one piece.
    fn body(self: Box<Self>) -> Result<Map<String, Value>, StreamFault>;
}

/// Why a stream cannot be read on.
#[derive(Debug, PartialEq)]
pub(crate) enum StreamFault {
    /// What came breaks the format's rules.
    Broken,
    /// It ended before the turn did.
    Unfinished,
    /// The provider reports an error.
    Reported(Value),
}

/// Reads one answer's stream.
pub struct StreamDecoder {
    provider: Provider,
    info: ModelInfo,
    api_key: Option<ApiKey>,
    aliases: HashSet<String>,
    events: Events,
    rebuilt: Box<dyn Rebuild>,
    left: usize,
}

impl StreamDecoder {
    /// Prepares for a stream. Only calls of the offered `tools` are shown early; `api_key` is taken out of what errors quote.
    #[must_use]
    pub fn new(
        provider: Provider,
        info: ModelInfo,
        tools: impl IntoIterator<Item = ModelAlias>,
        api_key: Option<ApiKey>,
    ) -> Self {
        let rebuilt: Box<dyn Rebuild> = match provider {
            Provider::Openai => Box::new(openai::stream::Chat::default()),
            Provider::OpenaiResponses => Box::new(responses::stream::Items::default()),
            Provider::Claude => Box::new(claude::stream::Blocks::default()),
            Provider::Gemini => Box::new(gemini::stream::Contents::default()),
        };
        Self {
            provider,
            info,
            api_key,
            aliases: tools.into_iter().map(|alias| alias.as_str().to_owned()).collect(),
            events: Events::default(),
            rebuilt,
            left: DEFAULT_BODY_LIMIT,
        }
    }

    /// Takes the next bytes; tells what they add.
    ///
    /// # Errors
    /// [`ModelError`] when the stream breaks its format's rules, reports an error or is too large. Nothing more may be fed then.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, ModelError> {
        self.left = self
            .left
            .checked_sub(bytes.len())
            .ok_or(ModelError::UpstreamInvalidResponse {
                fault: BodyFault::TooLarge {
                    limit: DEFAULT_BODY_LIMIT,
                },
                excerpt: Excerpt::default(),
            })?;
        let events = self.events.feed(bytes);
        self.take_all(&events)
    }

    /// Ends the stream: the last pieces, and the whole turn.
    ///
    /// # Errors
    /// [`ModelError`] when the turn did not come to its end or cannot be used.
    pub fn finish(mut self) -> Result<(Vec<Delta>, ModelResponse), ModelError> {
        let last = self.events.finish();
        let deltas = self.take_all(&last)?;
        let excerpt = |text: &str| ApiKey::excerpt(self.api_key.as_ref(), text);
        let body = self.rebuilt.body().map_err(|fault| error_of(fault, b"", excerpt))?;
        Ok((deltas, wire::decode(self.provider, body, &self.info, excerpt)?))
    }

    fn take_all(&mut self, events: &[Vec<u8>]) -> Result<Vec<Delta>, ModelError> {
        let mut deltas = Vec::new();
        for event in events.iter().filter(|event| event.trim_ascii() != sse::DONE) {
            let added = match serde_json::from_slice(event) {
                Ok(Value::Object(object)) => self.rebuilt.take(&object),
                _ => Err(StreamFault::Broken),
            };
            let excerpt = |text: &str| ApiKey::excerpt(self.api_key.as_ref(), text);
            let added = added.map_err(|fault| error_of(fault, event, excerpt))?;
            deltas.extend(added.into_iter().filter(|delta| self.is_shown(delta)));
        }
        Ok(deltas)
    }

    fn is_shown(&self, delta: &Delta) -> bool {
        match delta {
            Delta::Text(_) | Delta::Reasoning(_) => true,
            Delta::Call { alias, .. } => self.aliases.contains(alias),
        }
    }
}

fn error_of(fault: StreamFault, event: &[u8], excerpt: impl Fn(&str) -> Excerpt) -> ModelError {
    let fault = match fault {
        StreamFault::Reported(error) => return crate::http::status::reported(&error, excerpt),
        StreamFault::Broken => BodyFault::BrokenStream,
        StreamFault::Unfinished => BodyFault::Unfinished,
    };
    ModelError::UpstreamInvalidResponse {
        fault,
        excerpt: excerpt(&String::from_utf8_lossy(event)),
    }
}

#[cfg(test)]
mod tests;
