//! Guidance: what a person tells a run while it is on its way.
//!
//! It is no chat message and starts nothing; a run reads it at its next request.

/// Longest text of one item, in Unicode scalars.
pub const MAX_GUIDANCE_CHARS: usize = 16_000;
/// Most items that wait.
pub const MAX_PENDING_ITEMS: usize = 8;
/// Most Unicode scalars of all items that wait.
pub const MAX_PENDING_CHARS: usize = 64_000;
/// Unicode scalars of a preview.
const PREVIEW_CHARS: usize = 240;

/// One thing that a person said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guidance {
    /// `guidance_<32 hex>`.
    pub id: String,
    /// The name that the sender gave it.
    pub client_id: Option<String>,
    /// Trimmed, not empty, at most [`MAX_GUIDANCE_CHARS`].
    pub text: String,
}

/// A text that cannot be guidance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidGuidance {
    /// There is nothing in it.
    #[error("the guidance is empty; write what the run should do differently")]
    Empty,
    /// It is too long.
    #[error("the guidance has {chars} characters; at most {MAX_GUIDANCE_CHARS} are taken. Shorten it")]
    TooLarge {
        /// Unicode scalars.
        chars: usize,
    },
}

impl InvalidGuidance {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Empty => "agent.guidance_empty",
            Self::TooLarge { .. } => "agent.guidance_too_large",
        }
    }
}

impl Guidance {
    /// Checks a text.
    ///
    /// # Errors
    /// [`InvalidGuidance`] for an empty or too long text.
    pub fn new(id: String, client_id: Option<String>, text: &str) -> Result<Self, InvalidGuidance> {
        let text = text.trim();
        let chars = text.chars().count();
        if chars == 0 {
            return Err(InvalidGuidance::Empty);
        }
        if chars > MAX_GUIDANCE_CHARS {
            return Err(InvalidGuidance::TooLarge { chars });
        }
        let text = text.to_owned();
        Ok(Self { id, client_id, text })
    }

    /// The beginning on one line: white space collapsed, at most 240 Unicode scalars.
    #[must_use]
    pub fn preview(&self) -> String {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        words.join(" ").chars().take(PREVIEW_CHARS).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guidance(text: &str) -> Result<Guidance, InvalidGuidance> {
        Guidance::new("guidance_1".to_owned(), None, text)
    }

    #[test]
    fn a_text_is_trimmed_and_has_a_length() {
        assert_eq!(guidance("  go on \n").unwrap().text, "go on");
        assert_eq!(guidance(" \n").unwrap_err(), InvalidGuidance::Empty);
        assert!(guidance(&"\u{e9}".repeat(MAX_GUIDANCE_CHARS)).is_ok());
        let long = guidance(&"a".repeat(MAX_GUIDANCE_CHARS + 1)).unwrap_err();
        assert_eq!(long, InvalidGuidance::TooLarge { chars: 16_001 });
    }

    #[test]
    fn a_preview_is_one_short_line() {
        assert_eq!(
            guidance("slower,\n\n  and\tsadder").unwrap().preview(),
            "slower, and sadder"
        );
        assert_eq!(guidance(&"b".repeat(500)).unwrap().preview().len(), PREVIEW_CHARS);
    }
}
