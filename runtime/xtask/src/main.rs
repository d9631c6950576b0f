//! `cargo xtask guests`: builds the tools in `plugins/` into the components that Innkeeper ships.
//!
//! It deliberately depends on no crate of ours: the host embeds what is built here, so nothing of the host
//! can be needed to build it.

mod check;
mod compiler;
mod component;
mod families;
mod guests;
mod lock;
mod sources;

use std::{env, path::PathBuf, process::ExitCode};

use anyhow::{Context, bail};

const USAGE: &str = "\
Usage: cargo xtask guests [--check]

  guests          build the components under runtime/builtins/components and write their lock
  guests --check  build them aside and compare; exit code 1 when the committed ones do not match";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["guests"] => guests::write(&root()?),
        ["guests", "--check"] => check::run(&root()?),
        _ => bail!("{USAGE}"),
    }
}

/// The checkout: two folders above this crate, wherever cargo was called from.
fn root() -> anyhow::Result<PathBuf> {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").context("call this through `cargo xtask`")?;
    let root = PathBuf::from(manifest).join("../..");
    root.canonicalize()
        .with_context(|| format!("{} is not there", root.display()))
}
