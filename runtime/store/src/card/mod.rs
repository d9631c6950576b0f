//! Character card files: JSON, or a PNG image that carries the card in a text chunk.
//!
//! Only the card's JSON is taken out; what its fields mean is not known here. An image is never decoded, nothing is written, and a card
//! that could not be read is an error, never an empty card.

mod error;
mod png;

use std::path::Path;

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

pub use error::CardFileError;

use crate::document::{json_of, read_regular};

/// Largest card file in bytes. Images of twenty megabytes occur; a card archive with its assets is none of these.
pub const MAX_CARD_BYTES: u64 = 64 * 1024 * 1024;
/// Largest card as JSON in bytes, packed or not. The largest seen, with books of a thousand entries, have four megabytes.
pub const MAX_CARD_JSON_BYTES: usize = 16 * 1024 * 1024;
/// The first bytes of a ZIP archive, as the third version's `.charx` is one.
const ZIP_SIGNATURE: &[u8] = b"PK\x03\x04";

/// The JSON of a card file.
///
/// # Errors
/// [`CardFileError`] when the file cannot be read, is too large, carries no card, or carries one that is damaged.
pub fn read_card(path: &Path) -> Result<Value, CardFileError> {
    let bytes = read_regular(path, MAX_CARD_BYTES)?;
    card_of(&bytes).map_err(|problem| CardFileError::Damaged {
        path: path.to_owned(),
        problem,
    })
}

/// What is wrong with the bytes of a card.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CardProblem {
    /// An archive.
    #[error("it is an archive (.charx), which is not read")]
    Archive,
    /// The image is damaged.
    #[error("its PNG is damaged: {0}")]
    Image(#[from] PngProblem),
    /// An image without a card.
    #[error("the image carries no character card")]
    NoCard,
    /// The text in the image is no base64.
    #[error("the text chunk {keyword} is not base64 (RFC 4648)")]
    Encoding {
        /// The chunk's keyword.
        keyword: &'static str,
    },
    /// More than a card can be.
    #[error("the card is larger than {MAX_CARD_JSON_BYTES} bytes")]
    TooLarge,
    /// No JSON.
    #[error("the card is not JSON: {0}")]
    NotJson(String),
}

pub use png::PngProblem;

fn card_of(bytes: &[u8]) -> Result<Value, CardProblem> {
    if bytes.starts_with(ZIP_SIGNATURE) {
        return Err(CardProblem::Archive);
    }
    if !png::is_png(bytes) {
        return parse(bytes);
    }
    let texts = png::card_texts(bytes, MAX_CARD_JSON_BYTES)?;
    // Writers of the third version add the second beside it, for older readers.
    let (keyword, text) = match (texts.v3, texts.v2) {
        (Some(text), _) => (png::V3, text),
        (None, Some(text)) => (png::V2, text),
        (None, None) => return Err(CardProblem::NoCard),
    };
    parse(&decode(&text).ok_or(CardProblem::Encoding { keyword })?)
}

/// Base64 with line breaks in it, and with its padding or without.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let engine = GeneralPurpose::new(&base64::alphabet::STANDARD, lenient);
    let text: Vec<u8> = text
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    engine.decode(text).ok()
}

fn parse(bytes: &[u8]) -> Result<Value, CardProblem> {
    if bytes.len() > MAX_CARD_JSON_BYTES {
        return Err(CardProblem::TooLarge);
    }
    json_of(bytes).map_err(CardProblem::NotJson)
}

#[cfg(test)]
mod tests;
