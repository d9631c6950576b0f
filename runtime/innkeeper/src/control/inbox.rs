//! What other processes ask of a run that is owned here: taken out of its inbox, done, and answered.
//!
//! A request does what the command of the same name does, no more; who may put one there is a matter of the folder's permissions.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_protocol::approval::{ApprovalId, ApprovalScope};
use innkeeper_protocol::run::{RunError, RunStatus};
use innkeeper_store::inbox::{Inbox, InboxAnswer, InboxError, InboxFailure, InboxRequest, Received, RequestId};
use innkeeper_store::runs::RunFolder;
use serde::Serialize;
use serde_json::Value;

use super::{ActiveRun, ActiveRuns};
use crate::commands::{AgentRun, ApproveToolCall, SubmitGuidance};
use crate::error::HostError;
use crate::ports::blocking;
use crate::recorder::EventStamps;

/// How long the system's word that nothing has arrived is trusted.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The way in for other processes, while a run is owned here.
pub(crate) struct WayIn {
    inbox: Arc<Inbox>,
    /// Held while what was taken is carried out and answered.
    at_work: tokio::sync::Mutex<()>,
}

/// Whose way in it is.
#[derive(Clone, Copy)]
pub(crate) enum Served<'a> {
    /// A run on its way.
    Active(&'a ActiveRun),
    /// A run that has ended and is to be brought back: the question about that can be answered.
    Ended(&'a AgentRun),
}

impl WayIn {
    /// Opens it. Without one a run goes on, and only this process can reach it.
    pub(crate) fn open(folder: &RunFolder) -> Option<Self> {
        match Inbox::open(folder) {
            Ok(inbox) => Some(Self {
                inbox: Arc::new(inbox),
                at_work: tokio::sync::Mutex::default(),
            }),
            Err(error) => {
                tracing::warn!(code = error.code(), %error, "the run has no inbox");
                None
            }
        }
    }

    /// Serves it for as long as it is waited for.
    pub(crate) async fn serve(&self, runs: &ActiveRuns, run: Served<'_>, stamps: &EventStamps) -> Infallible {
        loop {
            self.inbox.arrival(LOOK_EVERY).await;
            let _at_work = self.at_work.lock().await;
            for Received { id, request } in self.take().await {
                let done = match request {
                    Ok(request) => carry_out(runs, run, stamps, request).await,
                    Err(why) => Err(HostError::new(
                        "agent.request_invalid",
                        format!("the request cannot be read: {why}"),
                    )),
                };
                self.answer(id, answer(done)).await;
            }
        }
    }

    /// Closes it, once whoever was heard has an answer. Only while it is served, and by the run's owner.
    pub(crate) async fn close(&self) {
        let _done = self.at_work.lock().await;
        let inbox = self.inbox.clone();
        of_inbox("cleared", move || inbox.clear()).await;
    }

    async fn take(&self) -> Vec<Received> {
        let inbox = self.inbox.clone();
        of_inbox("read", move || inbox.take()).await.unwrap_or_default()
    }

    async fn answer(&self, id: RequestId, answer: InboxAnswer) {
        let inbox = self.inbox.clone();
        of_inbox("answered", move || inbox.answer(&id, &answer)).await;
    }
}

/// File work in an inbox. It must never stop the run, so what fails is told to the log.
async fn of_inbox<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> Result<T, InboxError> + Send + 'static,
) -> Option<T> {
    let done = blocking::<_, RunError>(move || Ok(work())).await.ok()?;
    done.inspect_err(|error| tracing::debug!(code = error.code(), %error, "a run's inbox was not {what}"))
        .ok()
}

async fn carry_out(
    runs: &ActiveRuns,
    run: Served<'_>,
    stamps: &EventStamps,
    request: InboxRequest,
) -> Result<Value, HostError> {
    let run_id = match run {
        Served::Active(run) => run.run_id.to_string(),
        Served::Ended(run) => run.run_id.to_string(),
    };
    let approval = |call_id: String, approval_id: Option<ApprovalId>, approved, scope: ApprovalScope, reason| {
        let scope = match scope {
            ApprovalScope::Once => "once",
            ApprovalScope::Run => "run",
            ApprovalScope::Always => "always",
        };
        ApproveToolCall {
            run_id: run_id.clone(),
            call_id,
            approved,
            scope: Some(scope.to_owned()),
            approval_id: approval_id.map(String::from),
            reason,
        }
    };
    match request {
        InboxRequest::Approve {
            call_id,
            approval_id,
            scope,
            reason,
        } => json(&runs.answer(approval(call_id.into(), approval_id, true, scope, reason))?),
        InboxRequest::Deny {
            call_id,
            approval_id,
            reason,
        } => {
            let denial = approval(call_id.into(), approval_id, false, ApprovalScope::Once, reason);
            json(&runs.answer(denial)?)
        }
        InboxRequest::Cancel => match run {
            Served::Active(run) => {
                run.cancel.cancel();
                json(&AgentRun::of(run, RunStatus::Cancelling))
            }
            Served::Ended(run) => json(run),
        },
        InboxRequest::Guide {
            text,
            client_guidance_id,
        } => {
            let guidance = SubmitGuidance {
                run_id,
                text,
                client_guidance_id,
            };
            json(&runs.guide(guidance, stamps).await?)
        }
    }
}

fn json(value: &impl Serialize) -> Result<Value, HostError> {
    serde_json::to_value(value).map_err(|error| HostError::internal("agent.internal_error", error.to_string()))
}

fn answer(done: Result<Value, HostError>) -> InboxAnswer {
    match done {
        Ok(value) => InboxAnswer { error: None, value },
        Err(error) => InboxAnswer {
            error: Some(InboxFailure {
                code: error.code,
                message: error.message,
                hint: error.hint,
            }),
            value: Value::Null,
        },
    }
}
