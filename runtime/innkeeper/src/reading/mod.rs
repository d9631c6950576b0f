//! Reading what runs have left behind, and bringing a workspace back: everything about runs that needs no sandbox.
//!
//! Reading needs no run's lock. Functions that are not async block for the time that files take.

mod diff;
mod error;
mod events;
mod file;
mod follow;
mod pending;
mod remote;
mod rollback;
#[cfg(test)]
mod testing;
mod turn;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use innkeeper_protocol::id::{RunId, StableChatId};
use innkeeper_protocol::port::{Clock, Entropy};
use innkeeper_store::chat::ChatPath;
use innkeeper_store::chats_registry::ChatRegistry;
use innkeeper_store::runs::{ListQuery, RunFolder, RunPage, RunSummary, RunsRoot};
use innkeeper_store::tree::Tree;

use crate::builder::Innkeeper;
use crate::control::ActiveRuns;
use crate::error::{About as _, HostError};
use crate::recorder::EventStamps;
use crate::system::{SystemClock, SystemEntropy};

pub use events::RunEvents;
pub use follow::FollowedRun;
pub use pending::PendingApproval;
pub use remote::RemoteAnswer;
pub use rollback::ProposedRollback;

/// Runs of a data root, without a sandbox: for faces that only look at runs.
#[derive(Clone)]
pub struct RunReader {
    data_root: Arc<PathBuf>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    /// Where people are asked about runs of the host, or of this reader.
    active: Arc<ActiveRuns>,
}

impl fmt::Debug for RunReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunReader")
            .field("data_root", &self.data_root)
            .finish_non_exhaustive()
    }
}

impl RunReader {
    /// Reads below this data root, which need not exist.
    #[must_use]
    pub fn new(data_root: impl Into<PathBuf>) -> Self {
        Self {
            data_root: Arc::new(data_root.into()),
            clock: Arc::new(SystemClock::default()),
            entropy: Arc::new(SystemEntropy),
            active: Arc::default(),
        }
    }

    pub(crate) fn data_root(&self) -> &Path {
        &self.data_root
    }

    /// Ids and dates for events that are written here.
    pub(crate) fn stamps(&self) -> EventStamps {
        EventStamps {
            clock: Arc::clone(&self.clock),
            entropy: Arc::clone(&self.entropy),
        }
    }

    fn root(&self) -> RunsRoot {
        RunsRoot::new(&self.data_root)
    }

    /// The folder of a run and its files.
    fn open(&self, run_id: &RunId) -> Result<(RunFolder, Tree), HostError> {
        let folder = self.root().find_run(run_id)?;
        let tree = Tree::open(folder.path())?;
        Ok((folder, tree))
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
        self.summary(run_id).about(run_id)
    }

    fn summary(&self, run_id: &RunId) -> Result<(RunSummary, PathBuf), HostError> {
        let root = self.root();
        let folder = root.find_run(run_id)?;
        let summary = root.summary(&folder)?;
        Ok((summary, folder.path().to_path_buf()))
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
        Ok(RunReader {
            data_root: Arc::new(self.data_root()?.to_path_buf()),
            clock: Arc::clone(&self.clock),
            entropy: Arc::clone(&self.entropy),
            active: Arc::clone(&self.active),
        })
    }
}
