//! Names of the roots: the first component of a workspace path, by which a profile shows and hides files.
//!
//! Which roots an invocation sees or may write is not decided here.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rules::{PathRefusal, PathRule};
use super::{WorkspacePath, component_key};

/// The root that holds stored tool results. The host shows it to every invocation, read-only, so no profile declares it.
const TOOL_RESULTS: &str = "tool-results";

/// First components that hold the host's own files in a run's folder.
const RESERVED: [&str; 13] = [
    "runs",
    "input",
    "model-responses",
    "tool-args",
    TOOL_RESULTS,
    "agent-results",
    "checkpoints",
    "invocations",
    "tasks",
    "events.jsonl",
    "manifest.json",
    "run.json",
    "run.lock",
];

/// The roots that a profile chooses from; what a checkpoint holds.
const UNIVERSE: [&str; 5] = ["output", "scratch", "plan", "summaries", "persist"];

/// The name of a root: one component that is not one of the host's own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = r"^[^/\\]+$", "maxLength" = super::MAX_COMPONENT_BYTES))]
pub struct RootName(String);

impl RootName {
    /// Reads a root that a profile or manifest declares.
    ///
    /// # Errors
    /// When the name is no workspace path, has more than one component, or differs from one of the host's own names by case or
    /// Unicode form at most.
    pub fn declare(text: &str) -> Result<Self, RootNameRefusal> {
        let path = WorkspacePath::parse(text)?;
        if path.as_str().contains('/') {
            return Err(RootNameRefusal::NotOneSegment { name: path });
        }
        if RESERVED.contains(&&*component_key(path.as_str())) {
            return Err(RootNameRefusal::Reserved { name: path });
        }
        Ok(Self(path.into()))
    }

    /// The roots that a profile chooses from: output, scratch, plan, summaries, persist.
    #[must_use]
    pub fn universe() -> [Self; 5] {
        UNIVERSE.map(|name| Self(name.to_owned()))
    }

    /// The root of stored tool results, which the host adds to every invocation.
    #[must_use]
    pub fn tool_results() -> Self {
        Self(TOOL_RESULTS.to_owned())
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The root as a path.
    #[must_use]
    pub fn to_path(&self) -> WorkspacePath {
        WorkspacePath(self.0.clone())
    }
}

/// Why a name cannot be a root.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RootNameRefusal {
    /// No workspace path at all.
    #[error(transparent)]
    Path(#[from] PathRefusal),
    /// More than one component.
    #[error("`{name}` cannot be a root: a root is one path segment")]
    NotOneSegment {
        /// The name.
        name: WorkspacePath,
    },
    /// A place where the host keeps its own files.
    #[error("`{name}` cannot be a root: the host keeps its own files there")]
    Reserved {
        /// The name.
        name: WorkspacePath,
    },
}

impl RootNameRefusal {
    /// The path rule that was broken, if it was one.
    #[must_use]
    pub fn rule(&self) -> Option<&PathRule> {
        match self {
            Self::Path(refusal) => Some(&refusal.rule),
            Self::NotOneSegment { .. } | Self::Reserved { .. } => None,
        }
    }
}

impl fmt::Display for RootName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RootName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl TryFrom<String> for RootName {
    type Error = RootNameRefusal;

    fn try_from(text: String) -> Result<Self, RootNameRefusal> {
        Self::declare(&text)
    }
}

impl From<RootName> for String {
    fn from(root: RootName) -> Self {
        root.0
    }
}
