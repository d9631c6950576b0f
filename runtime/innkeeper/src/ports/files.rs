//! A run's workspace on disk, as capabilities see it.

use std::sync::Arc;

use async_trait::async_trait;
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::port::{
    ApplyError, FileChange, FileEntry, FileError, FileKind, FileProblem, FileText, Guard, Listing, WorkspaceFiles,
};
use innkeeper_protocol::run::RunError;
use innkeeper_store::tree::{self, Change, MAX_FILE_BYTES, Scope, Tree, TreeError};

/// The files below one folder.
pub(crate) struct RunFiles {
    tree: Arc<Tree>,
}

impl RunFiles {
    pub(crate) fn new(tree: Arc<Tree>) -> Self {
        Self { tree }
    }

    async fn on_tree<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Tree) -> Result<T, TreeError> + Send + 'static,
    ) -> Result<Result<T, TreeError>, RunError> {
        let tree = self.tree.clone();
        super::blocking(move || Ok(work(&tree))).await
    }
}

#[async_trait]
impl WorkspaceFiles for RunFiles {
    async fn list(&self, path: &WorkspacePath, depth: u32, limit: u32) -> Result<Listing, FileError> {
        let scope = Scope::Path(path.clone());
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let listing = self
            .on_tree(move |tree| tree.list(&scope, depth, limit))
            .await?
            .map_err(file_error)?;
        Ok(Listing {
            entries: listing.entries.into_iter().map(entry).collect(),
            truncated: listing.truncated,
            skipped: u32::try_from(listing.skipped).unwrap_or(u32::MAX),
        })
    }

    async fn read(&self, path: &WorkspacePath) -> Result<FileText, FileError> {
        let path = path.clone();
        let file = self
            .on_tree(move |tree| tree.read(&path, MAX_FILE_BYTES))
            .await?
            .map_err(file_error)?;
        Ok(FileText {
            text: file.text,
            sha256: file.sha256,
        })
    }

    async fn apply(&self, changes: Vec<FileChange>) -> Result<(), ApplyError> {
        if changes.is_empty() {
            return Ok(());
        }
        let paths: Vec<WorkspacePath> = changes.iter().map(|change| change.path.clone()).collect();
        let changes: Vec<Change> = changes.into_iter().map(change).collect();
        let applied = self.on_tree(move |tree| tree.apply(&changes)).await?;
        applied.map(|_| ()).map_err(|error| apply_error(error, &paths))
    }
}

fn entry(entry: tree::Entry) -> FileEntry {
    FileEntry {
        kind: match entry.kind {
            tree::Kind::Directory => FileKind::Directory,
            tree::Kind::File => FileKind::File,
        },
        path: entry.path,
        bytes: entry.bytes,
    }
}

fn change(change: FileChange) -> Change {
    let guard = match change.guard {
        Guard::Unchecked => tree::Guard::Unchecked,
        Guard::MustNotExist => tree::Guard::MustNotExist,
        Guard::MustMatch(sha256) => tree::Guard::MustMatch(sha256),
    };
    match change.content {
        Some(text) => Change::Write {
            path: change.path,
            bytes: text.into_bytes(),
            guard,
        },
        None => Change::Remove {
            path: change.path,
            guard,
        },
    }
}

/// What a model can act on, and what ends the run.
fn file_error(error: TreeError) -> FileError {
    if error.is_fault() {
        return FileError::Fault(fault(&error));
    }
    FileError::Problem(problem(&error))
}

fn fault(error: &TreeError) -> RunError {
    crate::error::fault(error.code(), error)
}

fn problem(error: &TreeError) -> FileProblem {
    match error {
        TreeError::FileNotFound { .. } | TreeError::PathNotFound { .. } => FileProblem::NotFound,
        TreeError::IsDirectory { .. } => FileProblem::IsDirectory,
        TreeError::NotText { .. } => FileProblem::NotText,
        TreeError::TooLarge { bytes, .. } => FileProblem::TooLarge(*bytes),
        TreeError::NameConflict { existing, .. } => FileProblem::NameConflict(existing.clone()),
        other => FileProblem::Invalid(other.to_string()),
    }
}

fn apply_error(error: TreeError, paths: &[WorkspacePath]) -> ApplyError {
    match error {
        error if error.is_fault() => ApplyError::Fault(fault(&error)),
        TreeError::AlreadyExists { path, actual } => ApplyError::Conflict {
            path,
            actual: Some(actual),
        },
        TreeError::Stale { path, actual, .. } => ApplyError::Conflict { path, actual },
        error => match subject(&error).or_else(|| paths.first().cloned()) {
            Some(path) => ApplyError::Problem {
                path,
                problem: problem(&error),
            },
            None => ApplyError::Fault(fault(&error)),
        },
    }
}

/// The file that an error is about.
fn subject(error: &TreeError) -> Option<WorkspacePath> {
    match error {
        TreeError::Link { path, .. }
        | TreeError::Special { path, .. }
        | TreeError::NotADirectory { path, .. }
        | TreeError::FileNotFound { path }
        | TreeError::PathNotFound { path }
        | TreeError::IsDirectory { path }
        | TreeError::NotText { path }
        | TreeError::TooLarge { path, .. }
        | TreeError::NameConflict { path, .. }
        | TreeError::Overlap { path, .. } => Some(path.clone()),
        _ => None,
    }
}
