//! Search of a file, line by line: the best places with some lines around them.
//!
//! One text at a time; walking files and merging their hits is for the caller, in the order of score
//! descending, path, start line.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::fold::fold_into;
use crate::lines::{line_feeds, number_lines};
use crate::metrics::saturate;
use crate::tokens::{Tokens, normalise};

/// Tokens of one query; more would make a search of large files slow and tell nothing new.
const MAX_TOKENS: usize = 64;

/// A query for lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineQuery {
    tokens: Tokens,
}

/// One place in a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineHit<'a> {
    /// Share of the query's weight that the matching line holds, in (0, 1].
    pub score: f32,
    /// First line of the place, 1-based.
    pub start_line: u32,
    /// Last line of the place.
    pub end_line: u32,
    /// The lines of the place, raw.
    pub text: &'a str,
}

/// The places of one text, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct LineHits<'a> {
    /// At most as many as wanted, by score descending, then line.
    pub hits: Vec<LineHit<'a>>,
    /// At least one more place was there.
    pub truncated: bool,
}

impl LineHit<'_> {
    /// The place with its line numbers.
    #[must_use]
    pub fn snippet(&self) -> String {
        number_lines(self.text, self.start_line)
    }
}

impl LineQuery {
    /// Splits a query into at most 64 different tokens. A run of ideographs is one token.
    #[must_use]
    pub fn new(query: &str) -> Self {
        let normal = normalise(query);
        let mut seen = HashSet::new();
        let tokens = normal
            .split(' ')
            .filter(|token| !token.is_empty() && seen.insert(*token));
        Self {
            tokens: Tokens::new(tokens.take(MAX_TOKENS).map(str::to_owned).collect()),
        }
    }

    /// Nothing to look for: such a query has no hits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Finds the best `limit` places, each a line with up to `context` lines on both sides. No two share a line.
    #[must_use]
    pub fn search<'a>(&self, text: &'a str, limit: u32, context: u32) -> LineHits<'a> {
        let mut hits: Vec<LineHit<'a>> = Vec::new();
        if self.is_empty() || text.is_empty() {
            return LineHits { hits, truncated: false };
        }
        for candidate in self.candidates(text, room(limit, context)) {
            let hit = candidate.place(text, context, &self.tokens);
            if hits.iter().any(|taken| taken.shares_line(&hit)) {
                continue;
            }
            if saturate(hits.len()) >= limit {
                return LineHits { hits, truncated: true };
            }
            hits.push(hit);
        }
        LineHits { hits, truncated: false }
    }

    /// The best `room` lines in order. Never holds more than twice as many, whatever the text.
    fn candidates(&self, text: &str, room: usize) -> Vec<Candidate> {
        let mut best: Vec<Candidate> = Vec::new();
        let mut folded = String::new();
        let mut byte = 0_usize;
        for (index, line) in text.split('\n').enumerate() {
            fold_into(&mut folded, line);
            let matched = self.tokens.matched(&folded);
            if matched > 0 {
                best.push(Candidate {
                    matched,
                    line: saturate(index).saturating_add(1),
                    byte,
                });
                keep(&mut best, room, room.saturating_mul(2));
            }
            byte = byte.saturating_add(line.len()).saturating_add(1);
        }
        keep(&mut best, room, 0);
        best
    }
}

impl LineHit<'_> {
    fn shares_line(&self, other: &Self) -> bool {
        self.start_line <= other.end_line && other.start_line <= self.end_line
    }
}

/// A line that holds a token.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    matched: u32,
    line: u32,
    /// Where the line starts.
    byte: usize,
}

impl Candidate {
    fn order(&self, other: &Self) -> Ordering {
        other.matched.cmp(&self.matched).then(self.line.cmp(&other.line))
    }

    fn place<'a>(&self, text: &'a str, context: u32, tokens: &Tokens) -> LineHit<'a> {
        let around = usize::try_from(context).unwrap_or(usize::MAX);
        let before = text.get(..self.byte).unwrap_or_default();
        let lead: usize = before.split_inclusive('\n').rev().take(around).map(str::len).sum();
        let from = self.byte.saturating_sub(lead);
        let lines_before = before.get(from..).map_or(0, line_feeds);
        let rest = text.get(self.byte..).unwrap_or_default();
        let shown: usize = rest
            .split_inclusive('\n')
            .take(around.saturating_add(1))
            .map(str::len)
            .sum();
        let mut slice = text.get(from..self.byte.saturating_add(shown)).unwrap_or_default();
        // The LF after the last line is not shown, unless the wanted context reaches the empty line that it opens.
        if line_feeds(slice) > lines_before.saturating_add(around) {
            slice = slice.strip_suffix('\n').unwrap_or(slice);
        }
        let start_line = self.line.saturating_sub(saturate(lines_before));
        LineHit {
            score: tokens.share(self.matched),
            start_line,
            end_line: start_line.saturating_add(saturate(line_feeds(slice))),
            text: slice,
        }
    }
}

/// Candidates that can matter: one more than wanted, and for each those that it may push out (a place
/// shares lines only with lines at most twice the context away).
fn room(limit: u32, context: u32) -> usize {
    let wanted = usize::try_from(limit).unwrap_or(usize::MAX).saturating_add(1);
    let blocked = usize::try_from(context)
        .unwrap_or(usize::MAX)
        .saturating_mul(4)
        .saturating_add(1);
    wanted.saturating_mul(blocked)
}

/// Sorts and cuts to `room`, once there are more than `slack`.
fn keep(best: &mut Vec<Candidate>, room: usize, slack: usize) {
    if best.len() > slack {
        best.sort_unstable_by(Candidate::order);
        best.truncate(room);
    }
}

#[cfg(test)]
mod tests;
