//! Persistent states: what a chat keeps of its runs' files from one run to the next.
//!
//! A state is a whole copy of the persistent roots under the id of the run that made it. It comes into being with one rename and never
//! changes afterwards, so two runs that began with the same state make two states and neither overwrites the other. Which state a
//! run begins with is read from the chat by the caller, and nothing here writes the chat.

mod contents;
mod error;
mod manifest;
mod place;
mod promote;
mod restore;
mod sweep;
#[cfg(test)]
pub(crate) mod testing;

use std::io;
use std::path::PathBuf;

use cap_fs_ext::DirExt as _;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use innkeeper_protocol::id::{StateId, WorkspaceId};
use innkeeper_protocol::path::RootName;

pub use contents::baseline;
pub use error::PersistentError;
pub(crate) use manifest::check_files;
pub use manifest::{PersistSnapshot, StateChange, StateManifest};
pub(crate) use place::ensure_folder;
pub use promote::{NewState, Promotion};

/// The folder of all states, in the folder of a chat.
const FOLDER: &str = "persistent-states";

/// The list of a state's files, in its folder.
const MANIFEST: &str = "manifest.json";

/// The root that outlives its run.
const PERSISTENT: &str = "persist";

/// Whether a root outlives its run.
#[must_use]
pub fn is_persistent(root: &RootName) -> bool {
    root.as_str() == PERSISTENT
}

/// The roots that outlive their run.
pub fn persistent_roots() -> impl Iterator<Item = RootName> {
    RootName::universe().into_iter().filter(is_persistent)
}

/// The persistent states of one chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct States {
    workspace: PathBuf,
    workspace_id: WorkspaceId,
}

impl States {
    /// The states of this chat; nothing is created.
    #[must_use]
    pub fn new(root: &crate::runs::RunsRoot, workspace_id: &WorkspaceId) -> Self {
        Self {
            workspace: root.workspace(workspace_id),
            workspace_id: workspace_id.clone(),
        }
    }

    /// The folder of all states, if there is one.
    fn folder(&self) -> Result<Option<Dir>, PersistentError> {
        let opened = Dir::open_ambient_dir(&self.workspace, ambient_authority())
            .and_then(|workspace| workspace.open_dir_nofollow(FOLDER));
        match opened {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(PersistentError::io(FOLDER)(error)),
        }
    }

    fn state_path(&self, state_id: &StateId) -> PathBuf {
        self.workspace.join(FOLDER).join(state_id.as_str())
    }
}

/// Where something of a state lies, for messages: from the chat's folder.
fn place_in(state_id: &StateId, inner: &str) -> String {
    format!("{FOLDER}/{state_id}/{inner}")
}
