//! The lock file: which edition of each extension counts, what was pinned of it, and what was granted.
//!
//! An unknown key or version is an error: a newer Innkeeper may mean something by it that must not be overlooked.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::extension::{ExtensionId, SpecDigests};
use innkeeper_protocol::id::ToolName;
use innkeeper_protocol::path::WorkspacePath;
use serde::{Deserialize, Serialize};

/// The only version that there is.
const SCHEMA_VERSION: u32 = 1;

/// Everything that is installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LockFile {
    schema_version: u32,
    /// The extensions by their ids.
    pub extensions: BTreeMap<ExtensionId, Installed>,
}

impl Default for LockFile {
    fn default() -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            extensions: BTreeMap::new(),
        }
    }
}

/// One installed extension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Installed {
    /// The edition that runs use.
    pub active: Edition,
    /// An update that waits until somebody accepts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update: Option<Edition>,
    /// Names of the capabilities that were granted. What an edition does not ask for it does not get, whatever stands here.
    pub granted: BTreeSet<String>,
}

impl Installed {
    /// Every edition whose files are kept.
    pub(super) fn editions(&self) -> impl Iterator<Item = &Edition> {
        std::iter::once(&self.active).chain(&self.update)
    }
}

/// One version of an extension, pinned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Edition {
    /// As its author counts.
    pub version: String,
    /// Who says that it is theirs. Nothing proves it.
    pub publisher: String,
    /// Digest over all files.
    pub package: Sha256,
    /// Digest of the manifest.
    pub manifest: Sha256,
    /// The component's file in the package.
    pub component: WorkspacePath,
    /// Digest of the component.
    pub sha256: Sha256,
    /// Size of the component in bytes.
    pub bytes: u64,
    /// Names of the capabilities that it asks for.
    pub asks: BTreeSet<String>,
    /// What its tools said of themselves.
    pub specs: BTreeMap<ToolName, SpecDigests>,
}

/// Reads the file's bytes; a problem is told in words that go after the file's name.
pub(super) fn parse(bytes: &[u8]) -> Result<LockFile, String> {
    /// Only the version, which says whether the rest can be understood.
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Head {
        schema_version: u32,
    }
    let head: Head = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if head.schema_version != SCHEMA_VERSION {
        return Err(format!(
            "it has the version {}, and this Innkeeper knows {SCHEMA_VERSION}",
            head.schema_version
        ));
    }
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

pub(super) fn to_bytes(lock: &LockFile) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(lock)?;
    bytes.push(b'\n');
    Ok(bytes)
}
