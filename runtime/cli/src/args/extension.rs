//! `extension`: components of others.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum ExtensionCommand {
    /// Look at a component: what it asks for, which tools it has, whether this host would load it
    Check(CheckArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Nothing is installed or granted, and no tool is called. To list its tools the component runs once, with nothing at hand.
Exit code 1 when this host would refuse the component, 2 when the file is no component.

Examples:
  innkeeper extension check my-tool.wasm
  innkeeper extension check my-tool.wasm --json")]
pub(crate) struct CheckArgs {
    /// The component
    #[arg(value_name = "FILE.wasm")]
    pub(crate) file: PathBuf,
}
