//! What a journal says of rollbacks: the one that has no end, and which checkpoint numbers were used.
//!
//! A rollback that was asked for and has no end is the mark of a process that was killed in the middle of it: the workspace may then hold
//! files of two moments. It is ended by saying so; the files are left alone, because somebody may have worked on them since.

use innkeeper_protocol::envelope::{Draft, Envelope, Level};
use serde_json::{Map, Value, json};

use super::closing::{RESTARTED, RESTARTED_REASON};
use crate::checkpoint::number_of;

pub(crate) const ROLLBACK_REQUESTED: &str = "workspace_rollback_requested";
pub(crate) const ROLLBACK_COMPLETED: &str = "workspace_rollback_completed";
pub(crate) const ROLLBACK_FAILED: &str = "workspace_rollback_failed";

/// A fold over the events of a run.
#[derive(Debug, Clone, Default)]
pub struct RollbackHistory {
    open: Option<OpenRollback>,
    highest_checkpoint: u64,
}

#[derive(Debug, Clone)]
struct OpenRollback {
    rollback_id: Value,
    checkpoint_id: Value,
    /// The checkpoint of the state before; without it no file was touched.
    safety: Option<String>,
    /// What identifies the question that a person was asked and has not answered.
    question: Option<Map<String, Value>>,
}

const QUESTION_MEMBERS: [&str; 3] = ["invocationId", "callId", "approvalId"];

impl RollbackHistory {
    /// Takes the next event in.
    pub fn observe(&mut self, event: &Envelope) {
        let member = |name: &str| event.payload.get(name).cloned().unwrap_or_default();
        match event.kind.as_str() {
            ROLLBACK_REQUESTED => {
                self.open = Some(OpenRollback {
                    rollback_id: member("rollbackId"),
                    checkpoint_id: member("checkpointId"),
                    safety: None,
                    question: None,
                });
            }
            ROLLBACK_COMPLETED | ROLLBACK_FAILED => self.open = None,
            "tool_call_awaiting_approval" | "tool_call_approved" | "tool_call_denied" => self.observe_question(event),
            "checkpoint_created" => {
                let id = event.text("checkpointId").unwrap_or_default();
                self.highest_checkpoint = self.highest_checkpoint.max(number_of(id).unwrap_or(0));
                if let Some(open) = &mut self.open {
                    open.safety = Some(id.to_owned());
                }
            }
            _ => {}
        }
    }

    /// The highest number of a checkpoint that the journal names; 0 before the first.
    #[must_use]
    pub const fn highest_checkpoint(&self) -> u64 {
        self.highest_checkpoint
    }

    fn observe_question(&mut self, event: &Envelope) {
        let Some(open) = &mut self.open else { return };
        if event.text("callId") != open.rollback_id.as_str() {
            return;
        }
        open.question = (event.kind == "tool_call_awaiting_approval").then(|| {
            let member = |name: &str| (name.to_owned(), event.payload.get(name).cloned().unwrap_or_default());
            QUESTION_MEMBERS.map(member).into_iter().collect()
        });
    }

    /// The events that end a rollback whose process is gone, its question first; none where there is no such rollback.
    #[must_use]
    pub fn closing_events(&self) -> Vec<Draft> {
        let Some(open) = &self.open else { return Vec::new() };
        let question = open.question.clone().map(denied);
        question.into_iter().chain([failed(open)]).collect()
    }
}

fn denied(question: Map<String, Value>) -> Draft {
    let mut payload = question;
    let answer = [("scope", "once"), ("by", "runtime"), ("reason", RESTARTED_REASON)];
    payload.extend(answer.map(|(name, value)| (name.to_owned(), json!(value))));
    Draft::new(Level::Info, "tool_call_denied", payload.into())
}

fn failed(open: &OpenRollback) -> Draft {
    let message = match &open.safety {
        None => "the process ended before the rollback began; no file was changed".to_owned(),
        Some(safety) => format!(
            "the process ended during the rollback; some files may be as at the checkpoint and others as before. What all of them \
             were before is in checkpoint {safety}"
        ),
    };
    let payload = json!({
        "rollbackId": open.rollback_id, "checkpointId": open.checkpoint_id, "code": RESTARTED, "message": message,
    });
    Draft::new(Level::Error, ROLLBACK_FAILED, payload)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::testing::draft;
    use crate::runs::testing::{Answers, World, completed, events, run_id};
    use crate::runs::{CommitEvidence, RecoveryReport, recover};
    use innkeeper_protocol::run::RunStatus;

    fn history(events: &[(&str, Value)]) -> RollbackHistory {
        let mut history = RollbackHistory::default();
        for (kind, payload) in events {
            history.observe(&Envelope {
                seq: 1,
                id: "evt_1".to_owned(),
                run_id: "run_1".to_owned(),
                timestamp: "2026-01-01T00:00:00Z".to_owned(),
                level: Level::Info,
                kind: (*kind).to_owned(),
                payload: payload.clone(),
                extra: Map::new(),
            });
        }
        history
    }

    fn checkpoint(id: &str) -> (&'static str, Value) {
        ("checkpoint_created", json!({"checkpointId": id, "reason": "rollback"}))
    }

    fn requested() -> (&'static str, Value) {
        let payload = json!({"rollbackId": "rollback_1", "checkpointId": "cp_000001"});
        (ROLLBACK_REQUESTED, payload)
    }

    fn message(history: &RollbackHistory) -> Option<String> {
        let draft = history.closing_events().pop()?;
        Some(draft.payload["message"].as_str().unwrap().to_owned())
    }

    #[test]
    fn only_a_rollback_without_an_end_is_closed() {
        assert_eq!(message(&history(&[checkpoint("cp_000001")])), None);
        let open = history(&[checkpoint("cp_000001"), requested()]);
        assert!(message(&open).unwrap().contains("no file was changed"));
        let torn = history(&[requested(), checkpoint("cp_000007")]);
        assert!(message(&torn).unwrap().contains("cp_000007"));
        for end in [ROLLBACK_COMPLETED, ROLLBACK_FAILED] {
            assert_eq!(message(&history(&[requested(), (end, json!({}))])), None);
        }
    }

    #[test]
    fn a_question_that_nobody_answered_is_answered_with_no_first() {
        let question = |kind: &'static str, call: &str| {
            let payload = json!({"invocationId": "inv_root", "callId": call, "approvalId": "approval_1", "title": "t"});
            (kind, payload)
        };
        let asked = || question("tool_call_awaiting_approval", "rollback_1");
        let drafts = history(&[requested(), asked()]).closing_events();
        let kinds: Vec<&str> = drafts.iter().map(|draft| draft.kind.as_str()).collect();
        assert_eq!(kinds, ["tool_call_denied", ROLLBACK_FAILED]);
        let expected = json!({
            "invocationId": "inv_root", "callId": "rollback_1", "approvalId": "approval_1",
            "scope": "once", "by": "runtime", "reason": "process_restarted",
        });
        assert_eq!(drafts[0].payload, expected);
        let answered = [requested(), asked(), question("tool_call_approved", "rollback_1")];
        assert_eq!(history(&answered).closing_events().len(), 1);
        let foreign = [requested(), question("tool_call_awaiting_approval", "call_1")];
        assert_eq!(history(&foreign).closing_events().len(), 1);
    }

    #[test]
    fn the_next_start_ends_a_rollback_that_was_left_in_the_middle_once() {
        let world = World::new();
        let torn = [requested(), checkpoint("cp_000007")].map(|(kind, payload)| draft(kind, payload));
        let folder = world.run(1, 1, &[&[completed()], &torn[..]].concat());
        // A reader may have cached the record in between.
        world.root.load_record(&folder).unwrap();
        let report = recover(&world.root, &mut Answers::new(CommitEvidence::Absent)).unwrap();
        let expected = RecoveryReport {
            rollbacks: vec![run_id(1)],
            ..RecoveryReport::default()
        };
        assert_eq!(report, expected);
        let all = events(&folder);
        let last = all.last().unwrap();
        assert_eq!(
            (last.kind.as_str(), last.text("rollbackId")),
            (ROLLBACK_FAILED, Some("rollback_1"))
        );
        assert_eq!(world.root.load_record(&folder).unwrap().status, RunStatus::Completed);
        let again = recover(&world.root, &mut Answers::new(CommitEvidence::Absent)).unwrap();
        assert_eq!((again, events(&folder).len()), (RecoveryReport::default(), all.len()));
    }

    #[test]
    fn the_highest_number_counts_wherever_it_stands() {
        let seen = history(&[checkpoint("cp_000009"), checkpoint("cp_000002"), checkpoint("nonsense")]);
        assert_eq!(seen.highest_checkpoint(), 9);
    }
}
