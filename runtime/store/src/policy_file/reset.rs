//! Starting over: the user's rules go, the application's stay, and a file that makes no sense is kept under another name.

use std::io;
use std::path::PathBuf;

use super::form::{self, TargetCheck};
use super::{FILE_NAME, PolicyFile, PolicyFileError, edit, open_folder, read_regular};
use crate::atomic::{create_in, sync_folder};
use crate::regular::check_regular;

/// Names that are tried for a file that is set aside; who has that many of them has another problem.
const MAX_SET_ASIDE: u32 = 1_000;

/// What a reset did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reset {
    /// There was no file.
    NoFile,
    /// The user's rules are gone. The application's, if there were any, still hold.
    Cleared,
    /// The file had a flaw. It is kept whole in another place; of its rules only those of the application that could be made out
    /// still hold.
    SetAside {
        /// Where the old file is.
        kept: PathBuf,
        /// How many rules of the application still hold.
        platform_rules: usize,
    },
}

impl PolicyFile {
    /// Removes what the user has said, also from a file that cannot be used.
    ///
    /// # Errors
    /// Any [`PolicyFileError`] but `Damaged`; the file is as it was. What is no regular file is left alone.
    pub fn reset(&self, check: TargetCheck<'_>) -> Result<Reset, PolicyFileError> {
        // A data root that is not there has no file, and is not made for nothing.
        if matches!(std::fs::symlink_metadata(self.path()), Err(error) if error.kind() == io::ErrorKind::NotFound) {
            return Ok(Reset::NoFile);
        }
        let _lock = self.lock()?;
        let bytes = match read_regular(&self.data_root) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Reset::NoFile),
            Err(error) => return self.move_aside(error),
        };
        let rest = form::text(&bytes).ok().and_then(edit::without_user);
        let rest = rest.and_then(|rest| Some((form::parse(rest.as_bytes(), check).ok()?.len(), rest)));
        let is_sound = form::parse(&bytes, check).is_ok();
        match rest {
            Some((_, rest)) if is_sound => {
                self.write(&rest)?;
                Ok(Reset::Cleared)
            }
            Some((platform_rules, rest)) => {
                let kept = self.copy_aside(&bytes)?;
                self.write(&rest)?;
                Ok(Reset::SetAside { kept, platform_rules })
            }
            None => self.move_aside(io::Error::from(io::ErrorKind::InvalidData)),
        }
    }

    fn copy_aside(&self, bytes: &[u8]) -> Result<PathBuf, PolicyFileError> {
        let copy = || {
            let folder = open_folder(&self.data_root)?;
            for name in names() {
                match create_in(&folder, &name, bytes) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    done => return done.map(|()| name),
                }
            }
            Err(io::Error::from(io::ErrorKind::AlreadyExists))
        };
        let name = copy().map_err(|source| self.write_failed(source))?;
        Ok(self.data_root.join(name))
    }

    /// For a file that cannot be read as a policy at all. What is no regular file is refused with the `reason` that it could not be read.
    fn move_aside(&self, reason: io::Error) -> Result<Reset, PolicyFileError> {
        let folder = open_folder(&self.data_root).map_err(|source| self.unreadable(source))?;
        let is_regular = folder
            .symlink_metadata(FILE_NAME)
            .and_then(|metadata| check_regular(metadata.file_type()));
        if is_regular.is_err() {
            return Err(self.unreadable(reason));
        }
        let rename = || {
            // Under the lock nobody else takes a name in between.
            let is_free = |name: &String| folder.symlink_metadata(name).is_err();
            let name = names().find(is_free).ok_or(io::ErrorKind::AlreadyExists)?;
            folder.rename(FILE_NAME, &folder, &name)?;
            sync_folder(&folder).map(|()| name)
        };
        let name = rename().map_err(|source| self.write_failed(source))?;
        Ok(Reset::SetAside {
            kept: self.data_root.join(name),
            platform_rules: 0,
        })
    }
}

fn names() -> impl Iterator<Item = String> {
    (1..=MAX_SET_ASIDE).map(|number| format!("{FILE_NAME}.old-{number}"))
}
