//! Conversions between the generated types of the imports and those of the core.
//!
//! One to one, without a decision.

use crate::guest::bindings::innkeeper::run::control as run;
use crate::guest::bindings::innkeeper::workspace::{reader, types, writer};
use crate::port::{
    Basis, CommitMode, ControlError, Entry, Kind, Listing, Page, PathError, Planned, ShowError, Staged, TextFile,
    WriteError,
};
use innkeeper_text::Span;

impl From<types::PathError> for PathError {
    fn from(error: types::PathError) -> Self {
        match error {
            types::PathError::Invalid(reason) => Self::Invalid(reason),
            types::PathError::NotVisible => Self::NotVisible,
            types::PathError::NotWritable => Self::NotWritable,
            types::PathError::NotFound => Self::NotFound,
            types::PathError::IsDirectory => Self::IsDirectory,
            types::PathError::NotADirectory => Self::NotADirectory,
            types::PathError::NotText => Self::NotText,
            types::PathError::TooLarge(bytes) => Self::TooLarge(bytes),
            types::PathError::NameConflict(existing) => Self::NameConflict(existing),
            types::PathError::ChildDenied(reason) => Self::ChildDenied(reason),
        }
    }
}

impl From<types::TextFile> for TextFile {
    fn from(file: types::TextFile) -> Self {
        Self {
            text: file.text,
            sha256: file.sha256,
        }
    }
}

impl From<reader::Listing> for Listing {
    fn from(listing: reader::Listing) -> Self {
        let entries = listing.entries.into_iter().map(|entry| Entry {
            path: entry.path,
            kind: match entry.kind {
                reader::Kind::File => Kind::File,
                reader::Kind::Directory => Kind::Directory,
            },
        });
        Self {
            entries: entries.collect(),
            truncated: listing.truncated,
            skipped: listing.skipped,
        }
    }
}

/// The span as the host takes it.
pub(crate) fn span(span: Span) -> types::Span {
    match span {
        Span::All => types::Span::All,
        Span::Lines { start, count } => types::Span::Lines(types::LineSpan { start, count }),
        Span::Chars { start, max } => types::Span::Chars(types::CharSpan { start, max }),
    }
}

impl From<reader::Page> for Page {
    fn from(page: reader::Page) -> Self {
        Self {
            text: page.text,
            sha256: page.sha256,
            total_lines: page.total_lines,
            total_chars: page.total_chars,
            total_words: page.total_words,
            start_line: page.start_line,
            end_line: page.end_line,
            next_start_line: page.next_start_line,
            start_char: page.start_char,
            end_char: page.end_char,
            line_truncated: page.line_truncated,
            truncated: page.truncated,
            fully_read: page.fully_read,
        }
    }
}

impl From<reader::ShowError> for ShowError {
    fn from(error: reader::ShowError) -> Self {
        match error {
            reader::ShowError::Path(error) => Self::Path(error.into()),
            reader::ShowError::Range((total_lines, total_chars)) => Self::Range {
                total_lines,
                total_chars,
            },
        }
    }
}

impl From<Basis> for writer::Basis {
    fn from(basis: Basis) -> Self {
        match basis {
            Basis::Rewrite => Self::Rewrite,
            Basis::Patch { replacements } => Self::Patch(replacements),
        }
    }
}

impl From<writer::Staged> for Staged {
    fn from(staged: writer::Staged) -> Self {
        Self {
            path: staged.path,
            sha256: staged.sha256,
            chars: staged.chars,
            words: staged.words,
            created: staged.created,
        }
    }
}

impl From<writer::WriteError> for WriteError {
    fn from(error: writer::WriteError) -> Self {
        match error {
            writer::WriteError::Path(error) => Self::Path(error.into()),
            writer::WriteError::RequiresRead => Self::RequiresRead,
            writer::WriteError::RequiresFullRead(missing) => Self::RequiresFullRead(missing),
            writer::WriteError::Stale => Self::Stale,
            writer::WriteError::OverBudget(limit) => Self::OverBudget(limit),
        }
    }
}

impl From<CommitMode> for run::CommitMode {
    fn from(mode: CommitMode) -> Self {
        match mode {
            CommitMode::Replace => Self::Replace,
            CommitMode::Append => Self::Append,
        }
    }
}

impl From<run::Planned> for Planned {
    fn from(planned: run::Planned) -> Self {
        Self {
            path: planned.path,
            chars: planned.chars,
            words: planned.words,
        }
    }
}

impl From<run::ControlError> for ControlError {
    fn from(error: run::ControlError) -> Self {
        match error {
            run::ControlError::Path(error) => Self::Path(error.into()),
            run::ControlError::RequiredArtifactEmpty => Self::RequiredArtifactEmpty,
            run::ControlError::CommitRequired => Self::CommitRequired,
            run::ControlError::ChildInvocation => Self::ChildInvocation,
            run::ControlError::AlreadyRequested => Self::AlreadyRequested,
        }
    }
}
