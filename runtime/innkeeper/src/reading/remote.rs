//! Reaching a run that another process executes: through its inbox, and the run's lock tells whether anybody is there.
//!
//! What a request leads to is decided by the run's owner; here it is only sent and its answer waited for.

use std::time::Duration;

use innkeeper_protocol::id::RunId;
use innkeeper_protocol::run::{ErrorKind, RunError};
use innkeeper_store::inbox::{InboxAnswer, InboxError, InboxFailure, InboxRequest, Outbox, RequestId};
use innkeeper_store::journal::JournalError;
use innkeeper_store::runs::{RunFolder, RunRecord, RunsError, cancel_abandoned};
use serde::de::DeserializeOwned;

use super::RunReader;
use crate::commands::{AgentRun, AnsweredToolCall, ApproveToolCall};
use crate::control::not_pending;
use crate::error::{About as _, HostError};
use crate::ports::blocking;
use crate::recovery::FilePorts;

/// How long the owner of a run is waited for. It answers within milliseconds unless its machine is very busy.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the answer is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A person's answer to a call of a run that another process executes.
#[derive(Debug, Clone)]
pub struct RemoteAnswer {
    /// The run.
    pub run_id: RunId,
    /// What is asked of its owner: [`InboxRequest::Approve`] or [`InboxRequest::Deny`].
    pub request: InboxRequest,
}

impl RunReader {
    /// Answers a question that this reader, or the host that it belongs to, has put.
    ///
    /// # Errors
    /// Those of [`approve_agent_tool_call`](crate::Innkeeper::approve_agent_tool_call).
    pub fn approve_agent_tool_call(&self, request: ApproveToolCall) -> Result<AnsweredToolCall, HostError> {
        self.active.answer(request)
    }

    /// Answers a call of a run, whichever process executes it.
    ///
    /// # Errors
    /// Those of [`approve_agent_tool_call`](crate::Innkeeper::approve_agent_tool_call); `agent.approval_not_pending` also for a run that
    /// nobody executes, `agent.run_not_answering` when its owner does not answer within ten seconds.
    pub async fn answer_call(&self, answer: RemoteAnswer) -> Result<AnsweredToolCall, HostError> {
        let call_id = match &answer.request {
            InboxRequest::Approve { call_id, .. } | InboxRequest::Deny { call_id, .. } => call_id.to_string(),
            InboxRequest::Cancel | InboxRequest::Guide { .. } => String::new(),
        };
        match self.ask_owner(&answer.run_id, answer.request).await? {
            Some(answered) => Ok(answered),
            None => Err(not_pending(answer.run_id.as_str(), &call_id)),
        }
    }

    /// Cancels a run, whichever process executes it; one that nobody executes is closed as cancelled. Returns once it has heard.
    ///
    /// # Errors
    /// `agent.not_found` for an unknown run, `agent.run_not_answering` when its owner does not answer within ten seconds.
    pub async fn cancel_agent_run(&self, run_id: &RunId) -> Result<AgentRun, HostError> {
        self.cancel(run_id).await.about(run_id)
    }

    async fn cancel(&self, run_id: &RunId) -> Result<AgentRun, HostError> {
        match self.close_unowned(run_id).await? {
            Some(record) => Ok(of_record(record)),
            None => match self.ask_owner(run_id, InboxRequest::Cancel).await? {
                Some(cancelled) => Ok(cancelled),
                // The owner let go in this moment.
                None => match self.close_unowned(run_id).await? {
                    Some(record) => Ok(of_record(record)),
                    None => Err(not_answering(run_id)),
                },
            },
        }
    }

    /// Cancels a run without an owner; none when it has one. A run that has ended is left as it is.
    async fn close_unowned(&self, run_id: &RunId) -> Result<Option<RunRecord>, HostError> {
        let (reader, run_id) = (self.clone(), run_id.clone());
        blocking(move || {
            let root = reader.root();
            let folder = root.find_run(&run_id)?;
            let mut ports = FilePorts::new(reader.data_root(), reader.stamps());
            match cancel_abandoned(&root, &folder, &mut ports) {
                Ok(record) => Ok(Some(record)),
                Err(RunsError::Journal(JournalError::RunLocked { .. })) => Ok(None),
                Err(error) => Err(error.into()),
            }
        })
        .await
    }

    /// The owner's answer; none when nobody executes the run.
    async fn ask_owner<T: DeserializeOwned>(
        &self,
        run_id: &RunId,
        request: InboxRequest,
    ) -> Result<Option<T>, HostError> {
        let folder = self.root().find_run(run_id)?;
        let posted = {
            let folder = folder.clone();
            blocking(move || post(&folder, &request)).await?
        };
        let Some((outbox, id)) = posted else { return Ok(None) };
        let outbox = std::sync::Arc::new(outbox);
        let mut waited = Duration::ZERO;
        loop {
            let look = outbox.clone();
            let answer = blocking(move || look.answer_of(&id).map_err(HostError::from)).await?;
            if let Some(answer) = answer {
                return read(answer).map(Some);
            }
            let is_free = !folder.journal().is_owned()?;
            if is_free || waited >= PATIENCE {
                return give_up(&outbox, &id, is_free, run_id);
            }
            tokio::time::sleep(LOOK_EVERY).await;
            waited = waited.saturating_add(LOOK_EVERY);
        }
    }
}

/// Sends a request; none when the run takes no messages.
fn post(folder: &RunFolder, request: &InboxRequest) -> Result<Option<(Outbox, RequestId)>, HostError> {
    if !folder.journal().is_owned()? {
        return Ok(None);
    }
    match Outbox::open(folder) {
        Ok(outbox) => {
            let id = outbox.post(request)?;
            Ok(Some((outbox, id)))
        }
        Err(InboxError::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The last look: an owner that let go may have answered just before. Otherwise the request is taken back.
fn give_up<T: DeserializeOwned>(
    outbox: &Outbox,
    id: &RequestId,
    is_free: bool,
    run_id: &RunId,
) -> Result<Option<T>, HostError> {
    if let Some(answer) = outbox.answer_of(id)? {
        return read(answer).map(Some);
    }
    outbox.withdraw(id)?;
    if is_free { Ok(None) } else { Err(not_answering(run_id)) }
}

fn read<T: DeserializeOwned>(answer: InboxAnswer) -> Result<T, HostError> {
    if let Some(InboxFailure { code, message, hint }) = answer.error {
        let error = HostError::new(&code, message);
        return Err(match hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        });
    }
    serde_json::from_value(answer.value).map_err(|error| {
        HostError::internal(
            "agent.internal_error",
            format!("the owner's answer cannot be read: {error}"),
        )
    })
}

fn not_answering(run_id: &RunId) -> HostError {
    let message = format!("the process that executes the run {run_id} does not answer");
    let error = RunError::new("agent.run_not_answering", ErrorKind::Transient, message);
    error
        .with_hint("Try again, or end that process: the next start then closes the run.")
        .into()
}

pub(super) fn of_record(record: RunRecord) -> AgentRun {
    AgentRun {
        run_id: record.id,
        workspace_id: record.workspace_id,
        stable_chat_id: record.stable_chat_id,
        generation_type: record.generation_type,
        status: record.status,
    }
}
