//! Closing what a dead process left open: every run gets its end, every requested call its end.

use std::sync::Arc;

use innkeeper_protocol::id::CommitId;
use innkeeper_store::chat::{ChatPath, find_commit, read_chat};
use innkeeper_store::chats_registry::ChatRegistry;
use innkeeper_store::journal::{Stamp, Stamps};
use innkeeper_store::runs::{CommitEvidence, DanglingCall, RecoveryPorts, RunRecord, RunsRoot, recover};

use crate::builder::Innkeeper;
use crate::error::HostError;
use crate::recorder::EventStamps;

/// What recovery asks of a host whose chats are files.
struct FilePorts {
    stamps: EventStamps,
    registry: ChatRegistry,
}

impl Stamps for FilePorts {
    fn stamp(&mut self) -> Stamp {
        self.stamps.now()
    }
}

impl RecoveryPorts for FilePorts {
    /// The tools of this host change the workspace and the chat only; the chat is asked for its commits.
    fn outside_effect_possible(&self, _run: &RunRecord, _call: &DanglingCall) -> bool {
        false
    }

    fn chat_has_commit(&self, run: &RunRecord, commit: &CommitId) -> CommitEvidence {
        let Ok(Some(path)) = self.registry.path_of(&run.stable_chat_id) else {
            return CommitEvidence::Unreadable;
        };
        let Ok(chat) = ChatPath::resolve(&path).and_then(|path| read_chat(&path)) else {
            return CommitEvidence::Unreadable;
        };
        match find_commit(&chat, commit) {
            Some(index) => CommitEvidence::Present {
                message_id: Some(index.to_string()),
            },
            None => CommitEvidence::Absent,
        }
    }
}

impl Innkeeper {
    /// Ends every run that no living process owns. A run that cannot be closed is reported in the log and left as it is.
    pub(crate) async fn close_abandoned_runs(&self) -> Result<(), HostError> {
        let Some(data_root) = self.data_root.clone() else {
            return Ok(());
        };
        let mut ports = FilePorts {
            stamps: EventStamps {
                clock: Arc::clone(&self.clock),
                entropy: Arc::clone(&self.entropy),
            },
            registry: ChatRegistry::new(data_root.clone()),
        };
        let work = tokio::task::spawn_blocking(move || recover(&RunsRoot::new(&data_root), &mut ports));
        let report = work
            .await
            .map_err(|e| HostError::new("agent.internal_error", e.to_string()))??;
        for run in &report.finalised {
            tracing::info!(%run, "a run that was left open is closed");
        }
        for issue in &report.issues {
            tracing::warn!(?issue, "a run could not be closed");
        }
        Ok(())
    }
}
