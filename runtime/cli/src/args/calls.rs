//! `tools call` and `tools script`: what is called, and the bench it is called on.

use std::path::PathBuf;

use clap::Args;

use super::limits::LimitSetting;

#[derive(Debug, Args)]
#[command(after_help = "\
The writes of a call are applied to --workspace. Commits and finishes are listed and not carried out.
Exit code 1 when the tool answers with an error.

Examples:
  innkeeper tools call dice.roll --args '{\"formula\":\"3d6\"}' --seed 7
  innkeeper tools call chat.search --chat ferry.jsonl --args '{\"query\":\"brass key\"}'
  echo '{\"path\":\"plan/a.md\",\"content\":\"Hm.\"}' | innkeeper tools call workspace.write_file --workspace ./w --args -")]
pub(crate) struct CallArgs {
    /// Native name, alias or id: `dice.roll`, `dice_roll`, `builtin:dice.roll`
    pub(crate) name: String,
    /// The arguments: JSON, @FILE, or - for the standard input
    #[arg(
        long,
        value_name = "JSON|@FILE|-",
        default_value = "{}",
        allow_hyphen_values = true,
        hide_default_value = true
    )]
    pub(crate) args: String,
    #[command(flatten)]
    pub(crate) bench: BenchArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
FILE holds an array of calls:
  [{\"tool\": \"workspace.write_file\", \"arguments\": {\"path\": \"output/main.md\", \"content\": \"Hm.\"}},
   {\"tool\": \"workspace.commit\", \"arguments\": {}}]
A call that ends with an error does not stop the next one. Exit code 1 when any of them does.
With --json the results are an array. Where the script cannot go on, it is {\"error\": ..., \"results\": [...]} with what was done before.

Example:
  innkeeper tools script calls.json --workspace ./w --chat ferry.jsonl")]
pub(crate) struct ScriptArgs {
    /// The calls; - for the standard input
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) bench: BenchArgs,
}

/// What calls take place in.
#[derive(Debug, Args)]
#[command(next_help_heading = "The bench")]
pub(crate) struct BenchArgs {
    /// A run workspace, with output/ scratch/ plan/ summaries/ persist/ in it; made when missing [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The chat that chat tools read
    #[arg(long, value_name = "FILE")]
    pub(crate) chat: Option<PathBuf>,
    /// Messages of the chat that the tools may see [default: all]
    #[arg(long, value_name = "N", requires = "chat")]
    pub(crate) boundary: Option<u32>,
    /// World info that counts as activated: a JSON file, as a front end captures it (worldInfoActivation)
    #[arg(long, value_name = "FILE")]
    pub(crate) activation: Option<PathBuf>,
    /// Skills: a folder of them, or one skill's folder
    #[arg(long, value_name = "DIR")]
    pub(crate) skills: Option<PathBuf>,
    /// A profile, by its id or as a file: its roots, and what it lets an agent call
    #[arg(long, value_name = "ID|FILE")]
    pub(crate) profile: Option<String>,
    /// Seed of the random numbers, for rolls that can be had again
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Roots that may be read [default: the profile's, else all]
    #[arg(long, value_name = "ROOT,...", value_delimiter = ',')]
    pub(crate) visible: Option<Vec<String>>,
    /// Roots that may be written [default: the profile's, else the visible ones]
    #[arg(long, value_name = "ROOT,...", value_delimiter = ',')]
    pub(crate) writable: Option<Vec<String>>,
    /// Use this component instead of the built-in tools
    #[arg(long, value_name = "FILE.wasm")]
    pub(crate) component: Option<PathBuf>,
    /// Grant the component a capability: chat, worldinfo, skills, workspace-read, workspace-write, random, clock,
    /// http=HOST (one host, as api.example.com or http://localhost:8080), credential=NAME@HOST (from $INNKEEPER_SECRET_NAME)
    #[arg(long, value_name = "CAPABILITY", requires = "component")]
    pub(crate) allow: Vec<String>,
    /// Lower a limit of each call: wall-ms, memory-mib, table-elements, host-calls, host-data-kib, output-kib, log-lines, write-kib
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) limit: Vec<LimitSetting>,
}
