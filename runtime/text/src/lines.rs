//! Lines and their numbered rendering.
//!
//! A line ends at LF and nowhere else: a CR stays inside its line, and so do the Unicode separators.

use std::fmt::Write as _;

use crate::metrics::saturate;

/// Number of lines: none in an empty text; a final LF opens one more, empty, line.
#[must_use]
pub fn line_count(text: &str) -> u32 {
    if text.is_empty() {
        return 0;
    }
    saturate(line_feeds(text)).saturating_add(1)
}

/// Puts `first`, `first + 1`, ... before the lines of a shown part, right-aligned to the last number.
///
/// An empty part is one empty line, because a read may show just that; with `first` 0, which is
/// where a [`Selection`](crate::Selection) of an empty text starts, nothing was shown and the result
/// is empty.
///
/// ```
/// assert_eq!(innkeeper_text::number_lines("the rain\nnobody", 9), " 9 | the rain\n10 | nobody");
/// ```
#[must_use]
pub fn number_lines(text: &str, first: u32) -> String {
    if first == 0 {
        return String::new();
    }
    let last = first.saturating_add(saturate(line_feeds(text)));
    let width = last.to_string().len();
    let mut numbered = String::with_capacity(text.len());
    let mut number = first;
    for (index, line) in text.split('\n').enumerate() {
        let separator = if index == 0 { "" } else { "\n" };
        // Writing to a String cannot fail.
        let _ = write!(numbered, "{separator}{number:>width$} | {line}");
        number = number.saturating_add(1);
    }
    numbered
}

/// Number of LF bytes.
pub(crate) fn line_feeds(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::{line_count, number_lines};

    #[test]
    fn counts_lines_at_lf_only() {
        let table = [
            ("", 0),
            ("a", 1),
            ("a\n", 2),
            ("a\r\nb", 2),
            ("\n", 2),
            ("a\rb", 1),
            ("a\u{2028}b", 1),
        ];
        for (text, lines) in table {
            assert_eq!(line_count(text), lines, "{text:?}");
        }
    }

    #[test]
    fn aligns_to_the_last_shown_number() {
        let table = [
            ("a\nb", 9, " 9 | a\n10 | b"),
            ("a\nb", 99, " 99 | a\n100 | b"),
            ("a\n", 1, "1 | a\n2 | "),
            ("", 1, "1 | "),
            ("", 0, ""),
            ("a\r\nb", 1, "1 | a\r\n2 | b"),
            ("a\nb", u32::MAX, "4294967295 | a\n4294967295 | b"),
        ];
        for (text, first, numbered) in table {
            assert_eq!(number_lines(text, first), numbered, "{text:?} from {first}");
        }
    }
}
