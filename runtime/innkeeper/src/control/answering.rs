//! A person's answer on its way to the question that it is about.
//!
//! What the answer leads to is the loop's business.

use innkeeper_protocol::approval::{ApprovalAnswer, ApprovalId, ApprovalScope};
use innkeeper_protocol::id::{CallId, RunId};

use super::{ActiveRuns, AnswerRefusal};
use crate::commands::{AnsweredToolCall, ApproveToolCall, parse_run};
use crate::error::{About as _, HostError};

impl ActiveRuns {
    /// Answers the question about a call.
    pub(crate) fn answer(&self, request: ApproveToolCall) -> Result<AnsweredToolCall, HostError> {
        let run_id = parse_run(&request.run_id, "agent.approval_invalid")?;
        self.answer_run(&run_id, request).about(&run_id)
    }

    fn answer_run(&self, run_id: &RunId, request: ApproveToolCall) -> Result<AnsweredToolCall, HostError> {
        let call_id = CallId::parse(&request.call_id).map_err(|error| invalid(error.to_string()))?;
        let scope = scope(&request)?;
        let approval_id = request.approval_id.as_deref().map(ApprovalId::parse).transpose();
        let approval_id = approval_id.map_err(|error| invalid(error.to_string()))?;
        let Some(desk) = self.desk(run_id).filter(|desk| desk.is_pending(&call_id)) else {
            return Err(self.not_pending(run_id, &call_id));
        };
        let answer = ApprovalAnswer {
            approved: request.approved,
            scope,
            reason: request.reason.filter(|reason| !reason.trim().is_empty()),
        };
        match desk.answer(&call_id, approval_id.as_ref(), answer) {
            Ok(approval_id) => Ok(AnsweredToolCall {
                run_id: run_id.clone(),
                call_id,
                approval_id,
                approved: request.approved,
                scope,
            }),
            Err(AnswerRefusal::NotPending) => Err(self.not_pending(run_id, &call_id)),
            Err(AnswerRefusal::CannotStand) => Err(invalid(
                "a rollback, and a call whose arguments hold invisible characters, can be approved for this once only"
                    .to_owned(),
            )),
        }
    }

    fn not_pending(&self, run_id: &RunId, call_id: &CallId) -> HostError {
        if let Some(other) = self.asking(call_id).filter(|other| other != run_id) {
            let message = format!("the call {:?} belongs to the run {other}", call_id.as_str());
            return HostError::new("agent.approval_run_mismatch", message);
        }
        not_pending(run_id.as_str(), call_id.as_str())
    }
}

/// There is no such question.
pub(crate) fn not_pending(run_id: &str, call_id: &str) -> HostError {
    let message = format!("no call {call_id:?} of the run {run_id} waits for an answer");
    HostError::new("agent.approval_not_pending", message)
        .with_hint("It was answered before, or the run has ended: read the run's events.")
}

fn invalid(message: String) -> HostError {
    HostError::new("agent.approval_invalid", message)
}

/// A denial is for this call, whatever was asked for.
fn scope(request: &ApproveToolCall) -> Result<ApprovalScope, HostError> {
    let scope = match request.scope.as_deref().map(str::trim) {
        None | Some("once") => ApprovalScope::Once,
        Some("run") => ApprovalScope::Run,
        Some("always") => ApprovalScope::Always,
        Some(other) => {
            return Err(invalid(format!(
                "the scope {other:?} is not known; it is once, run or always"
            )));
        }
    };
    Ok(if request.approved { scope } else { ApprovalScope::Once })
}
