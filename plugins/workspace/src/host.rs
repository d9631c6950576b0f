//! The core's ports over the component's imports. Only for wasm; it decides nothing.

use innkeeper_text::{Caps, Span};

use crate::convert;
use crate::guest::bindings::innkeeper::run::control;
use crate::guest::bindings::innkeeper::workspace::{reader, writer};
use crate::port::{
    Basis, CommitMode, Control, ControlError, Listing, Page, PathError, Planned, Reader, Root, ShowError, Staged,
    TextFile, WriteError, Writer,
};

/// The host that this instance runs in.
pub(crate) struct Host;

impl Reader for Host {
    fn roots(&mut self) -> Vec<Root> {
        let roots = reader::roots().into_iter();
        roots
            .map(|reader::Root { name, writable }| Root { name, writable })
            .collect()
    }

    fn resolve(&mut self, path: &str) -> Result<String, PathError> {
        reader::resolve(path).map_err(PathError::from)
    }

    fn list_files(&mut self, path: &str, depth: u32, limit: u32) -> Result<Listing, PathError> {
        reader::list_files(path, depth, limit)
            .map(Listing::from)
            .map_err(PathError::from)
    }

    fn read(&mut self, path: &str) -> Result<TextFile, PathError> {
        reader::read(path).map(TextFile::from).map_err(PathError::from)
    }

    fn show(&mut self, path: &str, span: Span, caps: Caps) -> Result<Page, ShowError> {
        reader::show(path, convert::span(span), caps.max_lines, caps.max_chars)
            .map(Page::from)
            .map_err(ShowError::from)
    }
}

impl Writer for Host {
    fn open(&mut self, path: &str) -> Result<TextFile, WriteError> {
        writer::open(path).map(TextFile::from).map_err(WriteError::from)
    }

    fn write(&mut self, path: &str, content: &str, basis: Basis) -> Result<Staged, WriteError> {
        writer::write(path, content, basis.into())
            .map(Staged::from)
            .map_err(WriteError::from)
    }

    fn append(&mut self, path: &str, content: &str) -> Result<Staged, WriteError> {
        writer::append(path, content)
            .map(Staged::from)
            .map_err(WriteError::from)
    }
}

impl Control for Host {
    fn message_path(&mut self) -> String {
        control::message_path()
    }

    fn commit(&mut self, path: &str, mode: CommitMode, reason: Option<&str>) -> Result<Planned, ControlError> {
        control::commit(path, mode.into(), reason)
            .map(Planned::from)
            .map_err(ControlError::from)
    }

    fn finish(&mut self, reason: Option<&str>) -> Result<(), ControlError> {
        control::finish(reason).map_err(ControlError::from)
    }
}
