//! Closing what a dead process left open: every run gets its end, every requested call its end.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use innkeeper_protocol::id::CommitId;
use innkeeper_protocol::run::RunError;
use innkeeper_store::chat::{ChatPath, find_commit, read_chat};
use innkeeper_store::chats_registry::ChatRegistry;
use innkeeper_store::journal::{Stamp, Stamps};
use innkeeper_store::runs::{
    BrokenRun, CommitEvidence, DanglingCall, RecoveryPorts, RunRecord, RunsRoot, close_broken, recover,
};

use crate::builder::Innkeeper;
use crate::control::ActiveRun;
use crate::error::HostError;
use crate::executor::Ended;
use crate::ports::blocking;
use crate::reading::RunReader;
use crate::recorder::EventStamps;

/// What recovery asks of a host whose chats are files.
pub(crate) struct FilePorts {
    stamps: EventStamps,
    registry: ChatRegistry,
}

impl FilePorts {
    pub(crate) fn new(data_root: &Path, stamps: EventStamps) -> Self {
        Self {
            stamps,
            registry: ChatRegistry::new(data_root.to_path_buf()),
        }
    }
}

impl Stamps for FilePorts {
    fn stamp(&mut self) -> Stamp {
        self.stamps.now()
    }
}

impl RecoveryPorts for FilePorts {
    /// The tools of this host change the workspace and the chat, which is asked for its commits; what they have sent over the network stands
    /// in the journal.
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

/// Ends every run below the data root that no living process owns. A run that cannot be closed is told to the log and left as it is.
fn close(data_root: &Path, stamps: EventStamps) -> Result<(), HostError> {
    let mut ports = FilePorts::new(data_root, stamps);
    let report = recover(&RunsRoot::new(data_root), &mut ports)?;
    for run in &report.finalised {
        tracing::info!(%run, "a run that was left open is closed");
    }
    for run in &report.rollbacks {
        tracing::warn!(%run, "a rollback that was left in the middle is ended as failed; its journal says where the files before are");
    }
    for issue in &report.issues {
        tracing::warn!(?issue, "a run could not be closed");
    }
    Ok(())
}

/// Ends a run of this process whose journal took no more events, if it takes them now; else the next start does.
pub(crate) async fn close_after(ended: &Ended, run: Arc<ActiveRun>, data_root: PathBuf, stamps: EventStamps) {
    let Some(error) = ended
        .error
        .as_ref()
        .filter(|_| ended.is_broken && run.recorder.may_recover())
    else {
        return;
    };
    let broken = BrokenRun {
        code: error.code.clone(),
        message: error.message.clone(),
    };
    let (root, folder) = (run.recorder.root.clone(), run.recorder.folder.clone());
    // The run's lock goes with its last user.
    drop(run);
    let closed = blocking::<_, RunError>(move || {
        let mut ports = FilePorts::new(&data_root, stamps);
        if let Err(error) = close_broken(&root, &folder, &broken, &mut ports) {
            tracing::warn!(code = error.code(), %error, "a run whose journal failed stays open until the next start");
        }
        Ok(())
    });
    // The closure above never fails.
    let _ = closed.await;
}

impl Innkeeper {
    pub(crate) async fn close_abandoned_runs(&self) -> Result<(), HostError> {
        let Some(data_root) = self.data_root.clone() else {
            return Ok(());
        };
        let stamps = self.stamps();
        let work = tokio::task::spawn_blocking(move || close(&data_root, stamps));
        work.await
            .map_err(|e| HostError::internal("agent.internal_error", e.to_string()))?
    }
}

impl RunReader {
    /// Closes the runs that a dead process left open, as every host does when it starts. Runs of living processes are left alone.
    ///
    /// # Errors
    /// [`HostError`] when the folder of runs cannot be read.
    pub fn close_abandoned_runs(&self) -> Result<(), HostError> {
        close(self.data_root(), self.stamps())
    }
}
