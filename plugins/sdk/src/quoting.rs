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

/// A number with its noun, which takes an `s` for all numbers but one.
///
/// ```
/// assert_eq!(innkeeper_tool::counted(1_u32, "word"), "1 word");
/// assert_eq!(innkeeper_tool::counted(0_u32, "word"), "0 words");
/// ```
#[must_use]
pub fn counted<N: Into<u64>>(number: N, noun: &str) -> String {
    match number.into() {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}

/// The rule that a host's refusal of a path names, without the path that it begins with: a message says it once.
///
/// ```
/// assert_eq!(innkeeper_tool::path_rule("`/a` is not a workspace path: it begins with `/`"), "it begins with `/`");
/// ```
#[must_use]
pub fn path_rule(reason: &str) -> &str {
    let rule = reason
        .rsplit_once(" is not a workspace path: ")
        .map_or(reason, |(_, rule)| rule);
    rule.trim().trim_end_matches('.')
}

/// The path that was most likely meant by one that is none: relative, with `/` between folders, without what a search's
/// ref has around the path. Nothing where no such path is obvious.
///
/// ```
/// assert_eq!(innkeeper_tool::fixed_path("/plan").as_deref(), Some("plan"));
/// assert_eq!(innkeeper_tool::fixed_path("../plan"), None);
/// ```
#[must_use]
pub fn fixed_path(path: &str) -> Option<String> {
    let path = path.trim();
    let bare = path.strip_prefix("workspace:").unwrap_or(path);
    let bare = bare.rsplit_once("#L").map_or(bare, |(path, _)| path);
    let fixed = bare.replace('\\', "/").trim_start_matches('/').to_owned();
    let odd = |scalar: char| scalar.is_control() || matches!(scalar, ':' | '<' | '>' | '"' | '|' | '?' | '*');
    let usable = !fixed.is_empty() && fixed != path && !fixed.contains(odd);
    (usable && fixed.split('/').all(|part| part != "..")).then_some(fixed)
}

/// The text as a JSON string (RFC 8259), quotes included.
#[must_use]
pub fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::{counted, fixed_path, json_string, one_line, path_rule, quoted};

    #[test]
    fn an_obvious_path_is_found_in_what_is_none() {
        let table = [
            ("/plan", Some("plan")),
            ("plan\\notes.md", Some("plan/notes.md")),
            ("workspace:plan/a.md#L4-L6", Some("plan/a.md")),
            ("/", None),
            ("plan/notes.md", None),
            ("/../plan", None),
            ("C:\\plan", None),
        ];
        for (path, fixed) in table {
            assert_eq!(fixed_path(path).as_deref(), fixed, "{path}");
        }
    }

    #[test]
    fn a_rule_is_said_without_the_path() {
        assert_eq!(
            path_rule("`a:b` is not a workspace path: it contains `:`."),
            "it contains `:`"
        );
        assert_eq!(path_rule(" it is a link. "), "it is a link");
    }

    #[test]
    fn only_one_is_singular() {
        assert_eq!(
            [0_u32, 1, 2].map(|count| counted(count, "line")),
            ["0 lines", "1 line", "2 lines"]
        );
    }

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
