//! Calls that a person must agree to: the question, the answers that make it unnecessary, and what follows from either.
//!
//! Whether a call needs a person is policy's word. Who is asked, what earlier answers cover and how a question looks is found out by
//! whoever performs effects.

use innkeeper_policy::AskRule;
use innkeeper_protocol::approval::{ApprovalAnswer, ApprovalFinding, ApprovalId, ApprovalQuestion, ApprovalScope};
use innkeeper_protocol::call::ToolError;
use innkeeper_protocol::event::{AnsweredBy, ApprovalAnswerPayload, ApprovalRequestPayload, FailedOutcome, RunEvent};
use innkeeper_protocol::run::{RunError, RunStatus};

use crate::effect::Effect;
use crate::run::{OpenCall, Phase, ResultKind, Run, internal, root};
use crate::step::{Effects, append};

/// Why the run itself answers a question with no.
const RUN_ENDED: &str = "run_ended";

impl Run {
    /// The call waits until it is known whether anybody has to be asked.
    pub(crate) fn begin_approval(&mut self, open: &OpenCall, rule: AskRule, out: &mut Effects) {
        self.set_status(RunStatus::DispatchingTool, out);
        out.push(Effect::PrepareApproval {
            call_id: open.request.call_id.clone(),
            tool_id: open.tool_id.clone(),
            arguments: open.request.arguments.clone(),
        });
        self.phase = Phase::PreparingApproval(rule);
    }

    pub(crate) fn approval_prepared(&mut self, rule: AskRule, finding: ApprovalFinding) -> Effects {
        let Some(open) = self.turn.open.clone() else {
            return self.fail(internal("an approval was prepared for no call"));
        };
        let mut out = Vec::new();
        let (approval_id, scope, by) = match finding {
            ApprovalFinding::Standing { approval_id, scope } => (approval_id, scope, AnsweredBy::Standing),
            ApprovalFinding::Nobody => {
                self.store_error(unanswered(&open.request.alias), ResultKind::Refused, &mut out);
                return out;
            }
            ApprovalFinding::Granted => match self.next_approval_id() {
                Ok(id) => (id, ApprovalScope::Once, AnsweredBy::Policy),
                Err(error) => return self.fail(error),
            },
            ApprovalFinding::Ask(question) => match self.next_approval_id() {
                Ok(id) => return self.ask(&open, id, rule, *question),
                Err(error) => return self.fail(error),
            },
        };
        let approval = answer(&open, approval_id, scope, by, None);
        out.push(append(RunEvent::ToolCallApproved(approval)));
        self.start_call(&open, &mut out);
        out
    }

    fn ask(&mut self, open: &OpenCall, id: ApprovalId, rule: AskRule, question: ApprovalQuestion) -> Effects {
        let ApprovalQuestion {
            title,
            source,
            publisher,
            side_effect,
            binding,
            diff_ref,
        } = question;
        let request = ApprovalRequestPayload {
            invocation_id: root(),
            approval_id: id.clone(),
            call_id: open.request.call_id.clone(),
            tool_id: open.tool_id.clone().into(),
            title,
            source,
            publisher,
            side_effect,
            rule: rule.to_string(),
            arguments_ref: open.arguments_ref.clone(),
            arguments_digest: binding.arguments_digest.clone(),
            tool_digest: binding.tool_digest.clone(),
            diff_ref,
        };
        self.phase = Phase::AwaitingApproval(id.clone());
        vec![
            append(RunEvent::ToolCallAwaitingApproval(request)),
            Effect::AskApproval {
                approval_id: id,
                call_id: open.request.call_id.clone(),
            },
        ]
    }

    pub(crate) fn approval_answered(&mut self, approval_id: ApprovalId, given: ApprovalAnswer) -> Effects {
        let Some(open) = self.turn.open.clone() else {
            return self.fail(internal("an approval was answered for no call"));
        };
        let ApprovalAnswer {
            approved,
            scope,
            reason,
        } = given;
        let mut out = Vec::new();
        if approved {
            let approval = answer(&open, approval_id, scope, AnsweredBy::User, reason);
            out.push(append(RunEvent::ToolCallApproved(approval)));
            self.start_call(&open, &mut out);
            return out;
        }
        let error = denied(&open.request.alias, reason.as_deref());
        let denial = answer(&open, approval_id, ApprovalScope::Once, AnsweredBy::User, reason);
        out.push(append(RunEvent::ToolCallDenied(denial)));
        self.store_error(error, ResultKind::Refused, &mut out);
        out
    }

    /// A question that is open when the run ends is answered with no, and its call with it.
    pub(crate) fn deny_pending(&mut self, phase: &Phase, out: &mut Effects) {
        let Phase::AwaitingApproval(approval_id) = phase else {
            return;
        };
        let Some(open) = self.turn.open.take() else { return };
        let reason = Some(RUN_ENDED.to_owned());
        let denial = answer(
            &open,
            approval_id.clone(),
            ApprovalScope::Once,
            AnsweredBy::Runtime,
            reason,
        );
        out.push(append(RunEvent::ToolCallDenied(denial)));
        out.push(append(RunEvent::ToolCallFailed {
            call: self.scope(&open),
            name: open.tool_id.name().to_owned(),
            snapshot_id: root(),
            is_error: true,
            error_code: "tool.approval_denied".to_owned(),
            message: "the run ended before the call was approved".to_owned(),
            elapsed_ms: None,
            resource_refs: Vec::new(),
            outcome: FailedOutcome::Denied,
            is_fatal: false,
        }));
    }

    fn next_approval_id(&mut self) -> Result<ApprovalId, RunError> {
        self.approvals = self.approvals.saturating_add(1);
        ApprovalId::parse(&self.derived_id("approval", self.approvals)).map_err(|_| internal("an approval got no id"))
    }
}

fn answer(
    open: &OpenCall,
    approval_id: ApprovalId,
    scope: ApprovalScope,
    by: AnsweredBy,
    reason: Option<String>,
) -> ApprovalAnswerPayload {
    ApprovalAnswerPayload {
        invocation_id: root(),
        call_id: open.request.call_id.clone(),
        approval_id,
        scope,
        by,
        reason,
    }
}

fn unanswered(alias: &str) -> ToolError {
    let message = format!("{alias} needs a person's approval and nobody is there to give it. Go on without this call.");
    ToolError::new("tool.approval_unavailable", message)
}

fn denied(alias: &str, reason: Option<&str>) -> ToolError {
    let why = reason.map(|reason| format!(" They say: {reason}")).unwrap_or_default();
    let message = format!(
        "The person at the chat did not allow this call of {alias}, so it was not made.{why} Don't ask for the same call again; go on without it."
    );
    ToolError::new("tool.approval_denied", message)
}
