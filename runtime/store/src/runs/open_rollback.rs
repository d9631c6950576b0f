//! What a journal says of rollbacks: the one that has no end, and which checkpoint numbers were used.
//!
//! A rollback that was asked for and has no end is the mark of a process that was killed in the middle of it: the workspace may then hold
//! files of two moments. It is ended by saying so; the files are left alone, because somebody may have worked on them since.

use innkeeper_protocol::envelope::{Draft, Envelope, Level};
use serde_json::{Value, json};

use super::closing::RESTARTED;
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
}

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
                });
            }
            ROLLBACK_COMPLETED | ROLLBACK_FAILED => self.open = None,
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

    /// The event that ends a rollback whose process is gone, if there is such a rollback.
    #[must_use]
    pub fn closing_event(&self) -> Option<Draft> {
        let open = self.open.as_ref()?;
        let message = match &open.safety {
            None => "the process ended before the rollback began; no file was changed".to_owned(),
            Some(safety) => format!(
                "the process ended during the rollback; some files may be as at the checkpoint and others as before. What all of \
                 them were before is in checkpoint {safety}"
            ),
        };
        let payload = json!({
            "rollbackId": open.rollback_id, "checkpointId": open.checkpoint_id, "code": RESTARTED, "message": message,
        });
        Some(Draft::new(Level::Error, ROLLBACK_FAILED, payload))
    }
}

#[cfg(test)]
mod tests {
    use innkeeper_protocol::run::RunStatus;
    use serde_json::Map;

    use super::*;
    use crate::journal::testing::draft;
    use crate::runs::testing::{Answers, World, completed, events, run_id};
    use crate::runs::{CommitEvidence, RecoveryReport, recover};

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
        let draft = history.closing_event()?;
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
