//! Reads chosen texts out of a JSON object that is still being written.
//!
//! Only an object of scalars is followed, each of its characters once. Whatever else comes is not guessed at: the object is given up.

use serde_json::Value;

use super::json_text::{JsonText, Malformed, Read};
use super::shape::LiveField;

/// Longest number in bytes; no argument of a tool that is shown needs one.
const MAX_SCALAR_BYTES: usize = 64;

/// The fields to read, by their names in the arguments.
pub(super) type Chosen = &'static [(&'static str, LiveField)];

/// The object cannot be followed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GivenUp;

impl From<Malformed> for GivenUp {
    fn from(_: Malformed) -> Self {
        Self
    }
}

/// How far an object has been read.
#[derive(Debug)]
pub(super) struct Scanner {
    chosen: Chosen,
    seen: Vec<LiveField>,
    key: String,
    /// The chosen field whose value stands here.
    field: Option<LiveField>,
    state: State,
}

#[derive(Debug)]
enum State {
    Start,
    /// A key, or the end where nothing came yet.
    Key {
        may_end: bool,
    },
    InKey(JsonText),
    Colon,
    Value,
    InText(JsonText),
    InScalar(String),
    AfterValue,
    End,
}

impl Scanner {
    /// Prepares for an object.
    pub(super) const fn new(chosen: Chosen) -> Self {
        Self {
            chosen,
            seen: Vec::new(),
            key: String::new(),
            field: None,
            state: State::Start,
        }
    }

    /// Takes more of the object; gives what it adds to the chosen fields, in order.
    pub(super) fn feed(&mut self, text: &str) -> Result<Vec<(LiveField, String)>, GivenUp> {
        let mut added: Vec<(LiveField, String)> = Vec::new();
        for c in text.chars() {
            let Some((field, c)) = self.take(c)? else { continue };
            match added.last_mut() {
                Some((last, text)) if *last == field => text.push(c),
                _ => added.push((field, c.to_string())),
            }
        }
        Ok(added)
    }

    fn take(&mut self, c: char) -> Result<Option<(LiveField, char)>, GivenUp> {
        match &mut self.state {
            State::InText(text) => match text.take(c)? {
                Read::Char(c) => return Ok(self.field.map(|field| (field, c))),
                Read::Nothing => {}
                Read::End => self.state = State::AfterValue,
            },
            State::InKey(text) => match text.take(c)? {
                Read::Char(c) => self.key.push(c),
                Read::Nothing => {}
                Read::End => self.choose()?,
            },
            State::InScalar(scalar) => {
                if !is_blank(c) && !matches!(c, ',' | '}') {
                    scalar.push(c);
                    return if scalar.len() > MAX_SCALAR_BYTES {
                        Err(GivenUp)
                    } else {
                        Ok(None)
                    };
                }
                serde_json::from_str::<Value>(scalar).map_err(|_| GivenUp)?;
                self.state = State::AfterValue;
                self.between(c)?;
            }
            _ => self.between(c)?,
        }
        Ok(None)
    }

    /// A character outside of keys and values.
    fn between(&mut self, c: char) -> Result<(), GivenUp> {
        if is_blank(c) {
            return Ok(());
        }
        self.state = match (&self.state, c) {
            (State::Start, '{') => State::Key { may_end: true },
            (State::Key { may_end: true }, '}') | (State::AfterValue, '}') => State::End,
            (State::Key { .. }, '"') => State::InKey(JsonText::default()),
            (State::Colon, ':') => State::Value,
            (State::Value, '"') => State::InText(JsonText::default()),
            // A chosen field is a text, and nothing that is shown holds lists or objects.
            (State::Value, '-' | '0'..='9' | 't' | 'f' | 'n') if self.field.is_none() => State::InScalar(c.to_string()),
            (State::AfterValue, ',') => State::Key { may_end: false },
            _ => return Err(GivenUp),
        };
        Ok(())
    }

    /// A key is whole. A chosen one that comes again would take back what was shown.
    fn choose(&mut self) -> Result<(), GivenUp> {
        let found = self.chosen.iter().find(|(name, _)| *name == self.key);
        self.field = found.map(|(_, field)| *field);
        self.key.clear();
        self.state = State::Colon;
        let Some(field) = self.field else { return Ok(()) };
        if self.seen.contains(&field) {
            return Err(GivenUp);
        }
        self.seen.push(field);
        Ok(())
    }
}

const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

#[cfg(test)]
mod tests;
