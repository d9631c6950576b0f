//! The core's port over the component's imports. Only for wasm; it decides nothing.

use innkeeper_text::Span;

use crate::convert;
use crate::guest::bindings::innkeeper::skills::library as wit;
use crate::library::{Files, Library, LibraryError, Location, Page, Skill, TextFile};

/// The host that this instance runs in.
pub(crate) struct Host;

impl Library for Host {
    fn list(&mut self) -> Vec<Skill> {
        wit::list().into_iter().map(Skill::from).collect()
    }

    fn open(&mut self, skill: &str) -> Result<u32, LibraryError> {
        wit::open(skill).map_err(LibraryError::from)
    }

    fn files(&mut self, at: Location<'_>) -> Result<Files, LibraryError> {
        wit::files(at.skill, at.path)
            .map(|(paths, skipped)| Files { paths, skipped })
            .map_err(LibraryError::from)
    }

    fn read(&mut self, at: Location<'_>) -> Result<TextFile, LibraryError> {
        wit::read(at.skill, at.path)
            .map(TextFile::from)
            .map_err(LibraryError::from)
    }

    fn show(&mut self, at: Location<'_>, span: Span) -> Result<Page, LibraryError> {
        wit::show(at.skill, at.path, convert::span(span))
            .map(Page::from)
            .map_err(LibraryError::from)
    }

    fn charge(&mut self, chars: u32) -> Result<u32, LibraryError> {
        wit::charge(chars).map_err(LibraryError::from)
    }
}
