//! `workspace.search_files`: the best places for a query, over many files.
//!
//! It walks; scoring and merging is the SDK's file search. Nothing that is found here counts as read.

use innkeeper_tool::file_search::{Context, Found, Limit, MAX_FILES, OutOfBounds, Place, Searched};
use innkeeper_tool::{Failure, Reply, Whole, quoted};
use serde::{Deserialize, Serialize};

use crate::list_files::resolve_tree;
use crate::port::{Kind, PathError, Reader};
use crate::refusal::{Access, Refusal, required};

/// Levels below the path, as a listing counts them.
const WALK_DEPTH: u32 = 8;
/// Entries of one listing, directories included: the host's own maximum.
const MAX_ENTRIES: u32 = 100_000;

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
    hits: Vec<Hit<'a>>,
    searched_files: u32,
    skipped_files: u32,
    truncated: bool,
}

#[derive(Serialize)]
struct Hit<'a> {
    #[serde(flatten)]
    place: &'a Place,
    r#ref: &'a str,
}

/// Searches files.
///
/// # Errors
/// A [`Failure`] for a path that cannot be searched, or a limit out of bounds.
pub fn search_files(arguments: &SearchArguments, reader: &mut impl Reader) -> Result<Reply, Failure> {
    let query = required("query", &arguments.query)?.trim();
    let path = resolve_tree(arguments.path.as_deref(), reader)?;
    let limit = Limit::new(arguments.limit).map_err(|OutOfBounds(limit)| Refusal::SearchLimit { limit })?;
    let context =
        Context::new(arguments.context_lines).map_err(|OutOfBounds(lines)| Refusal::SearchContext { lines })?;
    let walk = walk(&path, reader)?;
    let mut found = Found::new(query, limit, context);
    found.skip(walk.skipped);
    found.unsearched = walk.truncated;
    for file in walk.files {
        search(&mut found, &file, reader);
    }
    let refs: Vec<String> = found.places.iter().map(|place| place.reference("workspace:")).collect();
    let hits = found.places.iter().zip(&refs);
    let header = match found.places.len() {
        0 => found.nothing(query, &place(&path)),
        places => header(query, places),
    };
    Reply::text(found.words(&header, &refs))
        .refs(refs.clone())
        .structured(&Structured {
            query,
            hits: hits.map(|(place, r#ref)| Hit { place, r#ref }).collect(),
            searched_files: found.searched,
            skipped_files: found.skipped,
            truncated: found.truncated(),
        })
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
            .map_err(|error| Refusal::look(Access::Tree, path, error, reader))?;
        return Ok(walk);
    }
    for root in reader.roots() {
        match walk.add(&root.name, reader) {
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
        for entry in listing.entries.into_iter().filter(|entry| entry.kind == Kind::File) {
            if self.files.len() >= MAX_FILES {
                self.truncated = true;
                break;
            }
            self.files.push(entry.path);
        }
        Ok(())
    }
}

fn search(found: &mut Found, path: &str, reader: &mut impl Reader) {
    // Whatever is wrong with one file (not text, too large, gone by now) must not end the search.
    let Ok(file) = reader.read(path) else {
        found.skip(1);
        return;
    };
    found.search(Searched {
        path,
        text: &file.text,
        sha256: &file.sha256,
    });
}

/// Where was searched, inside a sentence.
fn place(path: &str) -> String {
    match path {
        "" => "the folders that you can see".to_owned(),
        path => quoted(path),
    }
}

fn header(query: &str, places: usize) -> String {
    let query = quoted(query);
    let count = match places {
        1 => "1 place".to_owned(),
        count => format!("{count} places"),
    };
    format!("{count} for {query}; workspace_read_file with start_line and line_count shows more around a place")
}

#[cfg(test)]
mod tests;
