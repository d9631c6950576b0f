//! An answer that comes in pieces: what can be shown at once, and the whole turn at the end.
//!
//! Fed with the bytes of the stream, in whatever pieces they come; it reads from no network. The end is put together as the answer
//! that would have come in one piece, and read by the same code. A turn of pieces that never ended is an error, not half a turn.

mod form;
mod showing;
mod sse;

use innkeeper_protocol::id::ModelAlias;
use innkeeper_protocol::model::{BodyFault, Excerpt, LiveDelta, LiveSink, ModelError, ModelInfo, ModelResponse};
use serde_json::{Map, Value};

use crate::http::{body, status};
use crate::key::ApiKey;
use crate::provider::Provider;
use crate::remote::DEFAULT_BODY_LIMIT;
use crate::secrets::Secrets;
use crate::{claude, gemini, openai, responses, wire};
use form::Form;
use showing::Showing;

/// Most calls of one turn that a stream may begin: far more than a run carries out, and little enough to look through for each piece.
pub(crate) const MAX_CALLS: usize = 2_048;

/// Puts an answer together from its events.
pub(crate) trait Rebuild: Send {
    /// Takes an event's object; tells what it adds.
    fn take(&mut self, event: &Map<String, Value>) -> Result<Vec<LiveDelta>, StreamFault>;

    /// Whether the end of the turn has come. What may still follow is told beside it, such as token counts.
    fn is_whole(&self) -> bool;

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
    secrets: Secrets,
    showing: Showing,
    form: Form,
    rebuilt: Box<dyn Rebuild>,
    limit: usize,
    left: usize,
}

impl StreamDecoder {
    /// Prepares for a stream. Only calls of the offered `tools` are shown early; `api_key` is taken out of what is shown, of what errors
    /// quote, and of the turn.
    #[must_use]
    pub fn new(
        provider: Provider,
        info: ModelInfo,
        tools: impl IntoIterator<Item = ModelAlias>,
        api_key: Option<ApiKey>,
    ) -> Self {
        Self::with_secrets(provider, info, tools, Secrets::new(api_key.as_ref(), []))
    }

    /// The same with everything that a connection must not tell.
    pub(crate) fn with_secrets(
        provider: Provider,
        info: ModelInfo,
        tools: impl IntoIterator<Item = ModelAlias>,
        secrets: Secrets,
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
            showing: Showing::new(tools, secrets.clone()),
            secrets,
            form: Form::default(),
            rebuilt,
            limit: DEFAULT_BODY_LIMIT,
            left: DEFAULT_BODY_LIMIT,
        }
    }

    /// Takes at most this many bytes, instead of [`DEFAULT_BODY_LIMIT`].
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        Self {
            limit,
            left: limit,
            ..self
        }
    }

    /// Takes the next bytes; shows what they add.
    ///
    /// # Errors
    /// [`ModelError`] when the stream breaks its format's rules, reports an error or is too large. Nothing more may be fed then.
    pub fn feed(&mut self, bytes: &[u8], live: &dyn LiveSink) -> Result<(), ModelError> {
        self.left = self
            .left
            .checked_sub(bytes.len())
            .ok_or_else(|| unreadable(BodyFault::TooLarge { limit: self.limit }, b"", Excerpt::new))?;
        if self.form.keeps(bytes) {
            return Ok(());
        }
        let events = self.form.feed(bytes);
        self.take_all(&events, live)
    }

    /// Whether the turn has come to its end, so that nothing is lost if the connection is.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.rebuilt.is_whole()
    }

    /// Ends the stream: shows the last pieces, and gives the whole turn.
    ///
    /// # Errors
    /// [`ModelError`] when the turn did not come to its end or cannot be used.
    pub fn finish(mut self, live: &dyn LiveSink) -> Result<ModelResponse, ModelError> {
        let last = self.form.finish();
        self.take_all(&last, live)?;
        self.showing.finish().into_iter().for_each(|delta| live.show(delta));
        let excerpt = |text: &str| self.secrets.excerpt(text);
        let body = match self.form.whole() {
            // A server that was asked for a stream and answers in one piece, most often with an error.
            Some(all) => body::parse(all).map_err(|fault| unreadable(fault, body::beginning(all), excerpt))?,
            None => {
                let body = self.rebuilt.body();
                body.map_err(|fault| error_of(fault, self.form.silence(), excerpt))?
            }
        };
        let response = wire::decode(self.provider, body, &self.info, excerpt)?;
        Ok(self.secrets.strip(response))
    }

    fn take_all(&mut self, events: &[Vec<u8>], live: &dyn LiveSink) -> Result<(), ModelError> {
        for event in events.iter().filter(|event| event.trim_ascii() != sse::DONE) {
            let added = match serde_json::from_slice(event) {
                Ok(Value::Object(object)) => self.rebuilt.take(&object),
                _ => Err(StreamFault::Broken),
            };
            let excerpt = |text: &str| self.secrets.excerpt(text);
            let added = added.map_err(|fault| error_of(fault, event, excerpt))?;
            let shown = added.into_iter().filter_map(|delta| self.showing.pass(delta));
            shown.for_each(|delta| live.show(delta));
        }
        Ok(())
    }
}

/// The beginning of a call, and more of its arguments where there are any.
pub(crate) fn call(index: usize, alias: &str, arguments: &str) -> Vec<LiveDelta> {
    let announced = LiveDelta::Call {
        index,
        alias: alias.to_owned(),
    };
    std::iter::once(announced)
        .chain(self::arguments(index, arguments))
        .collect()
}

/// More of a call's arguments, where there are any.
pub(crate) fn arguments(index: usize, text: &str) -> Option<LiveDelta> {
    (!text.is_empty()).then(|| LiveDelta::Arguments {
        index,
        text: text.to_owned(),
    })
}

fn error_of(fault: StreamFault, event: &[u8], excerpt: impl Fn(&str) -> Excerpt) -> ModelError {
    match fault {
        StreamFault::Reported(error) => status::reported(&error, excerpt),
        StreamFault::Broken => unreadable(BodyFault::BrokenStream, event, excerpt),
        StreamFault::Unfinished => unreadable(BodyFault::Unfinished, event, excerpt),
    }
}

fn unreadable(fault: BodyFault, bytes: &[u8], excerpt: impl Fn(&str) -> Excerpt) -> ModelError {
    ModelError::UpstreamInvalidResponse {
        fault,
        excerpt: excerpt(&String::from_utf8_lossy(bytes)),
    }
}

#[cfg(test)]
mod tests;
