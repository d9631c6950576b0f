//! Audit files: the arguments of each tool call as the model sent them, its whole result, and views of both for people.
//!
//! A file is created once and never changed. Its name comes from a digest of the call id, which is opaque and may hold anything; the id
//! itself never becomes part of a path.

#[cfg(test)]
mod tests;

use std::io;
use std::num::NonZeroU32;
use std::sync::Arc;

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::path::{PathRefusal, WorkspacePath};
use serde::Serialize;

use crate::atomic::{Durability, sync_folder, write_in};
use crate::tree::{Tree, TreeError};

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

    /// Stores a call's arguments under the first number that is free for all of its files, and so claims them. Costs the same however
    /// many calls came before, unless their id was this one.
    ///
    /// # Errors
    /// See [`AuditError`]; nothing is stored then.
    pub fn begin<T: Serialize + ?Sized>(&self, call_id: &str, arguments: &T) -> Result<CallFiles, AuditError> {
        let bytes = serde_json::to_vec_pretty(arguments)?;
        let stem = stem(call_id);
        self.tree.check_root()?;
        // Held from the look to the write: calls with one id that begin together get numbers of their own.
        let _writing = self.tree.lock();
        for number in (1..=MAX_REPEATS).filter_map(NonZeroU32::new) {
            let files = CallFiles::new(&stem, number)?;
            if self.all_free(&files)? {
                self.put(&files.arguments, &bytes)?;
                return Ok(files);
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
        Ok(self.create(&files.result, &bytes)?)
    }

    /// Stores the readable view of a call's result.
    ///
    /// # Errors
    /// See [`AuditError`]; also when one was stored before.
    pub fn store_view(&self, files: &CallFiles, text: &str) -> Result<(), AuditError> {
        Ok(self.create(&files.view, text.as_bytes())?)
    }

    /// Stores the diff that an approval shows.
    ///
    /// # Errors
    /// See [`AuditError`]; also when one was stored before.
    pub fn store_diff(&self, files: &CallFiles, diff: &str) -> Result<(), AuditError> {
        Ok(self.create(&files.diff, diff.as_bytes())?)
    }

    fn all_free(&self, files: &CallFiles) -> Result<bool, TreeError> {
        for path in files.all() {
            if self.is_taken(path)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether anything has this name. The name alone is looked up: reading the folder would cost more with every call.
    fn is_taken(&self, path: &WorkspacePath) -> Result<bool, TreeError> {
        let Some(folder) = self.folder(path)? else {
            return Ok(false);
        };
        match folder.symlink_metadata(path.file_name()) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(TreeError::io("look up", path.as_str())(error)),
        }
    }

    fn create(&self, path: &WorkspacePath, bytes: &[u8]) -> Result<(), TreeError> {
        self.tree.check_root()?;
        let _writing = self.tree.lock();
        if self.is_taken(path)? {
            return Err(self.already_exists(path));
        }
        self.put(path, bytes)
    }

    /// What is there instead; whatever is no file of ours is refused by its own name.
    fn already_exists(&self, path: &WorkspacePath) -> TreeError {
        match self.tree.read_bytes(path, u64::MAX) {
            Ok(file) => TreeError::AlreadyExists {
                path: path.clone(),
                actual: file.sha256,
            },
            Err(error) => error,
        }
    }

    /// Writes a file whose name is free, whole and durably. The caller keeps other writers out.
    fn put(&self, path: &WorkspacePath, bytes: &[u8]) -> Result<(), TreeError> {
        let folder = match self.folder(path)? {
            Some(folder) => folder,
            None => self.new_folder(path)?,
        };
        write_in(&folder, path.file_name(), bytes, Durability::Durable).map_err(TreeError::io("write", path.as_str()))
    }

    /// The folder of an audit file; none when it is not there yet.
    fn folder(&self, path: &WorkspacePath) -> Result<Option<Dir>, TreeError> {
        let name = path.first_segment();
        let error = match self.tree.root().open_dir_nofollow(name) {
            Ok(folder) => return Ok(Some(folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => error,
        };
        // A link, or no folder: said as for every other path.
        self.tree.find(path)?;
        Err(TreeError::io("open", name)(error))
    }

    fn new_folder(&self, path: &WorkspacePath) -> Result<Dir, TreeError> {
        let (root, name) = (self.tree.root(), path.first_segment());
        let create = || {
            root.create_dir(name)?;
            sync_folder(root)?;
            root.open_dir_nofollow(name)
        };
        create().map_err(TreeError::io("create", name))
    }
}

/// `call_` and the first 8 bytes of the id's SHA-256 in hex.
fn stem(call_id: &str) -> String {
    let digest = Sha256::of(call_id.as_bytes());
    let short: String = digest.as_str().chars().take(STEM_DIGITS).collect();
    format!("call_{short}")
}
