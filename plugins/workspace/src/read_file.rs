//! `workspace.read_file`: a file or a part of it, with line numbers.
//!
//! The host selects the part and keeps the record of what was shown; this renders it and says how to go on.

use std::fmt::Write as _;

use innkeeper_text::{Caps, Metrics, Span, measure, number_lines};
use innkeeper_tool::{Failure, Reply, Whole, json_string};
use serde::{Deserialize, Serialize};

use crate::port::{Page, PathError, Reader};
use crate::refusal::{Access, Refusal, required};
use crate::words;

/// What one read may show: enough for a chapter, small enough for a model's context.
pub(crate) const CAPS: Caps = Caps {
    max_lines: 1_200,
    max_chars: 80_000,
};

/// Arguments of `workspace.read_file`.
#[derive(Clone, Debug, Deserialize)]
pub struct ReadArguments {
    /// The file.
    pub path: String,
    /// First line, 1-based.
    pub start_line: Option<Whole>,
    /// Lines wanted.
    pub line_count: Option<Whole>,
    /// First scalar, 0-based.
    pub start_char: Option<Whole>,
    /// Scalars wanted.
    pub max_chars: Option<Whole>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Structured<'a> {
    path: &'a str,
    sha256: &'a str,
    chars: u32,
    words: u32,
    total_chars: u32,
    total_words: u32,
    #[serde(flatten)]
    range: Range,
    truncated: bool,
    full_read: bool,
}

#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum Range {
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

/// Shows a file or a part of it.
///
/// # Errors
/// A [`Failure`] for a path that cannot be read, or a range that the file does not have.
pub fn read_file(arguments: &ReadArguments, reader: &mut impl Reader) -> Result<Reply, Failure> {
    let wanted = required("path", &arguments.path)?;
    let path = reader
        .resolve(wanted)
        .map_err(|error| Refusal::look(Access::File, wanted, error, reader))?;
    if path.is_empty() {
        return Err(Refusal::path(Access::File, wanted, PathError::Invalid(words::NO_FILE.into())).into());
    }
    let span = span(arguments).ok_or_else(|| Refusal::MixedRange { path: path.clone() })?;
    let by_chars = matches!(span, Span::Chars { .. });
    let page = reader
        .show(&path, span, CAPS)
        .map_err(|error| Refusal::show(&path, by_chars, error, reader))?;
    let shown = measure(&page.text);
    let (text, reference, range) = if by_chars {
        let reference = format!("{path}:chars={}..{}", page.start_char, page.end_char);
        (char_words(&path, &page, shown), reference, char_range(&page))
    } else {
        (line_words(&path, &page, shown), path.clone(), line_range(&page))
    };
    Reply::text(text).refs([reference]).structured(&Structured {
        path: &path,
        sha256: &page.sha256,
        chars: shown.chars,
        words: shown.words,
        total_chars: page.total_chars,
        total_words: page.total_words,
        range,
        truncated: page.truncated,
        full_read: page.fully_read,
    })
}

/// The part that is asked for, unless lines and characters are mixed.
fn span(arguments: &ReadArguments) -> Option<Span> {
    let by_lines = arguments.start_line.is_some() || arguments.line_count.is_some();
    let by_chars = arguments.start_char.is_some() || arguments.max_chars.is_some();
    match (by_lines, by_chars) {
        (true, true) => None,
        (false, false) => Some(Span::All),
        (true, false) => Some(Span::Lines {
            start: arguments.start_line.map_or(1, Whole::clamp_u32),
            count: arguments.line_count.map(Whole::clamp_u32),
        }),
        (false, true) => Some(Span::Chars {
            start: arguments.start_char.map_or(0, Whole::clamp_u32),
            max: arguments.max_chars.map(Whole::clamp_u32),
        }),
    }
}

fn line_range(page: &Page) -> Range {
    Range::Lines {
        total_lines: page.total_lines,
        start_line: page.start_line,
        end_line: page.end_line,
        next_start_line: page.next_start_line,
        line_truncated: page.line_truncated,
    }
}

fn char_range(page: &Page) -> Range {
    Range::Chars {
        start_char: page.start_char,
        end_char: page.end_char,
    }
}

fn line_words(path: &str, page: &Page, shown: Metrics) -> String {
    let span = if page.total_chars == 0 {
        "is empty".to_owned()
    } else {
        format!("lines {}-{} of {}", page.start_line, page.end_line, page.total_lines)
    };
    let mut text = format!(
        "{path} {span}, chars {} of {}, words {} of {}{}",
        shown.chars,
        page.total_chars,
        shown.words,
        page.total_words,
        preview(page),
    );
    push_body(&mut text, &number_lines(&page.text, page.start_line));
    let mut notes = Vec::new();
    if page.line_truncated {
        notes.push(format!(
            "(line {} was cut; its rest: {} start_char={})",
            page.start_line,
            next_read(path),
            page.end_char
        ));
    }
    if let Some(next) = page.next_start_line {
        let count = page.end_line.saturating_sub(page.start_line).saturating_add(1);
        notes.push(format!(
            "(more: {} start_line={next} line_count={count})",
            next_read(path)
        ));
    }
    push_notes(&mut text, &notes);
    text
}

/// The call that reads on, up to its range.
fn next_read(path: &str) -> String {
    format!("workspace_read_file path={}", json_string(path))
}

fn char_words(path: &str, page: &Page, shown: Metrics) -> String {
    let span = if page.total_chars == 0 {
        "is empty, chars 0 of 0".to_owned()
    } else {
        format!("chars {}..{} of {}", page.start_char, page.end_char, page.total_chars)
    };
    let mut text = format!(
        "{path} {span}, words {} of {}{}",
        shown.words,
        page.total_words,
        preview(page),
    );
    push_body(&mut text, &page.text);
    if page.end_char < page.total_chars {
        push_notes(
            &mut text,
            &[format!(
                "(more: {} start_char={} max_chars={})",
                next_read(path),
                page.end_char,
                shown.chars
            )],
        );
    }
    text
}

fn preview(page: &Page) -> &'static str {
    if page.truncated { " (preview)" } else { "" }
}

fn push_body(text: &mut String, body: &str) {
    if !body.is_empty() {
        text.push('\n');
        text.push_str(body);
    }
}

fn push_notes(text: &mut String, notes: &[String]) {
    if !notes.is_empty() {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n\n{}", notes.join("\n"));
    }
}

#[cfg(test)]
mod tests;
