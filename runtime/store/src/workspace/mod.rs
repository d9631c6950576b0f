//! The folder of a run: its roots, its manifest, the inputs that were frozen for it, the records of its invocations.
//!
//! Every value comes from the caller: no profile is resolved, no prompt built and no id made here. The journal, audit files and
//! checkpoints of the same folder have modules of their own.

mod error;
mod inputs;
mod invocation;
mod json;
mod manifest;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use innkeeper_protocol::id::StateId;
use innkeeper_protocol::path::RootName;
use serde_json::Value;

pub use error::WorkspaceError;
pub use inputs::{InvocationInput, load_baseline};
pub use invocation::{ExitPolicy, InvocationKind, InvocationRecord, InvocationStatus};
pub use manifest::{
    Artifact, ArtifactTarget, CommitPolicy, CommitTiming, Lifecycle, ManifestData, ManifestInput, ManifestRoot, Mount,
    RootScope, WorkspaceManifest,
};

use crate::atomic::sync_folder;
use crate::persistent::{NewState, PersistSnapshot, PersistentError, Promotion, States, ensure_folder};
use crate::runs::RunFolder;
use crate::tree::{Tree, TreeError};

/// The host's own folders that exist from the start. Others come into being with their first file.
const HOST_FOLDERS: [&str; 3] = ["input", "tool-args", "model-responses"];

/// What a run's folder is prepared from.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkspaceSetup {
    /// What the manifest says.
    pub manifest: ManifestData,
    /// The persistent state that the run begins with; none for the first run of a chat.
    pub persist_base_state_id: Option<StateId>,
    /// The prompt as the run was started with it.
    pub prompt_snapshot: Value,
    /// The profile as it was resolved.
    pub resolved_profile: Value,
}

/// A run's folder that is ready for the run.
#[derive(Debug)]
pub struct PreparedWorkspace {
    folder: RunFolder,
    tree: Arc<Tree>,
    manifest: WorkspaceManifest,
    baseline: PersistSnapshot,
}

/// Lays out the folder of a new run: its roots, the files of its persistent state, its manifest and the inputs of all its invocations.
/// The manifest and the inputs appear last, and all at once.
///
/// # Errors
/// When the folder was prepared before, the persistent state cannot be restored (its codes), a root is unknown, or the disk refuses. The
/// run cannot go on then; nothing outside its folder was changed.
pub fn prepare(
    folder: &RunFolder,
    states: &States,
    setup: &WorkspaceSetup,
) -> Result<PreparedWorkspace, WorkspaceError> {
    let manifest = WorkspaceManifest::new(folder.run_id().clone(), &setup.manifest)?;
    let tree = Tree::open(folder.path())?;
    manifest::refuse_prepared(&tree)?;
    create_folders(&tree)?;
    let baseline = states.restore(setup.persist_base_state_id.as_ref(), &tree)?;
    inputs::write_run_inputs(&tree, setup, &baseline, &manifest)?;
    Ok(PreparedWorkspace {
        folder: folder.clone(),
        tree: Arc::new(tree),
        manifest,
        baseline,
    })
}

fn create_folders(tree: &Tree) -> Result<(), WorkspaceError> {
    let _writing = tree.lock();
    let roots = RootName::universe().into_iter().chain([RootName::tool_results()]);
    for root in roots {
        ensure_folder(tree.root(), root.as_str()).map_err(TreeError::io("create", root.as_str()))?;
    }
    for name in HOST_FOLDERS {
        ensure_folder(tree.root(), name).map_err(TreeError::io("create", name))?;
    }
    Ok(sync_folder(tree.root()).map_err(TreeError::io("make durable", "."))?)
}

impl PreparedWorkspace {
    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// The files in it.
    #[must_use]
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// What the folder is.
    #[must_use]
    pub fn manifest(&self) -> &WorkspaceManifest {
        &self.manifest
    }

    /// The persistent files that the run began with.
    #[must_use]
    pub fn baseline(&self) -> &PersistSnapshot {
        &self.baseline
    }

    /// Makes the persistent files of the finished run a state of their own.
    ///
    /// # Errors
    /// See [`States::promote`]; then there is no new state.
    pub fn promote(&self, states: &States, created_at: &str) -> Result<Promotion, PersistentError> {
        let new = NewState {
            run_id: self.manifest.run_id.clone(),
            stable_chat_id: self.manifest.stable_chat_id.clone(),
            created_at: created_at.to_owned(),
        };
        states.promote(&self.tree, &self.baseline, new)
    }
}
