//! Audit files: the arguments of each tool call as the model sent them, its whole result, and views of both for people.
//!
//! A file is created once and never changed. Its name comes from a digest of the call id, which is opaque and may hold anything; the id
//! itself never becomes part of a path.

#[cfg(test)]
mod tests;

use std::num::NonZeroU32;
use std::sync::Arc;

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::path::{PathRefusal, WorkspacePath};
use serde::Serialize;

use crate::tree::{Change, Guard, Tree, TreeError};

/// Where the arguments are.
const ARGUMENTS: &str = "tool-args";

/// Where the results are.
const RESULTS: &str = "tool-results";

/// Hex digits of the digest in a name: 64 bits tell the calls of a run apart, and names stay short.
const STEM_DIGITS: usize = 16;

/// How many calls with one id are told apart. A provider that repeats an id more often is broken, and the search for a free number must
/// end.
const MAX_REPEATS: u32 = 10_000;

/// Why an audit file could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The run's files refused it.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The value has no JSON form.
    #[error("cannot turn an audit record into JSON")]
    Serialise(#[from] serde_json::Error),
    /// A name of ours is no path, which would be a defect.
    #[error(transparent)]
    Path(#[from] PathRefusal),
    /// One call id was used more often than names are kept for.
    #[error("more than {MAX_REPEATS} calls of this run have the call id behind `{stem}`")]
    TooManyRepeats {
        /// The stem that all of them have.
        stem: String,
    },
}

impl AuditError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Tree(error) => error.code(),
            Self::Serialise(_) => "store.serialise_failed",
            Self::Path(refusal) => refusal.code(),
            Self::TooManyRepeats { .. } => "store.audit_exhausted",
        }
    }
}

/// The paths of one call's audit files. They exist as far as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFiles {
    /// The arguments: `tool-args/<stem>.json`.
    pub arguments: WorkspacePath,
    /// What an approval showed: `tool-args/<stem>.diff`.
    pub diff: WorkspacePath,
    /// The result: `tool-results/<stem>.json`.
    pub result: WorkspacePath,
    /// The readable view of an oversize result: `tool-results/<stem>.txt`.
    pub view: WorkspacePath,
}

impl CallFiles {
    fn new(stem: &str, number: NonZeroU32) -> Result<Self, PathRefusal> {
        let suffix = if number.get() == 1 {
            String::new()
        } else {
            format!("-{number}")
        };
        let path =
            |folder: &str, extension: &str| WorkspacePath::parse(&format!("{folder}/{stem}{suffix}.{extension}"));
        Ok(Self {
            arguments: path(ARGUMENTS, "json")?,
            diff: path(ARGUMENTS, "diff")?,
            result: path(RESULTS, "json")?,
            view: path(RESULTS, "txt")?,
        })
    }

    fn all(&self) -> [&WorkspacePath; 4] {
        [&self.arguments, &self.diff, &self.result, &self.view]
    }
}

/// The audit files of one run.
#[derive(Debug, Clone)]
pub struct Audit {
    tree: Arc<Tree>,
}

impl Audit {
    /// Works on the files of this run.
    #[must_use]
    pub fn new(tree: Arc<Tree>) -> Self {
        Self { tree }
    }

    /// Stores a call's arguments under the first number that is free for all of its files, and so claims them.
    ///
    /// # Errors
    /// See [`AuditError`]; nothing is stored then.
    pub fn begin<T: Serialize + ?Sized>(&self, call_id: &str, arguments: &T) -> Result<CallFiles, AuditError> {
        let bytes = serde_json::to_vec_pretty(arguments)?;
        let stem = stem(call_id);
        for number in (1..=MAX_REPEATS).filter_map(NonZeroU32::new) {
            let files = CallFiles::new(&stem, number)?;
            if !self.all_free(&files)? {
                continue;
            }
            match self.create(&files.arguments, bytes.clone()) {
                // Another call with this id was faster.
                Err(TreeError::AlreadyExists { .. }) => {}
                created => return created.map(|()| files).map_err(AuditError::from),
            }
        }
        Err(AuditError::TooManyRepeats { stem })
    }

    /// Stores a call's whole result.
    ///
    /// # Errors
    /// See [`AuditError`]; also when a result was stored before.
    pub fn store_result<T: Serialize + ?Sized>(&self, files: &CallFiles, result: &T) -> Result<(), AuditError> {
        let bytes = serde_json::to_vec_pretty(result)?;
        Ok(self.create(&files.result, bytes)?)
    }

    /// Stores the readable view of a call's result.
    ///
    /// # Errors
    /// See [`AuditError`]; also when one was stored before.
    pub fn store_view(&self, files: &CallFiles, text: &str) -> Result<(), AuditError> {
        Ok(self.create(&files.view, text.into())?)
    }

    /// Stores the diff that an approval shows.
    ///
    /// # Errors
    /// See [`AuditError`]; also when one was stored before.
    pub fn store_diff(&self, files: &CallFiles, diff: &str) -> Result<(), AuditError> {
        Ok(self.create(&files.diff, diff.into())?)
    }

    fn all_free(&self, files: &CallFiles) -> Result<bool, TreeError> {
        for path in files.all() {
            match self.tree.find(path) {
                Ok(None) => {}
                Err(error) if error.is_fault() => return Err(error),
                // Whatever else lies there is not ours to replace. A folder that is a link fails when the file is created.
                Ok(Some(_)) | Err(TreeError::NameConflict { .. }) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn create(&self, path: &WorkspacePath, bytes: Vec<u8>) -> Result<(), TreeError> {
        let change = Change::Write {
            path: path.clone(),
            bytes,
            guard: Guard::MustNotExist,
        };
        self.tree.apply(&[change]).map(drop)
    }
}

/// `call_` and the first 8 bytes of the id's SHA-256 in hex.
fn stem(call_id: &str) -> String {
    let digest = Sha256::of(call_id.as_bytes());
    let short: String = digest.as_str().chars().take(STEM_DIGITS).collect();
    format!("call_{short}")
}
