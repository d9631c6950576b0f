//! `innkeeper:workspace/reader`: looking at the run's files inside the invocation's roots.
//!
//! Reading for the tool's own use and showing to the model are two functions; only the second is noted.

use std::sync::Arc;

use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::port::{FileEntry, FileError, FileKind, FileProblem, FileText, Listing};
use innkeeper_text::{Caps, RangeError, Selection, Span, select};

use crate::bindings::innkeeper::workspace::{reader, types};
use crate::host::{View, host_fault};
use crate::interface::Interface;
use crate::invocation::{Invocation, PathDenial};
use crate::read_state::{ReadState, ShownPart};

/// Most entries of one listing.
const MAX_LISTED: u32 = 100_000;

impl types::Host for View<'_> {}

impl reader::Host for View<'_> {
    async fn roots(&mut self) -> wasmtime::Result<Vec<reader::Root>> {
        let invocation = self.enter_invocation(Interface::WorkspaceReader, 0)?;
        let roots = invocation.roots();
        let wire = |root: &innkeeper_protocol::path::RootName| reader::Root {
            name: root.as_str().to_owned(),
            writable: roots.is_writable_root(root),
        };
        Ok(roots.visible().iter().map(wire).collect())
    }

    async fn resolve(&mut self, path: String) -> wasmtime::Result<Result<String, types::PathError>> {
        let invocation = self.enter_invocation(Interface::WorkspaceReader, path.len())?;
        let resolved = invocation.listable(&path).map_err(wire_denial);
        Ok(resolved.map(|path| path.map(|p| p.as_str().to_owned()).unwrap_or_default()))
    }

    async fn list_files(
        &mut self,
        path: String,
        depth: u32,
        limit: u32,
    ) -> wasmtime::Result<Result<reader::Listing, types::PathError>> {
        let invocation = self.enter_invocation(Interface::WorkspaceReader, path.len())?;
        let limit = limit.min(MAX_LISTED);
        let listing = match invocation.listable(&path) {
            Err(denial) => return Ok(Err(wire_denial(denial))),
            Ok(Some(path)) => invocation.files().list(&path, depth, limit).await,
            Ok(None) => list_roots(&invocation, depth, limit).await,
        };
        wire_result(listing.map(wire_listing))
    }

    async fn read(&mut self, path: String) -> wasmtime::Result<Result<types::TextFile, types::PathError>> {
        let invocation = self.enter_invocation(Interface::WorkspaceReader, path.len())?;
        let path = match invocation.readable(&path) {
            Ok(path) => path,
            Err(denial) => return Ok(Err(wire_denial(denial))),
        };
        Ok(self.current(&invocation, &path).await?.map(wire_text))
    }

    async fn show(
        &mut self,
        path: String,
        span: types::Span,
        max_lines: u32,
        max_chars: u32,
    ) -> wasmtime::Result<Result<reader::Page, reader::ShowError>> {
        let invocation = self.enter_invocation(Interface::WorkspaceReader, path.len())?;
        let path = match invocation.readable(&path) {
            Ok(path) => path,
            Err(denial) => return Ok(Err(reader::ShowError::Path(wire_denial(denial)))),
        };
        let file = match self.current(&invocation, &path).await? {
            Ok(file) => file,
            Err(problem) => return Ok(Err(reader::ShowError::Path(problem))),
        };
        let span = host_span(span);
        match select(&file.text, span, Caps { max_lines, max_chars }) {
            Err(RangeError {
                total_lines,
                total_chars,
            }) => Ok(Err(reader::ShowError::Range((total_lines, total_chars)))),
            Ok(selection) => {
                let fully_read = self.note_shown(&invocation, path, &file, span, &selection);
                Ok(Ok(wire_page(&file, &selection, fully_read)))
            }
        }
    }
}

impl View<'_> {
    /// The file as this call sees it: its own staged text first. The outer error stops the guest.
    pub(crate) async fn current(
        &self,
        invocation: &Invocation,
        path: &WorkspacePath,
    ) -> wasmtime::Result<Result<FileText, types::PathError>> {
        if let Some(staged) = self.host.staging.file(path) {
            return Ok(match &staged.content {
                Some(text) => {
                    let sha256 = innkeeper_protocol::digest::Sha256::of(text.as_bytes());
                    Ok(FileText {
                        text: text.clone(),
                        sha256,
                    })
                }
                None => Err(types::PathError::NotFound),
            });
        }
        wire_result(invocation.files().read(path).await)
    }

    /// What is known of the file, with what this call has added so far.
    pub(crate) fn known(&self, invocation: &Invocation, path: &WorkspacePath) -> Option<ReadState> {
        match self.host.staging.read_state(path) {
            Some(state) => state.cloned(),
            None => invocation.read_states().get(path).cloned(),
        }
    }

    fn note_shown(
        &mut self,
        invocation: &Arc<Invocation>,
        path: WorkspacePath,
        file: &FileText,
        span: Span,
        page: &Selection<'_>,
    ) -> bool {
        let whole_lines = !matches!(span, Span::Chars { .. }) && !page.line_truncated;
        let part = ShownPart {
            start: page.start_char,
            end: page.end_char,
            whole_lines,
        };
        let before = self.known(invocation, &path);
        let state = ReadState::after_page(before.as_ref(), &file.sha256, &file.text, part);
        let fully_read = state.is_whole();
        self.host.staging.note_read_state(path, state);
        fully_read
    }
}

/// The visible roots and what lies in them, as one listing.
async fn list_roots(invocation: &Invocation, depth: u32, limit: u32) -> Result<Listing, FileError> {
    let mut all = Listing::default();
    for root in invocation.roots().visible() {
        let Ok(path) = WorkspacePath::parse(root.as_str()) else {
            continue;
        };
        let below = match depth.checked_sub(1) {
            Some(depth) => invocation.files().list(&path, depth, limit).await,
            None => invocation.files().list(&path, 0, 0).await.map(|_| Listing::default()),
        };
        match below {
            Ok(listing) => {
                all.entries.push(FileEntry {
                    path,
                    kind: FileKind::Directory,
                    bytes: 0,
                });
                all.entries.extend(listing.entries);
                all.truncated |= listing.truncated;
                all.skipped = all.skipped.saturating_add(listing.skipped);
            }
            Err(FileError::Problem(FileProblem::NotFound)) => {}
            // A link or file where a root should be is passed over like any other.
            Err(FileError::Problem(_)) => all.skipped = all.skipped.saturating_add(1),
            Err(fault @ FileError::Fault(_)) => return Err(fault),
        }
    }
    all.entries.sort_by(|a, b| {
        let is_file = |entry: &FileEntry| entry.kind == FileKind::File;
        is_file(a)
            .cmp(&is_file(b))
            .then_with(|| a.path.as_str().cmp(b.path.as_str()))
    });
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    all.truncated |= all.entries.len() > limit;
    all.entries.truncate(limit);
    Ok(all)
}

pub(crate) fn host_span(span: types::Span) -> Span {
    match span {
        types::Span::All => Span::All,
        types::Span::Lines(lines) => Span::Lines {
            start: lines.start,
            count: lines.count,
        },
        types::Span::Chars(chars) => Span::Chars {
            start: chars.start,
            max: chars.max,
        },
    }
}

/// Parts what a tool can act on from what ends the run.
pub(crate) fn wire_result<T>(result: Result<T, FileError>) -> wasmtime::Result<Result<T, types::PathError>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(FileError::Problem(problem)) => Ok(Err(wire_problem(problem))),
        Err(FileError::Fault(error)) => Err(host_fault(error)),
    }
}

pub(crate) fn wire_problem(problem: FileProblem) -> types::PathError {
    match problem {
        FileProblem::Invalid(why) => types::PathError::Invalid(why),
        FileProblem::NotFound => types::PathError::NotFound,
        FileProblem::IsDirectory => types::PathError::IsDirectory,
        FileProblem::NotText => types::PathError::NotText,
        FileProblem::TooLarge(bytes) => types::PathError::TooLarge(bytes),
        FileProblem::NameConflict(existing) => types::PathError::NameConflict(existing),
    }
}

pub(crate) fn wire_denial(denial: PathDenial) -> types::PathError {
    match denial {
        PathDenial::Invalid(refusal) => types::PathError::Invalid(refusal.to_string()),
        PathDenial::NotVisible => types::PathError::NotVisible,
        PathDenial::NotWritable => types::PathError::NotWritable,
    }
}

pub(crate) fn wire_text(file: FileText) -> types::TextFile {
    types::TextFile {
        text: file.text,
        sha256: file.sha256.as_str().to_owned(),
    }
}

fn wire_listing(listing: Listing) -> reader::Listing {
    let wire = |entry: FileEntry| reader::Entry {
        path: entry.path.as_str().to_owned(),
        kind: match entry.kind {
            FileKind::File => reader::Kind::File,
            FileKind::Directory => reader::Kind::Directory,
        },
        bytes: entry.bytes,
    };
    reader::Listing {
        entries: listing.entries.into_iter().map(wire).collect(),
        truncated: listing.truncated,
        skipped: listing.skipped,
    }
}

fn wire_page(file: &FileText, page: &Selection<'_>, fully_read: bool) -> reader::Page {
    reader::Page {
        text: page.text.to_owned(),
        sha256: file.sha256.as_str().to_owned(),
        total_lines: page.total_lines,
        total_chars: page.total.chars,
        total_words: page.total.words,
        start_line: page.start_line,
        end_line: page.end_line,
        next_start_line: page.next_start_line,
        start_char: page.start_char,
        end_char: page.end_char,
        line_truncated: page.line_truncated,
        truncated: page.truncated,
        fully_read,
    }
}
