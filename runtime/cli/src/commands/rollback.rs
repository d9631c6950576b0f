//! `runs rollback`: asks the person at the terminal, and brings a run's files back.
//!
//! Without a terminal nobody is asked and nothing is done.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use async_trait::async_trait;
use innkeeper::protocol::approval::{ApprovalAnswer, ApprovalScope};
use innkeeper::protocol::view::RollbackRun;
use innkeeper::{RollbackApprover, RollbackQuestion};

use super::runs::{about, reader};
use crate::args::RollbackArgs;
use crate::console::{Console, note};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::DataRoot;
use crate::render::{Paint, rollback_question, rollback_text};

/// Codes of a rollback that was not agreed to.
const DENIED: [&str; 2] = ["tool.approval_denied", "tool.approval_unavailable"];

/// The person at the terminal.
struct Terminal {
    paint: Paint,
}

#[async_trait]
impl RollbackApprover for Terminal {
    async fn ask(&self, question: &RollbackQuestion) -> ApprovalAnswer {
        note(&rollback_question(question, self.paint));
        let approved = tokio::task::spawn_blocking(confirmed).await.unwrap_or(false);
        ApprovalAnswer {
            approved,
            scope: ApprovalScope::Once,
            reason: None,
        }
    }
}

/// Brings the files back, once the person agrees.
pub(super) async fn run(args: RollbackArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let is_attended = io::stdin().is_terminal() && io::stderr().is_terminal();
    let terminal = Terminal { paint: console.paint };
    let approver = is_attended.then_some(&terminal as &dyn RollbackApprover);
    let request = RollbackRun {
        run_id: args.run,
        checkpoint_id: args.to,
    };
    let done = reader(data).rollback_agent_run(&request, approver).await;
    let outcome = done.map_err(|error| denied(about(error, data)))?;
    if console.json {
        console.json_value(&outcome)?;
    } else {
        console.line(&rollback_text(&outcome, console.paint))?;
    }
    Ok(Exit::Done)
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

/// Whether the next line says yes. Anything else, and the end of the input, is a no.
fn confirmed() -> bool {
    let mut stderr = io::stderr().lock();
    // Where the question cannot be shown, nobody answers it.
    if write!(stderr, "[y/N] ").and_then(|()| stderr.flush()).is_err() {
        return false;
    }
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).is_ok() && is_yes(&line)
}

fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_one() {
        let answers = ["y\n", " YES \n", "n\n", "\n", "", "yep\n"].map(is_yes);
        assert_eq!(answers, [true, true, false, false, false, false]);
    }
}
