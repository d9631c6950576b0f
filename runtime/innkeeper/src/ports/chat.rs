//! The host of a chat that is a plain file: commits go straight into it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use innkeeper_protocol::event::InputBoundary;
use innkeeper_protocol::port::{ChatHost, Clock, CommitReceipt, CommitRefusal, CommitRequest, Entropy, MetadataUpdate};
use innkeeper_protocol::run::RunError;
use innkeeper_store::chat::{
    ChatCommit, ChatCommitter, ChatError, ChatPath, CommitOutcome, CommitTimes, StateNote, iso_date,
};

use crate::system::fresh_uuid;

/// What the file host needs for one run.
pub(crate) struct FileHostSetup {
    /// The chat file.
    pub(crate) path: ChatPath,
    /// Where lock files lie.
    pub(crate) lock_folder: PathBuf,
    /// The file when the run started.
    pub(crate) start: InputBoundary,
    /// Who speaks in a new message.
    pub(crate) speaker: String,
    /// The provider, for the message's `extra`.
    pub(crate) api: Option<String>,
    /// The model, for the message's `extra`.
    pub(crate) model: Option<String>,
    /// Time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Ids.
    pub(crate) entropy: Arc<dyn Entropy>,
}

/// The file host: commits go straight into the chat file.
pub(crate) struct FileHost {
    committer: Arc<Mutex<ChatCommitter>>,
    setup: FileHostSetup,
    started_ms: u64,
}

impl FileHost {
    pub(crate) fn new(setup: FileHostSetup) -> Self {
        let committer = ChatCommitter::new(setup.path.clone(), setup.lock_folder.clone(), setup.start.clone());
        let started_ms = setup.clock.wall_ms();
        Self {
            committer: Arc::new(Mutex::new(committer)),
            setup,
            started_ms,
        }
    }

    fn date(ms: u64) -> String {
        i64::try_from(ms).ok().and_then(iso_date).unwrap_or_default()
    }

    async fn on_file(
        &self,
        work: impl FnOnce(&mut ChatCommitter) -> Result<CommitOutcome, ChatError> + Send + 'static,
    ) -> Result<CommitOutcome, CommitRefusal> {
        let committer = self.committer.clone();
        let outcome = super::blocking(move || {
            let mut committer = committer.lock().unwrap_or_else(PoisonError::into_inner);
            work(&mut committer).map_err(|error| RunError::invalid(error.code(), sentence(&error)))
        });
        outcome.await.map_err(|error| CommitRefusal { reason: error.message })
    }
}

/// What went wrong and what to do, as one text for model and person.
fn sentence(error: &ChatError) -> String {
    format!("{error}. {}", error.hint())
}

#[async_trait]
impl ChatHost for FileHost {
    async fn commit(&self, request: &CommitRequest) -> Result<CommitReceipt, CommitRefusal> {
        let now = Self::date(self.setup.clock.wall_ms());
        let commit = ChatCommit {
            asked: request.clone(),
            speaker: self.setup.speaker.clone(),
            times: CommitTimes {
                send_date: now.clone(),
                started: Some(Self::date(self.started_ms)),
                finished: Some(now),
            },
            api: self.setup.api.clone(),
            model: self.setup.model.clone(),
            integrity: fresh_uuid(&*self.setup.entropy),
        };
        let outcome = self.on_file(move |committer| committer.commit(&commit)).await?;
        Ok(CommitReceipt {
            message_id: Some(outcome.message_index.to_string()),
        })
    }

    async fn update_metadata(&self, update: &MetadataUpdate) -> Result<(), CommitRefusal> {
        let note = StateNote {
            asked: update.clone(),
            integrity: fresh_uuid(&*self.setup.entropy),
        };
        self.on_file(move |committer| committer.keep_state(&note))
            .await
            .map(|_| ())
    }
}
