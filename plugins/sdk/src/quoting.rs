//! How texts from outside stand in what a model reads: quoted in a message, on one line of a list, or as JSON to
//! copy into the next call.
//!
//! Nothing here shortens or changes what is stored; only what is shown.

/// Characters of a name, path or query that a message repeats; longer ones are none anyway.
const MAX_QUOTED: usize = 200;

/// A name, path or query in double quotes, with everything invisible escaped, cut when very long.
///
/// ```
/// assert_eq!(innkeeper_tool::quoted(" a\u{202E}b "), "\"a\\u{202e}b\"");
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    let text = text.trim();
    let mut shown: String = text.chars().take(MAX_QUOTED).collect();
    if shown.len() < text.len() {
        shown.push_str("...");
    }
    format!("{shown:?}")
}

/// The text with a space for each control character and line separator, so that it cannot start a line of its own.
#[must_use]
pub fn one_line(text: &str) -> String {
    let plain = |scalar: char| match scalar {
        '\u{2028}' | '\u{2029}' => ' ',
        _ if scalar.is_control() => ' ',
        _ => scalar,
    };
    text.chars().map(plain).collect()
}

/// The text as a JSON string (RFC 8259), quotes included.
#[must_use]
pub fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::{json_string, one_line, quoted};

    #[test]
    fn a_message_escapes_what_cannot_be_seen_and_cuts_what_is_long() {
        assert_eq!(quoted(" a\0b\u{202E}c\u{200B} "), "\"a\\0b\\u{202e}c\\u{200b}\"");
        assert_eq!(quoted(&"x".repeat(300)), format!("\"{}...\"", "x".repeat(200)));
    }

    #[test]
    fn a_list_keeps_each_text_on_its_line() {
        assert_eq!(one_line("a\r\n2. b\tc\u{2028}d 雨"), "a  2. b c d 雨");
    }

    #[test]
    fn json_can_be_copied_into_a_call() {
        assert_eq!(json_string("Tom's \"Inn\" \\ 雨\n"), r#""Tom's \"Inn\" \\ 雨\n""#);
    }
}
