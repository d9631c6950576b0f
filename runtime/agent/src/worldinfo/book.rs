//! Books: a stand-alone file of SillyTavern, a card's `character_book`, and the third version's export of one.
//!
//! An entry that cannot be used is told and left out; the others stay. Nothing is written back.

use serde_json::{Map, Value};

use super::entry::Entry;
use super::settings::MAX_ENTRIES;
use crate::card::Card;
use crate::fields::{Fields, Found, WrongType};

/// Whose book it is: a card's entries come before those of others of the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BookKind {
    /// The card's own.
    Character,
    /// Any other.
    Other,
}

/// A book of world info.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Book {
    /// The name under which its entries are known.
    pub name: String,
    pub(super) kind: BookKind,
    pub(super) scan_depth: Option<u32>,
    /// Characters of all its entries; the whole scan's budget holds beside it.
    pub(super) max_chars: Option<usize>,
    /// Whether its entries bring in others.
    pub(super) is_recursive: bool,
    pub(super) entries: Vec<Entry>,
    /// Entries that cannot be used.
    pub issues: Vec<BookIssue>,
}

/// An entry that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the entry {entry} of the book {book:?} is left out: {problem}")]
pub struct BookIssue {
    /// The book.
    pub book: String,
    /// The entry's key or index.
    pub entry: String,
    /// What is wrong with it.
    pub problem: WrongType,
}

/// Why a book cannot be used at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// JSON, but no object.
    #[error("the world info book {book:?} cannot be used: it is a JSON object, and this is {found}")]
    NotAnObject {
        /// The book.
        book: String,
        /// What it is.
        found: Found,
    },
    /// The format of a program that we don't know.
    #[error("the world info book {book:?} cannot be used: it is in the format of {program}")]
    Foreign {
        /// The book.
        book: String,
        /// Whose format it is.
        program: &'static str,
    },
    /// No entries, or something else in their place.
    #[error("the world info book {book:?} cannot be used: {problem}")]
    Entries {
        /// The book.
        book: String,
        /// What is there.
        problem: WrongType,
    },
    /// More entries than anybody writes.
    #[error("the world info book {book:?} cannot be used: it has {count} entries, the limit is {MAX_ENTRIES}")]
    TooMany {
        /// The book.
        book: String,
        /// How many.
        count: usize,
    },
}

impl BookError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotAnObject { .. } | Self::Foreign { .. } | Self::Entries { .. } | Self::TooMany { .. } => {
                "worldinfo.book_invalid"
            }
        }
    }

    /// What the person can do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::NotAnObject { .. } | Self::Entries { .. } => {
                "Give a book as SillyTavern exports it: {\"entries\": {\"0\": {\"key\": [...], \"content\": \"...\"}}}."
            }
            Self::Foreign { .. } => "Import it into SillyTavern and give the book that it exports.",
            Self::TooMany { .. } => "Split the book.",
        }
    }
}

impl Book {
    /// Reads a stand-alone book. `name` is what it is called where it does not say: its file's stem.
    ///
    /// # Errors
    /// [`BookError`] when there are no entries to be had from it.
    pub fn parse(value: &Value, name: &str) -> Result<Self, BookError> {
        Self::read(value, name, BookKind::Other)
    }

    /// The book of a card, if it has one.
    ///
    /// # Errors
    /// As [`Book::parse`].
    pub fn of_card(card: &Card) -> Result<Option<Self>, BookError> {
        let read = |value| Self::read(value, &card.name, BookKind::Character);
        card.book.as_ref().map(read).transpose()
    }

    fn read(value: &Value, name: &str, kind: BookKind) -> Result<Self, BookError> {
        let book = name.to_owned();
        let Value::Object(root) = value else {
            return Err(BookError::NotAnObject {
                book,
                found: Found::of(value),
            });
        };
        let root = match root.get("data") {
            Some(Value::Object(data)) if root.contains_key("spec") => data,
            _ => root,
        };
        if let Some(program) = foreign(root) {
            return Err(BookError::Foreign { book, program });
        }
        let fields = Fields::new(root, "");
        let own_name = fields.text("name").unwrap_or_default().trim().to_owned();
        let mut read = Self {
            name: if own_name.is_empty() { book } else { own_name },
            kind,
            scan_depth: fields.count("scan_depth"),
            max_chars: fields
                .count("token_budget")
                .filter(|tokens| *tokens > 0)
                .map(chars_of_tokens),
            is_recursive: fields.flag("recursive_scanning").unwrap_or(true),
            entries: Vec::new(),
            issues: Vec::new(),
        };
        read.fill(fields)?;
        Ok(read)
    }

    fn fill(&mut self, fields: Fields<'_>) -> Result<(), BookError> {
        let found = match fields.get("entries") {
            Some(Value::Object(entries)) => in_key_order(entries),
            Some(Value::Array(entries)) => {
                let numbered = entries.iter().enumerate();
                numbered.map(|(index, entry)| (index.to_string(), entry)).collect()
            }
            other => {
                return Err(BookError::Entries {
                    book: self.name.clone(),
                    problem: fields.wrong("entries", "an object or a list", other.unwrap_or(&Value::Null)),
                });
            }
        };
        if found.len() > MAX_ENTRIES {
            return Err(BookError::TooMany {
                book: self.name.clone(),
                count: found.len(),
            });
        }
        for (key, value) in found {
            let entry = match value {
                Value::Object(object) => Entry::parse(object, &key),
                other => Err(fields.wrong(&format!("entries.{key}"), "an object", other)),
            };
            match entry {
                Ok(entry) => self.entries.push(entry),
                Err(problem) => self.issues.push(BookIssue {
                    book: self.name.clone(),
                    entry: key,
                    problem,
                }),
            }
        }
        Ok(())
    }
}

/// Characters that so many tokens make, by the usual rule of thumb: there is no tokeniser here.
fn chars_of_tokens(tokens: u32) -> usize {
    const CHARS_OF_A_TOKEN: usize = 4;
    usize::try_from(tokens)
        .unwrap_or(usize::MAX)
        .saturating_mul(CHARS_OF_A_TOKEN)
}

/// Programs whose books have entries under the same key and mean something else.
fn foreign(root: &Map<String, Value>) -> Option<&'static str> {
    if root.contains_key("lorebookVersion") {
        Some("NovelAI")
    } else if root.get("kind").and_then(Value::as_str) == Some("memory") {
        Some("Agnai")
    } else {
        None
    }
}

/// Numbered keys by their number, as every JavaScript program walks through them; others after these, as they stand.
fn in_key_order(entries: &Map<String, Value>) -> Vec<(String, &Value)> {
    let mut ordered: Vec<_> = entries.iter().map(|(key, value)| (key.clone(), value)).collect();
    ordered.sort_by_key(|(key, _)| key.parse::<u32>().map_or(u64::MAX, u64::from));
    ordered
}

#[cfg(test)]
mod tests;
