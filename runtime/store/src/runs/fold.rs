//! From events to what a run is now: status, dates, confirmed commits.
//!
//! It looks at a handful of event types and passes over every other, known or not.

use innkeeper_protocol::envelope::Envelope;
use innkeeper_protocol::run::RunStatus;
use serde::Deserialize as _;
use serde_json::Value;

use super::open_rollback::{ROLLBACK_COMPLETED, ROLLBACK_FAILED, ROLLBACK_REQUESTED};
use super::open_work::{INVOCATION, is_end};
use super::record::{CommittedMessage, Outcome, RunRecord, RunSummary};

/// The state of a run after some of its events.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunFold {
    record: Option<RunRecord>,
    outcome: Outcome,
}

impl RunFold {
    /// Goes on from a record that was folded before. Commits before it are not known, so this fold gives no summary.
    pub(crate) fn resume(record: RunRecord) -> Self {
        Self {
            record: Some(record),
            outcome: Outcome::default(),
        }
    }

    /// Takes the next event in.
    pub fn apply(&mut self, event: &Envelope) {
        if self.record.is_none() && event.kind == "run_created" {
            self.record = RunRecord::created(event);
        }
        if event.kind == "chat_commit_completed" {
            self.outcome.commit_count = self.outcome.commit_count.saturating_add(1);
            if let Some(message) = committed_message(event) {
                self.outcome.committed_message = Some(message);
            }
        }
        if let Some(record) = &mut self.record {
            match event.kind.as_str() {
                ROLLBACK_REQUESTED => record.open_rollback = event.text("rollbackId").map(str::to_owned),
                ROLLBACK_COMPLETED | ROLLBACK_FAILED => record.open_rollback = None,
                kind if kind.starts_with(INVOCATION) => note_invocation(&mut record.live_invocations, event),
                _ => {}
            }
        }
        let terminal = terminal_status(&event.kind);
        if terminal.is_some() && self.outcome.terminal_at.is_none() {
            self.outcome.terminal_at = Some(event.timestamp.clone());
        }
        let (Some(record), Some(next)) = (&mut self.record, terminal.or_else(|| announced_status(event))) else {
            return;
        };
        if may_follow(record.status, next) {
            record.status = next;
            record.updated_at.clone_from(&event.timestamp);
        }
    }

    /// The record, once `run_created` was seen; `journal_bytes` says how far the caller has folded.
    #[must_use]
    pub fn record(&self, journal_bytes: u64) -> Option<RunRecord> {
        self.record.clone().map(|record| RunRecord {
            journal_bytes,
            ..record
        })
    }

    /// The summary of a run whose events were all taken in.
    #[must_use]
    pub fn summary(&self) -> Option<RunSummary> {
        self.record
            .clone()
            .map(|record| RunSummary::new(record, self.outcome.clone()))
    }

    pub(crate) fn into_outcome(self) -> Outcome {
        self.outcome
    }
}

/// Keeps count of the invocations without an end.
fn note_invocation(live: &mut Vec<String>, event: &Envelope) {
    let Some(id) = event.text("invocationId") else { return };
    live.retain(|known| known != id);
    if !is_end(&event.kind) {
        live.push(id.to_owned());
    }
}

/// The status that a terminal event gives.
fn terminal_status(kind: &str) -> Option<RunStatus> {
    match kind {
        "run_completed" => Some(RunStatus::Completed),
        "run_partial_success" => Some(RunStatus::PartialSuccess),
        "run_cancelled" => Some(RunStatus::Cancelled),
        "run_failed" => Some(RunStatus::Failed),
        _ => None,
    }
}

/// The status of a `status_changed`. Only a terminal event ends a run, so a terminal status is not taken from here.
fn announced_status(event: &Envelope) -> Option<RunStatus> {
    if event.kind != "status_changed" {
        return None;
    }
    let status = RunStatus::deserialize(event.payload.get("status")?).ok()?;
    (!status.is_terminal()).then_some(status)
}

/// Nothing leaves a terminal status, and only an end leaves `cancelling`.
fn may_follow(current: RunStatus, next: RunStatus) -> bool {
    !current.is_terminal() && (current != RunStatus::Cancelling || next.is_terminal())
}

fn committed_message(event: &Envelope) -> Option<CommittedMessage> {
    let message_id = event.text("messageId")?.to_owned();
    let index = event.payload.get("messageIndex").and_then(Value::as_u64);
    Some(CommittedMessage {
        commit_id: event.text("commitId")?.to_owned(),
        message_index: index.or_else(|| message_id.parse().ok()),
        message_id,
        committed_at: event.timestamp.clone(),
    })
}

#[cfg(test)]
mod tests {
    use innkeeper_protocol::envelope::Level;
    use serde_json::{Map, json};

    use super::*;

    fn fold(events: &[(&str, Value)]) -> RunFold {
        let mut fold = RunFold::default();
        for ((kind, payload), second) in events.iter().zip(0..) {
            fold.apply(&Envelope {
                seq: second + 1,
                id: "evt".to_owned(),
                run_id: "run_1".to_owned(),
                timestamp: format!("2026-01-01T00:00:{second:02}Z"),
                level: Level::Info,
                kind: (*kind).to_owned(),
                payload: payload.clone(),
                extra: Map::new(),
            });
        }
        fold
    }

    fn created() -> (&'static str, Value) {
        let chat = json!({"kind": "group", "chatId": "g"});
        (
            "run_created",
            json!({"workspaceId": "chat_1", "stableChatId": "s", "chatRef": chat, "generationType": "quiet"}),
        )
    }

    fn status(name: &str) -> (&'static str, Value) {
        ("status_changed", json!({"status": name}))
    }

    fn status_after(events: &[(&'static str, Value)]) -> (RunStatus, String) {
        let all: Vec<_> = std::iter::once(created()).chain(events.iter().cloned()).collect();
        let record = fold(&all).record(0).unwrap();
        (record.status, record.updated_at)
    }

    #[test]
    fn the_status_is_that_of_the_last_event_that_may_set_it() {
        let at = |second: u32| format!("2026-01-01T00:00:{second:02}Z");
        let none = || Value::Null;
        for (events, expected) in [
            (vec![], (RunStatus::Created, at(0))),
            (
                vec![status("calling_model"), ("anything", none())],
                (RunStatus::CallingModel, at(1)),
            ),
            (vec![status("awaiting_commit")], (RunStatus::AwaitingHostCommit, at(1))),
            (vec![status("of_the_future")], (RunStatus::Created, at(0))),
            (vec![status("completed")], (RunStatus::Created, at(0))),
            (
                vec![status("cancelling"), status("calling_model")],
                (RunStatus::Cancelling, at(1)),
            ),
            (
                vec![status("cancelling"), ("run_cancelled", none())],
                (RunStatus::Cancelled, at(2)),
            ),
            (
                vec![("run_failed", none()), ("run_completed", none())],
                (RunStatus::Failed, at(1)),
            ),
            (
                vec![("run_completed", none()), status("calling_model")],
                (RunStatus::Completed, at(1)),
            ),
        ] {
            assert_eq!(status_after(&events), expected, "{events:?}");
        }
    }

    #[test]
    fn the_summary_counts_commits_and_names_the_last_message() {
        let commit =
            |id: &str, message: Value| ("chat_commit_completed", json!({"commitId": id, "messageId": message}));
        let end = ("run_completed", Value::Null);
        let events = [
            created(),
            commit("c1", json!("7")),
            commit("c2", json!("x")),
            commit("c3", Value::Null),
            end,
        ];
        let summary = fold(&events).summary().unwrap();
        let message = CommittedMessage {
            commit_id: "c2".to_owned(),
            message_id: "x".to_owned(),
            message_index: None,
            committed_at: "2026-01-01T00:00:02Z".to_owned(),
        };
        assert_eq!((summary.commit_count, summary.committed_message), (3, Some(message)));
        assert_eq!(summary.terminal_at.as_deref(), Some("2026-01-01T00:00:04Z"));
        let numbered = fold(&events[..2]).summary().unwrap().committed_message.unwrap();
        assert_eq!(numbered.message_index, Some(7));
    }

    #[test]
    fn a_run_is_settled_once_it_and_its_last_invocation_have_ended() {
        let invocation = |stage: &str| {
            let kind: &'static str = format!("agent_invocation_{stage}").leak();
            (kind, json!({"invocationId": "inv_root"}))
        };
        let end = || ("run_completed", Value::Null);
        let events = [
            created(),
            invocation("created"),
            invocation("started"),
            end(),
            invocation("completed"),
        ];
        let settled = |count: usize| fold(&events[..count]).record(0).unwrap().is_settled();
        assert_eq!([1, 3, 4, 5].map(settled), [false, false, false, true]);
        assert!(fold(&[created(), end()]).record(0).unwrap().is_settled());
    }

    #[test]
    fn a_run_created_that_says_nothing_gives_no_record() {
        for payload in [
            Value::Null,
            json!({"workspaceId": "../x"}),
            json!({"workspaceId": "chat_1"}),
        ] {
            assert_eq!(fold(&[("run_created", payload)]).record(0), None);
        }
    }
}
