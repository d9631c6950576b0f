//! What a refusal of the server means: by its status, and by the error that its body reports.
//!
//! Our codes follow from the variant that is chosen here; they are never copied from a body.

use innkeeper_protocol::model::{BodyFault, Excerpt, ModelError, ProviderAnswer, ProviderStateFault};
use reqwest::header::LOCATION;
use reqwest::{Response, Url};
use serde_json::Value;

use super::body;
use super::endpoint::{Endpoint, origin};

/// Machine-readable names that servers give to a prompt that is too long (OpenAI, Azure, Groq; llama.cpp; OpenRouter's upstreams).
const OVERFLOW_NAMES: [&str; 4] = [
    "context_length_exceeded",
    "exceed_context_size_error",
    "context_window_exceeded",
    "model_context_window_exceeded",
];

/// Words, in lower case, by which servers that give no such name tell it: all words of a row must be there.
const OVERFLOW_WORDS: [&[&str]; 11] = [
    &["maximum context length"],                 // OpenAI, vLLM, DeepSeek, OpenRouter
    &["exceeds the available context size"],     // llama.cpp
    &["exceeds the context length"],             // Ollama
    &["greater than the context length"],        // LM Studio
    &["context length of only"],                 // LM Studio
    &["exceeds the maximum number of tokens"],   // Gemini
    &["prompt is too long"],                     // Anthropic
    &["maximum prompt length"],                  // xAI
    &["tokens", "max_new_tokens", "must be <="], // text-generation-inference
    &["greater than max_seq_len"],               // TabbyAPI
    &["reduce the length of the messages"],      // Groq and others
];

/// The machine-readable name that servers give to a conversation that they don't have (OpenAI, Azure).
const FORGOTTEN_NAME: &str = "previous_response_not_found";

/// Words, in lower case, by which servers that give no such name tell it.
const FORGOTTEN_WORDS: [&[&str]; 2] = [
    &["previous response", "not found"], // OpenAI, Azure
    &["response with id", "not found"],  // vLLM
];

/// Names of errors that come without a number (in a success, in a stream), or with one that nobody else uses, and the status that
/// means the same: Anthropic's errors, and those of OpenAI's Responses.
const NAMED: [(&str, u16); 11] = [
    ("invalid_request_error", 400),
    ("authentication_error", 401),
    ("permission_error", 403),
    ("not_found_error", 404),
    ("request_too_large", 413),
    ("rate_limit_error", 429),
    ("rate_limit_exceeded", 429),
    ("api_error", 500),
    ("server_error", 500),
    ("overloaded_error", 503),
    ("timeout_error", 504),
];

/// The last status that a standard describes (RFC 6585).
const HIGHEST_STANDARD_STATUS: u16 = 511;

/// The error of an HTTP status (RFC 9110, 15) that is no success.
pub(crate) fn error_of_status(status: u16, detail: Excerpt) -> ModelError {
    let answer = ProviderAnswer {
        status: Some(status),
        detail,
        retry_after_ms: None,
    };
    error_like(status, answer)
}

/// The error that a status means, with what the provider really answered.
fn error_like(status: u16, answer: ProviderAnswer) -> ModelError {
    match status {
        400 => ModelError::Validation(answer),
        401 | 403 => ModelError::Unauthorized(answer),
        429 => ModelError::RateLimited(answer),
        408 | 425 | 500 | 502 | 503 | 504 => ModelError::Transient(answer),
        _ => ModelError::Internal(answer),
    }
}

/// The error of a refusal with a body. `excerpt` cuts the server's words and takes our secrets out of them.
pub(super) fn refusal(status: u16, bytes: &[u8], excerpt: impl Fn(&str) -> Excerpt) -> ModelError {
    let value = serde_json::from_slice::<Value>(bytes).unwrap_or_default();
    let report = Report::of(&value);
    let words = if report.message.is_empty() {
        excerpt(&String::from_utf8_lossy(body::beginning(bytes)))
    } else {
        excerpt(report.message)
    };
    let answer = ProviderAnswer {
        status: Some(status),
        detail: words,
        retry_after_ms: None,
    };
    // These three say what they mean, whatever their texts speak of.
    if !matches!(status, 401 | 403 | 429) && report.is_overflow() {
        return ModelError::ContextOverflow(answer);
    }
    if matches!(status, 400 | 404) && report.is_forgotten() {
        return forgotten();
    }
    match error_like(status, answer) {
        // A status outside of the standard, such as 529 for an overload: the name tells more.
        ModelError::Internal(answer) if status > HIGHEST_STANDARD_STATUS => {
            error_like(report.named_status().unwrap_or(status), answer)
        }
        error => error,
    }
}

/// The error that a body reports although its status says success; an error's number counts as its status, where it is one.
pub(crate) fn reported(error: &Value, excerpt: impl Fn(&str) -> Excerpt) -> ModelError {
    let report = Report::of(error);
    let words = if report.message.is_empty() {
        excerpt(&error.to_string())
    } else {
        excerpt(report.message)
    };
    let known = report.status.or_else(|| report.named_status());
    let answer = |detail| ProviderAnswer {
        status: report.status,
        detail,
        retry_after_ms: None,
    };
    match known {
        _ if report.is_overflow() => ModelError::ContextOverflow(answer(words)),
        None | Some(400 | 404) if report.is_forgotten() => forgotten(),
        Some(status) => error_like(status, answer(words)),
        None => ModelError::UpstreamInvalidResponse {
            fault: BodyFault::ErrorReported,
            excerpt: words,
        },
    }
}

/// The error of a conversation that the server does not have. Its words are left out: they name the answer.
const fn forgotten() -> ModelError {
    ModelError::ProviderStateInvalid {
        fault: ProviderStateFault::Forgotten,
    }
}

/// The error of a redirect that is not followed.
pub(super) fn redirected(response: &Response, endpoint: &Endpoint) -> ModelError {
    let target = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let target = target.and_then(|text| endpoint.url().join(text).ok());
    let words = target.as_ref().map_or_else(
        || "a redirect without a usable target".to_owned(),
        |url: &Url| {
            format!(
                "a redirect to {}, which is not followed; check the base URL",
                origin(url)
            )
        },
    );
    error_of_status(response.status().as_u16(), Excerpt::new(&words))
}

/// What an error's JSON says, in any of the usual forms: `{error: {message, code, type}}`, `{error: "..."}`, `{message}`, `{detail}`.
#[derive(Default)]
struct Report<'a> {
    message: &'a str,
    names: [&'a str; 2],
    status: Option<u16>,
}

impl<'a> Report<'a> {
    fn of(value: &'a Value) -> Self {
        // Some servers send a list of one.
        let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        if let Some(message) = error.as_str() {
            return Self {
                message,
                ..Self::default()
            };
        }
        let text = |key: &str| error.get(key).and_then(Value::as_str);
        let number = error
            .get("code")
            .or_else(|| error.get("status"))
            .and_then(Value::as_u64);
        Self {
            message: text("message").or_else(|| text("detail")).unwrap_or_default(),
            names: [text("code").unwrap_or_default(), text("type").unwrap_or_default()],
            status: number
                .and_then(|number| u16::try_from(number).ok())
                .filter(|status| (400..600).contains(status)),
        }
    }

    /// The status that the error's name means, where it is one that is known.
    fn named_status(&self) -> Option<u16> {
        let known = |name: &&str| NAMED.iter().find(|(known, _)| known == name);
        self.names.iter().find_map(known).map(|(_, status)| *status)
    }

    fn is_overflow(&self) -> bool {
        self.names.iter().any(|name| OVERFLOW_NAMES.contains(name)) || self.says(&OVERFLOW_WORDS)
    }

    /// Whether it is about the answer from which the request went on.
    fn is_forgotten(&self) -> bool {
        self.names.contains(&FORGOTTEN_NAME) || self.says(&FORGOTTEN_WORDS)
    }

    /// Whether the words are those of a row.
    fn says(&self, rows: &[&[&str]]) -> bool {
        let words = self.message.to_lowercase();
        rows.iter().any(|row| row.iter().all(|word| words.contains(word)))
    }
}

#[cfg(test)]
mod tests;
