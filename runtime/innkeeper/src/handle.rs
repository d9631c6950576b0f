//! A run that is on its way: its events as they happen, a switch to stop it, and its end.

use std::path::{Path, PathBuf};

use innkeeper_agent::live::{LiveSubscription, LiveUpdate};
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
    pub(crate) chat: Option<PathBuf>,
    pub(crate) folder: PathBuf,
    pub(crate) cancel: CancelSwitch,
    pub(crate) events: UnboundedReceiver<Envelope>,
    pub(crate) live: LiveSubscription,
    pub(crate) task: JoinHandle<Ended>,
}

/// Something that a run tells while it is on its way.
#[derive(Debug, Clone, PartialEq)]
pub enum RunNews {
    /// An event; the journal has it.
    Event(Envelope),
    /// A change of what the model is writing; nothing keeps it.
    Live(LiveUpdate),
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
    /// The chat file, where the chat is one that the host writes into.
    pub chat: Option<PathBuf>,
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

    /// The next event or the next change of what the model is writing, whichever comes first; none after the last event.
    pub async fn next(&mut self) -> Option<RunNews> {
        let mut live_is_over = false;
        loop {
            tokio::select! {
                biased;
                event = self.events.recv() => return event.map(RunNews::Event),
                update = self.live.next(), if !live_is_over => match update {
                    Some(update) => return Some(RunNews::Live(update)),
                    None => live_is_over = true,
                },
            }
        }
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
