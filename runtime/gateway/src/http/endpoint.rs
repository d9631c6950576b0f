//! The address of a format's resource, made from a base URL.
//!
//! It is never shown whole: a query may hold a key. Messages name scheme, host and port.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

use crate::error::{BaseUrlFault, GatewayError};

/// The path below a base URL, percent-encoded, with a slash before it.
pub(crate) struct Resource(pub(crate) String);

/// A checked address.
#[derive(Clone)]
pub(crate) struct Endpoint(Url);

impl Endpoint {
    /// Takes a base URL such as `http://127.0.0.1:8080/v1` and adds the resource's path, such as `/messages`; slashes at the base's
    /// end don't matter, a query stays, and an address that already names the resource is taken as it is.
    pub(crate) fn parse(base_url: &str, resource: &Resource) -> Result<Self, GatewayError> {
        let refuse = |fault| GatewayError::BaseUrl { fault };
        let mut url = Url::parse(base_url.trim()).map_err(|_| refuse(BaseUrlFault::NotUrl))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refuse(BaseUrlFault::Scheme));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refuse(BaseUrlFault::Credentials));
        }
        if url.fragment().is_some() {
            return Err(refuse(BaseUrlFault::Fragment));
        }
        let path = url.path().trim_end_matches('/');
        let path = path.strip_suffix(&resource.0).unwrap_or(path);
        let path = format!("{path}{}", resource.0);
        url.set_path(&path);
        Ok(Self(url))
    }

    /// The same resource with another method behind the colon, and one more parameter.
    pub(crate) fn with_method(&self, method: &str, other: &str, (name, value): (&str, &str)) -> Self {
        let mut url = self.0.clone();
        if let Some(stem) = self.0.path().strip_suffix(method).filter(|stem| stem.ends_with(':')) {
            url.set_path(&format!("{stem}{other}"));
        }
        let query = url.query().filter(|query| !query.is_empty());
        let query = query.map_or_else(|| format!("{name}={value}"), |query| format!("{query}&{name}={value}"));
        url.set_query(Some(&query));
        Self(url)
    }

    pub(crate) fn url(&self) -> &Url {
        &self.0
    }

    /// The values of the query, as they are written and as they are meant.
    pub(crate) fn query_values(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let pairs = self.0.query().unwrap_or_default().split('&');
        let written = pairs
            .filter_map(|pair| pair.split_once('='))
            .map(|(_, value)| Cow::Borrowed(value));
        written.chain(self.0.query_pairs().map(|(_, value)| value))
    }

    /// Whether the connection is secured.
    pub(crate) fn is_secure(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether the host is this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.0.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        host == "localhost" || host.ends_with(".localhost") || address.is_ok_and(|address| address.is_loopback())
    }
}

/// Scheme, host and port of a URL, and nothing else of it.
pub(crate) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&origin(&self.0))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(base: &str) -> Result<Endpoint, GatewayError> {
        Endpoint::parse(base, &Resource("/chat/completions".to_owned()))
    }

    #[test]
    fn a_base_url_becomes_the_resource() {
        let rows = [
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"),
            (
                " https://x.example/api/v1// ",
                "https://x.example/api/v1/chat/completions",
            ),
            ("http://[::1]:1", "http://[::1]:1/chat/completions"),
            (
                "https://x.example/v1/chat/completions/",
                "https://x.example/v1/chat/completions",
            ),
            (
                "https://x.example/d?api-version=1",
                "https://x.example/d/chat/completions?api-version=1",
            ),
        ];
        for (base, expected) in rows {
            assert_eq!(parsed(base).unwrap().url().as_str(), expected);
        }
    }

    #[test]
    fn other_addresses_are_refused_without_being_repeated() {
        let rows = [
            ("127.0.0.1:8080", "it is no URL"),
            ("", "it is no URL"),
            ("localhost:8080/v1", "it must start with http:// or https://"),
            ("ftp://x.example", "it must start with http:// or https://"),
            ("file:///etc/passwd", "it must start with http:// or https://"),
            (
                "https://canary:pw@x.example",
                "it must not hold a user name or password",
            ),
            ("https://x.example/v1#canary", "it must not hold a fragment (`#...`)"),
        ];
        for (base, fault) in rows {
            let message = parsed(base).unwrap_err().to_string();
            assert_eq!(message, format!("the base URL cannot be used: {fault}"), "{base}");
        }
    }

    #[test]
    fn neither_debug_nor_display_shows_the_query() {
        let endpoint = parsed("https://x.example:8443/v1?key=canary").unwrap();
        assert_eq!(
            format!("{endpoint} {endpoint:?}"),
            "https://x.example:8443 Endpoint(https://x.example:8443)"
        );
    }

    #[test]
    fn this_machine_is_recognised() {
        for (base, expected) in [
            ("http://localhost:1", true),
            ("http://127.9.9.9:1", true),
            ("http://[::1]:1", true),
            ("http://192.168.0.2:1", false),
            ("http://localhost.example:1", false),
        ] {
            assert_eq!(parsed(base).unwrap().is_loopback(), expected, "{base}");
        }
    }
}
