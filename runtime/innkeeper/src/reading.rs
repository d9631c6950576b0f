//! Reading what runs have left behind. Nothing here needs a run's lock. All of it blocks for the time that files take.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use innkeeper_protocol::id::{RunId, StableChatId};
use innkeeper_store::chat::ChatPath;
use innkeeper_store::chats_registry::ChatRegistry;
use innkeeper_store::journal::{Page, PageQuery, read_page};
use innkeeper_store::runs::{ListQuery, RunPage, RunSummary, RunsRoot};

use crate::builder::Innkeeper;
use crate::error::HostError;

/// Runs of a data root, without a sandbox: for faces that only read.
#[derive(Debug, Clone)]
pub struct RunReader {
    data_root: Arc<PathBuf>,
}

impl RunReader {
    /// Reads below this data root, which need not exist.
    #[must_use]
    pub fn new(data_root: impl Into<PathBuf>) -> Self {
        Self {
            data_root: Arc::new(data_root.into()),
        }
    }

    pub(crate) fn data_root(&self) -> &Path {
        &self.data_root
    }

    fn root(&self) -> RunsRoot {
        RunsRoot::new(&self.data_root)
    }

    /// Lists runs, newest first. Runs that cannot be read are named beside the others.
    ///
    /// # Errors
    /// [`HostError`] when the query is out of bounds or the folder of runs cannot be read.
    pub fn list_agent_runs(&self, query: &ListQuery) -> Result<RunPage, HostError> {
        Ok(self.root().list(query)?)
    }

    /// What one run is and how far it has come, and the folder where it lies.
    ///
    /// # Errors
    /// `agent.not_found` for an unknown run; others when its journal cannot be read.
    pub fn read_agent_run(&self, run_id: &RunId) -> Result<(RunSummary, PathBuf), HostError> {
        let root = self.root();
        let folder = root.find_run(run_id)?;
        let summary = root.summary(&folder)?;
        Ok((summary, folder.path().to_path_buf()))
    }

    /// Events of a run.
    ///
    /// # Errors
    /// `agent.not_found` for an unknown run; others when its journal cannot be read at all. A damaged place is an issue of the page.
    pub fn read_agent_run_events(&self, run_id: &RunId, query: &PageQuery) -> Result<Page, HostError> {
        let folder = self.root().find_run(run_id)?;
        Ok(read_page(folder.journal(), query)?)
    }

    /// The lasting id of a chat file, if runs know it.
    ///
    /// # Errors
    /// [`HostError`] when the chat's path or the registry cannot be read.
    pub fn stable_chat_id(&self, chat: &Path) -> Result<Option<StableChatId>, HostError> {
        let path = ChatPath::resolve(chat)?;
        Ok(ChatRegistry::new((*self.data_root).clone()).lookup(&path)?)
    }
}

impl Innkeeper {
    /// A reader of this host's runs.
    ///
    /// # Errors
    /// `agent.data_root_required` for a host without a data root.
    pub fn runs(&self) -> Result<RunReader, HostError> {
        Ok(RunReader::new(self.data_root()?))
    }
}
