//! What other processes ask of a run that is executed here: taken out of its inbox, done, and answered.
//!
//! A request does what the command of the same name does, no more; who may put one there is a matter of the folder's permissions.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_protocol::approval::{ApprovalId, ApprovalScope};
use innkeeper_protocol::run::{RunError, RunStatus};
use innkeeper_store::inbox::{Inbox, InboxAnswer, InboxFailure, InboxRequest, Received};
use serde::Serialize;
use serde_json::Value;

use super::{ActiveRun, ActiveRuns};
use crate::commands::{AgentRun, ApproveToolCall, SubmitGuidance};
use crate::error::HostError;
use crate::ports::blocking;
use crate::recorder::EventStamps;

/// How long the system's word that nothing has arrived is trusted.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Serves a run's inbox for as long as it is waited for.
pub(crate) async fn serve(runs: &ActiveRuns, run: &ActiveRun, stamps: &EventStamps, inbox: &Arc<Inbox>) -> Infallible {
    loop {
        inbox.arrival(LOOK_EVERY).await;
        let taken = {
            let inbox = inbox.clone();
            blocking::<_, RunError>(move || {
                Ok(inbox.take().unwrap_or_else(|error| {
                    tracing::debug!(code = error.code(), %error, "a run's inbox cannot be read");
                    Vec::new()
                }))
            })
        };
        for Received { id, request } in taken.await.unwrap_or_default() {
            let done = match request {
                Ok(request) => carry_out(runs, run, stamps, request).await,
                Err(why) => Err(HostError::new(
                    "agent.request_invalid",
                    format!("the request cannot be read: {why}"),
                )),
            };
            let (inbox, answer) = (inbox.clone(), answer(done));
            let sent = blocking::<(), RunError>(move || {
                if let Err(error) = inbox.answer(&id, &answer) {
                    tracing::debug!(code = error.code(), %error, "a request in a run's inbox was not answered");
                }
                Ok(())
            });
            // The closure above never fails.
            let _ = sent.await;
        }
    }
}

async fn carry_out(
    runs: &ActiveRuns,
    run: &ActiveRun,
    stamps: &EventStamps,
    request: InboxRequest,
) -> Result<Value, HostError> {
    let approval = |call_id: String, approval_id: Option<ApprovalId>, approved, scope: ApprovalScope, reason| {
        let scope = match scope {
            ApprovalScope::Once => "once",
            ApprovalScope::Run => "run",
            ApprovalScope::Always => "always",
        };
        ApproveToolCall {
            run_id: run.run_id.to_string(),
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
        InboxRequest::Cancel => {
            run.cancel.cancel();
            json(&AgentRun::of(run, RunStatus::Cancelling))
        }
        InboxRequest::Guide {
            text,
            client_guidance_id,
        } => {
            let guidance = SubmitGuidance {
                run_id: run.run_id.to_string(),
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
