//! The providers that a model is reached through, and what is fixed for each: names, address, key.
//!
//! How their messages look is not told here.

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use crate::http::endpoint::{Endpoint, Resource};
use crate::key::ApiKey;

/// A provider, which fixes the wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    /// Chat completions: OpenAI and the many servers that speak the same.
    Openai,
    /// The Responses API of OpenAI.
    OpenaiResponses,
    /// The messages API of Anthropic.
    Claude,
    /// `generateContent` of Google's Gemini API.
    Gemini,
}

/// The version of the messages API that this code speaks.
const ANTHROPIC_VERSION: &str = "2023-06-01";

impl Provider {
    /// Every provider, for tables and tests.
    pub const ALL: [Self; 4] = [Self::Openai, Self::OpenaiResponses, Self::Claude, Self::Gemini];

    /// The name before the colon of a model's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::OpenaiResponses => "openai-responses",
            Self::Claude => "claude",
            Self::Gemini => "gemini",
        }
    }

    /// The wire format's name in events and stored turns.
    #[must_use]
    pub const fn format(self) -> &'static str {
        match self {
            Self::Openai => "openai_compatible",
            Self::OpenaiResponses => "openai_responses",
            Self::Claude => "claude_messages",
            Self::Gemini => "gemini",
        }
    }

    /// The source's name in events and stored turns, where the provider's own address is used.
    #[must_use]
    pub const fn source(self) -> &'static str {
        match self {
            Self::Openai | Self::OpenaiResponses => "openai",
            Self::Claude => "claude",
            Self::Gemini => "makersuite",
        }
    }

    /// The provider's own address, up to the version.
    #[must_use]
    pub const fn base_url(self) -> &'static str {
        match self {
            Self::Openai | Self::OpenaiResponses => "https://api.openai.com/v1",
            Self::Claude => "https://api.anthropic.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
        }
    }

    /// Where a key is looked for, in this order: our own variable, then the provider's usual ones.
    #[must_use]
    pub const fn key_variables(self) -> &'static [&'static str] {
        match self {
            Self::Openai | Self::OpenaiResponses => &["INNKEEPER_API_KEY", "OPENAI_API_KEY"],
            Self::Claude => &["INNKEEPER_API_KEY", "ANTHROPIC_API_KEY"],
            Self::Gemini => &["INNKEEPER_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
        }
    }

    /// The resource that answers, below the base URL.
    pub(crate) fn resource(self, model: &str) -> Resource {
        Resource(match self {
            Self::Openai => "/chat/completions".to_owned(),
            Self::OpenaiResponses => "/responses".to_owned(),
            Self::Claude => "/messages".to_owned(),
            Self::Gemini => format!("/models/{}:generateContent", path_segment(bare_gemini_name(model))),
        })
    }

    /// Where a stream is asked for, given where an answer in one piece is.
    pub(crate) fn stream_endpoint(self, endpoint: &Endpoint) -> Endpoint {
        match self {
            Self::Openai | Self::OpenaiResponses | Self::Claude => endpoint.clone(),
            Self::Gemini => endpoint.with_method("generateContent", "streamGenerateContent", ("alt", "sse")),
        }
    }

    /// The headers of every request: versions, and the key where there is one.
    pub(crate) fn headers(self, key: Option<&ApiKey>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if self == Self::Claude {
            let name = HeaderName::from_static("anthropic-version");
            headers.insert(name, HeaderValue::from_static(ANTHROPIC_VERSION));
        }
        let (name, scheme) = match self {
            Self::Openai | Self::OpenaiResponses => (AUTHORIZATION, "Bearer "),
            Self::Claude => (HeaderName::from_static("x-api-key"), ""),
            Self::Gemini => (HeaderName::from_static("x-goog-api-key"), ""),
        };
        if let Some(value) = key.and_then(|key| key.header(scheme)) {
            headers.insert(name, value);
        }
        headers
    }
}

/// Google's lists name models with the collection before them, `models/gemini-pro`.
pub(crate) fn bare_gemini_name(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}

/// Percent-encodes everything that could end a path segment or mean another one (RFC 3986, 2.3 and 3.3).
fn path_segment(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'_' | b'.' | b'~' => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(provider: Provider) -> Vec<String> {
        let key = ApiKey::parse("sk-canary", "INNKEEPER_API_KEY").unwrap();
        let headers = provider.headers(key.as_ref());
        assert!(!format!("{headers:?}").contains("canary"));
        let line = |(name, value): (&HeaderName, &HeaderValue)| format!("{name}: {}", value.to_str().unwrap());
        headers.iter().map(line).collect()
    }

    #[test]
    fn each_provider_gets_the_key_in_its_own_header_and_no_log_shows_it() {
        assert_eq!(shown(Provider::Openai), ["authorization: Bearer sk-canary"]);
        assert_eq!(shown(Provider::OpenaiResponses), ["authorization: Bearer sk-canary"]);
        assert_eq!(
            shown(Provider::Claude),
            ["anthropic-version: 2023-06-01", "x-api-key: sk-canary"]
        );
        assert_eq!(shown(Provider::Gemini), ["x-goog-api-key: sk-canary"]);
    }

    #[test]
    fn without_a_key_only_the_version_is_sent() {
        let names = |provider: Provider| provider.headers(None).len();
        assert_eq!(Provider::ALL.map(names), [0, 0, 1, 0]);
    }

    #[test]
    fn only_one_format_has_a_resource_of_its_own_for_streams() {
        let urls = Provider::ALL.map(|provider| {
            let endpoint = Endpoint::parse("http://x.example/v1?key=a%20b", &provider.resource("a b")).unwrap();
            provider.stream_endpoint(&endpoint).url().to_string()
        });
        assert_eq!(
            urls,
            [
                "http://x.example/v1/chat/completions?key=a%20b",
                "http://x.example/v1/responses?key=a%20b",
                "http://x.example/v1/messages?key=a%20b",
                "http://x.example/v1/models/a%20b:streamGenerateContent?key=a%20b&alt=sse",
            ]
        );
    }

    #[test]
    fn a_models_name_cannot_leave_its_path_segment() {
        let path = |model| Provider::Gemini.resource(model).0;
        assert_eq!(path("models/gemini-2.5-pro"), "/models/gemini-2.5-pro:generateContent");
        assert_eq!(path("../x?k=1#é"), "/models/..%2Fx%3Fk%3D1%23%C3%A9:generateContent");
    }
}
