//! `rollback_agent_run`: the workspace of an ended run as it was at a checkpoint, after a person has agreed.
//!
//! The run is owned from the first event to the last. Who is asked, and how, is the caller's; which files change is the store's.

mod session;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use innkeeper_protocol::approval::{ApprovalAnswer, ApprovalId};
use innkeeper_protocol::event::PersistentChange;
use innkeeper_protocol::id::{CheckpointId, RunId};
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::run::{ErrorKind, RunError};
use innkeeper_protocol::view::{RollbackOutcome, RollbackRun};
use innkeeper_store::rollback::RollbackPlan;
use schemars::JsonSchema;
use serde::Serialize;

use super::RunReader;
use super::diff::checkpoint;
use crate::error::{About as _, HostError};
use crate::ports::blocking;
use crate::system::fresh_hex;
use session::Session;

/// What a person is asked before files are overwritten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RollbackQuestion {
    /// The run.
    pub run_id: RunId,
    /// Names this rollback: the call of its approval.
    pub rollback_id: String,
    /// Names this question.
    pub approval_id: ApprovalId,
    /// Where it leads.
    pub checkpoint_id: CheckpointId,
    /// Every file that will come, change or go, by path.
    pub changes: Vec<PersistentChange>,
    /// Files among them that were changed after the newest checkpoint, by hand. What they hold now is kept in a safety checkpoint first.
    pub unsaved: Vec<WorkspacePath>,
}

/// Somebody who can agree to a rollback.
#[async_trait]
pub trait RollbackApprover: Send + Sync {
    /// Asks, and waits for the answer as long as it takes. It covers this rollback only.
    async fn ask(&self, question: &RollbackQuestion) -> ApprovalAnswer;
}

impl RunReader {
    /// Brings the workspace of an ended run to a checkpoint: its five roots, and neither journal nor chat nor persistent states. What is
    /// there is saved in a safety checkpoint first. The run's status stays. A future that is dropped while it waits for the answer leaves
    /// a rollback without an end, which the next start ends as failed; no file is changed then.
    ///
    /// # Errors
    /// `agent.not_found` for an unknown run, `agent.rollback_run_active`, `store.run_locked` when another process owns the run,
    /// `agent.checkpoint_not_found`, `agent.checkpoint_invalid`, `tool.approval_denied`, `tool.approval_unavailable` without an approver;
    /// others when the disk refuses. The workspace is then as before, unless the error says otherwise.
    pub async fn rollback_agent_run(
        &self,
        request: &RollbackRun,
        approver: Option<&dyn RollbackApprover>,
    ) -> Result<RollbackOutcome, HostError> {
        self.roll_back(request, approver).await.about(&request.run_id)
    }

    async fn roll_back(
        &self,
        request: &RollbackRun,
        approver: Option<&dyn RollbackApprover>,
    ) -> Result<RollbackOutcome, HostError> {
        let (checkpoint_id, number) = checkpoint(&request.checkpoint_id)?;
        let (reader, run_id) = (self.clone(), request.run_id.clone());
        let opened = move || {
            let session = Session::open(&reader, &run_id)?;
            let plan = session.plan(number)?;
            Ok::<_, HostError>((session, plan))
        };
        let (session, plan) = blocking(opened).await?;
        let question = self.question(&request.run_id, checkpoint_id, &plan)?;
        let (session, answer) = ask(session, &question, approver).await?;
        blocking(move || session.finish(&question, &plan, answer)).await
    }

    fn question(
        &self,
        run_id: &RunId,
        checkpoint_id: CheckpointId,
        plan: &RollbackPlan,
    ) -> Result<RollbackQuestion, HostError> {
        let id = |prefix: &str| format!("{prefix}_{}", fresh_hex(&*self.entropy));
        let approval_id = ApprovalId::parse(&id("approval"))
            .map_err(|error| HostError::internal("agent.internal_error", error.to_string()))?;
        Ok(RollbackQuestion {
            run_id: run_id.clone(),
            rollback_id: id("rollback"),
            approval_id,
            checkpoint_id,
            changes: plan.changes.clone(),
            unsaved: plan.unsaved.clone(),
        })
    }
}

/// Announces the rollback and puts the question, if somebody is there; none is the answer of nobody.
async fn ask(
    mut session: Session,
    question: &RollbackQuestion,
    approver: Option<&dyn RollbackApprover>,
) -> Result<(Session, Option<ApprovalAnswer>), HostError> {
    let (asked, is_attended) = (question.clone(), approver.is_some());
    let announced = move || {
        session.announce(&asked, is_attended)?;
        Ok::<_, HostError>(session)
    };
    let session = blocking(announced).await?;
    let answer = match approver {
        Some(approver) => Some(approver.ask(question).await),
        None => None,
    };
    Ok((session, answer))
}

/// What nobody, or a person, said no to.
fn refusal(answer: Option<&ApprovalAnswer>) -> Option<HostError> {
    let refused = |code, message: &str, hint: &str| {
        let error = RunError::new(code, ErrorKind::PermissionDenied, message);
        Some(HostError::from(error.with_hint(hint)))
    };
    match answer {
        Some(answer) if answer.approved => None,
        Some(_) => refused(
            "tool.approval_denied",
            "the rollback was refused; no file was changed",
            "Ask again when it is wanted after all.",
        ),
        None => refused(
            "tool.approval_unavailable",
            "a rollback overwrites files, and nobody is there to agree to it; no file was changed",
            "Ask for it where a person can answer.",
        ),
    }
}
