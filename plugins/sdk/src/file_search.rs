//! Line search over many files: bounds, the best places of all files, and how they are written down.
//!
//! Scoring one file is the line search of `innkeeper-text`. Which files there are, and the codes, are the tool's.

mod clip;

use std::fmt::Write as _;

use innkeeper_text::{LineHit, LineQuery, measure, normalise, number_lines};
use serde::Serialize;

use crate::{Whole, quoted};

/// Files of one search. More would use up the host calls of a call.
pub const MAX_FILES: usize = 1_000;

const DEFAULT_LIMIT: u64 = 20;
const MAX_LIMIT: u64 = 50;
const DEFAULT_CONTEXT: u64 = 2;
const MAX_CONTEXT: u64 = 5;

/// How many places a search returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(u32);

/// How many lines a place has before and after its match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context(u32);

/// A number that a search cannot use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfBounds(pub u64);

impl Limit {
    /// 1 to 50; 20 when none is given.
    ///
    /// # Errors
    /// [`OutOfBounds`] with the number given.
    pub fn new(given: Option<Whole>) -> Result<Self, OutOfBounds> {
        let limit = given.map_or(DEFAULT_LIMIT, |given| given.0);
        let usable = u32::try_from(limit).ok().filter(|_| (1..=MAX_LIMIT).contains(&limit));
        usable.map(Self).ok_or(OutOfBounds(limit))
    }
}

impl Context {
    /// 0 to 5; 2 when none is given.
    ///
    /// # Errors
    /// [`OutOfBounds`] with the number given.
    pub fn new(given: Option<Whole>) -> Result<Self, OutOfBounds> {
        let lines = given.map_or(DEFAULT_CONTEXT, |given| given.0);
        let usable = u32::try_from(lines).ok().filter(|_| lines <= MAX_CONTEXT);
        usable.map(Self).ok_or(OutOfBounds(lines))
    }
}

/// A file to search.
#[derive(Clone, Copy, Debug)]
pub struct Searched<'a> {
    /// Where it is.
    pub path: &'a str,
    /// All of it.
    pub text: &'a str,
    /// Lower-case hex, passed on with each place.
    pub sha256: &'a str,
}

/// A place that was found, with the fields for programs; its ref is the tool's to add.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    path: String,
    score: f32,
    start_line: u32,
    end_line: u32,
    snippet: String,
    /// Of the snippet, line numbers included.
    chars: u32,
    words: u32,
    sha256: String,
    /// A long line was clipped.
    #[serde(skip)]
    clipped: bool,
}

impl Place {
    fn new(file: Searched<'_>, hit: &LineHit<'_>, words: &[String]) -> Self {
        let clipped = clip::clipped(hit.text, words);
        let snippet = match &clipped {
            Some(text) => number_lines(text, hit.start_line),
            None => hit.snippet(),
        };
        let size = measure(&snippet);
        Self {
            path: file.path.to_owned(),
            score: hit.score,
            start_line: hit.start_line,
            end_line: hit.end_line,
            chars: size.chars,
            words: size.words,
            snippet,
            sha256: file.sha256.to_owned(),
            clipped: clipped.is_some(),
        }
    }

    /// The place as a ref: `prefix`, path and lines, as `workspace:plan/a.md#L1-L3`.
    #[must_use]
    pub fn reference(&self, prefix: &str) -> String {
        format!("{prefix}{}#L{}-L{}", self.path, self.start_line, self.end_line)
    }

    /// Characters of the snippet, line numbers included.
    #[must_use]
    pub fn chars(&self) -> u32 {
        self.chars
    }

    /// Words of the snippet, line numbers included.
    #[must_use]
    pub fn words(&self) -> u32 {
        self.words
    }
}

/// What a search has found so far; never holds more places than wanted between two files.
#[derive(Clone, Debug)]
pub struct Found {
    query: LineQuery,
    /// The words of the query, folded.
    words: Vec<String>,
    limit: Limit,
    context: Context,
    /// By score descending, then path, then line.
    pub places: Vec<Place>,
    /// Files searched.
    pub searched: u32,
    /// Files and links that could not be searched.
    pub skipped: u32,
    /// There were more files than a search takes.
    pub unsearched: bool,
    /// More places match than are wanted.
    limited: bool,
}

impl Found {
    /// Nothing yet.
    #[must_use]
    pub fn new(query: &str, limit: Limit, context: Context) -> Self {
        Self {
            query: LineQuery::new(query),
            words: normalise(query).split_whitespace().map(str::to_owned).collect(),
            limit,
            context,
            places: Vec::new(),
            searched: 0,
            skipped: 0,
            unsearched: false,
            limited: false,
        }
    }

    /// There may be more places than these.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.unsearched || self.limited
    }

    /// Counts what could not be searched.
    pub fn skip(&mut self, files: u32) {
        self.skipped = self.skipped.saturating_add(files);
    }

    /// Searches one more file.
    pub fn search(&mut self, file: Searched<'_>) {
        self.searched = self.searched.saturating_add(1);
        let hits = self.query.search(file.text, self.limit.0, self.context.0);
        self.limited |= hits.truncated;
        let words = &self.words;
        self.places
            .extend(hits.hits.iter().map(|hit| Place::new(file, hit, words)));
        self.places.sort_by(|one, other| {
            let by_score = other.score.total_cmp(&one.score);
            by_score
                .then_with(|| one.path.cmp(&other.path))
                .then(one.start_line.cmp(&other.start_line))
        });
        let limit = usize::try_from(self.limit.0).unwrap_or(usize::MAX);
        self.limited |= self.places.len() > limit;
        self.places.truncate(limit);
    }

    /// The places below a header, each with its ref, and what was left out.
    #[must_use]
    pub fn words(&self, header: &str, refs: &[String]) -> String {
        let mut text = header.to_owned();
        for (place, reference) in self.places.iter().zip(refs) {
            // Writing to a String cannot fail.
            let _ = write!(
                text,
                "\n\n{} score {:.3} ref {reference}\n{}",
                place.path, place.score, place.snippet
            );
        }
        let notes = self.notes();
        if !notes.is_empty() {
            let _ = write!(text, "\n\n{}", notes.join("\n"));
        }
        text
    }

    /// The sentence for no places at all, with the cause. `place` is where was searched, as `"plan"`.
    #[must_use]
    pub fn nothing(&self, query: &str, place: &str) -> String {
        let query = quoted(query);
        if self.query.is_empty() {
            return format!(
                "No hits: {query} has no word, only signs, so there is nothing to look for. Call again with words."
            );
        }
        match (self.searched, self.skipped) {
            (0, 0) => format!("No hits: there are no files in {place}."),
            (0, _) => format!(
                "No hits: nothing in {place} can be searched, because only UTF-8 text of at most 16 MiB can, and no links."
            ),
            (1, _) => format!("No hits: in {place} no line of the 1 file searched holds a word of {query}."),
            (files, _) => format!("No hits: in {place} no line of the {files} files searched holds a word of {query}."),
        }
    }

    /// What was left out, a line each.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.places.iter().any(|place| place.clipped) {
            notes.push("(\"...\" marks where a long line was clipped around its match)".to_owned());
        }
        if self.limited {
            let count = self.places.len();
            let raise = if u64::from(self.limit.0) < MAX_LIMIT {
                format!("raise limit, up to {MAX_LIMIT}, or ")
            } else {
                String::new()
            };
            notes.push(format!(
                "(best {count}; more match: {raise}narrow the query or the path)"
            ));
        }
        if self.unsearched {
            notes.push("(not all files were searched, because there are too many: narrow the path)".to_owned());
        }
        if self.skipped > 0 {
            notes.push(format!(
                "(files and links skipped, because they cannot be searched: {})",
                self.skipped
            ));
        }
        notes
    }
}

#[cfg(test)]
mod tests;
