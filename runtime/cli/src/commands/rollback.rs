//! `runs rollback`: asks the person at the terminal, and brings a run's files back.
//!
//! Another process can answer as well, with `runs approve` and `runs deny`. Without a terminal nobody is asked and nothing is done.

use innkeeper::protocol::view::{RollbackOutcome, RollbackRun};
use innkeeper::{HostError, ProposedRollback, RunReader};

use super::prompt::Prompt;
use super::run::approvals;
use super::runs::{about, reader};
use crate::args::RollbackArgs;
use crate::console::{Console, note};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::DataRoot;
use crate::render::{Paint, rollback_text};

/// Codes of a rollback that was not agreed to.
const DENIED: [&str; 2] = ["tool.approval_denied", "tool.approval_unavailable"];

/// Brings the files back, once the person agrees.
pub(super) async fn run(args: RollbackArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let request = RollbackRun {
        run_id: args.run,
        checkpoint_id: args.to,
    };
    let reader = reader(data);
    let proposed = reader.propose_rollback(&request, approvals(args.approve)).await;
    let done = match proposed {
        Ok(proposed) => answered(&reader, proposed, console.paint).await,
        Err(error) => Err(error),
    };
    let outcome = done.map_err(|error| denied(about(error, data)))?;
    if console.json {
        console.json_value(&outcome)?;
    } else {
        console.line(&rollback_text(&outcome, console.paint))?;
    }
    Ok(Exit::Done)
}

/// Shows the question, where there is one, and takes whichever answer comes first: the one that is typed or that of another process.
async fn answered(reader: &RunReader, proposed: ProposedRollback, paint: Paint) -> Result<RollbackOutcome, HostError> {
    let mut prompt = Prompt::new(paint);
    let Some(question) = proposed.question().cloned() else {
        return proposed.finish().await;
    };
    let (run_id, approval_id) = (proposed.run_id().clone(), question.request.approval_id.clone());
    prompt.show(question);
    let finished = proposed.finish();
    tokio::pin!(finished);
    loop {
        tokio::select! {
            biased;
            done = &mut finished => return done,
            answer = prompt.answer(run_id.as_str()) => {
                prompt.close(&approval_id);
                if let Err(error) = reader.approve_agent_tool_call(answer) {
                    note(&error.to_string());
                }
            }
        }
    }
}

fn denied(failure: Failure) -> Failure {
    if DENIED.contains(&failure.code.as_str()) {
        Failure {
            exit: Exit::Denied,
            ..failure
        }
    } else {
        failure
    }
}
