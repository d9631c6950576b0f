//! What a journal leaves open: calls, commits, tasks, invocations and guidance that began and have no end.
//!
//! A fold over events, without judgement: what is to be written about it is decided by `closing`.

use innkeeper_protocol::envelope::Envelope;
use serde_json::{Map, Value};

/// A call that has no end, as far as someone must judge its effects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DanglingCall {
    /// Who asked.
    pub invocation_id: String,
    /// The provider's id.
    pub call_id: String,
    /// The tool.
    pub tool_id: String,
}

/// How far the approval of a call has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Approval {
    /// Nobody was asked, or it was given.
    Settled,
    /// Someone was asked.
    Awaited {
        /// The question.
        approval_id: Value,
    },
    /// It was refused, and the call has not been told.
    Denied,
}

/// A call that was requested and has no end.
#[derive(Debug, Clone)]
pub(crate) struct OpenCall {
    /// Payload of `tool_call_requested`.
    pub(crate) payload: Map<String, Value>,
    pub(crate) approval: Approval,
    pub(crate) started: bool,
    /// It had a request sent that may have changed something outside.
    pub(crate) reached_out: bool,
}

/// How a commit that the host was asked for ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommitState {
    Pending,
    Confirmed,
    Refused,
    /// The chat could not be read when the run was closed.
    Unknown,
}

/// A commit that the host was asked for.
#[derive(Debug, Clone)]
pub(crate) struct Commit {
    /// Payload of `chat_commit_requested`.
    pub(crate) payload: Map<String, Value>,
    pub(crate) state: CommitState,
}

/// Everything that is open, and the commits that count.
#[derive(Debug, Default)]
pub(crate) struct OpenWork {
    pub(crate) calls: Vec<OpenCall>,
    pub(crate) commits: Vec<Commit>,
    /// Payloads of `chat_commit_completed`, with the round of their call.
    pub(crate) confirmed: Vec<Map<String, Value>>,
    /// How many of them have their `chat_commit_recorded`.
    pub(crate) recorded: usize,
    /// Latest payload of each task without an end.
    pub(crate) tasks: Vec<Map<String, Value>>,
    /// Latest payload of each invocation without an end.
    pub(crate) invocations: Vec<Map<String, Value>>,
    /// Payloads of updates of the message's metadata that the host was asked for and has not answered.
    pub(crate) updates: Vec<Map<String, Value>>,
    /// Payloads of guidance that was neither applied nor discarded.
    pub(crate) guidance: Vec<Map<String, Value>>,
    /// Someone asked to cancel.
    pub(crate) cancel_requested: bool,
    /// Round of the latest request of each call, as (invocation, call, round).
    rounds: Vec<(Value, Value, Value)>,
}

/// Member of `chat_commit_failed` that tells an unknown outcome from a refusal.
pub(crate) const OUTCOME: &str = "outcome";
/// Its value, also that of `tool_call_failed`.
pub(crate) const OUTCOME_UNKNOWN: &str = "outcome_unknown";

/// How the types of events about invocations begin.
pub(crate) const INVOCATION: &str = "agent_invocation_";

impl OpenWork {
    /// Takes the next event in.
    pub(crate) fn observe(&mut self, event: &Envelope) {
        if event.kind == "run_cancel_requested" {
            self.cancel_requested = true;
        }
        let Value::Object(payload) = &event.payload else { return };
        match event.kind.as_str() {
            kind if kind.starts_with("tool_call_") => self.observe_call(kind, payload),
            kind if kind.starts_with("chat_commit_") => self.observe_commit(kind, payload),
            kind if kind.starts_with("agent_task_") => observe_stage(&mut self.tasks, "taskId", kind, payload),
            kind if kind.starts_with(INVOCATION) => {
                observe_stage(&mut self.invocations, "invocationId", kind, payload);
            }
            "persistent_state_metadata_update_requested" => self.updates.push(payload.clone()),
            "persistent_state_metadata_updated" | "persistent_state_metadata_update_failed" => {
                let id = member(payload, "updateId");
                self.updates.retain(|update| member(update, "updateId") != id);
            }
            "user_guidance_submitted" => self.guidance.push(payload.clone()),
            "user_guidance_applied" | "user_guidance_discarded" => {
                let settled = payload.get("guidanceIds").and_then(Value::as_array);
                let is_settled = |id: Option<&Value>| settled.is_some_and(|ids| id.is_some_and(|id| ids.contains(id)));
                self.guidance.retain(|item| !is_settled(item.get("guidanceId")));
            }
            _ => {}
        }
    }

    /// Commits of this call, the latest last.
    pub(crate) fn commits_of<'a>(
        &'a self,
        call: &'a Map<String, Value>,
    ) -> impl DoubleEndedIterator<Item = &'a Commit> {
        self.commits
            .iter()
            .filter(move |commit| same_call(&commit.payload, call))
    }

    /// The round in which the call of this payload was asked for.
    pub(crate) fn round_of(&self, payload: &Map<String, Value>) -> Value {
        let (invocation, call) = (member(payload, "invocationId"), member(payload, "callId"));
        let found = self
            .rounds
            .iter()
            .rev()
            .find(|(i, c, _)| *i == invocation && *c == call);
        found.map_or(Value::Null, |(_, _, round)| round.clone())
    }

    fn observe_call(&mut self, kind: &str, payload: &Map<String, Value>) {
        if kind == "tool_call_requested" {
            self.rounds.push((
                member(payload, "invocationId"),
                member(payload, "callId"),
                member(payload, "round"),
            ));
            self.calls.push(OpenCall {
                payload: payload.clone(),
                approval: Approval::Settled,
                started: false,
                reached_out: false,
            });
            return;
        }
        // A provider may reuse a call id; events then speak of the latest call that is open.
        let Some(at) = self.calls.iter().rposition(|call| same_call(&call.payload, payload)) else {
            return;
        };
        if matches!(kind, "tool_call_completed" | "tool_call_failed") {
            self.calls.remove(at);
            return;
        }
        let Some(call) = self.calls.get_mut(at) else { return };
        match kind {
            "tool_call_awaiting_approval" => {
                call.approval = Approval::Awaited {
                    approval_id: member(payload, "approvalId"),
                };
            }
            "tool_call_approved" => call.approval = Approval::Settled,
            "tool_call_denied" => call.approval = Approval::Denied,
            "tool_call_started" => call.started = true,
            "tool_call_request_started" => call.reached_out = true,
            _ => {}
        }
    }

    fn observe_commit(&mut self, kind: &str, payload: &Map<String, Value>) {
        let state = match kind {
            "chat_commit_requested" => {
                self.commits.push(Commit {
                    payload: payload.clone(),
                    state: CommitState::Pending,
                });
                return;
            }
            "chat_commit_recorded" => {
                self.recorded = self.recorded.saturating_add(1);
                return;
            }
            "chat_commit_completed" => CommitState::Confirmed,
            "chat_commit_failed" if member(payload, OUTCOME) == OUTCOME_UNKNOWN => CommitState::Unknown,
            "chat_commit_failed" => CommitState::Refused,
            _ => return,
        };
        if state == CommitState::Confirmed {
            let mut confirmed = payload.clone();
            confirmed.insert("round".to_owned(), self.round_of(payload));
            self.confirmed.push(confirmed);
        }
        let id = member(payload, "commitId");
        if let Some(commit) = self
            .commits
            .iter_mut()
            .rev()
            .find(|commit| member(&commit.payload, "commitId") == id)
        {
            commit.state = state;
        }
    }
}

/// Whether a type tells the end of a task or an invocation.
pub(crate) fn is_end(kind: &str) -> bool {
    ["_completed", "_failed", "_cancelled", "_transferred"]
        .iter()
        .any(|end| kind.ends_with(end))
}

/// Follows one task or invocation from stage to stage; the last word of the type says which.
fn observe_stage(open: &mut Vec<Map<String, Value>>, id: &str, kind: &str, payload: &Map<String, Value>) {
    let key = member(payload, id);
    let known = open.iter().position(|item| member(item, id) == key);
    match (known, is_end(kind)) {
        (Some(at), true) => {
            open.remove(at);
        }
        (Some(at), false) => {
            if let Some(item) = open.get_mut(at) {
                // A later stage may say less than an earlier one.
                item.extend(payload.clone());
            }
        }
        (None, false) => open.push(payload.clone()),
        (None, true) => {}
    }
}

fn same_call(a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
    ["invocationId", "callId"]
        .iter()
        .all(|name| a.get(*name) == b.get(*name))
}

/// A member, or null.
pub(crate) fn member(payload: &Map<String, Value>, name: &str) -> Value {
    payload.get(name).cloned().unwrap_or_default()
}
