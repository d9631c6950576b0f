//! `invocations/<id>.json`: what each invocation of a run is and how it stands.
//!
//! The journal says the same; these records are what other programs look at. Which changes of status are right is the executor's
//! to know, except that an end is an end.

use innkeeper_protocol::id::{InvocationId, ProfileId, RunId};
use innkeeper_protocol::path::WorkspacePath;
use serde::{Deserialize, Serialize};

use super::json::{self, Stored};
use super::{PreparedWorkspace, WorkspaceError};

/// The most that is read of a record, in bytes: it has ten short members.
const MAX_BYTES: u64 = 64 * 1024;

/// One profile executing one loop inside a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvocationRecord {
    /// The invocation.
    pub id: InvocationId,
    /// Its run.
    pub run_id: RunId,
    /// Who started it; the root has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_invocation_id: Option<InvocationId>,
    /// Its profile.
    pub profile_id: ProfileId,
    /// How it came about.
    pub kind: InvocationKind,
    /// Where it stands.
    pub status: InvocationStatus,
    /// How it may end.
    pub exit_policy: ExitPolicy,
    /// RFC 3339, UTC.
    pub created_at: String,
    /// Time of the last change of status.
    pub updated_at: String,
}

/// How an invocation came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvocationKind {
    /// With the run.
    Root,
    /// By a delegation, which waits for what it returns.
    Subagent,
    /// By a hand-off, which does not.
    Handoff,
}

/// Where an invocation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvocationStatus {
    /// It waits to begin.
    Created,
    /// It is going on.
    Running,
    /// It did what it was to do.
    Completed,
    /// It ended with an error.
    Failed,
    /// It was stopped.
    Cancelled,
    /// Another took over from it.
    Transferred,
}

impl InvocationStatus {
    /// Whether nothing may follow.
    const fn is_ended(self) -> bool {
        match self {
            Self::Created | Self::Running => false,
            Self::Completed | Self::Failed | Self::Cancelled | Self::Transferred => true,
        }
    }
}

/// How an invocation may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitPolicy {
    /// By finishing the run.
    RunFinishAllowed,
    /// By returning what it was asked for.
    TaskReturnRequired,
}

impl PreparedWorkspace {
    /// Stores a new invocation.
    ///
    /// # Errors
    /// When it is another run's, there is one of this id, or the disk refuses.
    pub fn create_invocation(&self, record: &InvocationRecord) -> Result<(), WorkspaceError> {
        if record.run_id != self.manifest.run_id {
            return Err(WorkspaceError::ForeignInvocation { id: record.id.clone() });
        }
        let path = record_path(&record.id)?;
        json::write(&self.tree, &[json::new_file(path.as_str(), record)?])
    }

    /// How an invocation stands.
    ///
    /// # Errors
    /// When there is none of this id, or its record is damaged or cannot be read.
    pub fn invocation(&self, id: &InvocationId) -> Result<InvocationRecord, WorkspaceError> {
        Ok(self.stored_invocation(id)?.value)
    }

    /// Sets the status of an invocation and returns the record as it is stored then. One that has ended stays as it ended: a root that was
    /// transferred does not fail when its run does.
    ///
    /// # Errors
    /// When there is none of this id, its record is damaged, or the disk refuses; the record is as it was.
    pub fn update_invocation(
        &self,
        id: &InvocationId,
        status: InvocationStatus,
        updated_at: &str,
    ) -> Result<InvocationRecord, WorkspaceError> {
        let Stored { value: record, sha256 } = self.stored_invocation(id)?;
        if record.status.is_ended() || record.status == status {
            return Ok(record);
        }
        let record = InvocationRecord {
            status,
            updated_at: updated_at.to_owned(),
            ..record
        };
        json::write(&self.tree, &[json::next_version(record_path(id)?, &record, sha256)?])?;
        Ok(record)
    }

    fn stored_invocation(&self, id: &InvocationId) -> Result<Stored<InvocationRecord>, WorkspaceError> {
        let path = record_path(id)?;
        let stored = json::read::<InvocationRecord>(&self.tree, &path, MAX_BYTES)?;
        let Some(stored) = stored else {
            return Err(WorkspaceError::InvocationNotFound { id: id.clone() });
        };
        if stored.value.id != *id || stored.value.run_id != self.manifest.run_id {
            let problem = format!("it is of invocation {} of {}", stored.value.id, stored.value.run_id);
            return Err(WorkspaceError::Damaged { path, problem });
        }
        Ok(stored)
    }
}

fn record_path(id: &InvocationId) -> Result<WorkspacePath, WorkspaceError> {
    Ok(WorkspacePath::parse(&format!("invocations/{id}.json"))?)
}

#[cfg(test)]
mod tests;
