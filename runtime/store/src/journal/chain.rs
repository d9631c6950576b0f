//! The link between two stored lines.
//!
//! It finds accidents (a lost, moved or altered line). It has no key, so it is no proof against someone who rewrites the whole file.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// Bytes of a SHA-256 that a link keeps: enough against accidents, and a line stays short.
const KEPT_BYTES: usize = 8;

/// Sixteen lower-case hex characters that depend on every line so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chain([u8; Chain::LEN]);

impl Chain {
    /// Characters of a link.
    pub(crate) const LEN: usize = 2 * KEPT_BYTES;
    /// The link before the first line.
    pub(crate) const START: Self = Self([b'0'; Self::LEN]);

    /// The link after a line with this JSON text, `chain` member left out.
    pub(crate) fn after(self, text: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(self.0);
        for part in text {
            hasher.update(part);
        }
        let digest = hasher.finalize();
        let mut kept = [b'0'; Self::LEN];
        let halves = digest.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
        for (slot, half) in kept.iter_mut().zip(halves) {
            *slot = if half < 10 { b'0' + half } else { b'a' + (half - 10) };
        }
        Self(kept)
    }

    /// Parses sixteen lower-case hex characters.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let kept: [u8; Self::LEN] = text.try_into().ok()?;
        let is_hex = |b: &u8| b.is_ascii_digit() || (b'a'..=b'f').contains(b);
        kept.iter().all(is_hex).then_some(Self(kept))
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{}", char::from(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_the_head_of_a_sha_256_over_the_link_before_and_the_text() {
        // printf '0000000000000000{}' | sha256sum | cut -c1-16
        assert_eq!(Chain::START.after(&[b"{}"]).to_string(), "2be1c2a888bf913a");
        assert_eq!(Chain::START.after(&[b"{", b"}"]), Chain::START.after(&[b"{}"]));
    }

    #[test]
    fn only_sixteen_lower_case_hex_characters_are_a_link() {
        for text in ["", "0", "00000000000000000", "000000000000000G", "ABCDEF0123456789"] {
            assert_eq!(Chain::parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(
            Chain::parse(b"0123456789abcdef").map(|c| c.to_string()).as_deref(),
            Some("0123456789abcdef")
        );
    }
}
