//! The sentences for a range that cannot be read. Codes are the tool's.

use innkeeper_text::{RangeError, Span};

use crate::counted;

/// Lines and characters were asked for at once. `what` starts the sentence, as `Message 3`.
#[must_use]
pub fn mixed(what: &str) -> String {
    format!(
        "{what} was asked for by lines and by characters at once. Nothing was read. Call again with start_line and \
         line_count, or with start_char and max_chars."
    )
}

/// There is no such part. `what` starts the sentence, as `Message 3`.
#[must_use]
pub fn out_of_range(what: &str, span: Span, error: RangeError) -> String {
    let asked = asked(span);
    if error.total_chars == 0 {
        return format!(
            "{what} has no such part: {asked}, but it is empty. Nothing was read, and there is nothing to read."
        );
    }
    let lines = counted(error.total_lines, "line");
    let chars = counted(error.total_chars, "character");
    format!(
        "{what} has no such part: {asked}, but it has {lines} and {chars}. Nothing was read. Call \
         again with start_line from 1 or start_char from 0 inside it, and counts of at least 1."
    )
}

fn asked(span: Span) -> String {
    match span {
        Span::Chars { start, max: Some(max) } => format!("start_char {start} and max_chars {max} were asked for"),
        Span::Chars { start, max: None } => format!("start_char {start} was asked for"),
        Span::Lines {
            start,
            count: Some(count),
        } => format!("start_line {start} and line_count {count} were asked for"),
        Span::Lines { start, count: None } => format!("start_line {start} was asked for"),
        Span::All => "all of it was asked for".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_range_names_what_was_asked_for_and_what_there_is() {
        let span = Span::Chars { start: 9, max: Some(3) };
        let error = RangeError {
            total_lines: 2,
            total_chars: 7,
        };
        assert_eq!(
            out_of_range("File \"a\"", span, error),
            "File \"a\" has no such part: start_char 9 and max_chars 3 were asked for, but it has 2 lines and 7 \
             characters. Nothing was read. Call again with start_line from 1 or start_char from 0 inside it, and \
             counts of at least 1."
        );
        let error = RangeError {
            total_lines: 0,
            total_chars: 0,
        };
        assert_eq!(
            out_of_range("File \"a\"", span, error),
            "File \"a\" has no such part: start_char 9 and max_chars 3 were asked for, but it is empty. Nothing was \
             read, and there is nothing to read."
        );
        let table = [
            (Span::All, "all of it was asked for"),
            (Span::Chars { start: 9, max: None }, "start_char 9 was asked for"),
            (Span::Lines { start: 3, count: None }, "start_line 3 was asked for"),
            (
                Span::Lines {
                    start: 3,
                    count: Some(0),
                },
                "start_line 3 and line_count 0 were asked for",
            ),
        ];
        for (span, words) in table {
            assert_eq!(asked(span), words);
        }
    }
}
