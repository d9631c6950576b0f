//! A request as a guest hands it over, checked: method, URL, headers, body. What it may be sent to is not decided here.

use innkeeper_protocol::network::{HttpHeader, HttpMethod};
use url::Url;

use crate::bindings::innkeeper::http::fetch::{FetchError, Request};

/// Longest URL in bytes; servers take no more than about this much.
const MAX_URL_BYTES: usize = 8 * 1024;
/// Most headers.
const MAX_HEADERS: usize = 64;
/// Most bytes of all headers together.
const MAX_HEADER_BYTES: usize = 16 * 1024;
/// Largest body, as the contract says.
pub(super) const MAX_BODY_BYTES: usize = 1024 * 1024;

/// Headers that are the host's to set, that would let one request hide another, or that make a method mean another one.
const WITHHELD: [&str; 20] = [
    "accept-encoding",
    "connection",
    "content-length",
    "cookie",
    "cookie2",
    "date",
    "expect",
    "forwarded",
    "host",
    "keep-alive",
    "origin",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "via",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
];

/// The same for whole families.
const WITHHELD_PREFIXES: [&str; 3] = ["proxy-", "sec-", "x-forwarded-"];

/// A request that could be sent.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) method: HttpMethod,
    pub(super) url: Url,
    pub(super) headers: Vec<HttpHeader>,
    pub(super) body: Option<Vec<u8>>,
    pub(super) credential: Option<String>,
}

/// Bytes that came from the guest.
pub(super) fn bytes(request: &Request) -> usize {
    let headers: usize = request
        .headers
        .iter()
        .map(|(name, value)| name.len().saturating_add(value.len()))
        .sum();
    let parts = [
        request.method.len(),
        request.url.len(),
        headers,
        request.body.as_ref().map_or(0, Vec::len),
        request.credential.as_ref().map_or(0, String::len),
    ];
    parts.into_iter().fold(0, usize::saturating_add)
}

impl Outgoing {
    /// Checks a request.
    pub(super) fn check(request: Request) -> Result<Self, FetchError> {
        let method = HttpMethod::parse(&request.method).ok_or_else(|| {
            let names: Vec<&str> = HttpMethod::ALL.iter().map(|method| method.name()).collect();
            FetchError::Invalid(format!("the method is none of {}", names.join(", ")))
        })?;
        let body = request.body;
        if method.is_safe() && body.is_some() {
            return Err(FetchError::Invalid(format!("{} has no body", method.name())));
        }
        if body.as_ref().is_some_and(|body| body.len() > MAX_BODY_BYTES) {
            return Err(FetchError::TooLarge(MAX_BODY_BYTES as u64));
        }
        Ok(Self {
            method,
            url: url(&request.url)?,
            headers: headers(request.headers)?,
            body,
            credential: request.credential,
        })
    }
}

/// A URL without user name and fragment.
fn url(text: &str) -> Result<Url, FetchError> {
    if text.len() > MAX_URL_BYTES {
        return Err(FetchError::Invalid(format!(
            "the URL has more than {MAX_URL_BYTES} bytes"
        )));
    }
    let url = Url::parse(text).map_err(|_| FetchError::Invalid("the URL is none".to_owned()))?;
    fit(url)
}

/// The URL as it can be sent, also one that a redirect named.
pub(super) fn fit(mut url: Url) -> Result<Url, FetchError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(FetchError::Invalid(
            "only requests to https and http URLs can be sent".to_owned(),
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(FetchError::Invalid("the URL holds a user name or password".to_owned()));
    }
    if url.as_str().len() > MAX_URL_BYTES {
        return Err(FetchError::Invalid(format!(
            "the URL has more than {MAX_URL_BYTES} bytes"
        )));
    }
    url.set_fragment(None);
    Ok(url)
}

fn headers(headers: Vec<(String, String)>) -> Result<Vec<HttpHeader>, FetchError> {
    if headers.len() > MAX_HEADERS {
        return Err(FetchError::Invalid(format!(
            "there are more than {MAX_HEADERS} headers"
        )));
    }
    let size = |(name, value): &(String, String)| name.len().saturating_add(value.len());
    if headers.iter().map(size).fold(0, usize::saturating_add) > MAX_HEADER_BYTES {
        return Err(FetchError::Invalid(format!(
            "the headers have more than {MAX_HEADER_BYTES} bytes"
        )));
    }
    headers.into_iter().map(header).collect()
}

fn header((name, value): (String, String)) -> Result<HttpHeader, FetchError> {
    let name = name.to_ascii_lowercase();
    let is_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(FetchError::Invalid(
            "a header's name is none (RFC 9110, 5.1)".to_owned(),
        ));
    }
    let is_withheld =
        |name: &str| WITHHELD.contains(&name) || WITHHELD_PREFIXES.iter().any(|begin| name.starts_with(begin));
    // Some servers read `_` as `-`.
    if is_withheld(&name.replace('_', "-")) {
        return Err(FetchError::Invalid(format!("the header {name} is not a tool's to set")));
    }
    if !value.bytes().all(|b| b.is_ascii_graphic() || b == b' ' || b == b'\t') {
        return Err(FetchError::Invalid(format!(
            "the header {name} holds what no header can carry"
        )));
    }
    Ok(HttpHeader {
        name,
        value,
        is_secret: false,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request(headers: &[(&str, &str)]) -> Request {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Request {
            method: "POST".to_owned(),
            url: "https://a.example/".to_owned(),
            headers: headers.iter().map(owned).collect(),
            body: None,
            credential: None,
        }
    }

    fn refusal(request: Request) -> String {
        match Outgoing::check(request).unwrap_err() {
            FetchError::Invalid(why) => why,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn headers_that_are_the_hosts_and_headers_that_smuggle_are_refused() {
        for name in [
            "Host",
            "content-length",
            "Transfer-Encoding",
            "Cookie",
            "Proxy-Authorization",
            "X-Forwarded-For",
            "x_http_method_override",
        ] {
            let why = refusal(request(&[(name, "x")]));
            assert!(why.ends_with("is not a tool's to set"), "{name}: {why}");
        }
        for (name, value) in [
            ("a b", "x"),
            ("", "x"),
            ("a:", "x"),
            ("a\r\nhost", "x"),
            ("a", "x\r\nhost: y"),
            ("a", "x\0"),
            ("a", "\u{e9}"),
        ] {
            assert!(
                Outgoing::check(request(&[(name, value)])).is_err(),
                "{name:?}: {value:?}"
            );
        }
        let fine = Outgoing::check(request(&[
            ("Content-Type", "application/json"),
            ("authorization", "Bearer x"),
        ]))
        .unwrap();
        assert_eq!(fine.headers.len(), 2);
    }

    #[test]
    fn sizes_and_numbers_are_limited() {
        let many = [("a", "b"); MAX_HEADERS + 1];
        assert_eq!(refusal(request(&many)), "there are more than 64 headers");
        let long = "x".repeat(MAX_HEADER_BYTES);
        assert_eq!(
            refusal(request(&[("a", &long)])),
            "the headers have more than 16384 bytes"
        );
        let body = Some(vec![0; MAX_BODY_BYTES + 1]);
        let large = Outgoing::check(Request { body, ..request(&[]) }).unwrap_err();
        assert!(matches!(large, FetchError::TooLarge(1_048_576)));
        let url = format!("https://a.example/{long}");
        assert_eq!(
            refusal(Request { url, ..request(&[]) }),
            "the URL has more than 8192 bytes"
        );
    }

    #[test]
    fn a_url_carries_no_password_and_no_fragment() {
        let with = |url: &str| {
            Outgoing::check(Request {
                url: url.to_owned(),
                ..request(&[])
            })
        };
        assert_eq!(
            with("https://a.example/x?y#z").unwrap().url.as_str(),
            "https://a.example/x?y"
        );
        for bad in [
            "https://u@a.example/",
            "https://u:p@a.example/",
            "https://:p@a.example/",
            "/relative",
            "",
            "https://",
        ] {
            assert!(with(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_method_is_known_and_reading_has_no_body() {
        let with = |method: &str, body: Option<Vec<u8>>| {
            Outgoing::check(Request {
                method: method.to_owned(),
                body,
                ..request(&[])
            })
        };
        assert!(with("GET", None).is_ok() && with("DELETE", Some(Vec::new())).is_ok());
        for (method, body) in [
            ("get", None),
            ("TRACE", None),
            ("CONNECT", None),
            ("GET", Some(Vec::new())),
        ] {
            assert!(with(method, body).is_err(), "{method}");
        }
    }

    proptest! {
        #[test]
        fn no_header_that_passes_can_end_its_line(name in ".{0,12}", value in ".{0,24}") {
            if let Ok(header) = header((name, value)) {
                prop_assert!(!header.name.contains(['\r', '\n', ':', ' ']) && !header.value.contains(['\r', '\n', '\0']));
            }
        }
    }
}
