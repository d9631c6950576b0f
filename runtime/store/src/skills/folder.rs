//! Skills in a folder that somebody names.
//!
//! Installs nothing and watches nothing: each look reads the disk anew.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use innkeeper_protocol::skill::SkillScope;

use super::effective::{EffectiveSkills, blocking};
use super::error::SkillsError;
use super::place::Place;
use super::scan::{Reach, Search, scan};
use crate::tree::Tree;

/// A folder that is a skill, or has skills below it.
#[derive(Debug, Clone)]
pub struct FolderSkills {
    path: PathBuf,
    tree: Arc<Tree>,
}

impl FolderSkills {
    /// Opens the folder. Links on the way to it are followed once, here; none in it is.
    ///
    /// # Errors
    /// [`SkillsError::Folder`] when it is missing or cannot be opened as a folder.
    pub fn open(dir: &Path) -> Result<Self, SkillsError> {
        let failed = |source| SkillsError::Folder {
            path: dir.to_owned(),
            source,
        };
        let tree = Tree::open(dir).map_err(failed)?;
        Ok(Self {
            // `.` and `..` have no name of their own.
            path: std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned()),
            tree: Arc::new(tree),
        })
    }

    /// Reads its skills. They count as global: whatever is installed for the preset, profile or character of a run comes after them.
    ///
    /// Reads files; async callers use [`effective`](Self::effective).
    ///
    /// # Errors
    /// [`SkillsError::Folder`] when the folder cannot be read, or was replaced since it was opened.
    pub fn load(&self) -> Result<EffectiveSkills, SkillsError> {
        let name = self.path.file_name().map(|name| name.to_string_lossy());
        let found = scan(Search {
            place: &Place::root(self.tree.clone()),
            name: name.as_deref().unwrap_or_default(),
            scope: SkillScope::Global,
            reach: Reach::Below,
        });
        match found {
            Ok(found) => Ok(EffectiveSkills::of(SkillScope::Global, found)),
            Err(source) => Err(SkillsError::Folder {
                path: self.path.clone(),
                source,
            }),
        }
    }

    /// [`load`](Self::load), on a thread for blocking work. Needs a running `tokio` runtime.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub async fn effective(&self) -> Result<EffectiveSkills, SkillsError> {
        let skills = self.clone();
        blocking(move || skills.load())
            .await
            .unwrap_or(Err(SkillsError::Interrupted))
    }
}

#[cfg(test)]
mod tests;
