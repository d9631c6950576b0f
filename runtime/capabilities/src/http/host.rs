//! Hosts that requests may go to: scheme, name and port, and how they are written.
//!
//! `api.example.com`, `https://api.example.com:8443`, `http://localhost:8080`, `*.example.com` for every host below one. Names are compared
//! in the form in which URLs hold them (lower case, Punycode).

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

use crate::grant::GrantError;

/// A host's name as it is granted or denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostName {
    /// This very name.
    Exact(String),
    /// Every name below this one, and not itself.
    Below(String),
    /// This very address.
    Address(IpAddr),
}

impl HostName {
    /// `api.example.com`, `*.example.com`, an address (one of version 6 in brackets).
    ///
    /// # Errors
    /// [`GrantError::Host`].
    pub fn parse(text: &str) -> Result<Self, GrantError> {
        let refused = |problem| GrantError::Host {
            text: text.to_owned(),
            problem,
        };
        let (name, is_below) = match text.strip_prefix("*.") {
            Some(name) => (name, true),
            None => (text, false),
        };
        if name.contains(|c: char| "/\\?#@*%".contains(c) || c.is_whitespace() || c.is_control()) {
            return Err(refused(
                "it is no host name; a `*` may stand only for everything before the first dot",
            ));
        }
        let host = Host::parse(name).map_err(|_| refused("it is no host name"))?;
        match (host, is_below) {
            (Host::Domain(name), _) if name.ends_with('.') => Err(refused("the dot at its end has to go")),
            (Host::Domain(name), true) if name.contains('.') => Ok(Self::Below(name)),
            (Host::Domain(_), true) => Err(refused("what follows the `*.` must have two parts at least")),
            (Host::Domain(name), false) => Ok(Self::Exact(name)),
            (Host::Ipv4(address), false) => Ok(Self::Address(address.into())),
            (Host::Ipv6(address), false) => Ok(Self::Address(address.into())),
            (_, true) => Err(refused("there is nothing below an address")),
        }
    }

    /// Whether the host of a URL is meant.
    #[must_use]
    pub fn covers(&self, host: &Host<&str>) -> bool {
        match (self, host) {
            (Self::Exact(name), Host::Domain(host)) => name == host,
            (Self::Below(name), Host::Domain(host)) => host
                .strip_suffix(name.as_str())
                .is_some_and(|front| front.len() > 1 && front.ends_with('.')),
            (Self::Address(address), Host::Ipv4(host)) => *address == IpAddr::from(*host),
            (Self::Address(address), Host::Ipv6(host)) => *address == IpAddr::from(*host),
            _ => false,
        }
    }

    /// Whether the name means this machine, wherever it is looked up (RFC 6761, 6.3).
    pub(super) fn is_localhost(&self) -> bool {
        matches!(self, Self::Exact(name) if name == "localhost" || name.ends_with(".localhost"))
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(name) => f.write_str(name),
            Self::Below(name) => write!(f, "*.{name}"),
            Self::Address(IpAddr::V4(address)) => write!(f, "{address}"),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

/// Scheme, host and port that were granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern {
    is_secure: bool,
    name: HostName,
    port: u16,
}

impl HostPattern {
    /// A host as people write it. Without a scheme it is `https`, without a port the scheme's own.
    ///
    /// # Errors
    /// [`GrantError::Host`].
    pub fn parse(text: &str) -> Result<Self, GrantError> {
        let refused = |problem| GrantError::Host {
            text: text.to_owned(),
            problem,
        };
        let (scheme, rest) = text.split_once("://").unwrap_or(("https", text));
        let is_secure = match scheme {
            "https" => true,
            "http" => false,
            _ => return Err(refused("only https and http can be granted")),
        };
        // A colon inside brackets belongs to an address.
        let (name, port) = match rest.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
            _ => (rest, None),
        };
        let port = match port.map(str::parse::<u16>) {
            None => default_port(is_secure),
            Some(Ok(port)) if port > 0 => port,
            Some(_) => return Err(refused("its port is none")),
        };
        let name = HostName::parse(name).map_err(|error| match error {
            GrantError::Host { problem, .. } => refused(problem),
            other => other,
        })?;
        Ok(Self { is_secure, name, port })
    }

    /// The name, without scheme and port.
    #[must_use]
    pub fn name(&self) -> &HostName {
        &self.name
    }

    /// Whether a request to this URL is meant.
    #[must_use]
    pub fn covers(&self, url: &Url) -> bool {
        let scheme = if self.is_secure { "https" } else { "http" };
        url.scheme() == scheme
            && url.port_or_known_default() == Some(self.port)
            && url.host().is_some_and(|host| self.name.covers(&host))
    }

    /// Whether another one, which is a single host, is among these.
    #[must_use]
    pub fn includes(&self, one: &Self) -> bool {
        Url::parse(&one.to_string()).is_ok_and(|url| self.covers(&url))
    }

    /// The hosts in words.
    pub(crate) fn words(&self) -> String {
        let hosts = match &self.name {
            HostName::Below(name) => format!("every host below {name} ({self})"),
            HostName::Exact(_) | HostName::Address(_) => self.to_string(),
        };
        let plain = if self.is_secure { "" } else { ", unencrypted" };
        format!("{hosts}{plain}")
    }
}

const fn default_port(is_secure: bool) -> u16 {
    if is_secure { 443 } else { 80 }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_secure { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.name)?;
        if self.port == default_port(self.is_secure) {
            return Ok(());
        }
        write!(f, ":{}", self.port)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_host_is_written_in_one_way_and_read_in_several() {
        for (written, expected) in [
            ("api.example.com", "https://api.example.com"),
            ("https://API.Example.com:443", "https://api.example.com"),
            ("http://api.example.com", "http://api.example.com"),
            ("http://localhost:8080", "http://localhost:8080"),
            ("*.example.com:8443", "https://*.example.com:8443"),
            ("b\u{fc}cher.example", "https://xn--bcher-kva.example"),
            ("127.1", "https://127.0.0.1"),
            ("http://[::1]:9", "http://[::1]:9"),
        ] {
            assert_eq!(HostPattern::parse(written).unwrap().to_string(), expected, "{written}");
            assert_eq!(HostPattern::parse(expected).unwrap().to_string(), expected);
        }
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for bad in [
            "",
            "*",
            "*.com",
            "**.example.com",
            "a.*.example.com",
            "example.com/path",
            "user@example.com",
            "ftp://example.com",
            "example.com:0",
            "example.com:99999",
            "example.com:x",
            "example.com.",
            "*.127.0.0.1",
            "exa mple.com",
            "example.com?x",
            "::1",
            "%65xample.com",
            "https://",
        ] {
            assert!(HostPattern::parse(bad).is_err(), "{bad}");
        }
    }

    fn covers(pattern: &str, url: &str) -> bool {
        HostPattern::parse(pattern).unwrap().covers(&Url::parse(url).unwrap())
    }

    #[test]
    fn scheme_host_and_port_all_have_to_be_the_granted_ones() {
        for url in ["https://a.example/x?y", "https://A.EXAMPLE:443/"] {
            assert!(covers("a.example", url), "{url}");
        }
        for url in [
            "http://a.example/",
            "https://a.example:444/",
            "https://b.a.example/",
            "https://a.example.b/",
            "https://a.example./",
            "https://xa.example/",
        ] {
            assert!(!covers("a.example", url), "{url}");
        }
    }

    #[test]
    fn a_star_means_hosts_below_and_never_the_one_itself() {
        assert!(
            covers("*.example.com", "https://a.example.com/") && covers("*.example.com", "https://a.b.example.com/")
        );
        for url in [
            "https://example.com/",
            "https://.example.com/",
            "https://xexample.com/",
            "https://example.com.evil.org/",
        ] {
            assert!(Url::parse(url).map_or(true, |_| !covers("*.example.com", url)), "{url}");
        }
    }

    #[test]
    fn an_address_is_granted_as_itself_however_the_url_spells_it() {
        for url in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
        ] {
            assert!(covers("http://127.0.0.1", url), "{url}");
        }
        assert!(!covers("http://127.0.0.1", "http://[::ffff:127.0.0.1]/"));
        assert!(!covers("http://127.0.0.1", "http://localhost/"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_and_a_form_stays_itself(text in ".{0,40}") {
            if let Ok(pattern) = HostPattern::parse(&text) {
                let form = pattern.to_string();
                prop_assert_eq!(HostPattern::parse(&form), Ok(pattern));
            }
        }

        #[test]
        fn no_other_host_is_covered(name in "[a-z]{1,8}\\.[a-z]{2,5}", other in "[a-z.]{1,20}") {
            let pattern = HostPattern::parse(&name).unwrap();
            if let Ok(url) = Url::parse(&format!("https://{other}/")) {
                prop_assert_eq!(pattern.covers(&url), url.host_str() == Some(name.as_str()));
            }
        }
    }
}
