//! The files of the run, inside the roots that this invocation may see: `output/`, `scratch/`, `plan/`, `summaries/`, `persist/`.
//!
//! Looking and changing are granted apart: [`READER`] and [`WRITER`]. A change is checked now and applied by the host after the call
//! has returned a reply; a failure applies nothing.

use super::ask;
pub use crate::bindings::innkeeper::workspace::reader::{Entry, Kind, Listing, Page, Root, ShowError};
pub use crate::bindings::innkeeper::workspace::types::{CharSpan, LineSpan, PathError, Span, TextFile};
pub use crate::bindings::innkeeper::workspace::writer::{Basis, Staged, WriteError};
#[cfg(target_family = "wasm")]
use crate::bindings::innkeeper::workspace::{reader, writer};

/// The name for a tool's `uses` where it looks at files.
pub const READER: &str = "innkeeper:workspace/reader";
/// The name for a tool's `uses` where it changes files.
pub const WRITER: &str = "innkeeper:workspace/writer";

/// The roots, and which of them may be written.
#[must_use]
pub fn roots() -> Vec<Root> {
    ask!(READER, reader::roots(), |world| world.roots())
}

/// What lies below a path (empty: below all roots), directories first. A depth of 0 is what lies directly in it.
///
/// # Errors
/// [`PathError`] when there is no such path here.
pub fn list(path: &str, depth: u32, limit: u32) -> Result<Listing, PathError> {
    ask!(READER, reader::list_files(path, depth, limit), |world| world
        .list(path, depth, limit))
}

/// A file for the tool's own use. It does not count as shown to the model.
///
/// # Errors
/// [`PathError`] when there is no such file here, or it is no text.
pub fn read(path: &str) -> Result<TextFile, PathError> {
    ask!(READER, reader::read(path), |world| world.read(path))
}

/// A part of a file to pass on to the model, which counts as shown once the call has succeeded.
///
/// # Errors
/// [`ShowError`] when there is no such file here, or the span lies outside of it.
pub fn show(path: &str, span: Span, max_lines: u32, max_chars: u32) -> Result<Page, ShowError> {
    ask!(READER, reader::show(path, span, max_lines, max_chars), |world| world
        .show(path, span, max_lines, max_chars))
}

/// The present text, to compute a new one from. Needs the file to have been shown in full.
///
/// # Errors
/// [`WriteError`] when it may not be changed, was not read, or has changed since.
pub fn open(path: &str) -> Result<TextFile, WriteError> {
    ask!(WRITER, writer::open(path), |world| world.open(path))
}

/// Creates or replaces a file.
///
/// # Errors
/// [`WriteError`] as for [`open`], or when it is over a budget.
pub fn write(path: &str, content: &str, basis: Basis) -> Result<Staged, WriteError> {
    ask!(WRITER, writer::write(path, content, basis), |world| {
        let _ = basis;
        world.write(path, content)
    })
}

/// Adds to the end of a file exactly as given; creates it where it is missing. Needs no read.
///
/// # Errors
/// [`WriteError`] when it may not be changed or is over a budget.
pub fn append(path: &str, content: &str) -> Result<Staged, WriteError> {
    ask!(WRITER, writer::append(path, content), |world| world
        .append(path, content))
}

/// Removes a file.
///
/// # Errors
/// [`WriteError`] as for [`open`].
pub fn remove(path: &str) -> Result<(), WriteError> {
    ask!(WRITER, writer::remove(path), |world| world.remove(path))
}
