//! The events that close a run whose process is gone, in the order in which they are written.
//!
//! Pure: what happened outside is answered by its caller. It is computed from what the journal leaves open, so whatever of it was
//! already written is not written again.

use innkeeper_protocol::envelope::{Draft, Level};
use innkeeper_protocol::id::CommitId;
use innkeeper_protocol::run::RunStatus;
use serde_json::{Map, Value, json};

use super::open_work::{
    Approval, Commit, CommitState, DanglingCall, INVOCATION, OUTCOME, OUTCOME_UNKNOWN, OpenCall, OpenWork, member,
};

/// The code of everything that ended because its process did.
pub(crate) const RESTARTED: &str = "agent.process_restarted";
pub(crate) const RESTARTED_REASON: &str = "process_restarted";
const ROOT: &str = "inv_root";

/// Whether the chat holds a commit that the host was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitEvidence {
    /// It does.
    Present {
        /// The message that holds it, in the host's words, when they are known.
        message_id: Option<String>,
    },
    /// It does not.
    Absent,
    /// The chat cannot be read.
    Unreadable,
}

/// Answers about the world outside the journal.
pub(crate) trait Witness {
    /// Whether a call that was started may have had an effect outside.
    fn effect_possible(&self, call: &DanglingCall) -> bool;
    /// Whether the chat holds this commit.
    fn evidence(&self, commit: &CommitId) -> CommitEvidence;
}

/// How a run is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending<'a> {
    /// Its process ended.
    Restarted,
    /// Someone cancelled it when it had no process any more.
    Cancelled,
    /// Its journal took no more events, and takes them again.
    Broken(&'a BrokenRun),
}

/// What broke a run off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenRun {
    /// The stable code.
    pub code: String,
    /// What happened.
    pub message: String,
}

impl Ending<'_> {
    fn code(&self) -> &str {
        match self {
            Self::Restarted | Self::Cancelled => RESTARTED,
            Self::Broken(broken) => &broken.code,
        }
    }

    fn message(&self) -> &str {
        match self {
            Self::Restarted | Self::Cancelled => "the process that executed this run ended before the run did",
            Self::Broken(broken) => &broken.message,
        }
    }

    /// Why a question is answered with no, in one word.
    fn reason(&self) -> &'static str {
        match self {
            Self::Restarted | Self::Cancelled => RESTARTED_REASON,
            Self::Broken(_) => "run_ended",
        }
    }
}

/// Everything that is to be appended.
pub(crate) fn closing_events(work: &OpenWork, ending: Ending<'_>, witness: &dyn Witness) -> Vec<Draft> {
    let mut drafts = Vec::new();
    if ending == Ending::Cancelled && !work.cancel_requested {
        drafts.push(info("run_cancel_requested", Value::Null));
    }
    let (asked, others): (Vec<&OpenCall>, Vec<&OpenCall>) =
        work.calls.iter().partition(|call| call.approval != Approval::Settled);
    asked.iter().for_each(|call| deny(call, ending, &mut drafts));
    let mut ledger = Ledger::new(work);
    let unknown = settle_commits(work, witness, &mut ledger, &mut drafts);
    drafts.extend(others.iter().map(|call| fail(call, work, &unknown, ending, witness)));
    drafts.extend(work.updates.iter().map(update_failed));
    drafts.extend(work.tasks.iter().map(|task| cancel_task(task, ending)));
    let is_failed = |invocation| ending != Ending::Cancelled && member(invocation, "invocationId") == ROOT;
    drafts.extend(work.invocations.iter().map(|invocation| {
        let end = if is_failed(invocation) { "failed" } else { "cancelled" };
        close_invocation(invocation, end)
    }));
    drafts.extend(discard_guidance(&work.guidance, unheard(ending, &ledger)));
    drafts.push(match ending {
        Ending::Restarted | Ending::Broken(_) => terminal(&ledger, ending),
        Ending::Cancelled => info("run_cancelled", Value::Null),
    });
    drafts
}

/// What is to be appended to a run that has ended: where one completes, its last invocation is told to have ended after the run is.
pub(crate) fn bookkeeping_events(work: &OpenWork, ended: RunStatus) -> Vec<Draft> {
    let status = match ended {
        RunStatus::Completed => "completed",
        RunStatus::Cancelled => "cancelled",
        _ => "failed",
    };
    let invocations = work.invocations.iter();
    invocations
        .map(|invocation| close_invocation(invocation, status))
        .collect()
}

/// The commits that count, in order.
struct Ledger {
    commits: Vec<Map<String, Value>>,
}

impl Ledger {
    fn new(work: &OpenWork) -> Self {
        Self {
            commits: work.confirmed.clone(),
        }
    }

    /// `chat_commit_recorded` of the commit at this place.
    fn recorded(&self, at: usize) -> Option<Draft> {
        let commit = self.commits.get(at)?;
        let mut payload = carry(commit, &["invocationId"]);
        payload.insert("commitCount".to_owned(), json!(at.saturating_add(1)));
        payload.extend(carry(commit, &["path", "mode", "messageId"]));
        Some(info("chat_commit_recorded", payload.into()))
    }
}

fn deny(call: &OpenCall, ending: Ending<'_>, drafts: &mut Vec<Draft>) {
    if let Approval::Awaited { approval_id } = &call.approval {
        let mut payload = carry(&call.payload, &["invocationId", "callId"]);
        payload.insert("approvalId".to_owned(), approval_id.clone());
        payload.insert("scope".to_owned(), json!("once"));
        payload.insert("by".to_owned(), json!("runtime"));
        payload.insert("reason".to_owned(), json!(ending.reason()));
        drafts.push(info("tool_call_denied", payload.into()));
    }
    let message = "the run ended before the call was approved";
    drafts.push(call_failed(
        call,
        Level::Warn,
        "tool.approval_denied",
        message,
        "denied",
    ));
}

/// Settles what the host was asked for; gives the commits whose outcome stays unknown.
fn settle_commits<'a>(
    work: &'a OpenWork,
    witness: &dyn Witness,
    ledger: &mut Ledger,
    drafts: &mut Vec<Draft>,
) -> Vec<&'a Commit> {
    let mut unknown = Vec::new();
    drafts.extend((work.recorded..ledger.commits.len()).filter_map(|at| ledger.recorded(at)));
    for commit in &work.commits {
        match commit.state {
            CommitState::Confirmed | CommitState::Refused => {}
            CommitState::Unknown => unknown.push(commit),
            CommitState::Pending => match evidence(commit, witness) {
                CommitEvidence::Present { message_id } => {
                    let completed = commit_completed(commit, message_id);
                    drafts.push(info("chat_commit_completed", completed.clone().into()));
                    let mut confirmed = completed;
                    confirmed.insert("round".to_owned(), work.round_of(&commit.payload));
                    ledger.commits.push(confirmed);
                    drafts.extend(ledger.recorded(ledger.commits.len().saturating_sub(1)));
                }
                CommitEvidence::Absent => {
                    drafts.push(commit_failed(
                        commit,
                        "the run ended and the chat does not hold the commit",
                        "error",
                    ));
                }
                CommitEvidence::Unreadable => {
                    let message = "the run ended and the chat cannot be read";
                    drafts.push(commit_failed(commit, message, OUTCOME_UNKNOWN));
                    unknown.push(commit);
                }
            },
        }
    }
    unknown
}

/// A commit id that is none cannot be in the chat of anyone who checks ids.
fn evidence(commit: &Commit, witness: &dyn Witness) -> CommitEvidence {
    let id = commit
        .payload
        .get("commitId")
        .and_then(Value::as_str)
        .and_then(|id| CommitId::parse(id).ok());
    id.map_or(CommitEvidence::Unreadable, |id| witness.evidence(&id))
}

const COMMIT_MEMBERS: [&str; 5] = ["commitId", "invocationId", "callId", "path", "mode"];

fn commit_completed(commit: &Commit, message_id: Option<String>) -> Map<String, Value> {
    let mut payload = carry(&commit.payload, &COMMIT_MEMBERS);
    let index: Option<u64> = message_id.as_ref().and_then(|id| id.parse().ok());
    payload.insert("messageId".to_owned(), json!(message_id));
    if let Some(index) = index {
        payload.insert("messageIndex".to_owned(), json!(index));
    }
    payload.extend(carry(&commit.payload, &["isExplicit"]));
    payload
}

fn commit_failed(commit: &Commit, message: &str, outcome: &str) -> Draft {
    let mut payload = carry(&commit.payload, &COMMIT_MEMBERS);
    payload.insert("message".to_owned(), json!(message));
    payload.extend(carry(&commit.payload, &["isExplicit"]));
    payload.insert(OUTCOME.to_owned(), json!(outcome));
    Draft::new(Level::Warn, "chat_commit_failed", payload.into())
}

/// Ends a call that nobody had to approve any more.
fn fail(call: &OpenCall, work: &OpenWork, unknown: &[&Commit], ending: Ending<'_>, witness: &dyn Witness) -> Draft {
    let text = |name| member(&call.payload, name).as_str().unwrap_or_default().to_owned();
    let latest = work.commits_of(&call.payload).next_back();
    let in_doubt = match latest {
        _ if call.reached_out => true,
        Some(commit) => unknown.iter().any(|doubtful| std::ptr::eq(*doubtful, commit)),
        None => {
            call.started
                && witness.effect_possible(&DanglingCall {
                    invocation_id: text("invocationId"),
                    call_id: text("callId"),
                    tool_id: text("toolId"),
                })
        }
    };
    if in_doubt {
        let message = "the run ended during the call; whether it had an effect outside is not known";
        call_failed(call, Level::Error, "tool.outcome_unknown", message, OUTCOME_UNKNOWN)
    } else {
        call_failed(
            call,
            Level::Error,
            ending.code(),
            "the run ended before the call did",
            "error",
        )
    }
}

fn call_failed(call: &OpenCall, level: Level, code: &str, message: &str, outcome: &str) -> Draft {
    let mut payload = carry(
        &call.payload,
        &["round", "invocationId", "callId", "toolId", "name", "snapshotId"],
    );
    let end = [
        ("isError", json!(true)),
        ("errorCode", json!(code)),
        ("message", json!(message)),
        ("resourceRefs", json!([])),
        ("outcome", json!(outcome)),
    ];
    payload.extend(end.map(|(name, value)| (name.to_owned(), value)));
    Draft::new(level, "tool_call_failed", payload.into())
}

fn cancel_task(task: &Map<String, Value>, ending: Ending<'_>) -> Draft {
    let mut payload = carry(
        task,
        &["taskId", "parentInvocationId", "childInvocationId", "targetProfileId"],
    );
    payload.insert("status".to_owned(), json!("cancelled"));
    payload.insert("resultRef".to_owned(), Value::Null);
    payload.insert("error".to_owned(), json!(ending.code()));
    Draft::new(Level::Warn, "agent_task_cancelled", payload.into())
}

fn close_invocation(invocation: &Map<String, Value>, status: &str) -> Draft {
    let mut payload = carry(
        invocation,
        &["invocationId", "parentInvocationId", "profileId", "kind", "exitPolicy"],
    );
    payload.insert("status".to_owned(), json!(status));
    info(&format!("{INVOCATION}{status}"), payload.into())
}

fn update_failed(update: &Map<String, Value>) -> Draft {
    let mut payload = carry(update, &["updateId", "messageId", "stateId"]);
    let message = "the run ended before the host answered; whether the message names the state is not known";
    payload.insert("message".to_owned(), json!(message));
    Draft::new(Level::Error, "persistent_state_metadata_update_failed", payload.into())
}

/// Why the model never read a person's words.
fn unheard(ending: Ending<'_>, ledger: &Ledger) -> &'static str {
    match ending {
        Ending::Restarted | Ending::Cancelled => RESTARTED_REASON,
        Ending::Broken(_) if ledger.commits.is_empty() => "run_failed_before_next_model_request",
        Ending::Broken(_) => "run_partial_success_before_next_model_request",
    }
}

fn discard_guidance(pending: &[Map<String, Value>], reason: &str) -> Option<Draft> {
    let first = pending.first()?;
    let all = |name: &str| -> Vec<Value> { pending.iter().filter_map(|item| item.get(name).cloned()).collect() };
    let sum = |name: &str| {
        all(name)
            .iter()
            .filter_map(Value::as_u64)
            .fold(0_u64, u64::saturating_add)
    };
    let payload = json!({
        "guidanceIds": all("guidanceId"),
        "clientGuidanceIds": all("clientGuidanceId"),
        "invocationId": ROOT,
        "count": pending.len(),
        "chars": sum("chars"),
        "words": sum("words"),
        "preview": member(first, "preview"),
        "reason": reason,
        "status": "discarded",
    });
    Some(Draft::new(Level::Warn, "user_guidance_discarded", payload))
}

fn terminal(ledger: &Ledger, ending: Ending<'_>) -> Draft {
    let failed = ledger.commits.is_empty();
    let message = ending.message();
    let mut payload = json!({
        "code": ending.code(),
        "message": message,
        "technicalMessage": format!("internal: {message}"),
        "retryable": false,
        "userRetryable": failed && ending == Ending::Restarted,
        "details": {},
    });
    if failed {
        return Draft::new(Level::Error, "run_failed", payload);
    }
    let commits: Vec<Value> = ledger.commits.iter().map(|commit| preserved(commit).into()).collect();
    if let Some(members) = payload.as_object_mut() {
        members.insert("preservedCommitCount".to_owned(), json!(commits.len()));
        members.insert("preservedCommits".to_owned(), commits.into());
    }
    Draft::new(Level::Warn, "run_partial_success", payload)
}

fn preserved(commit: &Map<String, Value>) -> Map<String, Value> {
    ["path", "mode", "messageId", "round"]
        .map(|name| (name.to_owned(), member(commit, name)))
        .into_iter()
        .collect()
}

fn info(kind: &str, payload: Value) -> Draft {
    Draft::new(Level::Info, kind, payload)
}

/// The members of these names that are there.
fn carry(from: &Map<String, Value>, names: &[&str]) -> Map<String, Value> {
    names
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), from.get(*name)?.clone())))
        .collect()
}
