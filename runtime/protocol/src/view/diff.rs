//! How the files of two moments of a run differ, and going back to one of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::digest::Sha256;
use crate::event::{ChangeKind, PersistentChange};
use crate::id::{CheckpointId, RunId};
use crate::path::WorkspacePath;

/// Which moments are to be compared.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadDiff {
    /// The run.
    pub run_id: RunId,
    /// A checkpoint; the workspace as it began when absent.
    #[serde(default)]
    pub from: Option<String>,
    /// A checkpoint; the workspace as it is when absent.
    #[serde(default)]
    pub to: Option<String>,
    /// Only this file.
    #[serde(default)]
    pub path: Option<String>,
    /// Most characters of all diffs together; 40,000 when absent.
    #[serde(default)]
    pub max_chars: Option<u32>,
}

/// How the files differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunDiff {
    /// The run.
    pub run_id: RunId,
    /// The checkpoint before; absent for the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<CheckpointId>,
    /// The checkpoint after; absent for now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<CheckpointId>,
    /// Every file that differs, by path.
    pub files: Vec<FileDiff>,
    /// Whether some diff is not whole.
    pub truncated: bool,
}

/// How one file differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileDiff {
    /// Which file.
    pub path: WorkspacePath,
    /// How.
    pub kind: ChangeKind,
    /// Digest before; absent for a new file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_sha256: Option<Sha256>,
    /// Digest after; absent for one that is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_sha256: Option<Sha256>,
    /// Lines that came; 0 where there is no diff to count them in.
    pub added_lines: u32,
    /// Lines that went; 0 where there is no diff to count them in.
    pub removed_lines: u32,
    /// Unified, three lines of context. Absent where one side is no UTF-8 text, is too large or is no longer to be had, and where the
    /// room for diffs was used up before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// Which run is to go back, and to where.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RollbackRun {
    /// The run.
    pub run_id: RunId,
    /// The checkpoint.
    pub checkpoint_id: String,
}

/// A workspace that is as it was at a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RollbackOutcome {
    /// The run.
    pub run_id: RunId,
    /// Names this rollback in the journal: `rollback_<32 hex>`.
    pub rollback_id: String,
    /// How the workspace is now.
    pub checkpoint_id: CheckpointId,
    /// How it was before.
    pub safety_checkpoint_id: CheckpointId,
    /// What differed, by path.
    pub changes: Vec<PersistentChange>,
}
