//! `runs`: listing runs, showing one, reading its events, comparing its files and bringing them back, stopping it, answering for it.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use innkeeper::protocol::id::{CallId, RunId};
use innkeeper::protocol::run::RunStatus;

use super::run::Approve;

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List runs, newest first
    List(ListArgs),
    /// Show how far a run has come, and where everything lies
    Show(ShowArgs),
    /// Print the events of a run, in order
    Events(EventsArgs),
    /// Show how a run's files differ between two moments
    Diff(DiffArgs),
    /// Bring a run's files back to a checkpoint
    Rollback(RollbackArgs),
    /// Stop a run, whichever process executes it
    Cancel(ShowArgs),
    /// Allow a call that waits for you
    Approve(ApproveArgs),
    /// Refuse a call that waits for you; the run goes on without it
    Deny(DenyArgs),
}

/// Which call is answered.
#[derive(Debug, Args)]
pub(crate) struct WaitingCall {
    /// The run's id
    #[arg(value_parser = run_id)]
    pub(crate) run: RunId,
    /// The call's id, as `tool_call_awaiting_approval` names it in the run's events
    #[arg(value_parser = call_id)]
    pub(crate) call: CallId,
    /// Why, in your words; the model is told when you refuse
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  innkeeper runs approve run_1f0c... call_7 --scope run")]
pub(crate) struct ApproveArgs {
    #[command(flatten)]
    pub(crate) call: WaitingCall,
    /// What your answer covers: this call, or the very same call again
    #[arg(long, value_name = "SCOPE", default_value = "once")]
    pub(crate) scope: Scope,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  innkeeper runs deny run_1f0c... call_7 --reason 'Not that file.'")]
pub(crate) struct DenyArgs {
    #[command(flatten)]
    pub(crate) call: WaitingCall,
}

/// What an approval covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// This call
    Once,
    /// The same tool with the same arguments, until the run ends
    Run,
    /// The same in every run, until approvals.jsonl says otherwise
    Always,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  innkeeper runs list --chat ferry.jsonl --status failed --status partial_success")]
pub(crate) struct ListArgs {
    /// Only runs over this chat
    #[arg(long, value_name = "FILE")]
    pub(crate) chat: Option<PathBuf>,
    /// Only runs of this status, as completed, failed, cancelled, partial_success
    #[arg(long, value_name = "S", value_parser = status)]
    pub(crate) status: Vec<RunStatus>,
    /// Most runs, 1 to 200
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=200))]
    pub(crate) limit: u64,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The run's id
    #[arg(value_parser = run_id)]
    pub(crate) run: RunId,
}

#[derive(Debug, Args)]
#[command(after_help = "\
With --json each event is a line of its own.

Examples:
  innkeeper runs events run_1f0c... --follow
  innkeeper runs events run_1f0c... --before-seq 40 --limit 10 --json")]
pub(crate) struct EventsArgs {
    /// The run's id
    #[arg(value_parser = run_id)]
    pub(crate) run: RunId,
    /// Only events after this number
    #[arg(long, value_name = "N")]
    pub(crate) after_seq: Option<u64>,
    /// The last events before this number; wins over --after-seq
    #[arg(long, value_name = "N", conflicts_with = "follow")]
    pub(crate) before_seq: Option<u64>,
    /// Most events, 1 to 500 [default: 100]
    #[arg(long, value_name = "N", conflicts_with = "follow")]
    pub(crate) limit: Option<u64>,
    /// Only events of this invocation, as inv_root
    #[arg(long, value_name = "ID")]
    pub(crate) invocation: Option<String>,
    /// Go on as events happen, until the run ends
    #[arg(long)]
    pub(crate) follow: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Checkpoints are named by `checkpoint_created` in the run's events.

Examples:
  innkeeper runs diff run_1f0c...                        all that the run did to its files
  innkeeper runs diff run_1f0c... --from cp_000003       what came after a checkpoint")]
pub(crate) struct DiffArgs {
    /// The run's id
    #[arg(value_parser = run_id)]
    pub(crate) run: RunId,
    /// The checkpoint before [default: the workspace as the run found it]
    #[arg(long, value_name = "CP")]
    pub(crate) from: Option<String>,
    /// The checkpoint after [default: the workspace as it is now]
    #[arg(long, value_name = "CP")]
    pub(crate) to: Option<String>,
}

/// Bring a run's files back to a checkpoint
///
/// The run must have ended. Only its workspace changes: neither its journal nor the chat. You are asked first, with every file that would
/// be overwritten or removed, and what is there is kept in a checkpoint of its own. While you are asked, `runs approve` and `runs deny` of
/// another terminal answer as well; the call is the rollback that the question names.
#[derive(Debug, Args)]
#[command(after_help = "\
Without a terminal nobody can be asked, and the rollback is denied (exit code 3).

Example:
  innkeeper runs rollback run_1f0c... --to cp_000003")]
pub(crate) struct RollbackArgs {
    /// The run's id
    #[arg(value_parser = run_id)]
    pub(crate) run: RunId,
    /// The checkpoint
    #[arg(long, value_name = "CP")]
    pub(crate) to: String,
    /// Ask at the terminal (without one: never), agree beforehand, or refuse
    #[arg(long, value_name = "WHEN", default_value = "ask")]
    pub(crate) approve: Approve,
}

fn status(text: &str) -> Result<RunStatus, String> {
    let value = serde_json::Value::String(text.to_owned());
    serde_json::from_value(value).map_err(|error| error.to_string())
}

fn run_id(text: &str) -> Result<RunId, String> {
    RunId::parse(text).map_err(|error| format!("a run id has {}", error.rule))
}

fn call_id(text: &str) -> Result<CallId, String> {
    CallId::parse(text).map_err(|error| error.to_string())
}
