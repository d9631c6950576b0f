//! Everything a workspace tool can answer instead of doing its work, with the code of each.
//!
//! The sentences are in `words.rs`; nothing here or there decides which refusal applies.

use innkeeper_tool::{Failure, INVALID_ARGUMENTS, failure};

use crate::patch::Nearest;
use crate::port::{ControlError, PathError, Reader, Root, ShowError};
use crate::words;

/// What a path was wanted for: the same refusal has another code for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// One file, to read or commit.
    File,
    /// A file or directory, to list or search.
    Tree,
    /// A file to change.
    Target,
}

/// Why a call did nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("{}", words::blank(.argument))]
    Blank { argument: &'static str },
    #[error("{}", words::path(*.access, .path, .error))]
    Path {
        access: Access,
        path: String,
        error: PathError,
    },
    #[error("{}", words::not_visible(.path, .roots))]
    NotVisible { path: String, roots: Vec<Root> },
    #[error("{}", words::not_writable(.path, .roots))]
    NotWritable { path: String, roots: Vec<Root> },
    #[error("{}", words::file_missing(.path, *.creatable))]
    FileMissing { path: String, creatable: bool },
    #[error("{}", words::list_depth(*.depth))]
    ListDepth { depth: u64 },
    #[error("{}", words::search_limit(*.limit))]
    SearchLimit { limit: u64 },
    #[error("{}", words::search_context(*.lines))]
    SearchContext { lines: u64 },
    #[error("{}", words::mixed_range(.path))]
    MixedRange { path: String },
    #[error("{}", words::line_range(.path, *.total_lines))]
    LineRange { path: String, total_lines: u32 },
    #[error("{}", words::char_range(.path, *.total_chars))]
    CharRange { path: String, total_chars: u32 },
    #[error("{}", words::write_unread(.path))]
    WriteUnread { path: String },
    #[error("{}", words::write_half_read(.path, .missing))]
    WriteHalfRead { path: String, missing: Vec<(u32, u32)> },
    #[error("{}", words::write_stale(.path))]
    WriteStale { path: String },
    #[error("{}", words::write_vanished(.path))]
    WriteVanished { path: String },
    #[error("{}", words::over_budget(.limit))]
    OverBudget { limit: String },
    #[error("{}", words::PATCH_EMPTY_OLD)]
    PatchEmptyOld,
    #[error("{}", words::PATCH_NO_CHANGE)]
    PatchNoChange,
    #[error("{}", words::patch_unread(.path))]
    PatchUnread { path: String },
    #[error("{}", words::patch_half_read(.path, .missing))]
    PatchHalfRead { path: String, missing: Vec<(u32, u32)> },
    #[error("{}", words::patch_stale(.path))]
    PatchStale { path: String },
    #[error("{}", words::patch_not_found(.path, .nearest.as_ref(), *.numbered))]
    PatchNotFound {
        path: String,
        nearest: Option<Nearest>,
        numbered: bool,
    },
    #[error("{}", words::patch_not_unique(.path, *.count, .lines))]
    PatchNotUnique { path: String, count: u32, lines: Vec<u32> },
    #[error("{}", words::patch_too_large(.path, *.bytes))]
    PatchTooLarge { path: String, bytes: u64 },
    #[error("{}", words::empty_message(.path))]
    EmptyMessage { path: String },
    #[error("{}", words::COMMIT_FIRST)]
    CommitFirst,
    #[error("{}", words::CHILD_RETURNS)]
    ChildReturns,
    #[error("{}", words::ALREADY_REQUESTED)]
    AlreadyRequested,
}

impl Refusal {
    /// The stable code.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Blank { .. } => INVALID_ARGUMENTS,
            Self::Path { access, error, .. } => path_code(*access, error),
            Self::NotVisible { .. } => "workspace.path_not_visible",
            Self::NotWritable { .. } => "workspace.path_not_writable",
            Self::FileMissing { .. } => "workspace.file_not_found",
            Self::ListDepth { .. } => "workspace.list_depth_too_large",
            Self::SearchLimit { limit: 0 } => "workspace.search_limit_invalid",
            Self::SearchLimit { .. } => "workspace.search_limit_too_large",
            Self::SearchContext { .. } => "workspace.search_context_too_large",
            Self::MixedRange { .. } => "workspace.mixed_read_range",
            Self::LineRange { .. } => "workspace.invalid_line_range",
            Self::CharRange { .. } => "workspace.invalid_char_range",
            Self::WriteUnread { .. } | Self::WriteHalfRead { .. } => "workspace.write_requires_read",
            Self::WriteStale { .. } | Self::WriteVanished { .. } => "workspace.write_stale_file",
            Self::OverBudget { .. } => "tool.write_limit",
            Self::PatchEmptyOld => "workspace.patch_empty_old_string",
            Self::PatchNoChange => "workspace.patch_no_change",
            Self::PatchUnread { .. } => "workspace.patch_requires_read",
            Self::PatchHalfRead { .. } => "workspace.patch_requires_full_read",
            Self::PatchStale { .. } => "workspace.patch_stale_file",
            Self::PatchNotFound { .. } => "workspace.patch_old_string_not_found",
            Self::PatchNotUnique { .. } => "workspace.patch_old_string_not_unique",
            Self::PatchTooLarge { .. } => "workspace.file_too_large",
            Self::EmptyMessage { .. } => "workspace.required_artifact_empty",
            Self::CommitFirst => "agent.foreground_commit_required",
            Self::ChildReturns => "agent.child_finish_denied",
            Self::AlreadyRequested => "agent.chat_commit_rejected",
        }
    }

    pub(crate) fn path(access: Access, path: &str, error: PathError) -> Self {
        Self::Path {
            access,
            path: path.to_owned(),
            error,
        }
    }

    /// Why a path could not be looked at; the reader knows what else could be.
    pub(crate) fn look(access: Access, path: &str, error: PathError, reader: &mut impl Reader) -> Self {
        match (access, error) {
            (_, PathError::NotVisible) => Self::NotVisible {
                path: path.to_owned(),
                roots: reader.roots(),
            },
            (Access::File, PathError::NotFound) => {
                let root = path.split('/').next().unwrap_or_default();
                let roots = reader.roots();
                Self::FileMissing {
                    path: path.to_owned(),
                    creatable: roots.iter().any(|known| known.writable && known.name == root),
                }
            }
            (access, error) => Self::path(access, path, error),
        }
    }

    /// Why a file could not be changed; the reader knows where one could.
    pub(crate) fn change(path: &str, error: PathError, reader: &mut impl Reader) -> Self {
        match error {
            PathError::NotVisible | PathError::NotWritable => Self::NotWritable {
                path: path.to_owned(),
                roots: reader.roots(),
            },
            error => Self::path(Access::Target, path, error),
        }
    }

    /// Why a read showed nothing; `by_chars` tells which of the two ranges was wrong.
    pub(crate) fn show(path: &str, by_chars: bool, error: ShowError, reader: &mut impl Reader) -> Self {
        match error {
            ShowError::Path(error) => Self::look(Access::File, path, error, reader),
            ShowError::Range { total_chars, .. } if by_chars => Self::CharRange {
                path: path.to_owned(),
                total_chars,
            },
            ShowError::Range { total_lines, .. } => Self::LineRange {
                path: path.to_owned(),
                total_lines,
            },
        }
    }

    /// Why nothing was asked of the run.
    pub(crate) fn control(path: &str, error: ControlError) -> Self {
        match error {
            ControlError::Path(error) => Self::path(Access::File, path, error),
            ControlError::RequiredArtifactEmpty => Self::EmptyMessage { path: path.to_owned() },
            ControlError::CommitRequired => Self::CommitFirst,
            ControlError::ChildInvocation => Self::ChildReturns,
            ControlError::AlreadyRequested => Self::AlreadyRequested,
        }
    }
}

fn path_code(access: Access, error: &PathError) -> &'static str {
    let missing = match access {
        Access::Tree => "workspace.path_not_found",
        Access::File | Access::Target => "workspace.file_not_found",
    };
    match (error, access) {
        (PathError::Invalid(_) | PathError::NotADirectory, _) => "workspace.invalid_path",
        (PathError::NotWritable, _) | (PathError::NotVisible, Access::Target) => "workspace.path_not_writable",
        (PathError::NotVisible, _) => "workspace.path_not_visible",
        (PathError::ChildDenied(_), Access::Target) => "agent.child_workspace_write_denied",
        (PathError::NotFound | PathError::ChildDenied(_), _) => missing,
        (PathError::IsDirectory, _) => "workspace.path_is_directory",
        (PathError::NotText, _) => "workspace.file_not_text",
        (PathError::TooLarge(_), _) => "workspace.file_too_large",
        (PathError::NameConflict(_), _) => "workspace.name_conflict",
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        failure(refusal.code(), refusal.to_string())
    }
}

/// The argument, unless it is blank.
///
/// # Errors
/// [`Refusal::Blank`], naming the argument.
pub(crate) fn required<'a>(argument: &'static str, value: &'a str) -> Result<&'a str, Refusal> {
    if value.trim().is_empty() {
        Err(Refusal::Blank { argument })
    } else {
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, Refusal};
    use crate::port::PathError;

    #[test]
    fn a_path_error_has_a_code_for_what_the_path_was_wanted_for() {
        let table = [
            (
                PathError::NotFound,
                ["file_not_found", "path_not_found", "file_not_found"],
            ),
            (
                PathError::NotVisible,
                ["path_not_visible", "path_not_visible", "path_not_writable"],
            ),
            (PathError::NotWritable, ["path_not_writable"; 3]),
            (PathError::Invalid("it holds ..".into()), ["invalid_path"; 3]),
            (PathError::NotADirectory, ["invalid_path"; 3]),
            (PathError::IsDirectory, ["path_is_directory"; 3]),
            (PathError::NotText, ["file_not_text"; 3]),
            (PathError::TooLarge(17), ["file_too_large"; 3]),
            (PathError::NameConflict("Notes.md".into()), ["name_conflict"; 3]),
        ];
        for (error, codes) in table {
            let got = [Access::File, Access::Tree, Access::Target]
                .map(|access| Refusal::path(access, "a", error.clone()).code());
            assert_eq!(got, codes.map(|code| format!("workspace.{code}")), "{error:?}");
        }
        let denied = PathError::ChildDenied("it belongs to another".into());
        let got = [Access::File, Access::Tree, Access::Target]
            .map(|access| Refusal::path(access, "a", denied.clone()).code());
        assert_eq!(
            got,
            [
                "workspace.file_not_found",
                "workspace.path_not_found",
                "agent.child_workspace_write_denied"
            ]
        );
    }
}
