//! `runs`: listing runs, showing one, reading its events.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use innkeeper::protocol::id::RunId;
use innkeeper::protocol::run::RunStatus;

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List runs, newest first
    List(ListArgs),
    /// Show how far a run has come, and where everything lies
    Show(ShowArgs),
    /// Print the events of a run, in order
    Events(EventsArgs),
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
    /// Most events, 1 to 500 [default: 100]; with --follow, how many are read at a time
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    /// Only events of this invocation, as inv_root
    #[arg(long, value_name = "ID")]
    pub(crate) invocation: Option<String>,
    /// Go on as events happen, until the run ends
    #[arg(long)]
    pub(crate) follow: bool,
}

fn status(text: &str) -> Result<RunStatus, String> {
    let value = serde_json::Value::String(text.to_owned());
    serde_json::from_value(value).map_err(|error| error.to_string())
}

fn run_id(text: &str) -> Result<RunId, String> {
    RunId::parse(text).map_err(|error| format!("a run id has {}", error.rule))
}
