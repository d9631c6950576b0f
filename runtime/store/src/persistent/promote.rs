//! Making a new state out of the files of a run that has finished.
//!
//! The whole state is complete and durable under a temporary name before one rename makes it exist. Whether the run has earned it is the
//! caller's to know.

use std::io;

use cap_fs_ext::DirExt as _;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use innkeeper_protocol::event::PersistentChange;
use innkeeper_protocol::id::{RunId, StableChatId, StateId};
use innkeeper_protocol::path::RootName;

use super::contents::{contents, open};
use super::manifest::{PersistSnapshot, StateChange, StateManifest};
use super::place::{Place, ensure_folder};
use super::sweep::temporary_name;
use super::{FOLDER, MANIFEST, PersistentError, States, persistent_roots, place_in};
use crate::atomic::{Durability, sync_folder, write_in};
use crate::listing::{ListedFile, differences};
use crate::tree::Tree;

/// What is to be said about a new state; its files are found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewState {
    /// The run that makes it, and the new state's id.
    pub run_id: RunId,
    /// Its chat.
    pub stable_chat_id: StableChatId,
    /// RFC 3339, UTC.
    pub created_at: String,
}

/// A state that was just made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promotion {
    /// The state.
    pub state_id: StateId,
    /// The state that the run began with.
    pub base_state_id: Option<StateId>,
    /// What differs from it, in byte order of the paths.
    pub changes: Vec<PersistentChange>,
    /// Files of the new state.
    pub files: usize,
    /// Links, special files and names that are no workspace path, left out.
    pub skipped: u64,
}

impl States {
    /// Makes the persistent files of a run a state of their own, also when nothing has changed. Writers of the run wait meanwhile.
    ///
    /// # Errors
    /// When the run's state exists, a root is gone or cannot be read, or the disk refuses. Then there is no new state.
    pub fn promote(&self, run: &Tree, baseline: &PersistSnapshot, new: NewState) -> Result<Promotion, PersistentError> {
        let state_id = StateId::parse(new.run_id.as_str())?;
        let states = self.create_folder()?;
        refuse_existing(&states, &state_id)?;
        let temporary = Temporary::create(&states, &state_id).map_err(PersistentError::io(FOLDER))?;
        let _writing = run.lock();
        let (files, skipped) = temporary.fill(run)?;
        let manifest = StateManifest {
            version: StateManifest::VERSION,
            state_id: state_id.clone(),
            run_id: new.run_id,
            workspace_id: self.workspace_id.clone(),
            stable_chat_id: new.stable_chat_id,
            base_state_id: baseline.base_state_id.clone(),
            created_at: new.created_at,
            changes: differences(&baseline.files, &files)
                .iter()
                .map(StateChange::from)
                .collect(),
            files,
        };
        temporary
            .seal(&manifest)
            .map_err(PersistentError::io(place_in(&state_id, MANIFEST)))?;
        temporary.publish(&state_id)?;
        Ok(Promotion {
            state_id,
            base_state_id: manifest.base_state_id,
            changes: manifest.changes.iter().map(PersistentChange::from).collect(),
            files: manifest.files.len(),
            skipped,
        })
    }

    fn create_folder(&self) -> Result<Dir, PersistentError> {
        let create = || {
            let workspace = Dir::open_ambient_dir(&self.workspace, ambient_authority())?;
            let states = ensure_folder(&workspace, FOLDER)?;
            sync_folder(&workspace)?;
            Ok(states)
        };
        create().map_err(PersistentError::io(FOLDER))
    }
}

fn refuse_existing(states: &Dir, state_id: &StateId) -> Result<(), PersistentError> {
    match states.symlink_metadata(state_id.as_str()) {
        Ok(_) => Err(PersistentError::Exists {
            state_id: state_id.clone(),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(PersistentError::io(place_in(state_id, ""))(error)),
    }
}

/// A state that does not exist yet. Dropped before it does, it is gone.
struct Temporary<'a> {
    states: &'a Dir,
    name: String,
    published: bool,
}

impl<'a> Temporary<'a> {
    fn create(states: &'a Dir, state_id: &StateId) -> io::Result<Self> {
        let name = temporary_name(state_id);
        states.create_dir(&name)?;
        Ok(Self {
            states,
            name,
            published: false,
        })
    }

    /// The folder. The handle must be closed before the rename, which Windows refuses otherwise.
    fn open(&self) -> Result<Dir, PersistentError> {
        self.states
            .open_dir_nofollow(&self.name)
            .map_err(PersistentError::io(format!("{FOLDER}/{}", self.name)))
    }

    /// Copies the run's persistent roots in, durably but for the folder's own names.
    fn fill(&self, run: &Tree) -> Result<(Vec<ListedFile>, u64), PersistentError> {
        let folder = self.open()?;
        let mut place = Place::new(&folder, Durability::Durable);
        let (mut files, mut skipped) = (Vec::new(), 0_u64);
        for root in persistent_roots() {
            let passed = copy_root(run, &root, &mut place, &mut files)?;
            skipped = skipped.saturating_add(passed);
        }
        files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok((files, skipped))
    }

    /// Writes the list, which makes the folder's own names durable as well.
    fn seal(&self, manifest: &StateManifest) -> io::Result<()> {
        let bytes = serde_json::to_vec_pretty(manifest)?;
        let folder = self.states.open_dir_nofollow(&self.name)?;
        write_in(&folder, MANIFEST, &bytes, Durability::Durable)
    }

    fn publish(mut self, state_id: &StateId) -> Result<(), PersistentError> {
        // A rename would replace an empty folder; nobody makes one here, but a person may have.
        refuse_existing(self.states, state_id)?;
        let published = self.states.rename(&self.name, self.states, state_id.as_str());
        published.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty => PersistentError::Exists {
                state_id: state_id.clone(),
            },
            _ => PersistentError::io(place_in(state_id, ""))(error),
        })?;
        // From here on the state is what is taken back when its name does not become durable.
        state_id.as_str().clone_into(&mut self.name);
        sync_folder(self.states).map_err(PersistentError::io(FOLDER))?;
        self.published = true;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.published
            && let Err(error) = self.states.remove_dir_all(&self.name)
        {
            tracing::warn!(folder = self.name, %error, "an unfinished persistent state stays until the next start");
        }
    }
}

/// Copies one root and says how much of it was passed over.
fn copy_root(
    run: &Tree,
    root: &RootName,
    place: &mut Place<'_>,
    files: &mut Vec<ListedFile>,
) -> Result<u64, PersistentError> {
    // The root was made at the start, and no tool can remove it: a missing one is not an empty one.
    let found = contents(run, root, None)?.ok_or_else(|| PersistentError::RootMissing {
        root: root.clone(),
        state_id: None,
    })?;
    let mut skipped = found.skipped;
    let mut folders = found.folders;
    folders.insert(0, root.to_path());
    for path in &folders {
        place.folder(path).map_err(PersistentError::io(path.as_str()))?;
    }
    for path in found.files {
        let Some(mut file) = open(run, &path)? else {
            skipped = skipped.saturating_add(1);
            continue;
        };
        let (sha256, bytes) = place
            .file(&path, &mut file)
            .map_err(PersistentError::io(path.as_str()))?;
        files.push(ListedFile { path, sha256, bytes });
    }
    for path in &folders {
        place.sync(path).map_err(PersistentError::io(path.as_str()))?;
    }
    Ok(skipped)
}

#[cfg(test)]
mod tests;
