//! The patch engine: replaces exact text, and says where a text that is not there nearly is.
//!
//! Pure, and fuzzy in nothing but two rules: line feeds stand for the line ends of a file that has only CRLF, and
//! a byte-order mark at the start of the file stays whatever the patch says. Every byte outside the replaced
//! spans is kept.

mod nearest;

use std::borrow::Cow;

pub(crate) use nearest::Nearest;

/// Line numbers that an ambiguous match names; enough to choose by, whatever the count.
pub(crate) const MAX_LINES_NAMED: usize = 10;
/// What a workspace file may hold, in bytes; checked before a large result is built.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;
const BOM: char = '\u{FEFF}';

/// One replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edit<'a> {
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
    pub(crate) all: bool,
}

/// The result of a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Patched {
    pub(crate) text: String,
    pub(crate) replacements: u32,
}

/// Why nothing was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatchError {
    /// There is nothing to look for.
    EmptyOld,
    /// Old and new are the same once line ends and byte-order mark are those of the file.
    NoChange,
    /// `numbered`: every line looked for begins with a line number of the rendering.
    NotFound { nearest: Option<Nearest>, numbered: bool },
    /// The lines are those of the first matches.
    NotUnique { count: u32, lines: Vec<u32> },
    /// The result would have this many bytes.
    TooLarge { bytes: u64 },
}

/// Applies an edit to the text of a file.
pub(crate) fn apply(text: &str, edit: Edit<'_>) -> Result<Patched, PatchError> {
    let (mark, body) = split_mark(text);
    let old = as_in_file(edit.old, mark, body);
    let new = as_in_file(edit.new, mark, body);
    if old.is_empty() {
        return Err(PatchError::EmptyOld);
    }
    let count = body.matches(old.as_ref()).count();
    if count == 0 {
        return Err(not_found(body, &old));
    }
    if count > 1 && !edit.all {
        return Err(PatchError::NotUnique {
            count: saturate(count),
            lines: match_lines(body, &old),
        });
    }
    if old == new {
        return Err(PatchError::NoChange);
    }
    let bytes = resulting_bytes(text.len(), count, old.len(), new.len());
    if bytes > MAX_FILE_BYTES {
        return Err(PatchError::TooLarge { bytes });
    }
    let mut patched = String::with_capacity(usize::try_from(bytes).unwrap_or_default());
    patched.push_str(mark);
    for (index, kept) in body.split(old.as_ref()).enumerate() {
        if index > 0 {
            patched.push_str(&new);
        }
        patched.push_str(kept);
    }
    Ok(Patched {
        text: patched,
        replacements: saturate(count),
    })
}

/// Splits a byte-order mark off the text.
fn split_mark(text: &str) -> (&str, &str) {
    let body = text.strip_prefix(BOM).unwrap_or(text);
    text.split_at(text.len().saturating_sub(body.len()))
}

/// A text of the edit with the byte-order mark and the line ends of the file.
fn as_in_file<'a>(text: &'a str, mark: &str, body: &str) -> Cow<'a, str> {
    let text = if mark.is_empty() {
        text
    } else {
        text.strip_prefix(BOM).unwrap_or(text)
    };
    if text.contains('\n') && has_only_crlf(body) {
        Cow::Owned(with_crlf(text))
    } else {
        Cow::Borrowed(text)
    }
}

/// The file has line ends, and each is CRLF.
fn has_only_crlf(body: &str) -> bool {
    let feeds = body.matches('\n').count();
    feeds > 0 && feeds == body.matches("\r\n").count()
}

fn with_crlf(text: &str) -> String {
    let mut converted = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            converted.push_str(if converted.ends_with('\r') { "\n" } else { "\r\n" });
        }
        converted.push_str(line);
    }
    converted
}

fn resulting_bytes(text: usize, count: usize, old: usize, new: usize) -> u64 {
    let wide = |size: usize| u64::try_from(size).unwrap_or(u64::MAX);
    let removed = wide(count).saturating_mul(wide(old));
    let added = wide(count).saturating_mul(wide(new));
    wide(text).saturating_sub(removed).saturating_add(added)
}

/// The lines in which the first matches begin.
fn match_lines(body: &str, old: &str) -> Vec<u32> {
    let mut line = 1_u32;
    let mut counted = 0_usize;
    let starts = body.match_indices(old).take(MAX_LINES_NAMED).map(|(start, _)| start);
    starts
        .map(|start| {
            let between = body.get(counted..start).unwrap_or_default();
            line = line.saturating_add(saturate(between.matches('\n').count()));
            counted = start;
            line
        })
        .collect()
}

fn not_found(body: &str, old: &str) -> PatchError {
    let bare = nearest::without_numbers(old);
    let nearest = nearest::find(body, old, bare.as_deref().unwrap_or(old));
    PatchError::NotFound {
        nearest,
        numbered: bare.is_some(),
    }
}

fn saturate(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
