//! Headers of one's own for a server: an organisation, a beta, what a gateway in between wants.
//!
//! Their values count as secrets. What the request and the connection need is set elsewhere, and none of it can be replaced.

use std::borrow::Cow;
use std::fmt;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::error::{GatewayError, HeaderFault};

/// Headers that a request has anyway, or that only its connection can know (RFC 9110, 7.6.1).
const TAKEN: [&str; 9] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Headers that go with every request to a model. Their values are never printed.
#[derive(Clone, Default)]
pub struct ExtraHeaders(HeaderMap);

impl ExtraHeaders {
    /// Takes names and values.
    ///
    /// # Errors
    /// [`GatewayError::Header`] where a name or a value cannot be sent (RFC 9110, 5.1 and 5.5: letters, digits and punctuation of ASCII,
    /// in values also blanks), a name comes twice, or it is one that a request has anyway.
    pub fn parse<'a>(headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, GatewayError> {
        let mut parsed = HeaderMap::new();
        for (index, (name, value)) in headers.into_iter().enumerate() {
            let position = index.saturating_add(1);
            let refuse = |fault| GatewayError::Header { position, fault };
            let name = HeaderName::try_from(name.trim()).map_err(|_| refuse(HeaderFault::Name))?;
            if TAKEN.contains(&name.as_str()) {
                return Err(refuse(HeaderFault::Taken));
            }
            let value = value.trim();
            let is_plain = value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
            let value = HeaderValue::try_from(value)
                .ok()
                .filter(|value| is_plain && !value.is_empty());
            let mut value = value.ok_or_else(|| refuse(HeaderFault::Value))?;
            value.set_sensitive(true);
            if parsed.insert(name, value).is_some() {
                return Err(refuse(HeaderFault::Repeated));
            }
        }
        Ok(Self(parsed))
    }

    /// These headers, and the provider's own, which count where both have one.
    pub(crate) fn below(&self, own: HeaderMap) -> HeaderMap {
        let mut all = self.0.clone();
        all.extend(own);
        all
    }

    /// The values.
    pub(crate) fn values(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.0
            .values()
            .filter_map(|value| value.to_str().ok())
            .map(Cow::Borrowed)
    }
}

impl fmt::Debug for ExtraHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(headers: &[(&'static str, &'static str)]) -> (usize, HeaderFault) {
        match ExtraHeaders::parse(headers.iter().copied()) {
            Err(GatewayError::Header { position, fault }) => (position, fault),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_cannot_be_sent_is_refused_by_its_place() {
        assert_eq!(fault(&[("a b", "x")]), (1, HeaderFault::Name));
        assert_eq!(fault(&[("", "x")]), (1, HeaderFault::Name));
        for value in ["", " ", "a\nb", "é"] {
            assert_eq!(
                fault(&[("x-a", "x"), ("x-b", value)]),
                (2, HeaderFault::Value),
                "{value}"
            );
        }
        assert_eq!(fault(&[("Content-Type", "x")]), (1, HeaderFault::Taken));
        assert_eq!(fault(&[("x-a", "x"), ("X-A", "y")]), (2, HeaderFault::Repeated));
    }

    #[test]
    fn the_providers_own_headers_count_and_no_value_is_printed() {
        let headers = ExtraHeaders::parse([("X-Title", "canary"), ("authorization", "Bearer canary")]).unwrap();
        assert_eq!(format!("{headers:?}"), "[\"x-title\", \"authorization\"]");
        let own = HeaderMap::from_iter([(reqwest::header::AUTHORIZATION, HeaderValue::from_static("Bearer own"))]);
        let sent = headers.below(own);
        assert_eq!((sent.len(), sent["authorization"].to_str().unwrap()), (2, "Bearer own"));
        assert!(!format!("{sent:?}").contains("canary"));
    }
}
