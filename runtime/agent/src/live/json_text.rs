//! A JSON string (RFC 8259, 7) that comes character by character.
//!
//! The quote before it has been read already; what is around it is not looked at.

/// Where a string stands.
#[derive(Debug, Default)]
pub(super) struct JsonText {
    escape: Escape,
    /// The first half of a surrogate pair, whose second half must follow.
    high: Option<u32>,
}

#[derive(Debug, Default, Clone, Copy)]
enum Escape {
    #[default]
    None,
    Begun,
    Unit {
        digits: u8,
        value: u32,
    },
}

/// What a character adds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// This character.
    Char(char),
    /// Nothing yet.
    Nothing,
    /// The end of the string.
    End,
}

/// It is no JSON string.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed;

impl JsonText {
    /// Takes the next character.
    pub(super) fn take(&mut self, c: char) -> Result<Read, Malformed> {
        match self.escape {
            Escape::None if c == '\\' => {
                self.escape = Escape::Begun;
                Ok(Read::Nothing)
            }
            Escape::None if self.high.is_some() || c < ' ' => Err(Malformed),
            Escape::None if c == '"' => Ok(Read::End),
            Escape::None => Ok(Read::Char(c)),
            Escape::Begun if c == 'u' => {
                self.escape = Escape::Unit { digits: 0, value: 0 };
                Ok(Read::Nothing)
            }
            Escape::Begun if self.high.is_some() => Err(Malformed),
            Escape::Begun => {
                self.escape = Escape::None;
                short_escape(c).map(Read::Char).ok_or(Malformed)
            }
            Escape::Unit { digits, value } => self.digit(c, digits, value),
        }
    }

    fn digit(&mut self, c: char, digits: u8, value: u32) -> Result<Read, Malformed> {
        let value = (value << 4) | c.to_digit(16).ok_or(Malformed)?;
        if digits < 3 {
            self.escape = Escape::Unit {
                digits: digits + 1,
                value,
            };
            return Ok(Read::Nothing);
        }
        self.escape = Escape::None;
        self.unit(value)
    }

    /// A unit of UTF-16: a character, or half of one.
    fn unit(&mut self, unit: u32) -> Result<Read, Malformed> {
        match (self.high.take(), unit) {
            (None, 0xD800..=0xDBFF) => {
                self.high = Some(unit);
                Ok(Read::Nothing)
            }
            (Some(high), 0xDC00..=0xDFFF) => {
                let scalar = 0x1_0000 + ((high - 0xD800) << 10) + (unit - 0xDC00);
                char::from_u32(scalar).map(Read::Char).ok_or(Malformed)
            }
            (Some(_), _) => Err(Malformed),
            // Half a pair alone is no character.
            (None, _) => char::from_u32(unit).map(Read::Char).ok_or(Malformed),
        }
    }
}

fn short_escape(c: char) -> Option<char> {
    Some(match c {
        '"' | '\\' | '/' => c,
        'b' => '\u{8}',
        'f' => '\u{C}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands before the end of a string, if it has one.
    fn decoded(text: &str) -> Result<Option<String>, Malformed> {
        let (mut string, mut kept) = (JsonText::default(), String::new());
        for c in text.chars() {
            match string.take(c)? {
                Read::Char(c) => kept.push(c),
                Read::Nothing => {}
                Read::End => return Ok(Some(kept)),
            }
        }
        Ok(None)
    }

    #[test]
    fn every_escape_is_understood() {
        let text = r#"a\"\\\/\b\f\n\r\té\u00e9\uD83c\udfb2🎲""#;
        assert_eq!(decoded(text), Ok(Some("a\"\\/\u{8}\u{C}\n\r\téé🎲🎲".to_owned())));
        assert_eq!(decoded("open\\u00"), Ok(None));
    }

    #[test]
    fn what_json_forbids_is_malformed() {
        for text in [
            "a\nb\"",
            "\\x\"",
            "\\u00g0\"",
            "\\ud83c\"",
            "\\ud83cx\"",
            "\\ud83c\\n\"",
            "\\ud83c\\u0041\"",
            "\\udfb2\"",
        ] {
            assert_eq!(decoded(text), Err(Malformed), "{text}");
        }
    }
}
