//! A scanner over JSON text that reports where things are instead of what they mean, so that a line can be edited in one place and
//! keep every other byte: number spelling, white space, repeated keys, escapes.
//!
//! It accepts RFC 8259 plus the number words `NaN`, `Infinity` and `-Infinity`, which Python's writers leave in chat files. It does
//! not build values, does not recurse (a line nested a million deep costs memory, never the stack), and does not repair anything.

use std::borrow::Cow;
use std::ops::Range;

/// Where a line stops being JSON, and what was wrong there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    /// Byte offset into the scanned text.
    pub(super) offset: usize,
    /// What the scanner met or missed.
    pub(super) what: &'static str,
}

/// Number words that JavaScript prints but RFC 8259 lacks.
const NUMBER_WORDS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];
const LITERALS: [&str; 3] = ["true", "false", "null"];

#[derive(Clone, Copy)]
enum Container {
    Object,
    Array,
}

/// A cursor over one JSON text.
pub(super) struct Scanner<'a> {
    text: &'a str,
    pos: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, pos: 0 }
    }

    /// Byte offset of the cursor.
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    /// The text of a span that this scanner reported.
    pub(super) fn slice(&self, span: Range<usize>) -> &'a str {
        self.text.get(span).unwrap_or("")
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    /// Steps over `byte` when it is next.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.pos += usize::from(found);
        found
    }

    pub(super) fn fault<T>(&self, what: &'static str) -> Result<T, Fault> {
        Err(Fault { offset: self.pos, what })
    }

    /// Steps over white space and returns its span.
    pub(super) fn white_space(&mut self) -> Range<usize> {
        let start = self.pos;
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.pos += 1;
        }
        start..self.pos
    }

    /// Steps over one value and returns its span.
    pub(super) fn value(&mut self) -> Result<Range<usize>, Fault> {
        let start = self.pos;
        let mut open: Vec<Container> = Vec::new();
        loop {
            if self.value_start(&mut open)? {
                continue;
            }
            if !self.value_end(&mut open)? {
                return Ok(start..self.pos);
            }
        }
    }

    /// Reads a scalar or opens a container; true when a nested value must follow.
    fn value_start(&mut self, open: &mut Vec<Container>) -> Result<bool, Fault> {
        match self.peek() {
            Some(b'{') => {
                self.pos += 1;
                self.white_space();
                if self.eat(b'}') {
                    return Ok(false);
                }
                self.key()?;
                open.push(Container::Object);
                Ok(true)
            }
            Some(b'[') => {
                self.pos += 1;
                self.white_space();
                if self.eat(b']') {
                    return Ok(false);
                }
                open.push(Container::Array);
                Ok(true)
            }
            Some(b'"') => self.string().map(|_| false),
            _ => self.scalar().map(|()| false),
        }
    }

    /// Closes what ends here; true when another value must follow.
    fn value_end(&mut self, open: &mut Vec<Container>) -> Result<bool, Fault> {
        while let Some(container) = open.last().copied() {
            self.white_space();
            let comma = self.eat(b',');
            match (container, comma) {
                (Container::Object, true) => {
                    self.white_space();
                    self.key()?;
                    return Ok(true);
                }
                (Container::Array, true) => {
                    self.white_space();
                    return Ok(true);
                }
                (Container::Object, false) if self.eat(b'}') => {}
                (Container::Array, false) if self.eat(b']') => {}
                (Container::Object, false) => return self.fault("expected `,` or `}`"),
                (Container::Array, false) => return self.fault("expected `,` or `]`"),
            }
            open.pop();
        }
        Ok(false)
    }

    /// Steps over a key, its colon and the white space around it.
    fn key(&mut self) -> Result<(), Fault> {
        self.string()?;
        self.white_space();
        if !self.eat(b':') {
            return self.fault("expected `:`");
        }
        self.white_space();
        Ok(())
    }

    /// Steps over a string and returns its span, quotes included.
    pub(super) fn string(&mut self) -> Result<Range<usize>, Fault> {
        let start = self.pos;
        if !self.eat(b'"') {
            return self.fault("expected a string");
        }
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.pos += 1;
                    return Ok(start..self.pos);
                }
                Some(b'\\') => self.escape()?,
                Some(0..=0x1f) => return self.fault("a control character inside a string"),
                Some(_) => self.pos += 1,
                None => return self.fault("the text ends inside a string"),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        self.pos += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.pos += 1;
                Ok(())
            }
            Some(b'u') => {
                self.pos += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return self.fault("expected four hexadecimal digits");
                    }
                    self.pos += 1;
                }
                Ok(())
            }
            _ => self.fault("an unknown escape"),
        }
    }

    fn scalar(&mut self) -> Result<(), Fault> {
        let rest = self.text.get(self.pos..).unwrap_or("");
        for word in LITERALS.iter().chain(&NUMBER_WORDS) {
            if rest.starts_with(word) {
                self.pos += word.len();
                return Ok(());
            }
        }
        self.number()
    }

    fn number(&mut self) -> Result<(), Fault> {
        self.eat(b'-');
        match self.peek() {
            Some(b'0') => self.pos += 1,
            Some(b'1'..=b'9') => self.digits()?,
            Some(_) => return self.fault("expected a value"),
            None => return self.fault("the text ends before a value"),
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Fault> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return self.fault("expected a digit");
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.pos += 1;
        }
        Ok(())
    }
}

/// Decodes a raw JSON string (quotes included). A lone surrogate, which JavaScript can write and Rust cannot hold, reads as U+FFFD.
/// Anything but a string gives `None`.
pub(super) fn decode_string(raw: &str) -> Option<Cow<'_, str>> {
    let inner = strip_quotes(raw)?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let mut decoded = String::with_capacity(inner.len());
    let mut units = StringUnits::new(inner);
    while let Some(unit) = units.next() {
        match unit {
            Unit::Char(ch) => decoded.push(ch),
            Unit::Escaped(high @ 0xd800..=0xdbff) => decoded.push(units.pair(high)),
            Unit::Escaped(code) => decoded.push(char::from_u32(u32::from(code)).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }
    Some(Cow::Owned(decoded))
}

/// Writes `text` as a raw JSON string.
pub(super) fn encode_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Joins two raw JSON strings without touching how either is spelled.
pub(super) fn concat_strings(first: &str, second: &str) -> String {
    let head = first.strip_suffix('"').unwrap_or(first);
    let tail = second.strip_prefix('"').unwrap_or(second);
    format!("{head}{tail}")
}

/// Number of UTF-16 units of a raw JSON string: what JavaScript calls its `length`.
pub(super) fn utf16_len(raw: &str) -> u64 {
    StringUnits::new(strip_quotes(raw).unwrap_or(""))
        .map(|unit| unit.utf16())
        .sum()
}

/// The raw JSON string holding the first `units` UTF-16 units of a raw JSON string; `None` when it is shorter.
pub(super) fn utf16_prefix(raw: &str, units: u64) -> Option<String> {
    let inner = strip_quotes(raw)?;
    let mut walk = StringUnits::new(inner);
    let mut seen = 0;
    while seen < units {
        seen += walk.next()?.utf16();
    }
    (seen == units).then(|| format!("\"{}\"", inner.get(..walk.pos).unwrap_or("")))
}

fn strip_quotes(raw: &str) -> Option<&str> {
    raw.strip_prefix('"')?.strip_suffix('"')
}

enum Unit {
    Char(char),
    Escaped(u16),
}

impl Unit {
    fn utf16(&self) -> u64 {
        match self {
            Self::Char(ch) if ch.len_utf16() == 2 => 2,
            Self::Char(_) | Self::Escaped(_) => 1,
        }
    }
}

/// Walks the inside of a string that the scanner has accepted.
struct StringUnits<'a> {
    inner: &'a str,
    pos: usize,
}

impl<'a> StringUnits<'a> {
    fn new(inner: &'a str) -> Self {
        Self { inner, pos: 0 }
    }

    /// The second half of a surrogate pair, if it follows `high`.
    fn pair(&mut self, high: u16) -> char {
        let before = self.pos;
        if let Some(Unit::Escaped(low)) = self.next()
            && let Some(Ok(ch)) = char::decode_utf16([high, low]).next()
        {
            return ch;
        }
        self.pos = before;
        char::REPLACEMENT_CHARACTER
    }

    fn hex(&mut self) -> u16 {
        let digits = self.inner.get(self.pos..self.pos + 4).unwrap_or("");
        self.pos += digits.len();
        u16::from_str_radix(digits, 16).unwrap_or(0xfffd)
    }
}

impl Iterator for StringUnits<'_> {
    type Item = Unit;

    fn next(&mut self) -> Option<Unit> {
        let mut rest = self.inner.get(self.pos..)?.chars();
        let first = rest.next()?;
        self.pos += first.len_utf8();
        if first != '\\' {
            return Some(Unit::Char(first));
        }
        let kind = rest.next()?;
        self.pos += kind.len_utf8();
        Some(match kind {
            'u' => Unit::Escaped(self.hex()),
            'b' => Unit::Char('\u{8}'),
            'f' => Unit::Char('\u{c}'),
            'n' => Unit::Char('\n'),
            'r' => Unit::Char('\r'),
            't' => Unit::Char('\t'),
            other => Unit::Char(other),
        })
    }
}

#[cfg(test)]
mod tests;
