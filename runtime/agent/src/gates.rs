//! What stands between a requested call and its tool: completion, policy, budget, approval, in this order.
//!
//! Nothing is counted and nothing runs here; arguments are checked by whoever runs the tool.

use innkeeper_policy::{Approval, AskRule, Reason};
use innkeeper_protocol::call::ToolError;
use innkeeper_protocol::run::{ErrorKind, RunError};

use crate::run::{OfferedTool, OpenCall, ResultKind, Run, internal};

/// Why a call does not reach its tool.
pub(crate) enum Gate {
    /// The model is told.
    Refused(ToolError, ResultKind),
    /// The run ends.
    Fatal(RunError),
}

impl Run {
    /// Whether the call may go on; with the rule that puts it before a person, if one does.
    pub(crate) fn gate(&self, open: &OpenCall, fit: bool) -> Result<Option<AskRule>, Gate> {
        if self.turn.is_finished {
            return Err(Gate::Fatal(after_finish(&open.request.alias)));
        }
        let Some(tool) = self.tool(&open.tool_id) else {
            return Err(Gate::Fatal(internal(
                "a call of an unknown tool passed the check of its turn",
            )));
        };
        self.allowed(open, tool)?;
        self.within_budget(open, tool.max_calls)?;
        match tool.decision.approval {
            Approval::NotNeeded => Ok(None),
            // A call that must fail is shown to nobody; it goes on and fails at the argument gate.
            Approval::Needed { .. } if !fit => Ok(None),
            Approval::Needed { rule } => Ok(Some(rule)),
        }
    }

    fn allowed(&self, open: &OpenCall, tool: &OfferedTool) -> Result<(), Gate> {
        let (alias, reason) = (&open.request.alias, &tool.decision.reason);
        if tool.decision.callable {
            return Ok(());
        }
        if matches!(reason, Reason::CallsSpent | Reason::ToolCallsSpent { .. }) {
            return Err(exhausted(format!(
                "No calls of {alias} are left, so this call was not made. Other tools still work: go on with them."
            )));
        }
        let message = format!("{alias} is not allowed in this run: {reason}. Go on without this tool.");
        let how = if self.setup.rules.denial_is_fatal {
            let fatal = format!("the model called {alias}, which is not allowed ({reason})");
            let error = RunError::new("agent.tool_policy_denied", ErrorKind::PermissionDenied, fatal);
            ResultKind::RefusedForGood(Box::new(error))
        } else {
            ResultKind::Refused
        };
        Err(Gate::Refused(ToolError::new("agent.tool_policy_denied", message), how))
    }

    fn within_budget(&self, open: &OpenCall, max_calls: Option<u32>) -> Result<(), Gate> {
        let used = self.calls_by_tool.get(&open.tool_id).copied().unwrap_or_default();
        if self.calls_made >= self.setup.rules.max_calls {
            return Err(exhausted(format!(
                "All {} calls of this run are used up, so this call was not made, and no other will be: this run can only end now. What was committed stands.",
                self.setup.rules.max_calls
            )));
        }
        if max_calls.is_some_and(|max| used >= max) {
            return Err(exhausted(format!(
                "All {used} calls of {} are used up, so this call was not made. Other tools still work: go on with them.",
                open.request.alias
            )));
        }
        Ok(())
    }
}

fn after_finish(alias: &str) -> RunError {
    RunError::invalid(
        "agent.tool_after_finish",
        format!("the model called {alias} after it had finished the run"),
    )
}

fn exhausted(message: String) -> Gate {
    Gate::Refused(
        ToolError::new("agent.tool_budget_exhausted", message),
        ResultKind::Refused,
    )
}
