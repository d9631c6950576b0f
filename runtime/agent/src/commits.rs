//! Commits into the chat: asked for by the model, or made by the loop itself while the model has not asked yet.
//!
//! Where a commit goes in the chat is the host's business; here it is only asked for, counted and told.

use innkeeper_policy::Approval;
use innkeeper_protocol::call::{Block, CommitMode, PlannedCommit, PlannedEffect, Reply};
use innkeeper_protocol::event::{CheckpointReason, RunEvent};
use innkeeper_protocol::id::{CallId, CheckpointId, CommitId, ToolId, ToolName};
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::port::{CommitReceipt, CommitRefusal};
use innkeeper_protocol::run::RunStatus;
use serde_json::{Value, json};

use crate::effect::Effect;
use crate::run::{
    AfterCheckpoint, Candidate, LedgerEntry, PendingCommit, Phase, ResultKind, Run, checkpoint_reason, internal,
    refused, root,
};
use crate::step::{Effects, append};

/// What a reply's text may hold in place of the message's index.
const MESSAGE_INDEX: &str = "{commit.message-index}";

/// Endings of the files that an automatic commit takes: those that hold prose.
const TEXT_ENDINGS: [&str; 4] = ["md", "markdown", "txt", "text"];

impl Run {
    /// A commit that the model asked for.
    pub(crate) fn begin_commit(&mut self, planned: PlannedCommit, reply: Reply, out: &mut Effects) {
        let Some(call_id) = self.turn.open.as_ref().map(|open| open.request.call_id.clone()) else {
            out.extend(self.fail(internal("a commit was asked for by no call")));
            return;
        };
        self.start_commit(planned, call_id, Some(reply), out);
    }

    /// The commit that the loop makes by itself at the end of a round, if there is one to make.
    pub(crate) fn begin_auto_commit(&mut self, out: &mut Effects) -> bool {
        let Some(candidate) = self.turn.candidate.take() else {
            return false;
        };
        let rules = &self.setup.rules;
        let is_blank_message =
            rules.message_required && candidate.commit.path == rules.message_path && candidate.is_blank;
        if is_blank_message || !is_prose(&candidate.commit.path) {
            return false;
        }
        if !self.is_foreground() || self.explicit_commits() > 0 || !self.may_commit() {
            return false;
        }
        self.start_commit(candidate.commit, candidate.call_id, None, out);
        true
    }

    /// The last write or patch of a round is what an automatic commit looks at, whatever it wrote. A file that the chat has shown while
    /// it was written is none, and what came before it is old.
    pub(crate) fn note_candidate(&mut self, effect: &PlannedEffect, call_id: &CallId) {
        if self.setup.rules.shows_live_writes && matches!(effect, PlannedEffect::Write { .. }) {
            self.turn.candidate = None;
            return;
        }
        let (path, chars, words, sha256, is_blank) = match effect {
            PlannedEffect::Write {
                path,
                chars,
                words,
                sha256,
                is_blank,
                ..
            }
            | PlannedEffect::Patch {
                path,
                chars,
                words,
                sha256,
                is_blank,
                ..
            } => (path, *chars, *words, sha256, *is_blank),
            PlannedEffect::Delete { path, .. } => {
                self.turn.candidate.take_if(|candidate| candidate.commit.path == *path);
                return;
            }
            PlannedEffect::Commit(_) | PlannedEffect::Finish { .. } => return,
        };
        let (path, sha256) = (path.clone(), sha256.clone());
        let commit = PlannedCommit {
            path,
            mode: CommitMode::Replace,
            reason: None,
            chars,
            words,
            sha256,
        };
        self.turn.candidate = Some(Candidate {
            commit,
            call_id: call_id.clone(),
            is_blank,
        });
    }

    /// A deny or ask on the commit tool switches automatic commits off.
    fn may_commit(&self) -> bool {
        let Ok(name) = ToolName::parse("workspace.commit") else {
            return false;
        };
        let decision = self.tool(&ToolId::builtin(&name)).map(|tool| &tool.decision);
        decision.is_some_and(|decision| decision.callable && matches!(decision.approval, Approval::NotNeeded))
    }

    fn start_commit(&mut self, planned: PlannedCommit, call_id: CallId, reply: Option<Reply>, out: &mut Effects) {
        self.commits_started = self.commits_started.saturating_add(1);
        let Ok(commit_id) = CommitId::parse(&self.derived_id("commit", self.commits_started)) else {
            out.extend(self.fail(internal("a commit got no id")));
            return;
        };
        out.push(append(RunEvent::ChatCommitStarted {
            commit_id: commit_id.clone(),
            invocation_id: root(),
            call_id: call_id.clone(),
            path: planned.path.clone(),
            mode: planned.mode,
            reason: planned.reason.clone(),
        }));
        self.set_status(RunStatus::CreatingCheckpoint, out);
        out.push(Effect::CreateCheckpoint {
            reason: CheckpointReason::ChatCommit,
        });
        let pending = PendingCommit {
            commit_id,
            call_id,
            planned,
            is_explicit: reply.is_some(),
            reply,
        };
        self.phase = Phase::Checkpointing(AfterCheckpoint::Commit(pending));
    }

    pub(crate) fn checkpoint_created(&mut self, after: AfterCheckpoint, id: CheckpointId) -> Effects {
        let reason = match &after {
            AfterCheckpoint::Reply(reply) => checkpoint_reason(reply),
            AfterCheckpoint::Commit(_) => CheckpointReason::ChatCommit,
            AfterCheckpoint::Drift(_) => CheckpointReason::DirectOutputCapture,
        };
        let mut out = vec![append(RunEvent::CheckpointCreated {
            checkpoint_id: id.clone(),
            reason,
        })];
        match after {
            AfterCheckpoint::Reply(reply) => self.after_files(reply, &mut out),
            AfterCheckpoint::Commit(pending) => self.ask_commit(pending, id, &mut out),
            AfterCheckpoint::Drift(captured) => self.remind(captured, &mut out),
        }
        out
    }

    fn ask_commit(&mut self, pending: PendingCommit, checkpoint_id: CheckpointId, out: &mut Effects) {
        self.set_status(RunStatus::AwaitingHostCommit, out);
        let (setup, planned) = (&self.setup, &pending.planned);
        out.push(append(RunEvent::ChatCommitRequested {
            commit_id: pending.commit_id.clone(),
            invocation_id: root(),
            call_id: pending.call_id.clone(),
            run_id: setup.run_id.clone(),
            workspace_id: setup.workspace_id.clone(),
            stable_chat_id: setup.stable_chat_id.clone(),
            chat_ref: setup.chat_ref.clone(),
            generation_type: setup.generation_type,
            profile_id: setup.profile_id.clone(),
            persist_base_state_id: setup.persist_base_state_id.clone(),
            path: planned.path.clone(),
            mode: planned.mode,
            reason: planned.reason.clone(),
            chars: planned.chars,
            words: planned.words,
            sha256: planned.sha256.clone(),
            checkpoint_id: checkpoint_id.clone(),
            is_explicit: pending.is_explicit,
        }));
        out.push(Effect::AskCommit {
            commit_id: pending.commit_id.clone(),
            sequence: self.commits_started,
            planned: planned.clone(),
            checkpoint_id,
            is_explicit: pending.is_explicit,
        });
        self.phase = Phase::AwaitingCommit(pending);
    }

    pub(crate) fn commit_answered(
        &mut self,
        pending: PendingCommit,
        answer: Result<CommitReceipt, CommitRefusal>,
    ) -> Effects {
        let mut out = Vec::new();
        self.set_status(RunStatus::DispatchingTool, &mut out);
        match answer {
            Ok(receipt) => self.commit_confirmed(pending, receipt, &mut out),
            Err(refusal) => self.commit_refused(pending, refusal, &mut out),
        }
        out
    }

    fn commit_confirmed(&mut self, pending: PendingCommit, receipt: CommitReceipt, out: &mut Effects) {
        let PendingCommit {
            commit_id,
            call_id,
            planned,
            is_explicit,
            reply,
        } = pending;
        let CommitReceipt { message_id } = receipt;
        let message_index = message_id.as_deref().and_then(|id| id.parse().ok());
        self.ledger.push(LedgerEntry {
            path: planned.path.clone(),
            mode: planned.mode,
            message_id: message_id.clone(),
            round: self.round,
            is_explicit,
        });
        out.push(append(RunEvent::ChatCommitCompleted {
            commit_id,
            invocation_id: root(),
            call_id,
            path: planned.path.clone(),
            mode: planned.mode,
            message_id: message_id.clone(),
            message_index,
            is_explicit,
        }));
        out.push(append(RunEvent::ChatCommitRecorded {
            invocation_id: root(),
            commit_count: self.ledger.len(),
            path: planned.path,
            mode: planned.mode,
            message_id: message_id.clone(),
        }));
        match reply {
            Some(mut reply) => {
                fill_commit(&mut reply, message_id.as_deref());
                let finishes = crate::run::finishes(&reply);
                self.store_reply(reply, finishes, out);
            }
            None => self.end_of_round(out),
        }
    }

    fn commit_refused(&mut self, pending: PendingCommit, refusal: CommitRefusal, out: &mut Effects) {
        out.push(append(commit_failed(&pending, &refusal.reason)));
        match pending.reply {
            Some(reply) => {
                let message = format!(
                    "The message was not committed: {} The chat is unchanged. The same commit may be tried again.",
                    refusal.reason
                );
                let error = refused("agent.chat_commit_rejected", message, &reply);
                self.store_error(error, ResultKind::Failed, out);
            }
            None => self.end_of_round(out),
        }
    }
}

/// The event that closes a commit which did not reach the chat.
pub(crate) fn commit_failed(pending: &PendingCommit, message: &str) -> RunEvent {
    RunEvent::ChatCommitFailed {
        commit_id: pending.commit_id.clone(),
        invocation_id: root(),
        call_id: pending.call_id.clone(),
        path: pending.planned.path.clone(),
        mode: pending.planned.mode,
        message: message.to_owned(),
        is_explicit: pending.is_explicit,
    }
}

fn is_prose(path: &WorkspacePath) -> bool {
    let Some((stem, ending)) = path.file_name().rsplit_once('.') else {
        return false;
    };
    // A name that is nothing but an ending is a hidden file without one.
    !stem.is_empty() && TEXT_ENDINGS.contains(&ending.to_ascii_lowercase().as_str())
}

/// Puts into a reply what is known only once the host has confirmed its commit.
pub fn fill_commit(reply: &mut Reply, message_id: Option<&str>) {
    let message_index: Option<u64> = message_id.and_then(|id| id.parse().ok());
    let shown = message_index.map_or_else(|| "unknown".to_owned(), |index| index.to_string());
    for block in &mut reply.content {
        if let Block::Text { text } = block {
            *text = text.replace(MESSAGE_INDEX, &shown);
        }
    }
    if let Some(Value::Object(structured)) = &mut reply.structured {
        structured.insert("messageId".to_owned(), json!(message_id));
        structured.insert("messageIndex".to_owned(), json!(message_index));
    }
}
