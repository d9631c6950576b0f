//! `extension`: components of others.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::authoring::{NewArgs, TestArgs};

#[derive(Debug, Subcommand)]
pub(crate) enum ExtensionCommand {
    /// Make a new package that builds and passes its own cases
    New(NewArgs),
    /// Look at a component or a package: what it asks for, which tools it has, whether this host would load it
    Check(CheckArgs),
    /// Run a package's own cases, and try its tools on what no case says
    Test(TestArgs),
    /// Install a package, or a newer version of one
    Install(InstallArgs),
    /// List what is installed, with what it asks for and whether it can be used
    List,
    /// Let an update count that asks for more or says something else than the version before
    Accept(AcceptArgs),
    /// Remove an extension and forget what it was granted
    Remove {
        /// The extension
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Grant an extension something that it asks for, from the next run on
    Grant(GrantArgs),
    /// Take a grant away, from the next run on
    Revoke(GrantArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Nothing is installed or granted, and no tool is called. To list its tools the component runs once, with nothing at hand.
Exit code 1 when this host would refuse the component, 2 when the file is no component or the folder no package.

Examples:
  innkeeper extension check my-tool.wasm
  innkeeper extension check ./my-tool --json")]
pub(crate) struct CheckArgs {
    /// The component, or a folder with an extension.toml
    #[arg(value_name = "FILE.wasm|DIR")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A package is a folder with extension.toml, the component that it names, cases/*.toml and a README. Everything is checked before
anything is written. At a terminal you are asked before it is installed, and a yes grants what it asks for; without one it gets
what --grant names and nothing else. An update that asks for more, or whose tools say something else, waits until it is accepted;
the version before stays in use until then.

What it may send requests to is granted host by host (http=HOST). A credential that it asks for is yours: put it into the environment as
INNKEEPER_SECRET_NAME (a key, or a whole header as `X-Api-Key: ...`); it goes to that host only, and no tool ever reads it.

Its tools ask before each call, until `innkeeper policy allow extension/ID` says otherwise.

Examples:
  innkeeper extension install ./mood
  innkeeper extension install ./mood --grant chat --profile night-writer
  innkeeper extension install ./weather --grant http=api.example.com
  innkeeper extension install mood.wasm --id mood")]
pub(crate) struct InstallArgs {
    /// The package's folder, or a single component
    #[arg(value_name = "DIR|FILE")]
    pub(crate) package: PathBuf,
    /// Grant this, and of what else it asks for nothing; may be given several times
    #[arg(long, value_name = "CAPABILITY")]
    pub(crate) grant: Vec<String>,
    /// What a single component is to be called [default: made of the file's name]
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Add its tools to this profile
    #[arg(long, value_name = "PROFILE")]
    pub(crate) profile: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AcceptArgs {
    /// The extension
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Grant this too; may be given several times
    #[arg(long, value_name = "CAPABILITY")]
    pub(crate) grant: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  innkeeper extension grant mood chat")]
pub(crate) struct GrantArgs {
    /// The extension
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// The capability, by the name that `innkeeper extension list` shows
    #[arg(value_name = "CAPABILITY")]
    pub(crate) capability: String,
}
