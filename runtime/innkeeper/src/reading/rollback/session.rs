//! A run that is owned for the time of one rollback, and the events that tell it.
//!
//! Everything here blocks for the time that files take.

use std::num::NonZeroU64;
use std::sync::Arc;

use innkeeper_protocol::approval::ApprovalAnswer;
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::envelope::{Draft, Level};
use innkeeper_protocol::event::{CheckpointReason, RunEvent};
use innkeeper_protocol::id::{CheckpointId, InvocationId, RunId};
use innkeeper_protocol::run::RunStatus;
use innkeeper_protocol::view::RollbackOutcome;
use innkeeper_store::audit::Audit;
use innkeeper_store::checkpoint::{Checkpoint, NewCheckpoint};
use innkeeper_store::journal::{Durability, Journal};
use innkeeper_store::rollback::{Rollback, RollbackPlan};
use innkeeper_store::runs::{RollbackHistory, RunFold, RunFolder, RunsRoot};
use innkeeper_store::tree::Tree;
use serde_json::{Value, json};

use super::{RollbackQuestion, refusal};
use crate::error::{HostError, fault, unwritable};
use crate::reading::RunReader;
use crate::recorder::EventStamps;

/// What is asked for, as approvals name it. It is no tool that a model could call.
const TOOL_ID: &str = "runtime:workspace.rollback";
const TITLE: &str = "Roll the workspace back";
const SIDE_EFFECT: &str =
    "Overwrites, creates and removes files of this run's workspace. The state before is kept in a checkpoint.";
const RULE: &str = "A rollback is always asked for.";

/// The run, owned.
pub(super) struct Session {
    root: RunsRoot,
    folder: RunFolder,
    journal: Journal,
    fold: RunFold,
    rollback: Rollback,
    audit: Audit,
    /// Numbers are never used again, also those of checkpoints that are gone.
    next_checkpoint: u64,
    stamps: EventStamps,
}

impl Session {
    /// Becomes the owner of an ended run. A rollback that a dead process left in the middle is ended first.
    pub(super) fn open(reader: &RunReader, run_id: &RunId) -> Result<Self, HostError> {
        let root = reader.root();
        let folder = root.find_run(run_id)?;
        check_ended(root.load_record(&folder)?.status)?;
        let stamps = reader.stamps();
        let (mut fold, mut history) = (RunFold::default(), RollbackHistory::default());
        let location = folder.journal().clone();
        let journal = Journal::open_existing(location, Durability::Durable, &mut || stamps.now(), &mut |event| {
            fold.apply(event);
            history.observe(event);
        })?;
        if let Some(record) = fold.record(journal.bytes()) {
            check_ended(record.status)?;
        }
        let tree = Arc::new(Tree::open(folder.path())?);
        let rollback = Rollback::new(Arc::clone(&tree));
        let on_disk = rollback.checkpoints().numbers()?.last().copied().unwrap_or(0);
        let mut session = Self {
            root,
            folder,
            journal,
            fold,
            rollback,
            audit: Audit::new(tree),
            next_checkpoint: history.highest_checkpoint().max(on_disk).saturating_add(1),
            stamps,
        };
        if let Some(draft) = history.closing_event() {
            session.append(draft)?;
        }
        Ok(session)
    }

    pub(super) fn plan(&self, number: u64) -> Result<RollbackPlan, HostError> {
        Ok(self.rollback.plan(number)?)
    }

    /// Writes down that the rollback is wanted, and that somebody is asked.
    pub(super) fn announce(&mut self, question: &RollbackQuestion, is_attended: bool) -> Result<(), HostError> {
        self.append_event(&RunEvent::WorkspaceRollbackRequested {
            rollback_id: question.rollback_id.clone(),
            checkpoint_id: question.checkpoint_id.clone(),
        })?;
        if !is_attended {
            return Ok(());
        }
        let arguments = json!({"checkpointId": question.checkpoint_id});
        let files = self
            .audit
            .begin(&question.rollback_id, &arguments)
            .map_err(|error| fault(error.code(), &error))?;
        let tool = json!({"sideEffect": SIDE_EFFECT, "source": "runtime", "title": TITLE, "toolId": TOOL_ID});
        let mut payload = answer_head(question);
        let more = json!({
            "toolId": TOOL_ID, "title": TITLE, "source": "runtime", "sideEffect": SIDE_EFFECT, "rule": RULE,
            "argumentsRef": files.arguments, "argumentsDigest": digest(&arguments), "toolDigest": digest(&tool),
        });
        extend(&mut payload, more);
        self.append(Draft::new(Level::Info, "tool_call_awaiting_approval", payload))
    }

    /// Does what was answered, and writes the end of the rollback.
    pub(super) fn finish(
        mut self,
        question: &RollbackQuestion,
        plan: &RollbackPlan,
        answer: Option<ApprovalAnswer>,
    ) -> Result<RollbackOutcome, HostError> {
        if let Some(answer) = &answer {
            self.note_answer(question, answer)?;
        }
        let done = match refusal(answer.as_ref()) {
            Some(refused) => Err(refused),
            None => self.carry_out(question, plan),
        };
        let end = match &done {
            Ok(outcome) => RunEvent::WorkspaceRollbackCompleted {
                rollback_id: outcome.rollback_id.clone(),
                checkpoint_id: outcome.checkpoint_id.clone(),
                safety_checkpoint_id: outcome.safety_checkpoint_id.clone(),
                change_count: outcome.changes.len(),
                changes: outcome.changes.clone(),
            },
            Err(error) => RunEvent::WorkspaceRollbackFailed {
                rollback_id: question.rollback_id.clone(),
                checkpoint_id: question.checkpoint_id.clone(),
                code: error.code.clone(),
                message: error.message.clone(),
            },
        };
        self.append_event(&end)?;
        self.save_record();
        done.map_err(|error| error.told_in(&question.run_id, NonZeroU64::new(self.journal.last_seq())))
    }

    fn carry_out(&mut self, question: &RollbackQuestion, plan: &RollbackPlan) -> Result<RollbackOutcome, HostError> {
        let safety = self.save_present()?;
        let safety_checkpoint_id = CheckpointId::parse(&safety.id)
            .map_err(|error| HostError::internal("agent.internal_error", error.to_string()))?;
        self.append_event(&RunEvent::CheckpointCreated {
            checkpoint_id: safety_checkpoint_id.clone(),
            reason: CheckpointReason::Rollback,
        })?;
        Ok(RollbackOutcome {
            run_id: question.run_id.clone(),
            rollback_id: question.rollback_id.clone(),
            checkpoint_id: question.checkpoint_id.clone(),
            safety_checkpoint_id,
            changes: self.rollback.apply(plan, &safety)?,
        })
    }

    /// The checkpoint of what is there before anything is changed.
    fn save_present(&self) -> Result<Checkpoint, HostError> {
        let created = self.rollback.checkpoints().create(NewCheckpoint {
            number: self.next_checkpoint,
            run_id: self.folder.run_id().to_string(),
            created_at: self.stamps.now().timestamp,
            reason: "rollback".to_owned(),
            event_seq: self.journal.last_seq(),
        })?;
        Ok(created.checkpoint)
    }

    fn note_answer(&mut self, question: &RollbackQuestion, answer: &ApprovalAnswer) -> Result<(), HostError> {
        let mut payload = answer_head(question);
        extend(&mut payload, json!({"scope": "once", "by": "user"}));
        if let Some(reason) = &answer.reason {
            extend(&mut payload, json!({"reason": reason}));
        }
        let kind = if answer.approved {
            "tool_call_approved"
        } else {
            "tool_call_denied"
        };
        self.append(Draft::new(Level::Info, kind, payload))
    }

    fn append_event(&mut self, event: &RunEvent) -> Result<(), HostError> {
        self.append(event.draft().map_err(unwritable)?)
    }

    fn append(&mut self, draft: Draft) -> Result<(), HostError> {
        let event = self.journal.append(draft, self.stamps.now())?;
        self.fold.apply(&event);
        Ok(())
    }

    fn save_record(&self) {
        let Some(record) = self.fold.record(self.journal.bytes()) else {
            return;
        };
        if let Err(error) = self.root.save_record(&self.folder, &record) {
            // A cache that cannot be written is rebuilt from the journal when it is read.
            tracing::warn!(%error, "the run's record could not be cached");
        }
    }
}

fn check_ended(status: RunStatus) -> Result<(), HostError> {
    if status.is_terminal() {
        return Ok(());
    }
    let message = "the run has not ended, and its files are its own until then";
    Err(HostError::new("agent.rollback_run_active", message).with_hint("Wait until it ends, or cancel it."))
}

/// What question and answer have in common.
fn answer_head(question: &RollbackQuestion) -> Value {
    json!({
        "invocationId": InvocationId::root(), "approvalId": question.approval_id, "callId": question.rollback_id,
    })
}

fn extend(payload: &mut Value, more: Value) {
    if let (Value::Object(members), Value::Object(more)) = (payload, more) {
        members.extend(more);
    }
}

/// The digest of a value whose members stand in order and are plain texts: so written, RFC 8785 has nothing to change.
fn digest(value: &Value) -> Sha256 {
    Sha256::of(value.to_string().as_bytes())
}
