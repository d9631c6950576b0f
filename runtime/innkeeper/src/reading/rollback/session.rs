//! A run that is owned for the time of one rollback, and the events that tell it.
//!
//! Everything here blocks for the time that files take.

use std::num::NonZeroU64;
use std::sync::Arc;

use innkeeper_protocol::approval::{ApprovalScope, ApprovalSubject};
use innkeeper_protocol::envelope::Draft;
use innkeeper_protocol::event::{
    AnsweredBy, ApprovalAnswerPayload, ApprovalRequestPayload, ChangeKind, CheckpointReason, RunEvent,
};
use innkeeper_protocol::id::{CheckpointId, InvocationId, RunId};
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::run::RunStatus;
use innkeeper_protocol::view::RollbackOutcome;
use innkeeper_store::audit::{Audit, AuditError};
use innkeeper_store::checkpoint::{Checkpoint, NewCheckpoint};
use innkeeper_store::diff::{DiffQuery, Moment, diff};
use innkeeper_store::journal::{Durability, Journal};
use innkeeper_store::persistent::States;
use innkeeper_store::rollback::{Rollback, RollbackPlan};
use innkeeper_store::runs::{RollbackHistory, RunFold, RunFolder, RunsRoot};
use innkeeper_store::tree::Tree;
use innkeeper_tools::canonical_digest;
use serde_json::{Value, json};

use super::{Names, Verdict, refusal};
use crate::commands::AgentRun;
use crate::error::{HostError, fault, unwritable};
use crate::reading::remote::of_record;
use crate::reading::{PendingApproval, RunReader};
use crate::recorder::EventStamps;

/// Who asks, where a tool's source would stand.
const SOURCE: &str = "runtime";
const TITLE: &str = "Roll the workspace back";
const SIDE_EFFECT: &str =
    "Overwrites, creates and removes files of this run's workspace. The state before is kept in a checkpoint.";
const RULE: &str = "A rollback is always asked for.";
/// Characters of all diffs together that are shown before a person answers; the files are named whatever they hold.
const MAX_DIFF_CHARS: usize = 200_000;

/// The run, owned.
pub(super) struct Session {
    root: RunsRoot,
    folder: RunFolder,
    journal: Journal,
    fold: RunFold,
    tree: Arc<Tree>,
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
            audit: Audit::new(Arc::clone(&tree)),
            tree,
            next_checkpoint: history.highest_checkpoint().max(on_disk).saturating_add(1),
            stamps,
        };
        for draft in history.closing_events() {
            session.append(draft)?;
        }
        Ok(session)
    }

    pub(super) fn plan(&self, number: u64) -> Result<RollbackPlan, HostError> {
        Ok(self.rollback.plan(number)?)
    }

    /// The run in a few words.
    pub(super) fn run(&self) -> Result<AgentRun, HostError> {
        let record = self.fold.record(self.journal.bytes());
        let record = record.ok_or_else(|| HostError::internal("agent.internal_error", "a run has no record"))?;
        Ok(of_record(record))
    }

    pub(super) fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Writes down that the rollback is wanted.
    pub(super) fn announce(&mut self, names: &Names) -> Result<(), HostError> {
        self.append_event(&RunEvent::WorkspaceRollbackRequested {
            rollback_id: names.call_id.to_string(),
            checkpoint_id: names.checkpoint_id.clone(),
        })
    }

    /// Writes the question down, and gives it as a person sees it. Where that fails, the rollback has.
    pub(super) fn put_question(&mut self, names: &Names, plan: &RollbackPlan) -> Result<PendingApproval, HostError> {
        match self.question(names, plan) {
            Ok(pending) => Ok(pending),
            Err(error) => {
                self.append_event(&failed(names, &error))?;
                self.save_record();
                Err(error)
            }
        }
    }

    fn question(&mut self, names: &Names, plan: &RollbackPlan) -> Result<PendingApproval, HostError> {
        let arguments = arguments(names, plan);
        let audit = |error: AuditError| fault(error.code(), &error);
        let files = self.audit.begin(names.call_id.as_str(), &arguments).map_err(audit)?;
        let diff = self.foreseen(plan)?;
        if let Some(diff) = &diff {
            self.audit.store_diff(&files, diff).map_err(audit)?;
        }
        let identity = json!({
            "toolId": ApprovalSubject::Rollback, "source": SOURCE, "title": TITLE, "sideEffect": SIDE_EFFECT,
        });
        let request = ApprovalRequestPayload {
            invocation_id: InvocationId::root(),
            approval_id: names.approval_id.clone(),
            call_id: names.call_id.clone(),
            tool_id: ApprovalSubject::Rollback,
            title: TITLE.to_owned(),
            source: SOURCE.to_owned(),
            publisher: None,
            side_effect: SIDE_EFFECT.to_owned(),
            rule: RULE.to_owned(),
            arguments_ref: files.arguments.to_string(),
            arguments_digest: canonical_digest(&arguments),
            tool_digest: canonical_digest(&identity),
            diff_ref: diff.is_some().then(|| files.diff.to_string()),
        };
        self.append_event(&RunEvent::ToolCallAwaitingApproval(request.clone()))?;
        Ok(PendingApproval::new(request, &arguments, diff.as_deref()))
    }

    /// The change that it would make; none where it is longer than a person reads, or there is none.
    fn foreseen(&self, plan: &RollbackPlan) -> Result<Option<String>, HostError> {
        let query = DiffQuery {
            from: Moment::Now,
            to: Moment::Checkpoint(plan.checkpoint.seq),
            path: None,
            max_chars: MAX_DIFF_CHARS,
        };
        let states = States::new(&self.root, self.folder.workspace_id());
        let found = diff(&self.tree, &states, &query)?;
        let text: String = found.files.iter().filter_map(|file| file.diff.as_deref()).collect();
        Ok(Some(text).filter(|text| !found.truncated && !text.is_empty()))
    }

    /// Does what was answered, and writes the end of the rollback.
    pub(super) fn finish(
        &mut self,
        names: &Names,
        plan: &RollbackPlan,
        verdict: &Verdict,
    ) -> Result<RollbackOutcome, HostError> {
        self.note_answer(names, verdict)?;
        let done = match refusal(verdict) {
            Some(refused) => Err(refused),
            None => self.carry_out(names, plan),
        };
        let end = match &done {
            Ok(outcome) => RunEvent::WorkspaceRollbackCompleted {
                rollback_id: outcome.rollback_id.clone(),
                checkpoint_id: outcome.checkpoint_id.clone(),
                safety_checkpoint_id: outcome.safety_checkpoint_id.clone(),
                change_count: outcome.changes.len(),
                changes: outcome.changes.clone(),
            },
            Err(error) => failed(names, error),
        };
        self.append_event(&end)?;
        self.save_record();
        done.map_err(|error| error.told_in(&names.run_id, NonZeroU64::new(self.journal.last_seq())))
    }

    fn carry_out(&mut self, names: &Names, plan: &RollbackPlan) -> Result<RollbackOutcome, HostError> {
        let safety = self.save_present()?;
        let safety_checkpoint_id = CheckpointId::parse(&safety.id)
            .map_err(|error| HostError::internal("agent.internal_error", error.to_string()))?;
        self.append_event(&RunEvent::CheckpointCreated {
            checkpoint_id: safety_checkpoint_id.clone(),
            reason: CheckpointReason::Rollback,
        })?;
        Ok(RollbackOutcome {
            run_id: names.run_id.clone(),
            rollback_id: names.call_id.to_string(),
            checkpoint_id: names.checkpoint_id.clone(),
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

    fn note_answer(&mut self, names: &Names, verdict: &Verdict) -> Result<(), HostError> {
        let (approved, by, reason) = match verdict {
            Verdict::Nobody => return Ok(()),
            Verdict::Granted => (true, AnsweredBy::Policy, None),
            Verdict::Answered(answer) => (answer.approved, AnsweredBy::User, answer.reason.clone()),
        };
        let answer = ApprovalAnswerPayload {
            invocation_id: InvocationId::root(),
            call_id: names.call_id.clone(),
            approval_id: names.approval_id.clone(),
            scope: ApprovalScope::Once,
            by,
            reason,
        };
        self.append_event(&if approved {
            RunEvent::ToolCallApproved(answer)
        } else {
            RunEvent::ToolCallDenied(answer)
        })
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

/// What is asked for, so that it can be read: where it leads, and every file by what becomes of it.
fn arguments(names: &Names, plan: &RollbackPlan) -> Value {
    let paths = |kind: ChangeKind| -> Vec<&WorkspacePath> {
        let changes = plan.changes.iter().filter(|change| change.kind == kind);
        changes.map(|change| &change.path).collect()
    };
    json!({
        "checkpointId": names.checkpoint_id,
        "creates": paths(ChangeKind::Added),
        "overwrites": paths(ChangeKind::Modified),
        "removes": paths(ChangeKind::Deleted),
        "changedSinceTheLastCheckpoint": plan.unsaved,
    })
}

fn failed(names: &Names, error: &HostError) -> RunEvent {
    RunEvent::WorkspaceRollbackFailed {
        rollback_id: names.call_id.to_string(),
        checkpoint_id: names.checkpoint_id.clone(),
        code: error.code.clone(),
        message: error.message.clone(),
    }
}
