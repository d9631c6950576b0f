//! `manifest.json`: what the folder of a run is, in the form that the application shares.
//!
//! It is a record of what was decided elsewhere; rights are checked against the profile, not against it.

use std::collections::HashSet;

use innkeeper_protocol::id::{RunId, StableChatId};
use innkeeper_protocol::path::{RootName, WorkspacePath};
use innkeeper_protocol::run::ChatRef;
use serde::{Deserialize, Serialize};

use super::inputs::{PROMPT_SNAPSHOT, RESOLVED_PROFILE};
use super::{PreparedWorkspace, WorkspaceError, json};
use crate::persistent::is_persistent;
use crate::tree::Tree;

/// Where it lies.
pub(super) const PATH: &str = "manifest.json";

/// The form that is written and read.
const VERSION: u32 = 1;

/// The most that is read of a manifest, in bytes: it has some dozen lines for each artifact.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// What the caller says of a new run's folder; the rest follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestData {
    /// The chat.
    pub stable_chat_id: StableChatId,
    /// Where the chat lies in the application.
    pub chat_ref: ChatRef,
    /// RFC 3339, UTC.
    pub created_at: String,
    /// The roots that the profile shows.
    pub visible: Vec<RootName>,
    /// The roots that the profile lets be written.
    pub writable: Vec<RootName>,
    /// The files that the profile asks for.
    pub artifacts: Vec<Artifact>,
}

/// What the folder of a run is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceManifest {
    /// The form of this record.
    pub workspace_version: u32,
    /// The run.
    pub run_id: RunId,
    /// Its chat.
    pub stable_chat_id: StableChatId,
    /// Where the chat lies in the application.
    pub chat_ref: ChatRef,
    /// RFC 3339, UTC.
    pub created_at: String,
    /// What the run was started with.
    pub input: ManifestInput,
    /// The roots that a profile chooses from, then the one of tool results.
    pub roots: Vec<ManifestRoot>,
    /// The files that the run is to make.
    pub artifacts: Vec<Artifact>,
    /// How they become a message.
    pub commit_policy: CommitPolicy,
}

/// Where the inputs of a run lie.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ManifestInput {
    /// What the run was started with: `prompt_snapshot`.
    pub mode: String,
    /// The prompt.
    pub prompt_snapshot_path: WorkspacePath,
    /// The profile.
    pub resolved_profile_path: WorkspacePath,
}

/// A root and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ManifestRoot {
    /// Its name, as a path: the host's own root is no name that could be declared.
    pub path: WorkspacePath,
    /// How long its files live.
    pub lifecycle: Lifecycle,
    /// To whom they belong.
    pub scope: RootScope,
    /// How they came into the folder.
    pub mount: Mount,
    /// Whether the profile shows it.
    pub visible: bool,
    /// Whether the profile lets it be written.
    pub writable: bool,
    /// When its files become a persistent state.
    pub commit: CommitTiming,
}

/// How long the files of a root live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// As long as the run's folder.
    Run,
    /// Beyond it.
    Persistent,
}

/// To whom the files of a root belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootScope {
    /// To the run.
    Run,
    /// To the chat.
    Chat,
}

/// How the files of a root came into the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mount {
    /// They are made there.
    Materialized,
    /// They were copied out of a persistent state.
    ProjectedOverlay,
}

/// When the files of a root become a persistent state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitTiming {
    /// Never.
    Never,
    /// When the run has finished.
    OnRunCompleted,
}

/// A file that a run is to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// Names it in the profile.
    pub id: String,
    /// Where it lies.
    pub path: WorkspacePath,
    /// What it is, such as `markdown`.
    pub kind: String,
    /// What it becomes.
    pub target: ArtifactTarget,
    /// Whether it may not be blank.
    pub required: bool,
    /// Its place where several are put together.
    pub assembly_order: i64,
}

/// What an artifact becomes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactTarget {
    /// The body of the message.
    MessageBody,
    /// A value beside the message.
    MessageExtra {
        /// Its name there.
        key: String,
    },
    /// A part of one text.
    CombinedMarkdown,
    /// Nothing that the chat shows.
    HiddenRunArtifact,
}

/// How artifacts become a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommitPolicy {
    /// What an artifact becomes for which nothing is said.
    pub default_target: ArtifactTarget,
    /// How several are put together; none.
    pub combine_template: Option<String>,
    /// Whether the message keeps them beside itself.
    pub store_artifacts_in_extra: bool,
}

impl WorkspaceManifest {
    /// The manifest of a new run.
    pub(super) fn new(run_id: RunId, data: &ManifestData) -> Result<Self, WorkspaceError> {
        let universe = RootName::universe();
        let mut named = data.visible.iter().chain(&data.writable);
        if let Some(root) = named.find(|root| !universe.contains(root)) {
            return Err(WorkspaceError::UnknownRoot { root: root.clone() });
        }
        let is_outside = |artifact: &&Artifact| !universe.iter().any(|root| artifact.path.is_beneath(root));
        if let Some(artifact) = data.artifacts.iter().find(is_outside) {
            return Err(WorkspaceError::ArtifactOutside {
                path: artifact.path.clone(),
            });
        }
        let roots = universe
            .iter()
            .map(|root| ManifestRoot::chosen(root, data))
            .chain([ManifestRoot::tool_results()])
            .collect();
        Ok(Self {
            workspace_version: VERSION,
            run_id,
            stable_chat_id: data.stable_chat_id.clone(),
            chat_ref: data.chat_ref.clone(),
            created_at: data.created_at.clone(),
            input: ManifestInput {
                mode: "prompt_snapshot".to_owned(),
                prompt_snapshot_path: WorkspacePath::parse(PROMPT_SNAPSHOT)?,
                resolved_profile_path: WorkspacePath::parse(RESOLVED_PROFILE)?,
            },
            roots,
            artifacts: data.artifacts.clone(),
            commit_policy: CommitPolicy {
                default_target: ArtifactTarget::MessageBody,
                combine_template: None,
                store_artifacts_in_extra: true,
            },
        })
    }

    /// Reads the manifest of a run and checks it as if a stranger had written it.
    ///
    /// # Errors
    /// When it is missing or damaged, or belongs to another run.
    pub fn load(tree: &Tree, run_id: &RunId) -> Result<Self, WorkspaceError> {
        let path = WorkspacePath::parse(PATH)?;
        let Some(stored) = json::read::<Self>(tree, &path, MAX_BYTES)? else {
            return Err(WorkspaceError::Missing { path });
        };
        match stored.value.check(run_id) {
            Ok(()) => Ok(stored.value),
            Err(problem) => Err(WorkspaceError::Damaged { path, problem }),
        }
    }

    /// The roots whose files become a persistent state when the run has finished.
    pub fn promoted_roots(&self) -> impl Iterator<Item = &WorkspacePath> {
        let promoted = self
            .roots
            .iter()
            .filter(|root| root.commit == CommitTiming::OnRunCompleted);
        promoted.map(|root| &root.path)
    }

    /// What must hold beyond the form.
    fn check(&self, run_id: &RunId) -> Result<(), String> {
        if self.workspace_version != VERSION {
            return Err(format!(
                "it has version {}; this program reads {VERSION}",
                self.workspace_version
            ));
        }
        if self.run_id != *run_id {
            return Err(format!("it is of {}", self.run_id));
        }
        let universe = RootName::universe();
        let mut seen = HashSet::new();
        for ManifestRoot { path, .. } in &self.roots {
            let is_root =
                *path == RootName::tool_results().to_path() || universe.iter().any(|root| root.to_path() == *path);
            if !is_root || !seen.insert(path) {
                return Err(format!("`{path}` is no root, or is there twice"));
            }
        }
        let mut artifacts = self.artifacts.iter();
        match artifacts.find(|artifact| !universe.iter().any(|root| artifact.path.is_beneath(root))) {
            Some(artifact) => Err(format!("the artifact `{}` lies in no root", artifact.path)),
            None => Ok(()),
        }
    }
}

impl ManifestRoot {
    /// A root that a profile chooses.
    fn chosen(root: &RootName, data: &ManifestData) -> Self {
        let (lifecycle, scope, mount, commit) = if is_persistent(root) {
            let mount = Mount::ProjectedOverlay;
            (
                Lifecycle::Persistent,
                RootScope::Chat,
                mount,
                CommitTiming::OnRunCompleted,
            )
        } else {
            (Lifecycle::Run, RootScope::Run, Mount::Materialized, CommitTiming::Never)
        };
        Self {
            path: root.to_path(),
            lifecycle,
            scope,
            mount,
            visible: data.visible.contains(root),
            writable: data.writable.contains(root),
            commit,
        }
    }

    /// The root that the host adds for every invocation, whatever the profile says.
    fn tool_results() -> Self {
        Self {
            path: RootName::tool_results().to_path(),
            lifecycle: Lifecycle::Run,
            scope: RootScope::Run,
            mount: Mount::Materialized,
            visible: true,
            writable: false,
            commit: CommitTiming::Never,
        }
    }
}

/// Refuses a folder that has a manifest: a run's inputs are frozen once.
pub(super) fn refuse_prepared(tree: &Tree) -> Result<(), WorkspaceError> {
    let path = WorkspacePath::parse(PATH)?;
    match tree.find(&path)? {
        Some(_) => Err(WorkspaceError::AlreadyExists { path }),
        None => Ok(()),
    }
}

impl PreparedWorkspace {
    /// The names of the roots whose files become a persistent state, as events list them.
    #[must_use]
    pub fn promoted_roots(&self) -> Vec<String> {
        self.manifest
            .promoted_roots()
            .map(|path| path.as_str().to_owned())
            .collect()
    }
}

#[cfg(test)]
mod tests;
