//! `rollback_agent_run`: the workspace of an ended run as it was at a checkpoint, after a person has agreed.
//!
//! The run is owned from the first event to the last. The question lies on the same desk as a question about a call, and whoever can
//! answer one can answer the other; which files change is the store's business.

mod session;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use innkeeper_protocol::approval::{ApprovalAnswer, ApprovalId, ApprovalMode};
use innkeeper_protocol::id::{CallId, CheckpointId, RunId};
use innkeeper_protocol::run::{ErrorKind, RunError};
use innkeeper_protocol::view::{RollbackOutcome, RollbackRun};
use innkeeper_store::rollback::RollbackPlan;

use super::diff::checkpoint;
use super::{PendingApproval, RunReader};
use crate::commands::AgentRun;
use crate::control::{ApprovalDesk, Asked, Entered, Served, WayIn};
use crate::error::{About as _, HostError};
use crate::ports::blocking;
use crate::system::fresh_hex;
use session::Session;

/// What one rollback is called, and where it leads.
#[derive(Debug, Clone)]
struct Names {
    run_id: RunId,
    /// The rollback, which is also the call of its approval.
    call_id: CallId,
    approval_id: ApprovalId,
    checkpoint_id: CheckpointId,
}

/// A rollback that the journal tells of and that has not been carried out. One that is dropped has no end; the next start ends it as
/// failed, and no file is changed.
pub struct ProposedRollback {
    reader: RunReader,
    session: Session,
    plan: RollbackPlan,
    names: Names,
    approval: Approval,
}

/// Whose word it waits for.
enum Approval {
    /// A person's.
    Asked(Box<Question>),
    /// Nobody's: the application has agreed beforehand.
    Granted,
    /// That of a person who is not there.
    Nobody,
}

/// A question that was put.
struct Question {
    pending: PendingApproval,
    asked: Asked,
    /// Without a way in only this process can answer.
    way_in: Option<WayIn>,
    run: AgentRun,
    /// Keeps the desk within reach.
    _entered: Entered,
}

/// The word itself.
enum Verdict {
    Answered(ApprovalAnswer),
    Granted,
    Nobody,
}

impl RunReader {
    /// Brings the workspace of an ended run to a checkpoint: its five roots, and neither journal nor chat nor persistent states. What is
    /// there is saved in a safety checkpoint first. The run's status stays. With [`ApprovalMode::Ask`] it waits, however long it takes, for
    /// an answer to the question that `tool_call_awaiting_approval` tells of.
    ///
    /// # Errors
    /// `agent.not_found` for an unknown run, `agent.rollback_run_active`, `store.run_locked` when another process owns the run,
    /// `agent.checkpoint_not_found`, `agent.checkpoint_invalid`, `tool.approval_denied`, `tool.approval_unavailable` with
    /// [`ApprovalMode::Never`]; others when the disk refuses. The workspace is then as before, unless the error says otherwise.
    pub async fn rollback_agent_run(
        &self,
        request: &RollbackRun,
        approvals: ApprovalMode,
    ) -> Result<RollbackOutcome, HostError> {
        self.propose_rollback(request, approvals).await?.finish().await
    }

    /// The first half of [`rollback_agent_run`](Self::rollback_agent_run): until the question is put, for a face that shows it itself.
    ///
    /// # Errors
    /// Those of the whole that are found before anybody is asked.
    pub async fn propose_rollback(
        &self,
        request: &RollbackRun,
        approvals: ApprovalMode,
    ) -> Result<ProposedRollback, HostError> {
        self.propose(request, approvals).await.about(&request.run_id)
    }

    async fn propose(&self, request: &RollbackRun, approvals: ApprovalMode) -> Result<ProposedRollback, HostError> {
        let (checkpoint_id, number) = checkpoint(&request.checkpoint_id)?;
        let names = self.names(&request.run_id, checkpoint_id)?;
        let (reader, run_id) = (self.clone(), request.run_id.clone());
        let opened = move || {
            let session = Session::open(&reader, &run_id)?;
            let plan = session.plan(number)?;
            Ok::<_, HostError>((session, plan))
        };
        let (mut session, plan) = blocking(opened).await?;
        if approvals == ApprovalMode::Ask {
            return self.ask(session, plan, names).await;
        }
        let told = names.clone();
        let announced = move || {
            session.announce(&told)?;
            Ok::<_, HostError>(session)
        };
        let session = blocking(announced).await?;
        let approval = match approvals {
            ApprovalMode::Always => Approval::Granted,
            ApprovalMode::Ask | ApprovalMode::Never => Approval::Nobody,
        };
        Ok(self.proposed(session, plan, names, approval))
    }

    /// Puts the question. It is on the desk, and the way in is open, before anybody can read of it.
    async fn ask(&self, mut session: Session, plan: RollbackPlan, names: Names) -> Result<ProposedRollback, HostError> {
        let desk = Arc::new(ApprovalDesk::default());
        let entered = self.active.enter_desk(names.run_id.clone(), desk.clone());
        let asked = desk.ask(names.call_id.clone(), names.approval_id.clone(), false);
        let (told, run) = (names.clone(), session.run()?);
        let put = move || {
            let way_in = WayIn::open(session.folder());
            session.announce(&told)?;
            let pending = session.put_question(&told, &plan)?;
            Ok::<_, HostError>((session, plan, pending, way_in))
        };
        let (session, plan, pending, way_in) = blocking(put).await?;
        let question = Question {
            pending,
            asked,
            way_in,
            run,
            _entered: entered,
        };
        Ok(self.proposed(session, plan, names, Approval::Asked(Box::new(question))))
    }

    fn proposed(&self, session: Session, plan: RollbackPlan, names: Names, approval: Approval) -> ProposedRollback {
        ProposedRollback {
            reader: self.clone(),
            session,
            plan,
            names,
            approval,
        }
    }

    fn names(&self, run_id: &RunId, checkpoint_id: CheckpointId) -> Result<Names, HostError> {
        let id = |prefix: &str| format!("{prefix}_{}", fresh_hex(&*self.entropy));
        let internal = |error: String| HostError::internal("agent.internal_error", error);
        Ok(Names {
            run_id: run_id.clone(),
            call_id: CallId::parse(&id("rollback")).map_err(|error| internal(error.to_string()))?,
            approval_id: ApprovalId::parse(&id("approval")).map_err(|error| internal(error.to_string()))?,
            checkpoint_id,
        })
    }
}

impl ProposedRollback {
    /// The run.
    #[must_use]
    pub const fn run_id(&self) -> &RunId {
        &self.names.run_id
    }

    /// What a person is asked; none where nobody is.
    #[must_use]
    pub fn question(&self) -> Option<&PendingApproval> {
        match &self.approval {
            Approval::Asked(question) => Some(&question.pending),
            Approval::Granted | Approval::Nobody => None,
        }
    }

    /// Waits for the answer, and does what it says.
    ///
    /// # Errors
    /// Those of [`RunReader::rollback_agent_run`].
    pub async fn finish(self) -> Result<RollbackOutcome, HostError> {
        let Self {
            reader,
            session,
            plan,
            names,
            approval,
        } = self;
        let run_id = names.run_id.clone();
        let done = match approval {
            Approval::Granted => end(session, plan, names, Verdict::Granted).await,
            Approval::Nobody => end(session, plan, names, Verdict::Nobody).await,
            Approval::Asked(question) => question.answered(&reader, session, plan, names).await,
        };
        let (_owner, done) = done?;
        done.about(&run_id)
    }
}

impl Question {
    async fn answered(
        self,
        reader: &RunReader,
        session: Session,
        plan: RollbackPlan,
        names: Names,
    ) -> Result<Ended, HostError> {
        let Self {
            mut asked, way_in, run, ..
        } = self;
        let carried = async {
            // The desk outlives the wait; without an answer nobody has agreed.
            let verdict = asked.answer().await.map_or(Verdict::Nobody, Verdict::Answered);
            let ended = end(session, plan, names, verdict).await;
            if let Some(way_in) = &way_in {
                way_in.close().await;
            }
            ended
        };
        let stamps = reader.stamps();
        let served = async {
            match &way_in {
                Some(way_in) => way_in.serve(&reader.active, Served::Ended(&run), &stamps).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            ended = carried => ended,
            never = served => match never {},
        }
    }
}

/// The run, still owned, and what became of the rollback.
type Ended = (Session, Result<RollbackOutcome, HostError>);

/// Does what was answered.
async fn end(mut session: Session, plan: RollbackPlan, names: Names, verdict: Verdict) -> Result<Ended, HostError> {
    blocking(move || {
        let done = session.finish(&names, &plan, &verdict);
        Ok((session, done))
    })
    .await
}

/// What nobody, or a person, said no to.
fn refusal(verdict: &Verdict) -> Option<HostError> {
    let refused = |code, message: &str, hint: &str| {
        let error = RunError::new(code, ErrorKind::PermissionDenied, message);
        Some(HostError::from(error.with_hint(hint)))
    };
    match verdict {
        Verdict::Granted => None,
        Verdict::Answered(answer) if answer.approved => None,
        Verdict::Answered(_) => refused(
            "tool.approval_denied",
            "the rollback was refused; no file was changed",
            "Ask again when it is wanted after all.",
        ),
        Verdict::Nobody => refused(
            "tool.approval_unavailable",
            "a rollback overwrites files, and nobody is there to agree to it; no file was changed",
            "Ask for it where a person can answer.",
        ),
    }
}
