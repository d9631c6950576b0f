//! An entry on its way through a scan: whether it may take part at all, whether its keys are met, whether it is lucky.

use std::cmp::Reverse;

use innkeeper_protocol::digest::Sha256;

use super::texts::Texts;
use super::{Activated, ScanInput, ScanIssue};
use crate::worldinfo::book::{Book, BookKind};
use crate::worldinfo::entry::{Entry, Logic};
use crate::worldinfo::keys::{Comparison, Key};
use crate::worldinfo::settings::DEFAULT_SCAN_DEPTH;

/// Characters of a key that an issue shows.
const SHOWN_KEY_CHARS: usize = 80;
const PERCENT: u64 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Waiting,
    Active,
    Dropped,
}

pub(super) struct Candidate<'a> {
    pub(super) book: &'a Book,
    pub(super) entry: &'a Entry,
    pub(super) state: State,
    keys: Vec<Key>,
    secondary: Vec<Key>,
}

impl<'a> Candidate<'a> {
    /// The entries of a book that may take part in this scan.
    pub(super) fn of_book(book: &'a Book, input: &ScanInput<'a>) -> impl Iterator<Item = Self> {
        let entries = book.entries.iter().filter(|entry| takes_part(entry, input));
        let names = input.names;
        entries.map(move |entry| {
            let how = Comparison {
                case_sensitive: entry.case_sensitive.unwrap_or(false),
                whole_words: entry.whole_words.unwrap_or(true),
            };
            let keys = |texts: &[String]| {
                texts
                    .iter()
                    .filter_map(|text| Key::new(&names.expand(text), how))
                    .collect()
            };
            Self {
                book,
                entry,
                state: State::Waiting,
                keys: keys(&entry.keys),
                secondary: keys(&entry.secondary),
            }
        })
    }

    /// Who is looked at first. Sorting is stable, so the books' own order decides among equals.
    pub(super) fn rank(&self) -> (BookKind, Reverse<i64>) {
        (self.book.kind, Reverse(self.entry.order))
    }

    pub(super) fn reference(&self) -> String {
        format!("{}#{}", self.book.name, self.entry.uid)
    }

    /// Whether nothing that a chat says can activate it.
    pub(super) fn is_unusable(&self) -> bool {
        !self.entry.constant && self.keys.iter().all(|key| matches!(key, Key::Lost))
    }

    /// Whether the chat asks for it.
    pub(super) fn is_met(&mut self, texts: &mut Texts<'_>, work: &mut u64, issues: &mut Vec<ScanIssue>) -> bool {
        if self.entry.constant {
            return true;
        }
        let depth = self
            .entry
            .scan_depth
            .or(self.book.scan_depth)
            .unwrap_or(DEFAULT_SCAN_DEPTH);
        let reference = self.reference();
        let text = texts.of(depth, self.entry.also_in, work);
        let mut is_in = |key: &mut Key| {
            key.is_in(text, work).unwrap_or_else(|lost| {
                issues.push(ScanIssue::Key {
                    entry: reference.clone(),
                    key: lost.source.chars().take(SHOWN_KEY_CHARS).collect(),
                    why: lost.why.to_string(),
                });
                false
            })
        };
        if !self.keys.iter_mut().any(&mut is_in) {
            return false;
        }
        if self.secondary.is_empty() {
            return true;
        }
        let mut secondary = self.secondary.iter_mut();
        match self.entry.logic {
            Logic::AndAny => secondary.any(is_in),
            Logic::NotAny => !secondary.any(is_in),
            Logic::AndAll => secondary.all(is_in),
            Logic::NotAll => !secondary.all(is_in),
        }
    }

    /// Whether chance lets it in: the same for the same seed.
    pub(super) fn is_lucky(&self, seed: u64) -> bool {
        self.roll(seed, "probability") % PERCENT < u64::from(self.entry.probability)
    }

    /// A number that seed, book, entry and purpose decide.
    pub(super) fn roll(&self, seed: u64, purpose: &str) -> u64 {
        let digest = Sha256::of(format!("{seed}\n{purpose}\n{}", self.reference()).as_bytes());
        let hex = digest.as_str().get(..16).unwrap_or_default();
        u64::from_str_radix(hex, 16).unwrap_or_default()
    }

    pub(super) fn activated(&self, content: String) -> Activated {
        let entry = self.entry;
        Activated {
            world: self.book.name.clone(),
            uid: entry.uid.clone(),
            title: entry.title.trim().to_owned(),
            constant: entry.constant,
            position: entry.position,
            depth: entry.depth,
            role: entry.role,
            order: entry.order,
            content,
        }
    }
}

/// Whether an entry is on, has a text, and is meant for this character, this chat and this kind of message.
fn takes_part(entry: &Entry, input: &ScanInput<'_>) -> bool {
    let trigger = input.generation.as_str();
    let is_triggered = entry.triggers.is_empty() || entry.triggers.iter().any(|named| named == trigger);
    entry.enabled
        && is_triggered
        && entry.delay <= input.total_messages
        && !entry.content.trim().is_empty()
        && is_for(entry, input)
}

fn is_for(entry: &Entry, input: &ScanInput<'_>) -> bool {
    let filter = &entry.filter;
    if filter.names.is_empty() && filter.tags.is_empty() {
        return true;
    }
    let card_name = input.card.map(|card| card.name.as_str());
    let is_named = |name: &String| [card_name, input.character_id].contains(&Some(name.as_str()));
    let is_tagged = |tag: &String| input.card.is_some_and(|card| card.tags.contains(tag));
    let is_meant = filter.names.iter().any(is_named) || filter.tags.iter().any(is_tagged);
    is_meant != filter.excludes
}
