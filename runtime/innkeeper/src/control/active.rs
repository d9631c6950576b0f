//! The runs that this host is executing, and what of each can be reached from outside.
//!
//! A run is entered before its first event is written and leaves after its last one. An ended run that somebody wants to bring back has
//! nothing but a desk, for as long as it takes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use innkeeper_agent::live::LiveProjection;
use innkeeper_protocol::id::{CallId, RunId, StableChatId, WorkspaceId};
use innkeeper_protocol::run::{GenerationType, RunStatus};

use super::{ApprovalDesk, Mailbox};
use crate::cancel::CancelSwitch;
use crate::recorder::Recorder;

/// One run that is being executed.
pub(crate) struct ActiveRun {
    pub(crate) run_id: RunId,
    pub(crate) workspace_id: WorkspaceId,
    pub(crate) stable_chat_id: StableChatId,
    pub(crate) generation_type: GenerationType,
    pub(crate) cancel: CancelSwitch,
    pub(crate) mailbox: Mailbox,
    pub(crate) desk: Arc<ApprovalDesk>,
    /// What its model is writing, where its answers come piece by piece.
    pub(crate) live: LiveProjection,
    pub(crate) recorder: Arc<Recorder>,
}

impl ActiveRun {
    /// How far the run has come.
    pub(crate) fn status(&self) -> RunStatus {
        *self.recorder.status().borrow()
    }

    /// Waits until the run's status is one of those.
    pub(crate) async fn reaches(&self, wanted: fn(RunStatus) -> bool) -> RunStatus {
        let mut changes = self.recorder.status().subscribe();
        // The recorder holds the sender and lives as long as `self`.
        let reached = changes.wait_for(|status| wanted(*status)).await;
        reached.map_or_else(|_| self.status(), |status| *status)
    }
}

/// The runs of one host, by their ids.
#[derive(Default)]
pub(crate) struct ActiveRuns {
    runs: Mutex<HashMap<RunId, Arc<ActiveRun>>>,
    /// Where people are asked: the desks of these runs, and of ended ones that are to be brought back.
    desks: Mutex<HashMap<RunId, Arc<ApprovalDesk>>>,
}

/// Takes a run and its desk out of the lists when what was done with it is over, however it ends.
pub(crate) struct Entered {
    runs: Arc<ActiveRuns>,
    run_id: RunId,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.runs.desks().remove(&self.run_id);
        self.runs.lock().remove(&self.run_id);
    }
}

impl ActiveRuns {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<RunId, Arc<ActiveRun>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn desks(&self) -> std::sync::MutexGuard<'_, HashMap<RunId, Arc<ApprovalDesk>>> {
        self.desks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a run.
    pub(crate) fn enter(self: &Arc<Self>, run: Arc<ActiveRun>) -> Entered {
        let entered = self.enter_desk(run.run_id.clone(), run.desk.clone());
        self.lock().insert(run.run_id.clone(), run);
        entered
    }

    /// Enters the desk of a run that is owned here and not executed.
    pub(crate) fn enter_desk(self: &Arc<Self>, run_id: RunId, desk: Arc<ApprovalDesk>) -> Entered {
        self.desks().insert(run_id.clone(), desk);
        Entered {
            runs: self.clone(),
            run_id,
        }
    }

    /// Where people are asked about this run.
    pub(crate) fn desk(&self, run_id: &RunId) -> Option<Arc<ApprovalDesk>> {
        self.desks().get(run_id).cloned()
    }

    /// The run of this id, while it is executed here.
    pub(crate) fn get(&self, run_id: &RunId) -> Option<Arc<ActiveRun>> {
        self.lock().get(run_id).cloned()
    }

    /// The run in which this call waits for an answer.
    pub(crate) fn asking(&self, call_id: &CallId) -> Option<RunId> {
        let desks = self.desks();
        let found = desks.iter().find(|(_, desk)| desk.is_pending(call_id));
        found.map(|(run_id, _)| run_id.clone())
    }
}
