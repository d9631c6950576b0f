//! Laying the files of a state out in a new run.
//!
//! A state is what its manifest lists: a listed file must be there with the content that the list says, and what is not listed is
//! left out. The state itself is only read.

use std::collections::BTreeMap;

use innkeeper_protocol::id::StateId;
use innkeeper_protocol::path::{RootName, WorkspacePath};

use super::contents::{baseline, contents, open};
use super::manifest::PersistSnapshot;
use super::place::Place;
use super::{PersistentError, States, persistent_roots, place_in};
use crate::atomic::Durability;
use crate::listing::ListedFile;
use crate::tree::Tree;

impl States {
    /// Fills the persistent roots of a new run from a state, or leaves them empty when there is none, and says what they hold then.
    ///
    /// # Errors
    /// When the state is missing, damaged or not this chat's, or the run has such files already. The run must not go on then: its roots may
    /// be filled by half.
    pub fn restore(&self, base: Option<&StateId>, run: &Tree) -> Result<PersistSnapshot, PersistentError> {
        let mut place = Place::new(run.root(), Durability::Cache);
        for root in persistent_roots() {
            place
                .folder(&root.to_path())
                .map_err(PersistentError::io(root.as_str()))?;
        }
        if let Some(state_id) = base {
            run.check_root()?;
            let _writing = run.lock();
            self.copy_out(state_id, &mut place)?;
        }
        baseline(run, base.cloned())
    }

    fn copy_out(&self, state_id: &StateId, place: &mut Place<'_>) -> Result<(), PersistentError> {
        let state = self.open_state(state_id)?;
        let manifest = self.read_manifest(&state, state_id)?;
        let mut source = Source {
            state,
            state_id,
            listed: manifest
                .files
                .into_iter()
                .map(|file| (file.path.clone(), file))
                .collect(),
            left_out: 0,
        };
        for root in persistent_roots() {
            source.copy_root(&root, place)?;
        }
        if source.left_out > 0 {
            tracing::warn!(%state_id, count = source.left_out, "a persistent state holds what its manifest does not list");
        }
        match source.listed.into_keys().next() {
            None => Ok(()),
            Some(path) => Err(damaged(
                state_id,
                &path,
                "it is missing, or is no regular file".to_owned(),
            )),
        }
    }
}

/// A state while it is being copied.
struct Source<'a> {
    state: Tree,
    state_id: &'a StateId,
    /// What is still to come.
    listed: BTreeMap<WorkspacePath, ListedFile>,
    left_out: u64,
}

impl Source<'_> {
    fn copy_root(&mut self, root: &RootName, place: &mut Place<'_>) -> Result<(), PersistentError> {
        let Some(found) = contents(&self.state, root, Some(self.state_id))? else {
            return if self.listed.keys().any(|path| path.is_under(root)) {
                Err(PersistentError::RootMissing {
                    root: root.clone(),
                    state_id: Some(self.state_id.clone()),
                })
            } else {
                Ok(())
            };
        };
        self.left_out = self.left_out.saturating_add(found.skipped);
        for path in &found.folders {
            place.folder(path).map_err(PersistentError::io(path.as_str()))?;
        }
        found.files.iter().try_for_each(|path| self.copy_file(path, place))
    }

    fn copy_file(&mut self, path: &WorkspacePath, place: &mut Place<'_>) -> Result<(), PersistentError> {
        if !self.listed.contains_key(path) {
            self.left_out = self.left_out.saturating_add(1);
            return Ok(());
        }
        // One that is gone by now stays listed, and is missed at the end.
        let Some(mut file) = open(&self.state, path)? else {
            return Ok(());
        };
        let (sha256, bytes) = place
            .file(path, &mut file)
            .map_err(PersistentError::io(path.as_str()))?;
        let Some(listed) = self.listed.remove(path) else {
            return Ok(());
        };
        if sha256 == listed.sha256 && bytes == listed.bytes {
            return Ok(());
        }
        let problem = format!(
            "its content is {sha256}, {bytes} bytes, where the manifest lists {}, {} bytes",
            listed.sha256, listed.bytes
        );
        Err(damaged(self.state_id, path, problem))
    }
}

fn damaged(state_id: &StateId, path: &WorkspacePath, problem: String) -> PersistentError {
    PersistentError::Damaged {
        file: place_in(state_id, path.as_str()),
        problem,
    }
}

#[cfg(test)]
mod tests;
