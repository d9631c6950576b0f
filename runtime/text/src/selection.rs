//! The part of a text that one read shows: whole lines, or characters.
//!
//! Oversize is no error: a selection says where the next one starts. Numbers before lines, notes and
//! refs are for the caller to add.

use crate::lines::{line_count, line_feeds};
use crate::metrics::{Metrics, measure, saturate};

/// What a reader asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// All lines, up to the caps.
    All,
    /// Lines, counted from 1.
    Lines {
        /// First line, 1-based.
        start: u32,
        /// Lines wanted; to the end when absent. Beyond the end is fine.
        count: Option<u32>,
    },
    /// Unicode scalars, counted from 0.
    Chars {
        /// First scalar, 0-based.
        start: u32,
        /// Scalars wanted; the cap when absent. Above the cap it is lowered to the cap.
        max: Option<u32>,
    },
}

/// How much one read may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Lines of one line read; at least one is shown. `u32::MAX` for none. Character reads ignore it.
    pub max_lines: u32,
    /// Unicode scalars of one read, the LFs between lines included.
    pub max_chars: u32,
}

/// A selected part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection<'a> {
    /// The raw slice: no line numbers, and no LF after its last line in a line read.
    pub text: &'a str,
    /// Of the slice.
    pub metrics: Metrics,
    /// Of the whole text.
    pub total: Metrics,
    /// Lines of the whole text.
    pub total_lines: u32,
    /// First line shown, 1-based; 0 for an empty text.
    pub start_line: u32,
    /// Last line shown; in a character read the last line touched. 0 for an empty text.
    pub end_line: u32,
    /// Where the next line read starts; absent at the end and in a character read.
    pub next_start_line: Option<u32>,
    /// First scalar shown, 0-based, in the whole text.
    pub start_char: u32,
    /// First scalar after the slice. After a cut line this is where a character read goes on.
    pub end_char: u32,
    /// The only line shown was too long and was cut.
    pub line_truncated: bool,
    /// The text has more than was shown, before or after it.
    pub truncated: bool,
}

/// A start beyond the text, or a count of zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeError {
    /// Lines of the whole text.
    pub total_lines: u32,
    /// Unicode scalars of the whole text.
    pub total_chars: u32,
}

/// Selects a part of a text.
///
/// # Errors
///
/// [`RangeError`] for a zero line number or count, or a start beyond the end. Line 1 and character 0 of an empty
/// text are fine.
///
/// ```
/// use innkeeper_text::{Caps, Span, select};
/// let caps = Caps { max_lines: 1, max_chars: 100 };
/// let page = select("one\ntwo", Span::All, caps).unwrap();
/// assert_eq!((page.text, page.next_start_line), ("one", Some(2)));
/// ```
pub fn select<'a>(text: &'a str, span: Span, caps: Caps) -> Result<Selection<'a>, RangeError> {
    let whole = Whole {
        text,
        metrics: measure(text),
        lines: line_count(text),
    };
    match span {
        Span::All => whole.lines(1, None, caps),
        Span::Lines { start, count } => whole.lines(start, count, caps),
        Span::Chars { start, max } => whole.chars(start, max, caps.max_chars),
    }
}

/// A text with its totals, counted once.
struct Whole<'a> {
    text: &'a str,
    metrics: Metrics,
    lines: u32,
}

/// How far whole lines reach: the bytes and lines that fitted.
struct Taken {
    bytes: usize,
    lines: u32,
}

impl<'a> Whole<'a> {
    fn range_error(&self) -> RangeError {
        RangeError {
            total_lines: self.lines,
            total_chars: self.metrics.chars,
        }
    }

    fn lines(&self, start: u32, count: Option<u32>, caps: Caps) -> Result<Selection<'a>, RangeError> {
        if start == 0 || count == Some(0) || start > self.lines.max(1) {
            return Err(self.range_error());
        }
        if self.text.is_empty() {
            return Ok(self.selection("", 0));
        }
        let available = self.lines.saturating_sub(start).saturating_add(1);
        let wanted = count.unwrap_or(available).min(available).min(caps.max_lines.max(1));
        let from = line_offset(self.text, start);
        let rest = self.text.get(from..).unwrap_or_default();
        let taken = take_lines(rest, wanted, caps.max_chars);
        let line_truncated = taken.lines == 0;
        let bytes = if line_truncated {
            char_offset(rest, caps.max_chars)
        } else {
            taken.bytes
        };
        let end_line = start.saturating_add(taken.lines.max(1)).saturating_sub(1);
        Ok(Selection {
            start_line: start,
            end_line,
            next_start_line: (end_line < self.lines).then(|| end_line.saturating_add(1)),
            line_truncated,
            truncated: line_truncated || start > 1 || end_line < self.lines,
            ..self.selection(rest.get(..bytes).unwrap_or_default(), from)
        })
    }

    fn chars(&self, start: u32, max: Option<u32>, cap: u32) -> Result<Selection<'a>, RangeError> {
        let total = self.metrics.chars;
        if max == Some(0) || (start > 0 && start >= total) {
            return Err(self.range_error());
        }
        if self.text.is_empty() {
            return Ok(self.selection("", 0));
        }
        let from = char_offset(self.text, start);
        let rest = self.text.get(from..).unwrap_or_default();
        let slice = rest
            .get(..char_offset(rest, max.unwrap_or(cap).min(cap)))
            .unwrap_or_default();
        let shown = self.selection(slice, from);
        let start_line = self.line_at(from);
        // A LF belongs to the line that it ends, unless the empty line after it is the last of the text.
        let reaches_end = shown.end_char == total;
        let inner = if reaches_end {
            slice
        } else {
            slice.strip_suffix('\n').unwrap_or(slice)
        };
        Ok(Selection {
            start_line,
            end_line: start_line.saturating_add(saturate(line_feeds(inner))),
            truncated: start > 0 || !reaches_end,
            ..shown
        })
    }

    fn line_at(&self, byte: usize) -> u32 {
        let before = self.text.get(..byte).unwrap_or_default();
        saturate(line_feeds(before)).saturating_add(1)
    }

    /// The selection of a slice, as if of an empty text; the reads fill in lines and flags.
    fn selection(&self, slice: &'a str, from: usize) -> Selection<'a> {
        let before = self.text.get(..from).unwrap_or_default();
        let start_char = saturate(before.chars().count());
        let metrics = measure(slice);
        Selection {
            text: slice,
            metrics,
            total: self.metrics,
            total_lines: self.lines,
            start_line: 0,
            end_line: 0,
            next_start_line: None,
            start_char,
            end_char: start_char.saturating_add(metrics.chars),
            line_truncated: false,
            truncated: false,
        }
    }
}

/// The byte where a line starts; the end of the text for a line beyond it.
fn line_offset(text: &str, line: u32) -> usize {
    let before = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
    text.split_inclusive('\n').take(before).map(str::len).sum()
}

/// The byte where a scalar starts; the end of the text for one beyond it.
fn char_offset(text: &str, scalar: u32) -> usize {
    let scalar = usize::try_from(scalar).unwrap_or(usize::MAX);
    text.char_indices().nth(scalar).map_or(text.len(), |(byte, _)| byte)
}

/// Takes whole lines while they fit; none when even the first is too long.
fn take_lines(text: &str, wanted: u32, max_chars: u32) -> Taken {
    let mut taken = Taken { bytes: 0, lines: 0 };
    let mut chars = 0_u32;
    for line in text.split('\n').take(usize::try_from(wanted).unwrap_or(usize::MAX)) {
        let feed = u32::from(taken.lines > 0);
        chars = chars
            .saturating_add(feed)
            .saturating_add(saturate(line.chars().count()));
        if chars > max_chars {
            break;
        }
        let feed_bytes = usize::from(taken.lines > 0);
        taken.bytes = taken.bytes.saturating_add(feed_bytes).saturating_add(line.len());
        taken.lines = taken.lines.saturating_add(1);
    }
    taken
}

#[cfg(test)]
mod tests;
