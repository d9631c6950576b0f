//! `workspace.search_files`: the best places for a query, over many files.
//!
//! It walks and merges; scoring one file is the line search of `innkeeper-text`. Nothing that is found here counts as
//! read.

use std::fmt::Write as _;

use innkeeper_text::{LineHit, LineQuery, measure};
use innkeeper_tool::{Failure, Reply, Whole};
use serde::{Deserialize, Serialize};

use crate::characters::quoted;
use crate::list_files::resolve_tree;
use crate::port::{Kind, PathError, Reader};
use crate::refusal::{Access, Refusal, required};

const DEFAULT_LIMIT: u64 = 20;
const MAX_LIMIT: u64 = 50;
const DEFAULT_CONTEXT: u64 = 2;
const MAX_CONTEXT: u64 = 5;
/// Levels below the path, as a listing counts them.
const WALK_DEPTH: u32 = 8;
/// Files of one search.
const MAX_FILES: usize = 1_000;
/// Entries of one listing, directories included: the host's own maximum.
const MAX_ENTRIES: u32 = 100_000;
/// Characters of one snippet: a file of a single endless line must not fill memory and reply.
const MAX_SNIPPET: usize = 8_000;

/// Arguments of `workspace.search_files`.
#[derive(Clone, Debug, Deserialize)]
pub struct SearchArguments {
    /// Words to look for.
    pub query: String,
    /// Folder or file; everything when absent.
    pub path: Option<String>,
    /// 1 to 50.
    pub limit: Option<Whole>,
    /// 0 to 5.
    pub context_lines: Option<Whole>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Structured<'a> {
    query: &'a str,
    hits: &'a [Hit],
    searched_files: u32,
    skipped_files: u32,
    truncated: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Hit {
    path: String,
    score: f32,
    start_line: u32,
    end_line: u32,
    snippet: String,
    chars: u32,
    words: u32,
    sha256: String,
    #[serde(rename = "ref")]
    reference: String,
}

/// Searches files.
///
/// # Errors
/// A [`Failure`] for a path that cannot be searched, or a limit out of bounds.
pub fn search_files(
    arguments: &SearchArguments,
    reader: &mut impl Reader,
) -> Result<Reply, Failure> {
    let query = required("query", &arguments.query)?.trim();
    let path = resolve_tree(arguments.path.as_deref(), reader)?;
    let limit = bounded_limit(arguments.limit)?;
    let context = bounded_context(arguments.context_lines)?;
    let walk = walk(&path, reader)?;
    let mut found = Found::new(LineQuery::new(query), limit, context, walk.skipped);
    found.truncated = walk.truncated;
    for file in walk.files {
        found.search(file, reader);
    }
    let refs: Vec<String> = found.hits.iter().map(|hit| hit.reference.clone()).collect();
    Reply::text(words(query, &found))
        .refs(refs)
        .structured(&Structured {
            query,
            hits: &found.hits,
            searched_files: found.searched,
            skipped_files: found.skipped,
            truncated: found.truncated,
        })
}

fn bounded_limit(limit: Option<Whole>) -> Result<u32, Refusal> {
    let limit = limit.map_or(DEFAULT_LIMIT, |limit| limit.0);
    let usable = u32::try_from(limit)
        .ok()
        .filter(|_| (1..=MAX_LIMIT).contains(&limit));
    usable.ok_or(Refusal::SearchLimit { limit })
}

fn bounded_context(lines: Option<Whole>) -> Result<u32, Refusal> {
    let lines = lines.map_or(DEFAULT_CONTEXT, |lines| lines.0);
    let usable = u32::try_from(lines).ok().filter(|_| lines <= MAX_CONTEXT);
    usable.ok_or(Refusal::SearchContext { lines })
}

/// The files to search, in order.
#[derive(Default)]
struct Walk {
    files: Vec<String>,
    truncated: bool,
    skipped: u32,
}

fn walk(path: &str, reader: &mut impl Reader) -> Result<Walk, Refusal> {
    let mut walk = Walk::default();
    if !path.is_empty() {
        walk.add(path, reader)
            .map_err(|error| Refusal::path(Access::Tree, path, error))?;
        return Ok(walk);
    }
    for root in reader.roots() {
        match walk.add(&root, reader) {
            // A root without a folder yet has no files.
            Ok(()) | Err(PathError::NotFound) => {}
            // One that cannot be walked must not hide what is in the others.
            Err(_) => walk.skipped = walk.skipped.saturating_add(1),
        }
    }
    Ok(walk)
}

impl Walk {
    fn add(&mut self, path: &str, reader: &mut impl Reader) -> Result<(), PathError> {
        let listing = reader.list_files(path, WALK_DEPTH, MAX_ENTRIES)?;
        self.truncated |= listing.truncated;
        self.skipped = self.skipped.saturating_add(listing.skipped);
        for entry in listing
            .entries
            .into_iter()
            .filter(|entry| entry.kind == Kind::File)
        {
            if self.files.len() >= MAX_FILES {
                self.truncated = true;
                break;
            }
            self.files.push(entry.path);
        }
        Ok(())
    }
}

/// What was found so far; never holds more than `limit` hits between two files.
struct Found {
    query: LineQuery,
    limit: u32,
    context: u32,
    hits: Vec<Hit>,
    searched: u32,
    skipped: u32,
    truncated: bool,
}

impl Found {
    fn new(query: LineQuery, limit: u32, context: u32, skipped: u32) -> Self {
        Self {
            query,
            limit,
            context,
            hits: Vec::new(),
            searched: 0,
            skipped,
            truncated: false,
        }
    }

    fn search(&mut self, path: String, reader: &mut impl Reader) {
        // Whatever is wrong with one file (not text, too large, gone by now) must not end the search.
        let Ok(file) = reader.read(&path) else {
            self.skipped = self.skipped.saturating_add(1);
            return;
        };
        self.searched = self.searched.saturating_add(1);
        let places = self.query.search(&file.text, self.limit, self.context);
        self.truncated |= places.truncated;
        self.hits.extend(
            places
                .hits
                .iter()
                .map(|place| hit(&path, &file.sha256, place)),
        );
        self.hits.sort_by(|one, other| {
            let by_score = other.score.total_cmp(&one.score);
            by_score
                .then_with(|| one.path.cmp(&other.path))
                .then(one.start_line.cmp(&other.start_line))
        });
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        self.truncated |= self.hits.len() > limit;
        self.hits.truncate(limit);
    }
}

fn hit(path: &str, sha256: &str, place: &LineHit<'_>) -> Hit {
    let snippet = shorten(place.snippet());
    let size = measure(&snippet);
    Hit {
        path: path.to_owned(),
        score: place.score,
        start_line: place.start_line,
        end_line: place.end_line,
        chars: size.chars,
        words: size.words,
        snippet,
        sha256: sha256.to_owned(),
        reference: format!("workspace:{path}#L{}-L{}", place.start_line, place.end_line),
    }
}

fn shorten(snippet: String) -> String {
    let Some((cut, _)) = snippet.char_indices().nth(MAX_SNIPPET) else {
        return snippet;
    };
    format!("{}...", snippet.get(..cut).unwrap_or_default())
}

fn words(query: &str, found: &Found) -> String {
    let query = quoted(query);
    let mut text = match found.hits.len() {
        0 => format!("No line holds a word of {query}."),
        1 => header("1 place", &query),
        count => header(&format!("{count} places"), &query),
    };
    for hit in &found.hits {
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\n\n{} score {:.3} ref {}\n{}",
            hit.path, hit.score, hit.reference, hit.snippet
        );
    }
    let mut notes = Vec::new();
    if found.truncated {
        notes.push("(there may be more places: narrow the query or the path)".to_owned());
    }
    if found.skipped > 0 {
        notes.push(format!(
            "(files and links skipped, because they cannot be searched: {})",
            found.skipped
        ));
    }
    if !notes.is_empty() {
        let _ = write!(text, "\n\n{}", notes.join("\n"));
    }
    text
}

fn header(count: &str, query: &str) -> String {
    format!(
        "{count} for {query}; workspace_read_file with start_line and line_count shows more around a place"
    )
}

#[cfg(test)]
mod tests;
