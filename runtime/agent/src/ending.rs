//! How a run ends: finished, failed with or without commits in the chat, or cancelled. Exactly one terminal event each way.
//!
//! What the host did with a question that a cancel left open is not known here; it stays unanswered in the journal.

use innkeeper_protocol::event::{DiscardReason, FailurePayload, RunEvent};
use innkeeper_protocol::id::StateId;
use innkeeper_protocol::port::CommitRefusal;
use innkeeper_protocol::run::{ErrorKind, RunError, RunStatus};
use serde_json::Map;

use crate::calls::OUTCOME_UNKNOWN;
use crate::commits::commit_failed;
use crate::effect::Effect;
use crate::event::Promotion;
use crate::run::{LedgerEntry, Phase, Run};
use crate::step::{Effects, append};

impl Run {
    /// The model has finished; the persistent roots become a new state.
    pub(crate) fn begin_finish(&mut self, out: &mut Effects) {
        out.push(Effect::CloseMailbox {
            reason: DiscardReason::RunFinishedBeforeNextModelRequest,
        });
        self.set_status(RunStatus::Finishing, out);
        out.push(Effect::Promote);
        self.phase = Phase::Promoting;
    }

    pub(crate) fn promoted(&mut self, promoted: Result<Promotion, RunError>) -> Effects {
        let promotion = match promoted {
            Ok(promotion) => promotion,
            Err(error) => return self.fail_in(Phase::Promoting, error),
        };
        self.is_promoted = true;
        let Promotion {
            state_id,
            base_state_id,
            changes,
        } = promotion;
        let mut out = vec![append(RunEvent::PersistentChangesCommitted {
            state_id: state_id.clone(),
            base_state_id: base_state_id.clone(),
            change_count: changes.len(),
            changes: changes.clone(),
        })];
        let Some(latest) = self.ledger.last() else {
            self.complete(&mut out);
            return out;
        };
        let Some(message_id) = latest.message_id.clone() else {
            out.extend(self.fail(RunError::internal(
                "agent.persistent_state_message_missing",
                "the host confirmed the commit without naming the message, so the persistent state cannot be tied to it",
            )));
            return out;
        };
        let update_id = self.derived_id("persist_update", 1);
        let setup = &self.setup;
        out.push(append(RunEvent::PersistentStateMetadataUpdateRequested {
            update_id: update_id.clone(),
            run_id: setup.run_id.clone(),
            workspace_id: setup.workspace_id.clone(),
            stable_chat_id: setup.stable_chat_id.clone(),
            chat_ref: setup.chat_ref.clone(),
            generation_type: setup.generation_type,
            profile_id: setup.profile_id.clone(),
            message_id: message_id.clone(),
            state_id: state_id.clone(),
            base_state_id,
            change_count: changes.len(),
            changes: changes.clone(),
        }));
        self.phase = Phase::UpdatingMetadata(Box::new(MetadataNames {
            update_id: update_id.clone(),
            message_id: message_id.clone(),
            state_id: state_id.clone(),
        }));
        out.push(Effect::UpdateMetadata {
            update_id,
            message_id,
            state_id,
            changes,
        });
        out
    }

    pub(crate) fn metadata_updated(&mut self, names: Box<MetadataNames>, answer: Result<(), CommitRefusal>) -> Effects {
        if let Err(refusal) = answer {
            let error = RunError::internal("agent.persistent_state_metadata_update_failed", refusal.reason);
            return self.fail_in(Phase::UpdatingMetadata(names), error);
        }
        let MetadataNames {
            update_id,
            message_id,
            state_id,
        } = *names;
        let mut out = vec![append(RunEvent::PersistentStateMetadataUpdated {
            update_id,
            message_id,
            state_id,
        })];
        self.complete(&mut out);
        out
    }

    fn complete(&mut self, out: &mut Effects) {
        self.status = RunStatus::Completed;
        self.is_invocation_live = false;
        out.push(append(RunEvent::RunCompleted));
        out.push(append(RunEvent::AgentInvocationCompleted(self.invocation("completed"))));
        out.push(Effect::End);
        self.phase = Phase::Ended;
    }

    /// An error that ends the run, met while a phase was going on. What the phase had asked for is closed first.
    pub(crate) fn fail_in(&mut self, phase: Phase, error: RunError) -> Effects {
        if self.is_cancel(&error) {
            return self.cancelled_in(&phase, DiscardReason::RunCancelledBeforeNextModelRequest, Some(&error));
        }
        let mut out = self.close_mailbox_of_failure();
        self.deny_pending(&phase, &mut out);
        out.extend(open_end(phase, error.message.clone()).map(append));
        self.failed(error, &mut out);
        out
    }

    /// An error that ends the run. What was committed stays, and is named.
    pub(crate) fn fail(&mut self, error: RunError) -> Effects {
        if self.is_cancel(&error) {
            let reason = DiscardReason::RunCancelledBeforeNextModelRequest;
            return self.cancelled_in(&Phase::Ended, reason, Some(&error));
        }
        let mut out = self.close_mailbox_of_failure();
        self.failed(error, &mut out);
        out
    }

    fn close_mailbox_of_failure(&self) -> Effects {
        let reason = if self.ledger.is_empty() {
            DiscardReason::RunFailedBeforeNextModelRequest
        } else {
            DiscardReason::RunPartialSuccessBeforeNextModelRequest
        };
        vec![Effect::CloseMailbox { reason }]
    }

    fn failed(&mut self, error: RunError, out: &mut Effects) {
        self.close_open_call(&error, out);
        if std::mem::take(&mut self.is_invocation_live) {
            out.push(append(RunEvent::AgentInvocationFailed(self.invocation("failed"))));
        }
        if self.ledger.is_empty() {
            self.status = RunStatus::Failed;
            out.push(append(RunEvent::RunFailed {
                failure: payload(&error, false),
            }));
        } else {
            self.status = RunStatus::PartialSuccess;
            out.push(append(RunEvent::RunPartialSuccess {
                failure: payload(&error, true),
                preserved_commit_count: self.ledger.len(),
                preserved_commits: self.ledger.iter().map(LedgerEntry::preserved).collect(),
            }));
        }
        self.error = Some(error);
        out.push(Effect::End);
        self.phase = Phase::Ended;
    }

    /// Until the persistent roots are promoted, what fails because it was stopped is a cancel and never a failure.
    fn is_cancel(&self, error: &RunError) -> bool {
        error.kind == ErrorKind::Cancelled && !self.is_promoted
    }

    /// Someone stopped the run. Before the persistent roots are promoted it ends as cancelled; afterwards it goes on to its end.
    pub(crate) fn cancel(&mut self, phase: Phase) -> Effects {
        if self.is_promoted {
            self.phase = phase;
            return Vec::new();
        }
        self.cancelled_in(&phase, DiscardReason::RunCancelRequested, None)
    }

    /// The run ends as cancelled. A commit or update that the host was asked for stays without an answer: nobody knows it.
    pub(crate) fn cancelled(&mut self, reason: DiscardReason) -> Effects {
        self.cancelled_in(&Phase::Ended, reason, None)
    }

    /// `cause` is what came of stopping: it may say that nobody knows what the open call has done.
    fn cancelled_in(&mut self, phase: &Phase, reason: DiscardReason, cause: Option<&RunError>) -> Effects {
        let error = RunError::new("agent.cancelled", ErrorKind::Cancelled, "the run was cancelled");
        let mut out = vec![append(RunEvent::RunCancelRequested), Effect::CloseMailbox { reason }];
        self.set_status(RunStatus::Cancelling, &mut out);
        self.deny_pending(phase, &mut out);
        let in_doubt = cause.filter(|cause| OUTCOME_UNKNOWN.contains(&cause.code));
        self.close_open_call(in_doubt.unwrap_or(&error), &mut out);
        if std::mem::take(&mut self.is_invocation_live) {
            out.push(append(RunEvent::AgentInvocationCancelled(self.invocation("cancelled"))));
        }
        self.status = RunStatus::Cancelled;
        out.push(append(RunEvent::RunCancelled {
            message: Some(error.message),
        }));
        out.push(Effect::End);
        self.phase = Phase::Ended;
        out
    }
}

/// What an update of a message's metadata is about.
#[derive(Debug, Clone)]
pub(crate) struct MetadataNames {
    pub(crate) update_id: String,
    pub(crate) message_id: String,
    pub(crate) state_id: StateId,
}

/// The event that closes what a phase has asked for and will not get.
fn open_end(phase: Phase, message: String) -> Option<RunEvent> {
    Some(match phase {
        Phase::AwaitingCommit(pending) => commit_failed(&pending, &message),
        Phase::Promoting => RunEvent::PersistentChangesCommitFailed { message },
        Phase::UpdatingMetadata(names) => {
            let MetadataNames {
                update_id,
                message_id,
                state_id,
            } = *names;
            RunEvent::PersistentStateMetadataUpdateFailed {
                update_id,
                message_id,
                state_id,
                message,
            }
        }
        _ => return None,
    })
}

fn payload(error: &RunError, is_partial: bool) -> FailurePayload {
    FailurePayload {
        code: error.code.to_owned(),
        message: error.message.clone(),
        technical_message: technical_message(error),
        retryable: !is_partial && error.kind.is_retryable(),
        user_retryable: !is_partial && error.is_user_retryable(),
        details: Map::new(),
    }
}

/// All that is known of an error: its kind, what failed, and what to do about it.
fn technical_message(error: &RunError) -> String {
    let hint = error.hint.as_ref().map(|hint| format!(" {hint}")).unwrap_or_default();
    format!("{:?}: {}{hint}", error.kind, error.message)
}
