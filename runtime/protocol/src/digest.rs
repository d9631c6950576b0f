//! SHA-256 digests as lower-case hex.
//!
//! Only whole digests live here; shortened ones (file stems, chain links) belong to their formats.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256 as Hasher};

/// The SHA-256 of some bytes: 64 characters of lower-case hex.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = "^[0-9a-f]{64}$"))]
pub struct Sha256(String);

/// A text that is no digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no SHA-256 digest: 64 characters of lower-case hex are needed")]
pub struct InvalidDigest(String);

impl Sha256 {
    /// The digest of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(hex(&Hasher::digest(bytes)))
    }

    /// Parses 64 characters of lower-case hex.
    ///
    /// # Errors
    /// [`InvalidDigest`] for anything else.
    pub fn parse(text: &str) -> Result<Self, InvalidDigest> {
        let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        if text.len() == 64 && text.bytes().all(is_hex) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidDigest(text.chars().take(80).collect()))
        }
    }

    /// The digest as hex.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Lower-case hex of some bytes.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
            // Writing to a String cannot fail.
            let _ = write!(out, "{byte:02x}");
            out
        })
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Sha256 {
    type Error = InvalidDigest;
    fn try_from(text: String) -> Result<Self, InvalidDigest> {
        Self::parse(&text)
    }
}

impl From<Sha256> for String {
    fn from(digest: Sha256) -> String {
        digest.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_nothing_is_the_known_one() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Sha256::of(b"").as_str(), empty);
        assert_eq!(Sha256::parse(empty), Ok(Sha256::of(b"")));
        assert!(Sha256::parse(&empty.to_uppercase()).is_err());
        assert!(Sha256::parse("e3b0").is_err());
    }
}
