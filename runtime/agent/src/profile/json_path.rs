//! Places in a profile file, written as RFC 9535 has them: `$.tools.allow[2]`, `$.tools.maxCallsPerTool['builtin:chat.search']`.
//!
//! Only names and indices; nothing is looked up with them here.

use std::fmt;

use serde_path_to_error::{Path, Segment};

/// A place in a JSON file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonPath(String);

impl JsonPath {
    /// The whole file.
    #[must_use]
    pub fn root() -> Self {
        Self("$".to_owned())
    }

    /// The member of this name of the object at this place.
    #[must_use]
    pub fn key(mut self, name: &str) -> Self {
        if is_plain(name) {
            self.0.push('.');
            self.0.push_str(name);
        } else {
            self.0.push_str("['");
            name.chars().for_each(|c| self.push_quoted(c));
            self.0.push_str("']");
        }
        self
    }

    /// The element at this index, from 0, of the array at this place.
    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        self.0.push_str(&format!("[{index}]"));
        self
    }

    /// A place given as names with dots between them, none of which needs quoting.
    pub(super) fn dotted(names: &str) -> Self {
        names.split('.').fold(Self::root(), Self::key)
    }

    /// Where a deserialiser stood when it gave up.
    pub(super) fn of(path: &Path) -> Self {
        let step = |place: Self, segment: &Segment| match segment {
            Segment::Map { key } => place.key(key),
            Segment::Enum { variant } => place.key(variant),
            Segment::Seq { index } => place.index(*index),
            Segment::Unknown => place,
        };
        path.iter().fold(Self::root(), step)
    }

    fn push_quoted(&mut self, c: char) {
        match c {
            '\'' | '\\' => self.0.extend(['\\', c]),
            c if c.is_control() => self.0.extend(c.escape_unicode().filter(|c| !matches!(c, '{' | '}'))),
            c => self.0.push(c),
        }
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

fn is_plain(name: &str) -> bool {
    let mut letters = name.chars();
    let first = letters.next();
    first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_') && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_no_words_are_quoted() {
        let path = JsonPath::root().key("tools").key("it's\\a").index(2).key("").key("x_1");
        assert_eq!(path.to_string(), r"$.tools['it\'s\\a'][2][''].x_1");
    }
}
