//! The text chunks of a PNG image (PNG specification, third edition, 5 and 11.3.3) that carry character cards.
//!
//! Chunks are walked through one by one, their lengths and checksums checked; pixels are never looked at, and packed texts are unpacked
//! only up to a limit.

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

/// Keyword of a card of the first or second version.
pub(super) const V2: &str = "chara";
/// Keyword of a card of the third version.
pub(super) const V3: &str = "ccv3";

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Longest chunk that the specification allows.
const MAX_CHUNK_BYTES: u32 = 0x7FFF_FFFF;
/// Most chunks of a file. An image in chunks of eight kilobytes, the smallest that writers make, stays below at the largest file size.
const MAX_CHUNKS: usize = 20_000;
/// The only method of packing that there is.
const DEFLATE: u8 = 0;

/// What is wrong with an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PngProblem {
    /// The file ends inside a chunk, or without its end chunk.
    #[error("it ends at byte {at}, in the middle")]
    Truncated {
        /// Where the file ends.
        at: usize,
    },
    /// A chunk that claims to be longer than any can be.
    #[error("the chunk at byte {at} claims {length} bytes")]
    Length {
        /// Where the chunk begins.
        at: usize,
        /// What it claims.
        length: u32,
    },
    /// The bytes of a chunk are not those that were written.
    #[error("the chunk at byte {at} has a wrong checksum")]
    Checksum {
        /// Where the chunk begins.
        at: usize,
    },
    /// More chunks than an image has.
    #[error("it has more than {MAX_CHUNKS} chunks")]
    TooManyChunks,
    /// The card's text is packed in a way that cannot be undone.
    #[error("the text chunk at byte {at} cannot be unpacked")]
    Packed {
        /// Where the chunk begins.
        at: usize,
    },
    /// The card's text is longer than a card can be.
    #[error("the text chunk at byte {at} is larger than any card")]
    TextTooLarge {
        /// Where the chunk begins.
        at: usize,
    },
}

/// The texts that an image carries, as they stand in it. Of several of one keyword the first counts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CardTexts {
    pub(super) v2: Option<Vec<u8>>,
    pub(super) v3: Option<Vec<u8>>,
}

pub(super) fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(SIGNATURE)
}

/// Walks through the chunks up to the end chunk. Whatever follows that is not part of the image.
pub(super) fn card_texts(bytes: &[u8], max_json_bytes: usize) -> Result<CardTexts, PngProblem> {
    let mut texts = CardTexts::default();
    let mut at = SIGNATURE.len();
    for _ in 0..MAX_CHUNKS {
        let chunk = Chunk::at(bytes, at)?;
        if chunk.kind == *b"IEND" {
            return Ok(texts);
        }
        if let Some((keyword, body)) = chunk.keyword() {
            let slot = match keyword {
                _ if is(keyword, V2) => Some(&mut texts.v2),
                _ if is(keyword, V3) => Some(&mut texts.v3),
                _ => None,
            };
            if let Some(slot @ None) = slot {
                *slot = Some(chunk.text(body, max_text_bytes(max_json_bytes))?);
            }
        }
        at = chunk.end;
    }
    Err(PngProblem::TooManyChunks)
}

/// Base64 makes four bytes of three; line breaks add a little.
const fn max_text_bytes(max_json_bytes: usize) -> usize {
    max_json_bytes.saturating_div(2).saturating_mul(3)
}

/// Readers of cards compare keywords without regard to case.
fn is(keyword: &[u8], name: &str) -> bool {
    keyword.eq_ignore_ascii_case(name.as_bytes())
}

/// One chunk, its checksum checked.
struct Chunk<'a> {
    at: usize,
    end: usize,
    kind: [u8; 4],
    data: &'a [u8],
}

impl<'a> Chunk<'a> {
    fn at(bytes: &'a [u8], at: usize) -> Result<Self, PngProblem> {
        let truncated = PngProblem::Truncated { at: bytes.len() };
        let rest = bytes.get(at..).ok_or(truncated)?;
        let (length, rest) = rest.split_first_chunk::<4>().ok_or(truncated)?;
        let length = u32::from_be_bytes(*length);
        if length > MAX_CHUNK_BYTES {
            return Err(PngProblem::Length { at, length });
        }
        let length = usize::try_from(length).map_err(|_| truncated)?;
        let (kind, body) = rest.split_first_chunk::<4>().ok_or(truncated)?;
        let (data, rest) = body.split_at_checked(length).ok_or(truncated)?;
        let (checksum, rest) = rest.split_first_chunk::<4>().ok_or(truncated)?;
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(kind);
        hasher.update(data);
        if hasher.finalize() != u32::from_be_bytes(*checksum) {
            return Err(PngProblem::Checksum { at });
        }
        Ok(Self {
            at,
            end: bytes.len().saturating_sub(rest.len()),
            kind: *kind,
            data,
        })
    }

    /// The keyword of a text chunk, and what follows it.
    fn keyword(&self) -> Option<(&'a [u8], &'a [u8])> {
        if ![*b"tEXt", *b"zTXt", *b"iTXt"].contains(&self.kind) {
            return None;
        }
        split_at_nul(self.data)
    }

    /// The text behind the keyword.
    fn text(&self, body: &[u8], max_bytes: usize) -> Result<Vec<u8>, PngProblem> {
        let damaged = PngProblem::Packed { at: self.at };
        let (is_packed, text) = match &self.kind {
            b"zTXt" => {
                let (method, text) = body.split_first().ok_or(damaged)?;
                (packed(true, *method).ok_or(damaged)?, text)
            }
            b"iTXt" => {
                let ([flag, method], rest) = body.split_first_chunk::<2>().ok_or(damaged)?;
                let (_language, rest) = split_at_nul(rest).ok_or(damaged)?;
                let (_translated, text) = split_at_nul(rest).ok_or(damaged)?;
                (packed(*flag != 0, *method).ok_or(damaged)?, text)
            }
            _ => (false, body),
        };
        let too_large = PngProblem::TextTooLarge { at: self.at };
        if !is_packed {
            return if text.len() > max_bytes {
                Err(too_large)
            } else {
                Ok(text.to_vec())
            };
        }
        decompress_to_vec_zlib_with_limit(text, max_bytes).map_err(|error| match error.status {
            miniz_oxide::inflate::TINFLStatus::HasMoreOutput => too_large,
            _ => damaged,
        })
    }
}

/// Whether a text is packed; nothing where it is in a way that does not exist.
const fn packed(is_packed: bool, method: u8) -> Option<bool> {
    if is_packed && method != DEFLATE {
        None
    } else {
        Some(is_packed)
    }
}

fn split_at_nul(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|byte| *byte == 0)?;
    Some((bytes.get(..at)?, bytes.get(at.checked_add(1)?..)?))
}
