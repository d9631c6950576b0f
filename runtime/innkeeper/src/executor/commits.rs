//! The host: commits into its chat, and the persistent state that the message is to name.

use std::time::Duration;

use innkeeper_agent::Event;
use innkeeper_protocol::call::PlannedCommit;
use innkeeper_protocol::event::PersistentChange;
use innkeeper_protocol::id::{CheckpointId, CommitId, StateId};
use innkeeper_protocol::port::{CommitReceipt, CommitRefusal, CommitRequest, FileError, MetadataUpdate};
use innkeeper_protocol::run::RunError;

use super::Executor;

/// How long a cancelled run still waits for a commit that is under way, so that the journal can say what became of it.
const COMMIT_GRACE: Duration = Duration::from_millis(500);

impl Executor {
    pub(super) async fn ask_commit(
        &mut self,
        commit_id: CommitId,
        sequence: u32,
        planned: PlannedCommit,
        checkpoint_id: CheckpointId,
        is_explicit: bool,
    ) -> Event {
        if self.active.cancel.is_thrown() {
            return Event::CancelRequested;
        }
        let text = match self.text_to_commit(&planned).await {
            Ok(text) => text,
            Err(reason) => {
                // The host has read the question already; nobody waits for its answer any more.
                self.host.withdraw(&self.frame.run_id);
                return reason.map_or_else(Event::Failed, |refusal| Event::CommitAnswered(Err(refusal)));
            }
        };
        let request = self
            .frame
            .commit_request(commit_id, sequence, planned, checkpoint_id, text, is_explicit);
        let request = CommitRequest {
            reasoning: self.visible_reasoning(),
            ..request
        };
        let Some(answer) = self.await_commit(&request).await else {
            return Event::CancelRequested;
        };
        if answer.is_ok() {
            self.work.commits += 1;
            if is_explicit {
                self.invocation.explicit_commit_confirmed();
            }
        }
        Event::CommitAnswered(answer)
    }

    /// The host's answer; none when the run was cancelled and the host did not answer soon.
    async fn await_commit(&self, request: &CommitRequest) -> Option<Result<CommitReceipt, CommitRefusal>> {
        let commit = self.host.commit(request);
        tokio::pin!(commit);
        tokio::select! {
            answer = &mut commit => Some(answer),
            () = self.active.cancel.thrown() => tokio::time::timeout(COMMIT_GRACE, commit).await.ok(),
        }
    }

    /// The file as it is now, if it is still what the tool has seen.
    async fn text_to_commit(&self, planned: &PlannedCommit) -> Result<String, Result<CommitRefusal, RunError>> {
        let refused = |reason: String| Err(Ok(CommitRefusal { reason }));
        match self.invocation.files().read(&planned.path).await {
            Ok(file) if file.sha256 == planned.sha256 => Ok(file.text),
            Ok(_) => refused(format!("{} was changed after the commit was asked for.", planned.path)),
            Err(FileError::Problem(problem)) => refused(format!("{} cannot be read: {problem}.", planned.path)),
            Err(FileError::Fault(error)) => Err(Err(error)),
        }
    }

    fn visible_reasoning(&self) -> Option<String> {
        (!self.work.reasoning.is_empty()).then(|| self.work.reasoning.join("\n\n"))
    }

    pub(super) async fn promote(&mut self) -> Event {
        if self.active.cancel.is_thrown() {
            return Event::CancelRequested;
        }
        Event::Promoted(self.active.recorder.promote(&self.frame).await)
    }

    pub(super) async fn update_metadata(
        &self,
        update_id: String,
        message_id: String,
        state_id: StateId,
        changes: Vec<PersistentChange>,
    ) -> Event {
        let update = MetadataUpdate {
            update_id,
            run_id: self.frame.run_id.clone(),
            stable_chat_id: self.frame.stable_chat_id.clone(),
            message_id,
            state_id,
            base_state_id: self.frame.persist_base_state_id.clone(),
            changes,
        };
        Event::MetadataUpdated(self.host.update_metadata(&update).await)
    }
}
