//! The folder of the cache: the user's alone, or not used; swept of what nobody has used for long.
//!
//! What is in an entry is not looked at here.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use tempfile::NamedTempFile;

use crate::artefact::seal::Label;

/// How long an entry is kept without being used.
const KEPT_MS: u64 = 90 * 24 * 60 * 60 * 1000;
/// Bytes of all entries together; the ones used longest ago go first.
const KEPT_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// How old an unfinished file must be to be left over from a process that died; compiling takes a minute at most.
const LEFT_OVER_MS: u64 = 60 * 60 * 1000;
/// How unfinished files begin.
const DRAFT: &str = "draft-";

/// A folder that only this user can write to.
pub(super) struct PrivateFolder {
    dir: PathBuf,
}

impl PrivateFolder {
    pub(super) fn open(dir: &Path) -> Result<Self, String> {
        make_private(dir)?;
        Ok(Self { dir: dir.to_path_buf() })
    }

    /// The entry's file, if there is one that is ours.
    pub(super) fn find(&self, label: &Label) -> Option<(PathBuf, File)> {
        let path = self.entry(label);
        let file = open_plain(&path).ok()?;
        let is_ours = file.metadata().is_ok_and(|found| found.is_file() && is_ours(&found));
        is_ours.then_some((path, file))
    }

    pub(super) fn draft(&self) -> std::io::Result<NamedTempFile> {
        NamedTempFile::with_prefix_in(DRAFT, &self.dir)
    }

    pub(super) fn keep(&self, draft: NamedTempFile, label: &Label) -> std::io::Result<()> {
        draft.persist(self.entry(label)).map_err(|e| e.error)?;
        Ok(())
    }

    fn entry(&self, label: &Label) -> PathBuf {
        self.dir.join(format!("{}.cwasm", label.0))
    }

    /// Removes what has not been used for long, what is too much, and what dead processes left. The folder is the cache's own, so
    /// whatever lies in it is one of these.
    pub(super) fn sweep(&self, now_ms: u64) {
        let mut kept = 0_u64;
        for file in self.by_last_use() {
            kept = kept.saturating_add(file.bytes);
            let age = now_ms.saturating_sub(file.used_ms);
            let may_stay = if file.is_draft { LEFT_OVER_MS } else { KEPT_MS };
            // Another process may have been faster, or may hold it open; either way the next sweep sees it.
            if age > may_stay || kept > KEPT_BYTES {
                let _ = std::fs::remove_file(&file.path);
            }
        }
    }

    /// The files, the one used last first.
    fn by_last_use(&self) -> Vec<Found> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten();
        let mut found: Vec<Found> = entries.filter_map(|entry| Found::new(&entry.ok()?)).collect();
        found.sort_by_key(|file| std::cmp::Reverse(file.used_ms));
        found
    }
}

/// A file of the folder.
struct Found {
    path: PathBuf,
    used_ms: u64,
    bytes: u64,
    is_draft: bool,
}

impl Found {
    fn new(entry: &std::fs::DirEntry) -> Option<Self> {
        let metadata = entry.metadata().ok()?;
        let used = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        metadata.is_file().then(|| Self {
            path: entry.path(),
            used_ms: u64::try_from(used.as_millis()).unwrap_or(u64::MAX),
            bytes: metadata.len(),
            is_draft: entry.file_name().to_string_lossy().starts_with(DRAFT),
        })
    }
}

#[cfg(unix)]
pub(super) use unix::{is_ours, is_ours_alone, make_private, mark_used, open_plain};

#[cfg(unix)]
mod unix {
    use std::fs::{File, Metadata, OpenOptions};
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
    use std::path::Path;

    use rustix::fs::{OFlags, Timespec, Timestamps, UTIME_NOW, futimens};

    pub(crate) fn make_private(dir: &Path) -> Result<(), String> {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(dir)
            .map_err(|e| e.to_string())?;
        let found = std::fs::symlink_metadata(dir).map_err(|e| e.to_string())?;
        if !found.is_dir() {
            return Err("it is no directory".to_owned());
        }
        if !is_ours(&found) {
            return Err("it belongs to another user".to_owned());
        }
        if found.mode() & 0o022 != 0 {
            return Err("others may write to it".to_owned());
        }
        Ok(())
    }

    /// Opens a file for reading: not what a link leads to, and without waiting for who may write into a pipe.
    pub(crate) fn open_plain(path: &Path) -> std::io::Result<File> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let flags = i32::try_from(flags.bits()).map_err(std::io::Error::other)?;
        OpenOptions::new().read(true).custom_flags(flags).open(path)
    }

    pub(crate) fn is_ours(found: &Metadata) -> bool {
        found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0
    }

    pub(crate) fn is_ours_alone(found: &Metadata) -> bool {
        is_ours(found) && found.mode() & 0o077 == 0
    }

    /// Notes that an entry is in use; if that fails it only ages.
    pub(crate) fn mark_used(file: &File) {
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_NOW,
        };
        let _ = futimens(
            file,
            &Timestamps {
                last_access: now,
                last_modification: now,
            },
        );
    }
}

#[cfg(not(unix))]
pub(super) use elsewhere::{is_ours, is_ours_alone, make_private, mark_used, open_plain};

/// Who else may write to a folder is not known here, so nothing is loaded from one.
#[cfg(not(unix))]
mod elsewhere {
    use std::fs::{File, Metadata};
    use std::path::Path;

    pub(crate) fn make_private(_: &Path) -> Result<(), String> {
        Err("this platform does not tell who may write to it".to_owned())
    }

    pub(crate) fn open_plain(path: &Path) -> std::io::Result<File> {
        File::open(path)
    }

    pub(crate) fn is_ours(_: &Metadata) -> bool {
        false
    }

    pub(crate) fn is_ours_alone(_: &Metadata) -> bool {
        false
    }

    pub(crate) fn mark_used(_: &File) {}
}
