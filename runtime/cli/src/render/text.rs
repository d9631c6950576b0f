//! Text on a terminal: made harmless, measured in columns, cut, padded and wrapped.
//!
//! Columns are those of Unicode Standard Annex 11: a Chinese character takes two.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Columns of a text without control characters.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// One line that cannot do anything to a terminal: white space is one space, everything invisible is shown as a box.
pub(crate) fn plain(text: &str) -> String {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.chars().map(visible).collect())
        .collect();
    words.join(" ")
}

/// The same for a text of several lines, which stay.
pub(crate) fn plain_lines(text: &str) -> String {
    let line = |line: &str| line.replace('\t', "    ").chars().map(visible).collect::<String>();
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The first line that says something, made harmless: for texts that explain themselves at length.
pub(crate) fn first_line(text: &str) -> String {
    text.lines()
        .map(plain)
        .find(|line| !line.is_empty())
        .unwrap_or_default()
}

/// `1 word`, `2 words`.
pub(super) fn counted(count: u32, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

fn visible(c: char) -> char {
    let is_direction =
        matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{061c}');
    if c.is_control() || is_direction || matches!(c, '\u{2028}' | '\u{2029}') {
        '\u{fffd}'
    } else {
        c
    }
}

/// As much of the text as fits, with an ellipsis where it was cut.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let Some(room) = columns.checked_sub(1) else {
        return String::new();
    };
    let mut kept = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        kept.push(c);
    }
    format!("{}\u{2026}", kept.trim_end())
}

/// The text cut or filled to exactly this many columns.
pub(super) fn pad(text: &str, columns: usize) -> String {
    let text = fit(text, columns);
    let missing = columns.saturating_sub(width(&text));
    format!("{text}{}", " ".repeat(missing))
}

/// The text filled from the left.
pub(super) fn pad_left(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text in lines of at most this many columns, each after an indent. Its own line breaks stay; a word that is too long, or
/// written without spaces, is broken.
pub(crate) fn wrap(text: &str, columns: usize, indent: usize) -> String {
    let room = columns.saturating_sub(indent).max(10);
    let margin = " ".repeat(indent);
    let lines = text.lines().flat_map(|line| wrap_line(line, room));
    let lines: Vec<String> = lines
        .map(|line| {
            if line.is_empty() {
                line
            } else {
                format!("{margin}{line}")
            }
        })
        .collect();
    lines.join("\n")
}

fn wrap_line(line: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut current = String::new();
    for word in line.split(' ').filter(|word| !word.is_empty()) {
        let space = usize::from(!current.is_empty());
        if width(&current) + space + width(word) > room && !current.is_empty() {
            lines.push(std::mem::take(&mut current));
        }
        if !current.is_empty() {
            current.push(' ');
        }
        for c in word.chars() {
            if width(&current) + c.width().unwrap_or(0) > room {
                lines.push(std::mem::take(&mut current));
            }
            current.push(c);
        }
    }
    lines.push(current);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(fit("渡し舟の灯", 10), "渡し舟の灯");
        assert_eq!(fit("渡し舟の灯", 9), "渡し舟の\u{2026}");
        assert_eq!(fit("渡し舟の灯", 8), "渡し舟\u{2026}");
        assert_eq!(pad("灯", 4), "灯  ");
        assert_eq!(fit("abc", 0), "");
    }

    #[test]
    fn nothing_can_drive_the_terminal() {
        assert_eq!(plain("a\u{1b}[31mb\n\tc\u{202e}d"), "a\u{fffd}[31mb c\u{fffd}d");
        assert_eq!(plain_lines("a\u{1b}]0;x\u{7}\n\tb"), "a\u{fffd}]0;x\u{fffd}\n    b");
    }

    #[test]
    fn the_first_line_is_the_first_that_says_something() {
        assert_eq!(first_line(" \n\u{1b}a  b\nCaused by:\n"), "\u{fffd}a b");
        assert_eq!(first_line("\n"), "");
    }

    #[test]
    fn text_is_wrapped_at_words_and_without_spaces_anywhere() {
        assert_eq!(
            wrap("one two three four\n\nfive", 14, 2),
            "  one two\n  three four\n\n  five"
        );
        assert_eq!(wrap("渡し舟の灯が見える", 12, 0), "渡し舟の灯が\n見える");
    }
}
