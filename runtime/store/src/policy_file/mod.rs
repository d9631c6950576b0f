//! `policy.toml` in the data root: what the user, the user's settings for sources, and the application say about tools.
//!
//! ```toml
//! [user]
//! "builtin:dice.roll" = "deny"
//!
//! [source]
//! extension = "ask"
//! "extension/mood" = "allow"
//! ```
//!
//! People edit it by hand, so changes keep comments and order, and every flaw is named with line and column. A file with one flaw is no
//! policy at all: what was meant may have been a denial. What a rule's name may be is decided by whoever reads, and so is what the rules
//! mean together.

mod edit;
mod error;
mod form;
mod reset;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use innkeeper_protocol::tool::Permission;

use crate::atomic::{Durability, write_in};
use crate::chat::lock::{ATTEMPTS, lock_file};
use crate::regular::{read_in, too_large};

pub use error::PolicyFileError;
pub use form::{Party, Place, PolicyRule, TargetCheck};
pub use reset::Reset;

const FILE_NAME: &str = "policy.toml";
const LOCK_NAME: &str = "policy.toml.lock";

/// Some ten thousand rules; a larger file is not ours, and parsing takes many times its size in memory.
const MAX_POLICY_BYTES: u64 = 1024 * 1024;

/// The policy file of one data root. Everything here blocks for the time that files take.
#[derive(Debug, Clone)]
pub struct PolicyFile {
    data_root: PathBuf,
}

impl PolicyFile {
    /// For a data root, which is made when it is first written to.
    #[must_use]
    pub fn new(data_root: impl Into<PathBuf>) -> Self {
        Self {
            data_root: data_root.into(),
        }
    }

    /// Where the file is, or would be.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.data_root.join(FILE_NAME)
    }

    /// The rules in the order of the file; `None` when there is no file.
    ///
    /// # Errors
    /// [`PolicyFileError::Unreadable`] or [`PolicyFileError::Damaged`].
    pub fn read(&self, check: TargetCheck<'_>) -> Result<Option<Vec<PolicyRule>>, PolicyFileError> {
        let Some(bytes) = self.load()? else { return Ok(None) };
        let rules = form::parse(&bytes, check).map_err(|flaw| self.damaged(flaw))?;
        Ok(Some(rules))
    }

    /// Sets what is said of a target: where it stands already, by the user or for sources, else in `home`. Makes the file when there is
    /// none. Says whether anything had to be changed.
    ///
    /// # Errors
    /// Any [`PolicyFileError`]; the file is as it was. A file with a flaw is never changed.
    pub fn set(
        &self,
        home: Party,
        target: &str,
        permission: Permission,
        check: TargetCheck<'_>,
    ) -> Result<bool, PolicyFileError> {
        let _lock = self.lock()?;
        let old = self.load()?;
        let text = match &old {
            None => edit::HEAD,
            Some(bytes) => form::text(bytes).map_err(|flaw| self.damaged(flaw))?,
        };
        let before = form::parse(text.as_bytes(), check).map_err(|flaw| self.damaged(flaw))?;
        let new = edit::set(text, home, target, permission).map_err(|flaw| self.damaged(flaw))?;
        // What the change made of the file is checked too, above all the target's name.
        let after = form::parse(new.as_bytes(), check).map_err(|flaw| self.damaged(flaw))?;
        if before
            .iter()
            .map(PolicyRule::says)
            .eq(after.iter().map(PolicyRule::says))
        {
            return Ok(false);
        }
        self.write(&new)?;
        Ok(true)
    }

    fn damaged(&self, flaw: form::Flaw) -> PolicyFileError {
        PolicyFileError::Damaged {
            path: self.path(),
            place: flaw.place,
            problem: flaw.problem,
        }
    }

    fn unreadable(&self, source: io::Error) -> PolicyFileError {
        PolicyFileError::Unreadable {
            path: self.path(),
            source,
        }
    }

    fn write_failed(&self, source: io::Error) -> PolicyFileError {
        PolicyFileError::WriteFailed {
            path: self.path(),
            source,
        }
    }

    /// The whole file; `None` when there is none.
    fn load(&self) -> Result<Option<Vec<u8>>, PolicyFileError> {
        match read_regular(&self.data_root) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.unreadable(error)),
        }
    }

    fn write(&self, text: &str) -> Result<(), PolicyFileError> {
        let write = || {
            if text.len() as u64 > MAX_POLICY_BYTES {
                return Err(too_large(MAX_POLICY_BYTES));
            }
            write_in(
                &open_folder(&self.data_root)?,
                FILE_NAME,
                text.as_bytes(),
                Durability::Durable,
            )
        };
        write().map_err(|source| self.write_failed(source))
    }

    fn lock(&self) -> Result<File, PolicyFileError> {
        lock_file(&self.data_root.join(LOCK_NAME), ATTEMPTS)
            .map_err(|source| self.write_failed(source))?
            .ok_or_else(|| PolicyFileError::Locked { path: self.path() })
    }
}

fn open_folder(path: &Path) -> io::Result<Dir> {
    Dir::open_ambient_dir(path, ambient_authority())
}

fn read_regular(data_root: &Path) -> io::Result<Vec<u8>> {
    read_in(&open_folder(data_root)?, FILE_NAME, MAX_POLICY_BYTES)
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
