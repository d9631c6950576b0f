//! A run that is on its way: its events as they happen, a switch to stop it, and its end.

use std::path::{Path, PathBuf};

use innkeeper_protocol::envelope::Envelope;
use innkeeper_protocol::id::{RunId, WorkspaceId};
use innkeeper_protocol::run::RunStatus;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;

use crate::cancel::CancelSwitch;
use crate::error::HostError;
use crate::executor::Ended;

/// A run that was started here. Dropping it does not stop the run.
pub struct RunHandle {
    pub(crate) run_id: RunId,
    pub(crate) workspace_id: WorkspaceId,
    pub(crate) chat: PathBuf,
    pub(crate) folder: PathBuf,
    pub(crate) cancel: CancelSwitch,
    pub(crate) events: UnboundedReceiver<Envelope>,
    pub(crate) task: JoinHandle<Ended>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunReport {
    /// The run.
    pub run_id: RunId,
    /// Its last status.
    pub status: RunStatus,
    /// What ended it early, if something did.
    pub error: Option<HostError>,
    /// The chat file.
    pub chat: PathBuf,
    /// Where everything lies that the run left behind.
    pub folder: PathBuf,
}

impl RunHandle {
    /// The run.
    #[must_use]
    pub fn run_id(&self) -> &RunId {
        &self.run_id
    }

    /// The folder of its chat's runs.
    #[must_use]
    pub fn workspace_id(&self) -> &WorkspaceId {
        &self.workspace_id
    }

    /// Where everything lies that the run leaves behind.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A switch that stops the run.
    #[must_use]
    pub fn cancel_switch(&self) -> CancelSwitch {
        self.cancel.clone()
    }

    /// The next event, once it is in the journal; none after the last.
    pub async fn next_event(&mut self) -> Option<Envelope> {
        self.events.recv().await
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// [`HostError`] when the run's task broke down, which is a defect; the journal then ends without a terminal event and is closed at
    /// the next start.
    pub async fn wait(self) -> Result<RunReport, HostError> {
        let ended = self
            .task
            .await
            .map_err(|e| HostError::internal("agent.internal_error", e.to_string()))?;
        Ok(RunReport {
            run_id: self.run_id,
            status: ended.status,
            error: ended.error,
            chat: self.chat,
            folder: self.folder,
        })
    }
}
