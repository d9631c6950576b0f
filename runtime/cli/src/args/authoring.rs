//! `extension new` and `extension test`: for those who write tools.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Calls of each check that makes up arguments, where no number is given.
const DEFAULT_ROUNDS: u32 = 64;
/// More would take minutes with a slow component and find nothing new.
const MAX_ROUNDS: i64 = 100_000;

/// What an extension is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// Rust; the smallest and fastest components
    Rust,
    /// JavaScript, through npm's componentize-qjs
    Js,
    /// Python, through PyPI's componentize-py; components have 18 MB
    Python,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The package builds and passes its own cases as it is; change it from there. Its README.md says how to go on.

Examples:
  innkeeper extension new moods --lang rust
  innkeeper extension new moods --lang python --dir ~/src/moods")]
pub(crate) struct NewArgs {
    /// What it is to be called: lower-case letters, digits, `-` and `_`
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// What it is written in
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) lang: Language,
    /// The folder, which is made, or exists and is empty [default: NAME, here]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Runs the package's own cases/*.toml, each in a workspace of its own, with everything granted that it asks for. Then tries its tools
on things that no case says: arguments made from their own schemas, unusual Unicode, the same call twice, calls that are stopped,
limits at their edge, and whether they keep to their `uses`. Nothing is installed.
Exit code 1 when a case fails or a problem was found, 2 when the package cannot be loaded.

Examples:
  innkeeper extension test ./moods
  innkeeper extension test ./moods --seal     also write the component's digest into extension.toml
  innkeeper extension test ./moods --rounds 2000 --seed 7")]
pub(crate) struct TestArgs {
    /// The package's folder
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Write the digest of the component into extension.toml when everything has passed
    #[arg(long)]
    pub(crate) seal: bool,
    /// Calls of each check that makes up arguments
    #[arg(long, value_name = "N", default_value_t = DEFAULT_ROUNDS, value_parser = clap::value_parser!(u32).range(1..=MAX_ROUNDS))]
    pub(crate) rounds: u32,
    /// The seed of what is made up; the same one makes the same trial
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}
