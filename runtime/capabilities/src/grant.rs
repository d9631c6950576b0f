//! What can be granted, by the names that manifests, lock files and people use for it.
//!
//! A capability without parameters is its own name. `http=HOST` is one host that requests may go to, `credential=NAME@HOST` one credential
//! that may go with them. Every name has one canonical form, so that what was asked for and what was granted can be compared as text.

use std::fmt;

use crate::http::{HostName, HostPattern};
use crate::interface::Capability;

/// Characters of a credential's name.
const MAX_CREDENTIAL_CHARS: usize = 32;

/// One thing that can be granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grant {
    /// A capability without parameters.
    Capability(Capability),
    /// Requests to these hosts.
    Host(HostPattern),
    /// A credential that goes with requests to one origin.
    Credential(CredentialGrant),
}

/// A credential, and the one origin that it may be sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialGrant {
    /// What the tool and the person call it.
    pub name: String,
    /// Scheme, host and port.
    pub origin: HostPattern,
}

/// A name that grants nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// Nothing has that name.
    #[error("there is no capability {0:?}")]
    Unknown(String),
    /// What stands after `http=`, or after the `@` of a credential, is no host.
    #[error("{text:?} cannot be granted: {problem}")]
    Host {
        /// The host as it is written.
        text: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// What stands after `credential=` is no credential.
    #[error(
        "{0:?} is no credential: it is written credential=NAME@HOST, the name of lower-case letters, digits and `-`"
    )]
    Credential(String),
}

impl Grant {
    /// How each kind is written, for people.
    pub const FORMS: &'static str =
        "chat, worldinfo, skills, workspace-read, workspace-write, random, clock, http=HOST, credential=NAME@HOST";

    /// What a name grants.
    ///
    /// # Errors
    /// [`GrantError`].
    pub fn parse(name: &str) -> Result<Self, GrantError> {
        if let Some(host) = name.strip_prefix("http=") {
            return HostPattern::parse(host).map(Self::Host);
        }
        if let Some(credential) = name.strip_prefix("credential=") {
            return CredentialGrant::parse(credential).map(Self::Credential);
        }
        let capability = Capability::parse(name).ok_or_else(|| GrantError::Unknown(name.to_owned()))?;
        Ok(Self::Capability(capability))
    }

    /// The canonical form of a name; a name that grants nothing stays as it is.
    #[must_use]
    pub fn canonical(name: &str) -> String {
        Self::parse(name).map_or_else(|_| name.to_owned(), |grant| grant.to_string())
    }

    /// The capability that it belongs to.
    #[must_use]
    pub const fn capability(&self) -> Capability {
        match self {
            Self::Capability(capability) => *capability,
            Self::Host(_) | Self::Credential(_) => Capability::Http,
        }
    }

    /// What it lets a component do, in words for the person who grants it.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Capability(capability) => capability.words().to_owned(),
            Self::Host(hosts) => format!("send requests to {}", hosts.words()),
            Self::Credential(CredentialGrant { name, origin }) => {
                format!("sign in to {origin} with your credential {name}, which it never gets to read")
            }
        }
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capability(capability) => f.write_str(capability.name().unwrap_or_default()),
            Self::Host(hosts) => write!(f, "http={hosts}"),
            Self::Credential(CredentialGrant { name, origin }) => write!(f, "credential={name}@{origin}"),
        }
    }
}

impl CredentialGrant {
    fn parse(text: &str) -> Result<Self, GrantError> {
        let refused = || GrantError::Credential(text.to_owned());
        let (name, host) = text.split_once('@').ok_or_else(refused)?;
        let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if name.is_empty() || name.len() > MAX_CREDENTIAL_CHARS || !name.bytes().all(is_plain) {
            return Err(refused());
        }
        let origin = HostPattern::parse(host)?;
        if matches!(origin.name(), HostName::Below(_)) {
            return Err(GrantError::Host {
                text: host.to_owned(),
                problem: "a credential goes to one host",
            });
        }
        Ok(Self {
            name: name.to_owned(),
            origin,
        })
    }
}

/// Everything that one component was granted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants {
    /// Capabilities; [`Capability::Http`] where there is a host.
    pub capabilities: Vec<Capability>,
    /// Hosts that requests may go to.
    pub hosts: Vec<HostPattern>,
    /// Credentials that may go with them.
    pub credentials: Vec<CredentialGrant>,
}

impl Grants {
    fn add(&mut self, capability: Capability) {
        if !self.capabilities.contains(&capability) {
            self.capabilities.push(capability);
        }
    }
}

impl FromIterator<Grant> for Grants {
    fn from_iter<I: IntoIterator<Item = Grant>>(grants: I) -> Self {
        let mut all = Self::default();
        for grant in grants {
            match grant {
                Grant::Capability(capability) => all.add(capability),
                Grant::Host(hosts) => {
                    all.add(Capability::Http);
                    all.hosts.push(hosts);
                }
                // Without a host that it may go to it gives nothing.
                Grant::Credential(credential) => all.credentials.push(credential),
            }
        }
        all
    }
}

impl From<&[Capability]> for Grants {
    fn from(capabilities: &[Capability]) -> Self {
        Self {
            capabilities: capabilities.to_vec(),
            ..Self::default()
        }
    }
}

impl<const N: usize> From<[Capability; N]> for Grants {
    fn from(capabilities: [Capability; N]) -> Self {
        capabilities.as_slice().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_one_form() {
        for (written, canonical) in [
            ("chat", "chat"),
            ("http=api.example.com", "http=https://api.example.com"),
            ("http=https://API.example.com:443", "http=https://api.example.com"),
            (
                "credential=weather@api.example.com",
                "credential=weather@https://api.example.com",
            ),
            ("nothing", "nothing"),
        ] {
            assert_eq!(Grant::canonical(written), canonical);
            assert_eq!(Grant::canonical(canonical), canonical);
        }
    }

    #[test]
    fn what_is_no_grant_says_why() {
        let told = |name: &str| Grant::parse(name).unwrap_err().to_string();
        assert_eq!(told("http"), "there is no capability \"http\"");
        assert_eq!(told("run-control"), "there is no capability \"run-control\"");
        assert_eq!(
            told("credential=a@*.example.com"),
            "\"*.example.com\" cannot be granted: a credential goes to one host"
        );
        for bad in [
            "credential=x",
            "credential=@a.example",
            "credential=A@a.example",
            "credential=a b@a.example",
        ] {
            assert!(told(bad).contains("credential=NAME@HOST"), "{bad}");
        }
    }

    #[test]
    fn every_capability_that_can_be_granted_is_among_the_forms() {
        let forms: Vec<&str> = Grant::FORMS.split(", ").collect();
        let names: Vec<&str> = Capability::GRANTABLE.iter().map(|(name, _)| *name).collect();
        assert_eq!(forms[..names.len()], names);
    }

    #[test]
    fn a_person_reads_what_a_host_and_a_credential_mean() {
        let words = |name: &str| Grant::parse(name).unwrap().words();
        assert_eq!(
            words("http=api.example.com"),
            "send requests to https://api.example.com"
        );
        let below = "send requests to every host below example.com (https://*.example.com)";
        assert_eq!(words("http=*.example.com"), below);
        let plain = "send requests to http://localhost:8080, unencrypted";
        assert_eq!(words("http=http://localhost:8080"), plain);
        let credential = "sign in to https://api.example.com with your credential weather, which it never gets to read";
        assert_eq!(words("credential=weather@api.example.com"), credential);
    }

    #[test]
    fn a_host_brings_its_capability_and_a_credential_does_not() {
        let grants = |names: &[&str]| names.iter().map(|name| Grant::parse(name).unwrap()).collect::<Grants>();
        assert_eq!(
            grants(&["http=a.example", "http=b.example"]).capabilities,
            [Capability::Http]
        );
        assert_eq!(grants(&["credential=k@a.example"]).capabilities, []);
    }
}
