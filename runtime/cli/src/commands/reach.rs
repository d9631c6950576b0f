//! `runs cancel`, `runs approve` and `runs deny`: reaching a run that another process executes, or brings back.
//!
//! What a request leads to is decided by whoever executes the run.

use innkeeper::protocol::approval::{ApprovalScope, ApprovalSubject};
use innkeeper::{InboxRequest, RemoteAnswer};

use super::runs::{about, reader};
use crate::args::{ApproveArgs, DenyArgs, Scope, ShowArgs};
use crate::console::{Console, note};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::DataRoot;
use crate::render::{answered_text, approval_question, plain, status_name};

/// Cancels a run.
pub(super) async fn cancel(args: &ShowArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let run = reader(data).cancel_agent_run(&args.run).await;
    let run = run.map_err(|error| about(error, data))?;
    if console.json {
        console.json_value(&run)?;
    } else {
        console.line(&format!("The run {} is {}.", run.run_id, status_name(run.status)))?;
    }
    Ok(Exit::Done)
}

/// Allows a call that waits.
pub(super) async fn approve(args: ApproveArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let request = InboxRequest::Approve {
        call_id: args.call.call,
        approval_id: None,
        scope: match args.scope {
            Scope::Once => ApprovalScope::Once,
            Scope::Run => ApprovalScope::Run,
            Scope::Always => ApprovalScope::Always,
        },
        reason: args.call.reason,
    };
    let run_id = args.call.run;
    answer(RemoteAnswer { run_id, request }, data, console).await
}

/// Refuses a call that waits.
pub(super) async fn deny(args: DenyArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let request = InboxRequest::Deny {
        call_id: args.call.call,
        approval_id: None,
        reason: args.call.reason,
    };
    let run_id = args.call.run;
    answer(RemoteAnswer { run_id, request }, data, console).await
}

/// Answers the question that is shown, and no other that may have come since.
async fn answer(mut answer: RemoteAnswer, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let reader = reader(data);
    let waiting = reader.pending_approvals(&answer.run_id);
    let waiting = waiting.map_err(|error| about(error, data))?;
    let (InboxRequest::Approve {
        call_id, approval_id, ..
    }
    | InboxRequest::Deny {
        call_id, approval_id, ..
    }) = &mut answer.request
    else {
        return Ok(Exit::Usage);
    };
    let mut is_rollback = false;
    if let Some(pending) = waiting.iter().find(|pending| pending.request.call_id == *call_id) {
        if !console.json && !console.quiet {
            note(&approval_question(pending, console.paint));
        }
        is_rollback = pending.request.tool_id == ApprovalSubject::Rollback;
        *approval_id = Some(pending.request.approval_id.clone());
    } else if let Some(other) = waiting.first() {
        let call = plain(other.request.call_id.as_str());
        let failure = Failure::usage(
            "agent.approval_not_pending",
            format!("no call {:?} waits for an answer", call_id.as_str()),
        );
        return Err(failure.hint(format!("The call that waits is {call}.")));
    }
    let answered = reader.answer_call(answer).await;
    let answered = answered.map_err(|error| about(error, data))?;
    if console.json {
        console.json_value(&answered)?;
    } else {
        console.line(&answered_text(&answered, is_rollback))?;
    }
    Ok(Exit::Done)
}
