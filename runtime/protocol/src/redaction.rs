//! Finds a secret in texts, whole or in pieces: as it is, or with the escapes of a JSON string (RFC 8259, 7), as it stands in arguments.
//!
//! What takes its place says that a secret was there; nothing else of a text changes. Other ways to write it are not looked for.

use std::borrow::Cow;

/// What stands in a text where a secret was.
pub const REDACTED: &str = "[secret]";

/// A text without the key in it. The key is of visible characters of ASCII.
#[must_use]
pub fn without<'a>(key: &str, text: &'a str) -> Cow<'a, str> {
    match without_in_bytes(key, text.as_bytes()) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(clean) => Cow::Owned(text_of(clean)),
    }
}

/// The same for bytes, which need not be text. With a key of [`REDACTED`]'s length at least they become no longer.
#[must_use]
pub fn without_in_bytes<'a>(key: &str, bytes: &'a [u8]) -> Cow<'a, [u8]> {
    let Scanned { clean, held_from } = scan(key, bytes, End::Here);
    match clean {
        Some(mut clean) => {
            clean.extend_from_slice(bytes.get(held_from..).unwrap_or_default());
            Cow::Owned(clean)
        }
        None => Cow::Borrowed(bytes),
    }
}

/// A text that was cut and joined at characters of ASCII only, so it is one still.
fn text_of(clean: Vec<u8>) -> String {
    String::from_utf8(clean).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// A text that comes in pieces. What may be the beginning of the key is held back until more of it tells.
#[derive(Debug, Default)]
pub struct Pieces {
    held: String,
}

impl Pieces {
    /// Takes the next piece; gives what can be shown.
    pub fn feed(&mut self, key: &str, piece: &str) -> String {
        self.held.push_str(piece);
        let Scanned { clean, held_from } = scan(key, self.held.as_bytes(), End::Later);
        let held = self.held.split_off(held_from);
        let passed = std::mem::replace(&mut self.held, held);
        clean.map_or(passed, text_of)
    }

    /// What was held back, when nothing more comes.
    pub fn finish(&mut self, key: &str) -> String {
        without(key, &std::mem::take(&mut self.held)).into_owned()
    }
}

/// Whether more of a text may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Here,
    Later,
}

struct Scanned {
    /// The text up to `held_from` without the key; none where it holds none.
    clean: Option<Vec<u8>>,
    /// Where the part begins that is not decided yet, or that was copied nowhere.
    held_from: usize,
}

fn scan(key: &str, text: &[u8], end: End) -> Scanned {
    let (mut clean, mut copied, mut from) = (None::<Vec<u8>>, 0, 0);
    while let Some(start) = candidate(key, text, from) {
        match look(key, text.get(start..).unwrap_or_default()) {
            Found::Key { bytes } => {
                let clean = clean.get_or_insert_default();
                clean.extend_from_slice(text.get(copied..start).unwrap_or_default());
                clean.extend_from_slice(REDACTED.as_bytes());
                copied = start.saturating_add(bytes);
                from = copied;
            }
            Found::Beginning if end == End::Later => {
                return scanned(clean, text, copied, start);
            }
            Found::Beginning | Found::Nothing => from = start.saturating_add(1),
        }
    }
    match end {
        End::Here => Scanned {
            clean,
            held_from: copied,
        },
        End::Later => scanned(clean, text, copied, text.len()),
    }
}

/// Copies what is decided, where anything was changed before it.
fn scanned(clean: Option<Vec<u8>>, text: &[u8], copied: usize, held_from: usize) -> Scanned {
    let clean = clean.map(|mut clean| {
        clean.extend_from_slice(text.get(copied..held_from).unwrap_or_default());
        clean
    });
    Scanned { clean, held_from }
}

/// The next place at which the key may begin. It is a byte of ASCII, and so the border of a character.
fn candidate(key: &str, text: &[u8], from: usize) -> Option<usize> {
    let first = *key.as_bytes().first()?;
    let rest = text.get(from..)?;
    let at = rest.iter().position(|byte| *byte == first || *byte == b'\\')?;
    Some(from.saturating_add(at))
}

/// What begins at a place.
enum Found {
    Nothing,
    /// The text ends before it differs from the key.
    Beginning,
    /// The key, in so many bytes.
    Key {
        bytes: usize,
    },
}

fn look(key: &str, text: &[u8]) -> Found {
    let key = key.as_bytes();
    if text.starts_with(key) {
        return Found::Key { bytes: key.len() };
    }
    match look_escaped(key, text) {
        Found::Nothing if key.starts_with(text) => Found::Beginning,
        found => found,
    }
}

/// The key as the inside of a JSON string. Its characters are visible ones of ASCII.
fn look_escaped(key: &[u8], text: &[u8]) -> Found {
    let mut rest = text;
    for wanted in key {
        let bytes = match rest {
            [] | [b'\\'] => return Found::Beginning,
            [b'\\', b'u', digits @ ..] => {
                let expected = format!("{wanted:04x}");
                let there = digits.get(..expected.len()).unwrap_or(digits);
                match expected.as_bytes().get(..there.len()) {
                    Some(expected) if there.eq_ignore_ascii_case(expected) => {}
                    _ => return Found::Nothing,
                }
                if there.len() < expected.len() {
                    return Found::Beginning;
                }
                2 + expected.len()
            }
            [b'\\', escaped @ (b'"' | b'\\' | b'/'), ..] if escaped == wanted => 2,
            [byte, ..] if byte == wanted && *byte != b'\\' => 1,
            _ => return Found::Nothing,
        };
        rest = rest.get(bytes..).unwrap_or_default();
    }
    Found::Key {
        bytes: text.len().saturating_sub(rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: &str = "sk-a/b\"sk-c";

    /// A text in pieces, as it is shown.
    fn shown(key: &str, pieces: &[&str]) -> String {
        let mut text = Pieces::default();
        let mut shown: String = pieces.iter().map(|piece| text.feed(key, piece)).collect();
        shown.push_str(&text.finish(key));
        shown
    }

    #[test]
    fn a_key_is_found_as_it_is_and_with_escapes() {
        let rows = [
            ("a sk-a/b\"sk-c!", "a [secret]!"),
            ("sk-a\\/b\\\"sk-c", "[secret]"),
            ("\\u0073k\\u002Da/b\\u0022sk-c.", "[secret]."),
            ("ssk-a/b\"sk-csk-a/b\"sk-c", "s[secret][secret]"),
            ("sk-a/b\"ssk-a/b\"sk-c", "sk-a/b\"s[secret]"),
            ("\\\\sk-a/b\"sk-c é", "\\\\[secret] é"),
            ("sk-A/b\"sk-c sk-a/b\"sk", "sk-A/b\"sk-c sk-a/b\"sk"),
            ("\\u00", "\\u00"),
            ("", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(without(KEY, text), expected, "{text}");
        }
    }

    #[test]
    fn a_key_is_found_among_bytes_that_are_no_text() {
        let bytes = b"\xff sk-a\\/b\"sk-c\xfe";
        assert_eq!(*without_in_bytes(KEY, bytes), *b"\xff [secret]\xfe");
        assert!(matches!(without_in_bytes(KEY, b"\xff"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_key_of_backslashes_is_found_in_both_forms() {
        assert_eq!(without("a\\\\b", "a\\\\b a\\\\\\\\b"), "[secret] [secret]");
    }

    #[test]
    fn only_what_may_be_the_key_is_held_back() {
        let mut text = Pieces::default();
        let steps = [
            ("The sk", "The "),
            ("ill s", "skill "),
            ("k-a\\", ""),
            ("/b\\u00", ""),
            ("22sk-c", "[secret]"),
            (" s", " "),
        ];
        for (piece, expected) in steps {
            assert_eq!(text.feed(KEY, piece), expected, "{piece}");
        }
        assert_eq!(text.finish(KEY), "s");
        assert_eq!(text.finish(KEY), "");
    }

    proptest! {
        #[test]
        fn every_split_shows_the_same(text in r#"(sk-a/b"sk-c|sk-|\\/|\\u0073|[sé\\]){0,12}"#, cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
            let mut borders: Vec<usize> = cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
            borders.extend([0, text.len()]);
            borders.sort_unstable();
            let pieces: Vec<&str> = borders.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            prop_assert_eq!(shown(KEY, &pieces), without(KEY, &text));
        }
    }
}
