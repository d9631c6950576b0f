//! Ranged reads, the same for every tool that has them: four optional arguments, what was shown, and how to go
//! on.
//!
//! What a range selects is `innkeeper-text`'s. Codes are the tool's.

mod share;
mod words;

use innkeeper_text::{Selection, Span, number_lines};
use serde::Serialize;

use crate::Whole;
pub use share::{MAX_ITEMS, share};
pub use words::{mixed, out_of_range};

/// The four optional arguments of a ranged read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RangeArguments {
    /// First line, from 1.
    pub start_line: Option<Whole>,
    /// Lines wanted.
    pub line_count: Option<Whole>,
    /// First character, from 0.
    pub start_char: Option<Whole>,
    /// Characters wanted.
    pub max_chars: Option<Whole>,
}

/// Lines and characters were asked for at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MixedRange;

impl RangeArguments {
    /// The span that is asked for: characters where one of their arguments is given, else lines.
    ///
    /// # Errors
    /// [`MixedRange`] when arguments of both kinds are given.
    pub fn span(self) -> Result<Span, MixedRange> {
        let by_lines = self.start_line.is_some() || self.line_count.is_some();
        let by_chars = self.start_char.is_some() || self.max_chars.is_some();
        match (by_lines, by_chars) {
            (true, true) => Err(MixedRange),
            (false, true) => Ok(Span::Chars {
                start: self.start_char.map_or(0, Whole::clamp_u32),
                max: self.max_chars.map(Whole::clamp_u32),
            }),
            (_, false) => Ok(Span::Lines {
                start: self.start_line.map_or(1, Whole::clamp_u32),
                count: self.line_count.map(Whole::clamp_u32),
            }),
        }
    }
}

/// A selection as a model is shown it.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// What was selected.
    pub selection: Selection<'a>,
    /// It was asked for in characters, so it has no line numbers.
    pub by_chars: bool,
}

/// The fields of a ranged read in a structured reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RangePayload {
    chars: u32,
    words: u32,
    total_chars: u32,
    total_words: u32,
    #[serde(flatten)]
    place: Place,
    truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum Place {
    Lines {
        total_lines: u32,
        start_line: u32,
        end_line: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        next_start_line: Option<u32>,
        line_truncated: bool,
    },
    Chars {
        start_char: u32,
        end_char: u32,
    },
}

impl Shown<'_> {
    /// Numbered lines, or the raw characters.
    #[must_use]
    pub fn body(&self) -> String {
        if self.by_chars {
            self.selection.text.to_owned()
        } else {
            number_lines(self.selection.text, self.selection.start_line)
        }
    }

    /// The end of a ref: `L1-L9`, or `chars=0..20` with an exclusive end.
    #[must_use]
    pub fn ref_part(&self) -> String {
        let part = &self.selection;
        if self.by_chars {
            format!("chars={}..{}", part.start_char, part.end_char)
        } else {
            format!("L{}-L{}", part.start_line, part.end_line)
        }
    }

    /// Span, characters and words in a few words.
    #[must_use]
    pub fn summary(&self) -> String {
        let part = &self.selection;
        let span = if part.total.chars == 0 {
            "is empty".to_owned()
        } else if self.by_chars {
            format!("characters {}..{}", part.start_char, part.end_char)
        } else {
            format!("lines {}-{} of {}", part.start_line, part.end_line, part.total_lines)
        };
        format!(
            "{span}, {} of {} chars, {} of {} words",
            part.metrics.chars, part.total.chars, part.metrics.words, part.total.words
        )
    }

    /// ` (preview)` where the text has more than is shown, before or after it.
    #[must_use]
    pub fn preview(&self) -> &'static str {
        if self.selection.truncated { " (preview)" } else { "" }
    }

    /// The range of the next read as members of a JSON object, as `"start_line": 3, "line_count": 2`; nothing where no
    /// more follows.
    #[must_use]
    pub fn next_range(&self) -> Option<String> {
        let part = &self.selection;
        if self.by_chars {
            let (next, count) = (part.end_char, part.metrics.chars);
            return (next < part.total.chars).then(|| format!("\"start_char\": {next}, \"max_chars\": {count}"));
        }
        if part.line_truncated {
            return Some(format!("\"start_char\": {}", part.end_char));
        }
        let next = part.next_start_line?;
        let lines = part.end_line.saturating_sub(part.start_line).saturating_add(1);
        Some(format!("\"start_line\": {next}, \"line_count\": {lines}"))
    }

    /// How to read on, if more follows. `call` makes a whole call out of the range of the next read.
    #[must_use]
    pub fn continuation(&self, call: impl FnOnce(&str) -> String) -> Option<String> {
        let call = call(&self.next_range()?);
        Some(if self.selection.line_truncated && !self.by_chars {
            format!("[Line {} was cut: call {call}]", self.selection.start_line)
        } else {
            format!("[More: call {call}]")
        })
    }

    /// The fields for programs.
    #[must_use]
    pub fn payload(&self) -> RangePayload {
        let part = &self.selection;
        let place = if self.by_chars {
            Place::Chars {
                start_char: part.start_char,
                end_char: part.end_char,
            }
        } else {
            Place::Lines {
                total_lines: part.total_lines,
                start_line: part.start_line,
                end_line: part.end_line,
                next_start_line: part.next_start_line,
                line_truncated: part.line_truncated,
            }
        };
        RangePayload {
            chars: part.metrics.chars,
            words: part.metrics.words,
            total_chars: part.total.chars,
            total_words: part.total.words,
            place,
            truncated: part.truncated,
        }
    }
}

#[cfg(test)]
mod tests;
