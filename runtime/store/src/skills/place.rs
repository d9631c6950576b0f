//! A folder inside a tree that is read by paths of its own: a skill, or a folder that is searched for skills.
//!
//! All reading goes through the tree, so links and special files are never followed. Knows nothing about what a skill is, except what
//! its main file is called.

use std::sync::Arc;

use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::skill::is_hidden;

use crate::tree::{Entry, Kind, Scope, Tree, TreeError};

/// The file that makes a folder a skill. Any case is accepted where this spelling is missing.
pub(super) const MAIN_FILE: &str = "SKILL.md";

/// What the Mac's file manager leaves everywhere; it belongs to no skill.
const LITTER: &str = ".DS_Store";

/// A folder inside a tree.
#[derive(Debug, Clone)]
pub(super) struct Place {
    tree: Arc<Tree>,
    /// Where in the tree; the tree's own root if none.
    base: Option<WorkspacePath>,
}

/// What is directly in a folder.
#[derive(Debug, Default)]
pub(super) struct Children {
    /// Folders first, each by path in byte order, with paths from the place.
    pub(super) entries: Vec<(WorkspacePath, Kind)>,
    /// Links, special files and names that are no path.
    pub(super) skipped: u64,
    /// There are more than were asked for.
    pub(super) truncated: bool,
}

impl Place {
    pub(super) fn root(tree: Arc<Tree>) -> Self {
        Self { tree, base: None }
    }

    /// The place that is the folder `path` of this one.
    pub(super) fn at(&self, path: &WorkspacePath) -> Option<Self> {
        let base = self.resolve(path)?;
        Some(Self {
            tree: self.tree.clone(),
            base: Some(base),
        })
    }

    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The path in the tree of a path from the place; none when it is too long together.
    pub(super) fn resolve(&self, path: &WorkspacePath) -> Option<WorkspacePath> {
        let Some(base) = &self.base else {
            return Some(path.clone());
        };
        exactly(&format!("{base}/{path}"))
    }

    /// What stands at a path; `None` for nothing.
    pub(super) fn find(&self, path: &WorkspacePath) -> Result<Option<Entry>, TreeError> {
        self.resolve(path).map_or(Ok(None), |full| self.tree.find(&full))
    }

    /// The main file in the spelling that the disk has, if there is one.
    ///
    /// # Errors
    /// When a link or something else that is never read has the name.
    pub(super) fn main_file(&self) -> Result<Option<WorkspacePath>, TreeError> {
        let Some(wanted) = exactly(MAIN_FILE) else {
            return Ok(None);
        };
        let found = match self.find(&wanted) {
            Ok(None) => return Ok(None),
            Ok(Some(entry)) => entry,
            Err(TreeError::NameConflict { existing, .. }) => {
                let spelled = existing.rsplit('/').next().and_then(exactly);
                return self.main_file_spelled(spelled);
            }
            Err(error) => return Err(error),
        };
        Ok((found.kind == Kind::File).then_some(wanted))
    }

    fn main_file_spelled(&self, name: Option<WorkspacePath>) -> Result<Option<WorkspacePath>, TreeError> {
        let Some(name) = name else { return Ok(None) };
        let found = self.find(&name)?;
        Ok(found.filter(|entry| entry.kind == Kind::File).map(|_| name))
    }

    /// What is directly in the place, or in a folder of it; at most `limit` entries. Names that are never shown of a skill are left out
    /// and not counted.
    ///
    /// # Errors
    /// When it is missing, is no folder, or cannot be read.
    pub(super) fn children(&self, folder: Option<&WorkspacePath>, limit: usize) -> Result<Children, TreeError> {
        let full = match folder {
            None => self.base.clone(),
            Some(path) => Some(
                self.resolve(path)
                    .ok_or_else(|| TreeError::PathNotFound { path: path.clone() })?,
            ),
        };
        let Some(full) = full else {
            return self.root_children(limit);
        };
        let listing = self.tree.list(&Scope::Path(full), 0, limit)?;
        let mut children = Children {
            entries: Vec::with_capacity(listing.entries.len()),
            skipped: listing.skipped,
            truncated: listing.truncated,
        };
        for entry in listing.entries {
            match self.relative(&entry.path) {
                Some(path) => children.take(path, entry.kind),
                None => children.skip(),
            }
        }
        Ok(children)
    }

    /// The tree lists folders by their paths, and its root has none.
    fn root_children(&self, limit: usize) -> Result<Children, TreeError> {
        self.tree.check_root()?;
        let mut children = Children::default();
        for entry in self.tree.root().entries().map_err(TreeError::io("list", "."))? {
            let name = entry.map_err(TreeError::io("list", "."))?.file_name();
            let Some(path) = name.to_str().and_then(exactly) else {
                children.skip();
                continue;
            };
            match self.tree.find(&path) {
                Ok(Some(_)) if children.entries.len() >= limit => {
                    children.truncated = true;
                    break;
                }
                Ok(Some(found)) => children.take(path, found.kind),
                Ok(None) => {}
                Err(error) if error.is_fault() => return Err(error),
                Err(_) => children.skip(),
            }
        }
        children
            .entries
            .sort_unstable_by(|(one, kind), (other, other_kind)| (kind, one).cmp(&(other_kind, other)));
        Ok(children)
    }

    /// The path from the place of a path in the tree.
    fn relative(&self, full: &WorkspacePath) -> Option<WorkspacePath> {
        let Some(base) = &self.base else {
            return Some(full.clone());
        };
        let rest = full.as_str().strip_prefix(base.as_str())?.strip_prefix('/')?;
        exactly(rest)
    }
}

impl Children {
    fn take(&mut self, path: WorkspacePath, kind: Kind) {
        if !is_hidden(&path) && path.file_name() != LITTER {
            self.entries.push((path, kind));
        }
    }

    fn skip(&mut self) {
        self.skipped = self.skipped.saturating_add(1);
    }
}

/// The text as a path, if it is one as it stands: parsing would trim, and then name another file.
fn exactly(text: &str) -> Option<WorkspacePath> {
    WorkspacePath::parse(text).ok().filter(|path| path.as_str() == text)
}
