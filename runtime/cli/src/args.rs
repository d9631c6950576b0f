//! What the command line takes: every command, flag and value, with the help that people read.
//!
//! What is not built is not here: an unknown flag is an error, never a silent nothing.

mod authoring;
mod calls;
mod extension;
mod limits;
mod policy;
mod profiles;
mod run;
mod runs;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use authoring::{Language, NewArgs, TestArgs};
pub(crate) use calls::{BenchArgs, CallArgs, ScriptArgs};
pub(crate) use extension::{AcceptArgs, CheckArgs, ExtensionCommand, GrantArgs, InstallArgs};
pub(crate) use policy::PolicyCommand;
pub(crate) use profiles::ProfilesCommand;
pub(crate) use run::{Approve, RunArgs};
pub(crate) use runs::{
    ApproveArgs, DenyArgs, DiffArgs, EventsArgs, ListArgs, RollbackArgs, RunsCommand, Scope, ShowArgs,
};

/// Runs sandboxed agent tools, and agents that use them, over SillyTavern chats.
///
/// Every tool is a WebAssembly component that can reach nothing but what it was given. `innkeeper demo` shows the whole of it and
/// needs nothing set up.
#[derive(Debug, Parser)]
#[command(name = "innkeeper", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "\
Exit codes: 0 done, 1 the run or call failed, 2 wrong usage or unusable input, 3 denied by policy, 130 cancelled.

Examples:
  innkeeper demo
  innkeeper tools list
  innkeeper tools call dice.roll --args '{\"formula\":\"2d6+1\"}'
  innkeeper run --chat 'Wren/ferry.jsonl' --model openai:gpt-5-mini")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// Where runs and compiled components are kept [default: INNKEEPER_DATA, else the platform's data folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Print JSON on the standard output and nothing else there; streams are one object a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Log more to the standard error; twice for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Print results and errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Colours in the output
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Also into files and pipes
    Always,
    /// Not at all
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a whole run with nothing set up: a small chat, a scripted model, real tools
    ///
    /// The model's part is written down beforehand. Everything else is real: the tools run in their sandboxes, the run is journalled,
    /// and its message is committed into the chat file.
    #[command(after_help = "Examples:\n  innkeeper demo\n  innkeeper demo --keep ./tour    then look around in ./tour")]
    Demo(DemoArgs),
    /// Let an agent write the next message of a chat
    Run(Box<RunArgs>),
    /// Look at tools and call them, alone
    #[command(subcommand, arg_required_else_help = true)]
    Tools(ToolsCommand),
    /// Look at tools of others, install them, and say what they get
    #[command(subcommand, arg_required_else_help = true)]
    Extension(ExtensionCommand),
    /// Look at what runs have left behind, and bring their files back
    #[command(subcommand, arg_required_else_help = true)]
    Runs(RunsCommand),
    /// Look at and change what holds for tools: allow, ask or deny
    #[command(subcommand, arg_required_else_help = true)]
    Policy(PolicyCommand),
    /// Look at the profiles that agents work by, and check their files
    #[command(subcommand, arg_required_else_help = true)]
    Profiles(ProfilesCommand),
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Keep everything in this folder, which is made, or exists and is empty [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// List every tool of this host, those that are off by default included
    List,
    /// Show one tool: what the model reads, its arguments, its component
    #[command(after_help = "Example:\n  innkeeper tools show workspace.apply_patch")]
    Show {
        /// Native name, alias or id: `dice.roll`, `dice_roll`, `builtin:dice.roll`
        name: String,
    },
    /// Call one tool, alone, in its sandbox
    Call(Box<CallArgs>),
    /// Call several tools in one invocation: what one has read another may patch
    Script(Box<ScriptArgs>),
}

#[cfg(test)]
mod tests;
