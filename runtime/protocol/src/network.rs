//! Requests of tools to the network as plain data, and the ports by which a host sends them, keeps secrets and learns of them.
//!
//! What a tool may send and where to is decided by whoever uses these ports; an implementation sends exactly what it is given.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::digest::Sha256;
use crate::run::RunError;

/// A method that a tool may use (RFC 9110, 9.3; RFC 5789).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    /// Reads.
    Get,
    /// Reads the headers.
    Head,
    /// Has the server do something.
    Post,
    /// Puts something there.
    Put,
    /// Changes something.
    Patch,
    /// Removes something.
    Delete,
}

impl HttpMethod {
    /// Every method.
    pub const ALL: [Self; 6] = [Self::Get, Self::Head, Self::Post, Self::Put, Self::Patch, Self::Delete];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// The method of that name, which is written in capitals (RFC 9110, 9.1).
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// Whether it asks a server for nothing but an answer (RFC 9110, 9.2.1).
    #[must_use]
    pub const fn is_safe(self) -> bool {
        matches!(self, Self::Get | Self::Head)
    }
}

/// A header of a request.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpHeader {
    /// In lower case.
    pub name: String,
    /// Visible ASCII, blanks and tabs.
    pub value: String,
    /// Whether the value is a secret, which nobody prints.
    pub is_secret: bool,
}

impl fmt::Debug for HttpHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = if self.is_secret { "(secret)" } else { &self.value };
        write!(f, "{}: {value}", self.name)
    }
}

/// One request to one server. It was checked; following a redirect is another request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method.
    pub method: HttpMethod,
    /// `http` or `https`, without user name and fragment.
    pub url: String,
    /// The host in `url`: a name, or an address without brackets.
    pub host: String,
    /// Where the connection may go; no other address may be looked up for it.
    pub addresses: Vec<SocketAddr>,
    /// In order.
    pub headers: Vec<HttpHeader>,
    /// The body.
    pub body: Option<Vec<u8>>,
    /// Most bytes of the answer's body.
    pub max_response_bytes: u64,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpAnswer {
    /// The status.
    pub status: u16,
    /// Names in lower case; values that are no text are left out.
    pub headers: Vec<(String, String)>,
    /// The body as it came, in whatever encoding `content-encoding` names.
    pub body: Vec<u8>,
}

/// Why there is no answer. Texts hold no URL and nothing of the request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpFailure {
    /// No connection: nothing of the request was sent.
    #[error("{0}")]
    NotSent(String),
    /// The request may have been sent, at least in part, and no whole answer came.
    #[error("{0}")]
    Broken(String),
    /// The answer's body is longer than was asked for.
    #[error("the answer has more than {0} bytes")]
    TooLarge(u64),
}

/// Sends requests. It follows no redirect, keeps no cookies, uses no proxy that the application did not name, and retries nothing.
/// Dropping a future drops the connection.
#[async_trait]
pub trait HttpClient: Send + Sync {
    /// The addresses of a host's name.
    async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, HttpFailure>;
    /// Sends a request and reads the whole answer.
    async fn exchange(&self, request: HttpRequest) -> Result<HttpAnswer, HttpFailure>;
    /// Whether what is sent can have an effect on anything; not where answers are made up.
    fn reaches_out(&self) -> bool {
        true
    }
}

/// A credential as it goes out: a header. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    header: String,
    value: String,
}

/// Shortest secret, in bytes: what is shorter could be a word of an answer, and could not be taken out of it.
const MIN_SECRET_BYTES: usize = 8;

impl Secret {
    /// A key, which goes out as `Authorization: Bearer KEY` (RFC 6750); or a whole header, as `X-Api-Key: KEY`. None for what no header
    /// can carry, and for what is too short to be kept from a tool.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (header, value) = match text.split_once(": ") {
            Some((header, value)) => (header.to_ascii_lowercase(), value.trim().to_owned()),
            None => ("authorization".to_owned(), format!("Bearer {text}")),
        };
        let is_name = !header.is_empty() && header.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let is_value = value.bytes().all(|b| b.is_ascii_graphic() || b == b' ');
        let secret = Self { header, value };
        (is_name && is_value && secret.core().len() >= MIN_SECRET_BYTES).then_some(secret)
    }

    /// The header that carries it.
    #[must_use]
    pub fn header(&self) -> HttpHeader {
        HttpHeader {
            name: self.header.clone(),
            value: self.value.clone(),
            is_secret: true,
        }
    }

    /// The part that must not be seen: the value without its scheme.
    #[must_use]
    pub fn core(&self) -> &str {
        self.value.rsplit(' ').next().unwrap_or(&self.value)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Whoever keeps the credentials of extensions.
#[async_trait]
pub trait Secrets: Send + Sync {
    /// The credential of that name; none where there is none that can be used. `owner` is the extension that was granted it.
    async fn secret(&self, owner: &str, name: &str) -> Option<Secret>;
}

/// A request that a tool had sent, without anything that it said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentRequest {
    /// The method.
    pub method: HttpMethod,
    /// Scheme, host and port.
    pub origin: String,
    /// Digest of path and query.
    pub path_digest: Sha256,
    /// Digest of the body, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_digest: Option<Sha256>,
    /// Bytes of the body.
    pub body_bytes: u64,
    /// Name of the credential that went along.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
}

/// A request, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedRequest {
    /// The request.
    #[serde(flatten)]
    pub sent: SentRequest,
    /// Status of the answer; none where no whole answer came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Digest of the answer's body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_digest: Option<Sha256>,
    /// Bytes of the answer's body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_bytes: Option<u64>,
}

/// Whoever must know of a request before it is sent.
#[async_trait]
pub trait RequestLog: Send + Sync {
    /// A request that may change something outside is about to be sent. Once this returns, a process that dies cannot make it forgotten.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be kept; then the request must not be sent.
    async fn begins(&self, request: &SentRequest) -> Result<(), RunError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_out_as_a_bearer_and_a_header_as_itself() {
        let header = |text: &str| Secret::parse(text).map(|secret| (secret.header(), secret.core().to_owned()));
        let (bearer, core) = header(" sk-12345678 ").unwrap();
        assert_eq!(
            (bearer.name.as_str(), bearer.value.as_str()),
            ("authorization", "Bearer sk-12345678")
        );
        assert_eq!(core, "sk-12345678");
        let (own, core) = header("X-Api-Key: abcdefgh").unwrap();
        assert_eq!(
            (own.name.as_str(), own.value.as_str(), core.as_str()),
            ("x-api-key", "abcdefgh", "abcdefgh")
        );
        let (basic, core) = header("Authorization: Basic dXNlcjpwdw==").unwrap();
        assert_eq!(
            (basic.value.as_str(), core.as_str()),
            ("Basic dXNlcjpwdw==", "dXNlcjpwdw==")
        );
        for bad in [
            "",
            "short",
            "X-Api-Key: short",
            "bad header: abcdefgh",
            "abcdefgh\nx: y",
            "\u{e9}bcdefghi",
        ] {
            assert_eq!(header(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn neither_a_secret_nor_its_header_is_printed() {
        let secret = Secret::parse("sk-12345678").unwrap();
        assert_eq!(
            format!("{secret:?} {:?}", secret.header()),
            "Secret(..) authorization: (secret)"
        );
    }

    #[test]
    fn a_method_is_written_in_capitals() {
        assert_eq!(HttpMethod::parse("PATCH"), Some(HttpMethod::Patch));
        for other in ["get", "TRACE", "CONNECT", ""] {
            assert_eq!(HttpMethod::parse(other), None);
        }
        let safe: Vec<_> = HttpMethod::ALL.into_iter().filter(|method| method.is_safe()).collect();
        assert_eq!(safe, [HttpMethod::Get, HttpMethod::Head]);
    }
}
