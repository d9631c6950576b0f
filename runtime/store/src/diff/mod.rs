//! How the files of a run differ between two moments: its beginning, a checkpoint, now.
//!
//! Only the five roots of the workspace count. Nothing is written, and a run that goes on meanwhile is not held up.

mod moment;
#[cfg(test)]
mod tests;
mod text;

use std::sync::Arc;

use innkeeper_protocol::event::ChangeKind;
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::view::FileDiff;

use crate::checkpoint::{CheckpointError, Checkpoints};
use crate::listing::{Difference, ListedFile, differences};
use crate::persistent::{PersistentError, States};
use crate::tree::{Tree, TreeError};
use crate::workspace::WorkspaceError;

pub use moment::Moment;
use moment::Side;
use text::{Budget, LineDiff};

/// How one file would change, as a unified diff; `None` stands for a file that is not there.
#[must_use]
pub fn unified(path: &WorkspacePath, old: Option<&str>, new: Option<&str>) -> String {
    let kind = match (old, new) {
        (None, _) => ChangeKind::Added,
        (Some(_), None) => ChangeKind::Deleted,
        (Some(_), Some(_)) => ChangeKind::Modified,
    };
    LineDiff::new(path, kind, old.unwrap_or_default(), new.unwrap_or_default()).text
}

/// What is to be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffQuery {
    /// Before.
    pub from: Moment,
    /// After.
    pub to: Moment,
    /// Only this file.
    pub path: Option<WorkspacePath>,
    /// Most characters of all diffs together.
    pub max_chars: usize,
}

/// How the files differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceDiff {
    /// Every file that differs, by path.
    pub files: Vec<FileDiff>,
    /// Whether some diff is not whole.
    pub truncated: bool,
}

/// Why two moments cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum DiffError {
    /// A checkpoint is missing or damaged.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// What the run began with is not known.
    #[error(transparent)]
    Beginning(#[from] WorkspaceError),
    /// The persistent state that the run began with cannot be read.
    #[error(transparent)]
    State(#[from] PersistentError),
    /// The run's files cannot be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl DiffError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Checkpoint(error) => error.code(),
            Self::Beginning(error) => error.code(),
            Self::State(error) => error.code(),
            Self::Tree(error) => error.code(),
        }
    }
}

/// Compares two moments of a run. `states` are those of its chat, for what the run began with.
///
/// # Errors
/// When a checkpoint is missing or damaged, or a file cannot be read: that is never taken for an empty one.
pub fn diff(tree: &Arc<Tree>, states: &States, query: &DiffQuery) -> Result<WorkspaceDiff, DiffError> {
    let checkpoints = Checkpoints::new(Arc::clone(tree));
    let side = |moment| Side::load(moment, tree, &checkpoints, states);
    let (before, after) = (side(query.from)?, side(query.to)?);
    let mut budget = Budget::new(query.max_chars);
    let mut files = Vec::new();
    for difference in differences(before.files(), after.files()) {
        if query.path.as_ref().is_none_or(|path| path == difference.path()) {
            let lines = lines(&difference, &before, &after)?;
            files.push(file_diff(&difference, lines, &mut budget));
        }
    }
    Ok(WorkspaceDiff {
        files,
        truncated: budget.is_exceeded(),
    })
}

/// The diff of one file; none where one side is no text or not to be had.
fn lines(difference: &Difference<'_>, before: &Side<'_>, after: &Side<'_>) -> Result<Option<LineDiff>, DiffError> {
    let text = |side: &Side<'_>, file: Option<&ListedFile>| match file {
        None => Ok(Some(String::new())),
        Some(file) => side.text(file),
    };
    let (Some(old), Some(new)) = (text(before, difference.before())?, text(after, difference.after())?) else {
        return Ok(None);
    };
    Ok(Some(LineDiff::new(difference.path(), difference.kind(), &old, &new)))
}

fn file_diff(difference: &Difference<'_>, lines: Option<LineDiff>, budget: &mut Budget) -> FileDiff {
    let (added_lines, removed_lines) = lines.as_ref().map_or((0, 0), |lines| (lines.added, lines.removed));
    FileDiff {
        path: difference.path().clone(),
        kind: difference.kind(),
        old_sha256: difference.before().map(|file| file.sha256.clone()),
        new_sha256: difference.after().map(|file| file.sha256.clone()),
        added_lines,
        removed_lines,
        diff: lines.and_then(|lines| budget.take(lines.text)),
    }
}
