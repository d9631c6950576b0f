//! Search of chat messages: one score for a whole message, with character pairs for single words.
//!
//! Not the line search: single words are split into pairs here, so there is a long tail of weak hits that ranking,
//! not a threshold, keeps down.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::fold::{fold, original_position};
use crate::tokens::{Tokens, normalise};

/// Pairs of one lone word; longer words take every second, third, ... pair.
const MAX_PAIRS_ALONE: usize = 32;
/// Pairs of one of several words.
const MAX_PAIRS_AMONG: usize = 8;
/// A lone word this short is also looked for as a whole.
const MAX_WHOLE_ALONE: usize = 8;
/// Among several words, one this long without ASCII letters or digits is likely a phrase without spaces.
const MIN_PHRASE: usize = 8;
/// Tokens of one query.
const MAX_TOKENS: usize = 64;
/// Scalars of a snippet.
const SNIPPET: usize = 200;
/// Scalars of a snippet before its match.
const SNIPPET_LEAD: usize = 40;
/// Stands for what a snippet leaves out.
const ELLIPSIS: &str = "...";

/// A query for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageQuery {
    tokens: Tokens,
}

impl MessageQuery {
    /// Splits a query into tokens.
    #[must_use]
    pub fn new(query: &str) -> Self {
        let normal = normalise(query);
        let words: Vec<&str> = normal.split(' ').filter(|word| !word.is_empty()).collect();
        let tokens = match words.as_slice() {
            [] => Vec::new(),
            [word] => lone_word(word),
            words => words.iter().flat_map(|word| one_of_several(word)).collect(),
        };
        Self {
            tokens: Tokens::new(thin_out(unique(tokens), MAX_TOKENS)),
        }
    }

    /// Nothing to look for: such a query matches no message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Share of the query's weight that the message holds, in (0, 1]; nothing when it holds none.
    #[must_use]
    pub fn score(&self, message: &str) -> Option<f32> {
        let matched = self.tokens.matched(&fold(message));
        (matched > 0).then(|| self.tokens.share(matched))
    }

    /// At most 200 characters around the earliest match, `...` where something was cut.
    #[must_use]
    pub fn snippet(&self, message: &str) -> String {
        let length = message.chars().count();
        if length <= SNIPPET {
            return message.to_owned();
        }
        let start = match self.tokens.earliest(&fold(message)) {
            Some(byte) => original_position(message, byte).saturating_sub(SNIPPET_LEAD),
            None => length.saturating_sub(SNIPPET),
        };
        let shown: String = message.chars().skip(start).take(SNIPPET).collect();
        let before = if start > 0 { ELLIPSIS } else { "" };
        let after = if start.saturating_add(SNIPPET) < length {
            ELLIPSIS
        } else {
            ""
        };
        format!("{before}{shown}{after}")
    }
}

/// A message that matched, with whatever the caller needs of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked<T> {
    /// From [`MessageQuery::score`].
    pub score: f32,
    /// The message's index in the chat.
    pub index: u32,
    /// The caller's own.
    pub item: T,
}

/// The best `limit` messages: by score descending, the newest (highest index) first among equals.
#[must_use]
pub fn best<T>(mut hits: Vec<Ranked<T>>, limit: u32) -> Vec<Ranked<T>> {
    hits.sort_by(|one, other| by_rank((one.score, one.index), (other.score, other.index)));
    hits.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    hits
}

fn by_rank(one: (f32, u32), other: (f32, u32)) -> Ordering {
    other.0.total_cmp(&one.0).then(other.1.cmp(&one.1))
}

fn lone_word(word: &str) -> Vec<String> {
    let length = word.chars().count();
    if length <= 2 {
        return vec![word.to_owned()];
    }
    let mut tokens = unique(pairs(word, MAX_PAIRS_ALONE));
    if length <= MAX_WHOLE_ALONE {
        // At most seven pairs: there is room for the whole word.
        tokens.insert(0, word.to_owned());
    }
    tokens
}

fn one_of_several(word: &str) -> Vec<String> {
    let is_phrase = !word.contains(|scalar: char| scalar.is_ascii_alphanumeric()) && word.chars().count() >= MIN_PHRASE;
    if is_phrase {
        pairs(word, MAX_PAIRS_AMONG)
    } else {
        vec![word.to_owned()]
    }
}

/// Neighbouring characters, at most `max` pairs evenly over the word.
fn pairs(word: &str, max: usize) -> Vec<String> {
    let seconds = word.chars().skip(1);
    let all: Vec<String> = word
        .chars()
        .zip(seconds)
        .map(|(one, two)| String::from_iter([one, two]))
        .collect();
    thin_out(all, max)
}

/// Keeps every n-th, so that at most `max` stay.
fn thin_out(tokens: Vec<String>, max: usize) -> Vec<String> {
    let stride = tokens.len().div_ceil(max).max(1);
    tokens.into_iter().step_by(stride).collect()
}

fn unique(tokens: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    tokens.into_iter().filter(|token| seen.insert(token.clone())).collect()
}

#[cfg(test)]
mod tests;
