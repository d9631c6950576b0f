//! `workspace.list_files`: what is in the workspace, one path per line.
//!
//! Order, depth and limit of the entries are the host's; hidden entries never get here.

use innkeeper_tool::{Failure, Reply, Whole};
use serde::{Deserialize, Serialize};

use crate::port::{Entry, Kind, Listing, Reader};
use crate::refusal::{Access, Refusal};

/// Levels below the immediate children when none are named.
const DEFAULT_DEPTH: u64 = 2;
/// Deeper trees are better listed folder by folder.
const MAX_DEPTH: u64 = 4;
/// Entries of one listing.
const MAX_ENTRIES: u32 = 200;

/// Arguments of `workspace.list_files`.
#[derive(Clone, Debug, Deserialize)]
pub struct ListArguments {
    /// Folder or file; everything when absent.
    pub path: Option<String>,
    /// 0 to 4.
    pub depth: Option<Whole>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Structured<'a> {
    entries: Vec<StructuredEntry<'a>>,
    truncated: bool,
    skipped_entries: u32,
}

#[derive(Serialize)]
struct StructuredEntry<'a> {
    path: &'a str,
    kind: &'static str,
}

/// Lists files and folders.
///
/// # Errors
/// A [`Failure`] for a path that cannot be listed, or a depth beyond the limit.
pub fn list_files(arguments: &ListArguments, reader: &mut impl Reader) -> Result<Reply, Failure> {
    let path = resolve_tree(arguments.path.as_deref(), reader)?;
    let depth = arguments.depth.map_or(DEFAULT_DEPTH, |depth| depth.0);
    let levels = u32::try_from(depth)
        .ok()
        .filter(|_| depth <= MAX_DEPTH)
        .ok_or(Refusal::ListDepth { depth })?;
    let listing = reader
        .list_files(&path, levels, MAX_ENTRIES)
        .map_err(|error| Refusal::look(Access::Tree, &path, error, reader))?;
    let refs: Vec<String> = listing.entries.iter().map(|entry| entry.path.clone()).collect();
    Reply::text(words(&path, &listing)).refs(refs).structured(&Structured {
        entries: listing.entries.iter().map(structured).collect(),
        truncated: listing.truncated,
        skipped_entries: listing.skipped,
    })
}

/// The normal form of a path to list or search; empty for everything that is visible. Which texts mean that is the host's rule.
pub(crate) fn resolve_tree(path: Option<&str>, reader: &mut impl Reader) -> Result<String, Refusal> {
    let path = path.unwrap_or_default().trim();
    reader
        .resolve(path)
        .map_err(|error| Refusal::look(Access::Tree, path, error, reader))
}

fn structured(entry: &Entry) -> StructuredEntry<'_> {
    let kind = match entry.kind {
        Kind::File => "file",
        Kind::Directory => "directory",
    };
    StructuredEntry {
        path: &entry.path,
        kind,
    }
}

fn words(path: &str, listing: &Listing) -> String {
    let mut lines: Vec<String> = listing.entries.iter().map(line).collect();
    if lines.is_empty() {
        lines.push(if path.is_empty() {
            "There are no files yet.".to_owned()
        } else {
            format!("{path} is empty.")
        });
    }
    if listing.truncated {
        lines.push(format!(
            "(only the first {MAX_ENTRIES} entries are shown; list a folder by its path to see the rest)"
        ));
    }
    if listing.skipped > 0 {
        lines.push(format!(
            "(skipped, because they cannot be used here: {})",
            listing.skipped
        ));
    }
    lines.join("\n")
}

fn line(entry: &Entry) -> String {
    match entry.kind {
        Kind::File => entry.path.clone(),
        Kind::Directory => format!("{}/", entry.path),
    }
}

#[cfg(test)]
mod tests;
