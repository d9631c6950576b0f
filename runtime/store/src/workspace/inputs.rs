//! `input/`: what a run and each of its invocations were given, frozen.
//!
//! Every file here is created once and never changed. What the values hold is their makers' affair.

use innkeeper_protocol::id::InvocationId;
use innkeeper_protocol::path::WorkspacePath;
use serde_json::Value;

use super::manifest::{PATH, WorkspaceManifest};
use super::{PreparedWorkspace, WorkspaceError, WorkspaceSetup, json};
use crate::persistent::{PersistSnapshot, check_files};
use crate::tree::Tree;

pub(super) const PROMPT_SNAPSHOT: &str = "input/prompt_snapshot.json";
pub(super) const RESOLVED_PROFILE: &str = "input/resolved_profile.json";
const RESOLVED_SKILLS: &str = "input/resolved_skills.json";
const PERSIST_SNAPSHOT: &str = "input/persist_snapshot.json";

/// The most that is read of the list of persistent files, in bytes: room for some 400,000 files.
const MAX_SNAPSHOT_BYTES: u64 = 64 * 1024 * 1024;

/// What is frozen for one invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvocationInput {
    /// The prompt that the host put together for it.
    PromptSnapshot,
    /// How the host did so.
    PromptAssembly,
    /// Its skills.
    ResolvedSkills,
    /// Its tools.
    ToolSnapshot,
}

impl InvocationInput {
    const fn file_name(self) -> &'static str {
        match self {
            Self::PromptSnapshot => "prompt_snapshot.json",
            Self::PromptAssembly => "prompt_assembly.json",
            Self::ResolvedSkills => "resolved_skills.json",
            Self::ToolSnapshot => "tool_snapshot.json",
        }
    }

    /// Where it lies, from the run's folder.
    ///
    /// # Errors
    /// When the id cannot be a folder's name on every platform.
    pub fn path(self, id: &InvocationId) -> Result<WorkspacePath, WorkspaceError> {
        let path = format!("input/invocations/{id}/{}", self.file_name());
        Ok(WorkspacePath::parse(&path)?)
    }
}

/// Writes the manifest and the inputs that exist from the start, all or none.
pub(super) fn write_run_inputs(
    tree: &Tree,
    setup: &WorkspaceSetup,
    baseline: &PersistSnapshot,
    manifest: &WorkspaceManifest,
) -> Result<(), WorkspaceError> {
    let files = [
        json::new_file(PROMPT_SNAPSHOT, &setup.prompt_snapshot)?,
        json::new_file(RESOLVED_PROFILE, &setup.resolved_profile)?,
        json::new_file(PERSIST_SNAPSHOT, baseline)?,
        // Put in place last: a folder with a manifest has all of the others.
        json::new_file(PATH, manifest)?,
    ];
    json::write(tree, &files)
}

/// Reads the persistent files that a run began with, and checks the list as if a stranger had written it.
///
/// # Errors
/// When it is missing or damaged.
pub fn load_baseline(tree: &Tree) -> Result<PersistSnapshot, WorkspaceError> {
    let path = WorkspacePath::parse(PERSIST_SNAPSHOT)?;
    let Some(stored) = json::read::<PersistSnapshot>(tree, &path, MAX_SNAPSHOT_BYTES)? else {
        return Err(WorkspaceError::Missing { path });
    };
    match check_files(&stored.value.files) {
        Ok(()) => Ok(stored.value),
        Err(problem) => Err(WorkspaceError::Damaged { path, problem }),
    }
}

impl PreparedWorkspace {
    /// Freezes the effective skills of the root invocation.
    ///
    /// # Errors
    /// When they are frozen already, or the disk refuses; the file is as it was.
    pub fn freeze_skills(&self, skills: &Value) -> Result<WorkspacePath, WorkspaceError> {
        json::write(&self.tree, &[json::new_file(RESOLVED_SKILLS, skills)?])?;
        Ok(WorkspacePath::parse(RESOLVED_SKILLS)?)
    }

    /// Freezes something that one invocation was given, and says where.
    ///
    /// # Errors
    /// When it is frozen already, or the disk refuses; the file is as it was.
    pub fn freeze(
        &self,
        id: &InvocationId,
        input: InvocationInput,
        value: &Value,
    ) -> Result<WorkspacePath, WorkspaceError> {
        let path = input.path(id)?;
        json::write(&self.tree, &[json::new_file(path.as_str(), value)?])?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests;
