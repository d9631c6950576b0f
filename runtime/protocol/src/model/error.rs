//! What can go wrong between a request and a usable answer.
//!
//! Each error carries its facts as fields. The code, the kind and so the retry follow from the variant alone; no code is read out of
//! a text, and no text of a provider is carried whole.

use std::fmt;

use super::fault::{
    BodyFault, MessageFault, NetworkFailure, ProviderStateFault, ResponseFault, ToolCallFault, TranscriptFault,
};
use crate::run::{ErrorKind, RunError};

/// Most bytes of a provider's words that an error carries: enough to recognise a page or a message, too little to flood a journal.
pub const MAX_EXCERPT_BYTES: usize = 512;

/// Longest wait, in milliseconds, that a provider can ask for: a person is watching, and a longer one is a spent quota, for which trying
/// again is the wrong advice.
pub const MAX_RETRY_AFTER_MS: u64 = 300_000;

/// The beginning of a text from outside: at most [`MAX_EXCERPT_BYTES`], on one line, without control or direction characters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt(String);

impl Excerpt {
    /// Takes the beginning of a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut kept = String::new();
        for word in text.split(is_unprintable).filter(|word| !word.is_empty()) {
            if !kept.is_empty() && !kept.ends_with(' ') && kept.len() < MAX_EXCERPT_BYTES {
                kept.push(' ');
            }
            for c in word.chars() {
                if kept.len() + c.len_utf8() > MAX_EXCERPT_BYTES {
                    return Self(kept);
                }
                kept.push(c);
            }
        }
        Self(kept)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Control characters, and the characters that reorder what stands around them (Unicode Standard Annex 9).
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "no details" } else { &self.0 })
    }
}

/// How a provider refused: its HTTP status, where there was one, the beginning of its words, and when it wants to be asked again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProviderAnswer {
    /// HTTP status code.
    pub status: Option<u16>,
    /// The provider's words.
    pub detail: Excerpt,
    /// How long it asks to wait, in milliseconds; at most [`MAX_RETRY_AFTER_MS`].
    pub retry_after_ms: Option<u64>,
}

impl fmt::Display for ProviderAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => write!(f, "HTTP status {status}: {}", self.detail),
            None => self.detail.fmt(f),
        }
    }
}

/// An error of one model request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The provider found the request wrong.
    #[error("the provider refused the request ({0})")]
    Validation(ProviderAnswer),
    /// The prompt does not fit.
    #[error("the prompt is larger than the model's context ({0})")]
    ContextOverflow(ProviderAnswer),
    /// The key is missing, wrong, or not good for this model.
    #[error("the provider did not accept the credentials ({0})")]
    Unauthorized(ProviderAnswer),
    /// Too many requests.
    #[error("the provider asks to slow down ({0})")]
    RateLimited(ProviderAnswer),
    /// A passing fault of the provider.
    #[error("the provider failed for the moment ({0})")]
    Transient(ProviderAnswer),
    /// A success that cannot be read.
    #[error("the provider's answer cannot be read, {fault}: {excerpt}")]
    UpstreamInvalidResponse {
        /// Why it cannot.
        fault: BodyFault,
        /// The beginning of the body.
        excerpt: Excerpt,
    },
    /// The way to the provider broke.
    #[error("{endpoint} could not be asked: {failure} ({detail})")]
    UpstreamFailure {
        /// Where it broke.
        failure: NetworkFailure,
        /// Scheme, host and port.
        endpoint: String,
        /// The causes, as the libraries tell them.
        detail: Excerpt,
    },
    /// The model asked for a call that cannot be answered.
    #[error("tool call {position} of the model's turn cannot be used: {fault}")]
    InvalidToolCall {
        /// Counts from 1 in the turn.
        position: usize,
        /// What is wrong with it.
        fault: ToolCallFault,
    },
    /// The provider answered, but not with a turn.
    #[error("the provider's answer cannot be used: {fault}")]
    InvalidResponse {
        /// What is missing.
        fault: ResponseFault,
    },
    /// A message of the request cannot be sent in this format.
    #[error("message {position} of the request cannot be sent: {fault}")]
    InvalidMessage {
        /// Counts from 1 in the request.
        position: usize,
        /// What is wrong with it.
        fault: MessageFault,
    },
    /// The request's calls and results do not match.
    #[error("the request's tool calls and results do not match at message {position}: {fault}")]
    InvalidTranscript {
        /// Counts from 1 in the request; one more than there are messages where the end is meant.
        position: usize,
        /// What does not match.
        fault: TranscriptFault,
    },
    /// A turn with calls came without what its provider wants back beside them.
    #[error("the answer calls tools, but lost what the format {format} wants back with the next request")]
    NativeMetadataLost {
        /// The wire format.
        format: String,
    },
    /// The conversation that the provider keeps cannot be continued.
    #[error("the conversation that the provider keeps cannot be continued: {fault}")]
    ProviderStateInvalid {
        /// What is missing.
        fault: ProviderStateFault,
    },
    /// A stream was asked of a format that cannot.
    #[error("the format {format} cannot stream")]
    StreamUnsupported {
        /// The wire format.
        format: String,
    },
    /// The scripted model has said all it had to say.
    #[error("the scripted model {script} has used up its {turns} turns, and one more was asked for")]
    ScriptExhausted {
        /// The script's name.
        script: String,
        /// How many turns it holds.
        turns: usize,
    },
    /// Stopped on purpose.
    #[error("the model request was cancelled")]
    Cancelled,
    /// A status that nobody expects, or a fault of ours.
    #[error("the model request failed ({0})")]
    Internal(ProviderAnswer),
}

impl ModelError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Validation(_) | Self::ScriptExhausted { .. } => "agent.validation_error",
            Self::ContextOverflow(_) => "model.context_overflow",
            Self::Unauthorized(_) => "agent.unauthorized",
            Self::RateLimited(_) => "agent.rate_limited",
            Self::Transient(_) => "agent.transient",
            Self::UpstreamInvalidResponse { .. } => "model.upstream_invalid_response",
            Self::UpstreamFailure { failure, .. } => failure.code(),
            Self::InvalidToolCall { .. } => "model.invalid_tool_call",
            Self::InvalidResponse { .. } => "chat_completion.invalid_response",
            Self::InvalidMessage { .. } => "agent.invalid_model_message",
            Self::InvalidTranscript { .. } => "chat_completion.invalid_tool_transcript",
            Self::NativeMetadataLost { .. } => "model.native_metadata_lost",
            Self::ProviderStateInvalid { .. } => "agent.provider_state_invalid",
            Self::StreamUnsupported { .. } => "model.stream_unsupported",
            Self::Cancelled => "agent.cancelled",
            Self::Internal(_) => "agent.internal_error",
        }
    }

    /// The kind, which decides retries and what a command answers.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Validation(_)
            | Self::ContextOverflow(_)
            | Self::InvalidToolCall { .. }
            | Self::InvalidResponse { .. }
            | Self::InvalidMessage { .. }
            | Self::InvalidTranscript { .. }
            | Self::NativeMetadataLost { .. }
            | Self::ProviderStateInvalid { .. }
            | Self::StreamUnsupported { .. }
            | Self::ScriptExhausted { .. } => ErrorKind::Validation,
            Self::Unauthorized(_) => ErrorKind::Unauthorized,
            Self::RateLimited(_) => ErrorKind::RateLimited,
            Self::Transient(_) | Self::UpstreamInvalidResponse { .. } => ErrorKind::Transient,
            Self::UpstreamFailure { .. } => ErrorKind::UpstreamFailure,
            Self::Cancelled => ErrorKind::Cancelled,
            Self::Internal(_) => ErrorKind::Internal,
        }
    }

    /// Whether the same request may work when sent again.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        self.kind().is_retryable()
    }

    /// How long the provider asks to wait before the same request, in milliseconds, at most [`MAX_RETRY_AFTER_MS`]; none where it
    /// does not say.
    #[must_use]
    pub const fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::RateLimited(answer) | Self::Transient(answer) => answer.retry_after_ms,
            _ => None,
        }
    }

    /// What a person can do about it.
    #[must_use]
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::ContextOverflow(_) => Some(
                "Send less: lower `context.maxPromptChars`, `context.toolResults.keepFull` or `maxChars` in the profile, or the answer's \
                 `max_tokens`; or use a model with a larger context.",
            ),
            Self::Unauthorized(_) => Some(
                "Check the API key in INNKEEPER_API_KEY (or the provider's own variable) and that it may use this model.",
            ),
            Self::Validation(_) => {
                Some("Check the model's name and the generation settings; the provider names what it refused.")
            }
            Self::UpstreamInvalidResponse { .. } => Some(
                "Check that the base URL leads to the provider's API, usually ending in its version like `/v1`, and not to a web page.",
            ),
            Self::UpstreamFailure { failure, .. } => Some(match failure {
                NetworkFailure::Timeout => "The provider may be busy or the model slow; try again, or allow more time.",
                NetworkFailure::Connect => {
                    "Check that the server is running and that the base URL has the right host and port."
                }
                NetworkFailure::Proxy => "Check the proxy settings of this machine.",
                NetworkFailure::Dns => "Check the host name in the base URL and the network connection.",
                NetworkFailure::Tls => {
                    "Check the server's certificate, this machine's clock, and whether the server speaks http only."
                }
                NetworkFailure::BodyInterrupted | NetworkFailure::Request => {
                    "Check the network connection and try again."
                }
            }),
            Self::NativeMetadataLost { .. } => Some(
                "Whatever stands between here and the provider answers in another format; use the provider's own address, or \
                 `openai:MODEL`.",
            ),
            Self::ProviderStateInvalid { .. } => {
                Some("Leave out the setting `store`: the whole conversation is sent then.")
            }
            Self::StreamUnsupported { .. } => Some("Run without streaming."),
            Self::ScriptExhausted { .. } => Some("Add turns to the script, or let its last turn finish the run."),
            Self::RateLimited(_) => Some(
                "Try again later; if it goes on, check the limits and the credit of the key's account, or use another model.",
            ),
            Self::Transient(_) => Some("Try again later; it is the provider's fault, or that of a proxy in between."),
            Self::InvalidToolCall { .. } | Self::InvalidResponse { .. } => {
                Some("The model or its server does not keep to the tool-calling format; try another one.")
            }
            Self::Internal(answer) => hint_of_status(answer.status),
            Self::InvalidMessage { .. } | Self::InvalidTranscript { .. } | Self::Cancelled => None,
        }
    }
}

/// Advice for statuses (RFC 9110, 15) that have no kind of their own.
const fn hint_of_status(status: Option<u16>) -> Option<&'static str> {
    match status {
        Some(300..=399) => Some("Check the base URL: the server lives somewhere else."),
        Some(402) => Some("The provider wants to be paid: check the credit of the key's account."),
        Some(404 | 405) => Some(
            "Check the model's name, and that the base URL leads to the provider's API, usually ending in its version like `/v1`.",
        ),
        Some(407) => Some("Check the proxy settings of this machine: the proxy wants a user name and password."),
        Some(413) => Some(
            "Send less: lower `context.maxPromptChars`, `context.toolResults.keepFull` or `maxChars` in the profile, or allow larger \
             requests at the server or its proxy.",
        ),
        _ => None,
    }
}

impl From<ModelError> for RunError {
    fn from(error: ModelError) -> Self {
        let run_error = Self::new(error.code(), error.kind(), error.to_string());
        match error.hint() {
            Some(hint) => run_error.with_hint(hint),
            None => run_error,
        }
    }
}

#[cfg(test)]
mod tests;
