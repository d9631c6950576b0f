//! `runtime/builtins/components.lock`: which compiler made which bytes from which sources.
//!
//! Written by this program only; `runtime/builtins` and its tests read it.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::Context;
use serde::{Deserialize, Serialize};

const FILE: &str = "runtime/builtins/components.lock";
const HEAD: &str = "# Written by `cargo xtask guests`. Do not edit.\n\n";

/// The lock file.
#[derive(Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lock {
    /// `rustc --version` of the guests' compiler.
    pub(crate) compiler: String,
    /// `wasm-opt --version`.
    pub(crate) optimiser: String,
    /// By family.
    pub(crate) component: BTreeMap<String, Entry>,
}

/// One component.
#[derive(Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// Of the component's bytes.
    pub(crate) sha256: String,
    /// Of everything it is made from.
    pub(crate) sources: String,
}

impl Lock {
    /// Reads the committed lock.
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let path = root.join(FILE);
        let text =
            fs::read_to_string(&path).with_context(|| format!("{}: run `cargo xtask guests` first", path.display()))?;
        toml::from_str(&text).with_context(|| path.display().to_string())
    }

    /// Writes the lock.
    pub(crate) fn write(&self, root: &Path) -> anyhow::Result<()> {
        let path = root.join(FILE);
        let text = format!("{HEAD}{}", toml::to_string(self)?);
        fs::write(&path, text).with_context(|| path.display().to_string())
    }
}
