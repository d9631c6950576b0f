//! Keys that are JavaScript regular expressions, `/pattern/flags`, for an engine whose steps are bounded.
//!
//! The engine's syntax is close to JavaScript's (ECMA-262, 22.2); what differs and occurs in keys is translated: classes of ASCII, escaped
//! letters that mean themselves, code units, braces that count nothing. What is left over does not compile and is told.

use std::iter::Peekable;
use std::str::Chars;

use fancy_regex::{Regex, RegexBuilder};

/// Longest pattern in bytes; longer ones are word lists that belong into several keys.
const MAX_PATTERN_BYTES: usize = 2_000;
/// Steps back of one search. A key that needs more takes noticeably long, and would take forever on a longer chat.
const MAX_STEPS_BACK: usize = 100_000;
/// Instructions of a compiled pattern: repeats of repeats multiply.
const MAX_INSTRUCTIONS: usize = 50_000;
/// Bytes of each compiled part of a pattern.
const MAX_COMPILED_BYTES: usize = 512 * 1024;

/// Why an expression cannot be used, or gave up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ExpressionError {
    #[error("it is longer than {MAX_PATTERN_BYTES} bytes")]
    TooLong,
    #[error("it is not a usable regular expression: {0}")]
    Invalid(String),
    #[error("it gave up on this chat: matching it takes too many steps")]
    GaveUp,
}

/// The pattern and the flags of a key that is an expression.
pub(super) fn split(key: &str) -> Option<(&str, &str)> {
    let (pattern, flags) = key.strip_prefix('/')?.rsplit_once('/')?;
    let is_flags = flags.chars().all(|flag| "dgimsuvy".contains(flag));
    (is_flags && !pattern.is_empty() && !has_bare_slash(pattern)).then_some((pattern, flags))
}

/// A slash that is not escaped ends a pattern; a text with one inside is no expression.
fn has_bare_slash(pattern: &str) -> bool {
    let mut is_escaped = false;
    pattern.chars().any(|c| {
        let is_bare = c == '/' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_bare
    })
}

pub(super) fn compile(pattern: &str, flags: &str) -> Result<Regex, ExpressionError> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(ExpressionError::TooLong);
    }
    RegexBuilder::new(&translate(pattern))
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        .dot_matches_new_line(flags.contains('s'))
        .backtrack_limit(MAX_STEPS_BACK)
        .max_prog_size(MAX_INSTRUCTIONS)
        .delegate_size_limit(MAX_COMPILED_BYTES)
        .delegate_dfa_size_limit(MAX_COMPILED_BYTES)
        .build()
        .map_err(|error| ExpressionError::Invalid(error.to_string().lines().last().unwrap_or_default().to_owned()))
}

pub(super) fn is_match(expression: &Regex, text: &str) -> Result<bool, ExpressionError> {
    expression.is_match(text).map_err(|_| ExpressionError::GaveUp)
}

/// The pattern in the engine's syntax.
fn translate(pattern: &str) -> String {
    let mut translated = String::with_capacity(pattern.len());
    let mut rest = pattern.chars().peekable();
    let mut is_class = false;
    while let Some(c) = rest.next() {
        match c {
            '\\' => escape(&mut rest, &mut translated),
            '[' if !is_class => is_class = class(&mut rest, &mut translated),
            ']' if is_class => {
                is_class = false;
                translated.push(c);
            }
            // Set operations and nested classes of the engine; in JavaScript these are letters like others.
            '[' | '&' | '~' if is_class => translated.extend(['\\', c]),
            '{' if !is_class && !counts(rest.clone()) => translated.push_str("\\{"),
            _ => translated.push(c),
        }
    }
    translated
}

/// The beginning of a class; whether one is open afterwards. `[]` matches nothing and `[^]` everything.
fn class(rest: &mut Peekable<Chars<'_>>, translated: &mut String) -> bool {
    let is_negated = rest.next_if_eq(&'^').is_some();
    if rest.next_if_eq(&']').is_some() {
        translated.push_str(if is_negated { "[\\s\\S]" } else { "[^\\s\\S]" });
        return false;
    }
    translated.push_str(if is_negated { "[^" } else { "[" });
    true
}

/// Whether what follows a brace is a count: `2}`, `2,}` or `2,3}`.
fn counts(mut rest: Peekable<Chars<'_>>) -> bool {
    let mut digits = 0;
    while rest.next_if(char::is_ascii_digit).is_some() {
        digits += 1;
    }
    if rest.next_if_eq(&',').is_some() {
        while rest.next_if(char::is_ascii_digit).is_some() {}
    }
    digits > 0 && rest.next() == Some('}')
}

/// What follows a backslash.
fn escape(rest: &mut Peekable<Chars<'_>>, translated: &mut String) {
    let Some(c) = rest.next() else {
        translated.push('\\');
        return;
    };
    match c {
        '/' => translated.push('/'),
        'd' => translated.push_str("[0-9]"),
        'D' => translated.push_str("[^0-9]"),
        'w' => translated.push_str("[A-Za-z0-9_]"),
        'W' => translated.push_str("[^A-Za-z0-9_]"),
        '0' => translated.push_str("\\x00"),
        'u' => code_unit(rest, translated),
        'x' | 'p' | 'P' => {
            translated.extend(['\\', c]);
            translated.extend(rest.next_if_eq(&'{'));
        }
        'b' | 'B' | 's' | 'S' | 'n' | 'r' | 't' | 'v' | 'f' | 'k' => translated.extend(['\\', c]),
        // Any other letter means itself, and something else to the engine.
        letter if letter.is_ascii_alphabetic() => translated.push(letter),
        other => translated.extend(['\\', other]),
    }
}

/// `\uXXXX`, a pair of them, or `\u{...}`.
fn code_unit(rest: &mut Peekable<Chars<'_>>, translated: &mut String) {
    if rest.next_if_eq(&'{').is_some() {
        translated.push_str("\\x{");
        return;
    }
    let Some(unit) = four_digits(rest) else {
        translated.push('u');
        return;
    };
    let mut ahead = rest.clone();
    let low = (ahead.next() == Some('\\') && ahead.next() == Some('u'))
        .then(|| four_digits(&mut ahead))
        .flatten();
    let pair = low.and_then(|low| char::decode_utf16([unit, low]).next()?.ok());
    match pair.filter(|pair| u32::from(*pair) > 0xFFFF) {
        Some(pair) => {
            *rest = ahead;
            translated.push_str(&format!("\\x{{{:X}}}", u32::from(pair)));
        }
        None => translated.push_str(&format!("\\x{{{unit:X}}}")),
    }
}

/// Four hexadecimal digits; nothing is taken where there are fewer.
fn four_digits(rest: &mut Peekable<Chars<'_>>) -> Option<u16> {
    let mut ahead = rest.clone();
    let digits: String = ahead.by_ref().take(4).filter(char::is_ascii_hexdigit).collect();
    if digits.len() != 4 {
        return None;
    }
    *rest = ahead;
    u16::from_str_radix(&digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(key: &str, text: &str) -> Result<bool, ExpressionError> {
        let (pattern, flags) = split(key).unwrap();
        is_match(&compile(pattern, flags)?, text)
    }

    #[test]
    fn only_a_pattern_between_slashes_with_flags_is_an_expression() {
        assert_eq!(split(r"/a\/b/gi"), Some((r"a\/b", "gi")));
        for plain in ["lamp", "/lamp", "//", "/a/b/", "/a/xyz", "a/b/i"] {
            assert_eq!(split(plain), None, "{plain}");
        }
    }

    #[test]
    fn expressions_mean_what_they_mean_in_javascript() {
        for (key, text, expected) in [
            (r"/lamp(?=s)/i", "LAMPS", true),
            (r"/(?<!no )lamp/", "no lamp", false),
            (r"/(.)\1/", "book", true),
            (r"/^b$/m", "a\nb", true),
            (r"/a.b/", "a\nb", false),
            (r"/a.b/s", "a\nb", true),
            (r"/a[^]b/", "a\nb", true),
            (r"/\d/", "٣", false),
            (r"/[\w-]+é/", "caf-é", true),
            (r"/[[&~]/", "[", true),
            (r"/a{b/", "a{b", true),
            (r"/a{2}/", "a", false),
            (r"/\uD83D\uDE00/", "😀", true),
            (r"/\u{1F600}/u", "😀", true),
            (r"/\u706F/", "灯", true),
            (r"/^\p{Lu}\x41$/u", "ÄA", true),
            (r"/\h\/\-/", "h/-", true),
            (r"/渡し(舟|船)/", "この渡し船", true),
        ] {
            assert_eq!(matches(key, text), Ok(expected), "{key}");
        }
    }

    #[test]
    fn what_does_not_end_gives_up_and_what_is_broken_is_told() {
        let evil = format!("{}!", "a".repeat(50_000));
        assert_eq!(matches(r"/(a+)+$/", &evil), Ok(false), "no steps back are needed");
        assert_eq!(matches(r"/(?=x|a)(a+)+\1$/", &evil), Err(ExpressionError::GaveUp));
        assert!(matches!(matches(r"/(a/", "a"), Err(ExpressionError::Invalid(_))));
        let long = format!("/{}/", "a".repeat(MAX_PATTERN_BYTES + 1));
        assert_eq!(matches(&long, "a"), Err(ExpressionError::TooLong));
    }
}
