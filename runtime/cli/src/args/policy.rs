//! `policy`: what holds for tools in every run of this data root.

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
#[command(after_help = "\
The rules are kept in policy.toml in the data root, which may also be edited by hand. A deny beats every allow.

Examples:
  innkeeper policy deny builtin:dice.roll
  innkeeper policy ask extension
  innkeeper policy allow extension/mood
  innkeeper policy deny http=*.example.com
  innkeeper policy show")]
pub(crate) enum PolicyCommand {
    /// Show the rules, and what comes of them for every tool
    Show,
    /// Let tools be called without asking
    Allow(TargetArgs),
    /// Let tools be called once a person has agreed
    Ask(TargetArgs),
    /// Keep tools from being offered or called
    Deny(TargetArgs),
    /// Remove every rule but those of the application
    Reset,
}

#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// A tool's whole id, or where tools come from: builtin, extension, extension/ID, mcp, mcp/UUID; or a host that no tool's request
    /// shall go to: http=HOST
    #[arg(value_name = "TOOL_ID|SOURCE|http=HOST")]
    pub(crate) target: String,
}
