//! How the files of two checkpoints differ. Pure: it looks at lists, never at a disk.

use std::collections::BTreeMap;

use innkeeper_protocol::event::{ChangeKind, PersistentChange};
use innkeeper_protocol::path::WorkspacePath;

use super::CheckpointFile;

/// A file that two moments do not agree about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference<'a> {
    /// It came.
    Added(&'a CheckpointFile),
    /// It has another content.
    Modified {
        /// As it was.
        before: &'a CheckpointFile,
        /// As it is.
        after: &'a CheckpointFile,
    },
    /// It went.
    Deleted(&'a CheckpointFile),
}

impl<'a> Difference<'a> {
    /// Which file.
    #[must_use]
    pub const fn path(&self) -> &'a WorkspacePath {
        match self {
            Self::Added(file) | Self::Deleted(file) | Self::Modified { after: file, .. } => &file.path,
        }
    }

    /// How it differs, in one word.
    #[must_use]
    pub const fn kind(&self) -> ChangeKind {
        match self {
            Self::Added(_) => ChangeKind::Added,
            Self::Modified { .. } => ChangeKind::Modified,
            Self::Deleted(_) => ChangeKind::Deleted,
        }
    }

    /// As it was, if it was.
    #[must_use]
    pub const fn before(&self) -> Option<&'a CheckpointFile> {
        match self {
            Self::Added(_) => None,
            Self::Modified { before: file, .. } | Self::Deleted(file) => Some(file),
        }
    }

    /// As it is, if it is.
    #[must_use]
    pub const fn after(&self) -> Option<&'a CheckpointFile> {
        match self {
            Self::Deleted(_) => None,
            Self::Modified { after: file, .. } | Self::Added(file) => Some(file),
        }
    }

    /// As a journal tells it: the digest of a deleted file is the one before.
    #[must_use]
    pub fn to_change(&self) -> PersistentChange {
        let (Self::Added(file) | Self::Deleted(file) | Self::Modified { after: file, .. }) = self;
        PersistentChange {
            path: file.path.clone(),
            kind: self.kind(),
            sha256: file.sha256.clone(),
        }
    }
}

/// What was done to `before` to get `after`, in byte order of the paths. A path stands at most once in each list.
#[must_use]
pub fn differences<'a>(before: &'a [CheckpointFile], after: &'a [CheckpointFile]) -> Vec<Difference<'a>> {
    let mut pairs: BTreeMap<&WorkspacePath, (Option<&CheckpointFile>, Option<&CheckpointFile>)> = BTreeMap::new();
    for file in before {
        pairs.entry(&file.path).or_default().0 = Some(file);
    }
    for file in after {
        pairs.entry(&file.path).or_default().1 = Some(file);
    }
    pairs.into_values().filter_map(difference).collect()
}

fn difference<'a>(pair: (Option<&'a CheckpointFile>, Option<&'a CheckpointFile>)) -> Option<Difference<'a>> {
    match pair {
        (None, Some(after)) => Some(Difference::Added(after)),
        (Some(before), None) => Some(Difference::Deleted(before)),
        (Some(before), Some(after)) if before.sha256 != after.sha256 => Some(Difference::Modified { before, after }),
        (Some(_), Some(_)) | (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use innkeeper_protocol::digest::Sha256;

    use super::*;

    fn files(list: &[(&str, &str)]) -> Vec<CheckpointFile> {
        let file = |(path, content): &(&str, &str)| CheckpointFile {
            path: WorkspacePath::parse(path).unwrap(),
            sha256: Sha256::of(content.as_bytes()),
            bytes: content.len() as u64,
        };
        list.iter().map(file).collect()
    }

    #[test]
    fn what_came_changed_and_went_is_told_by_path() {
        let before = files(&[("output/a", "1"), ("output/b", "1"), ("output/c", "1")]);
        let after = files(&[("output/b", "2"), ("output/c", "1"), ("plan/d", "1")]);
        let found = differences(&before, &after);
        let told: Vec<_> = found.iter().map(Difference::to_change).collect();
        let change = |path: &str, kind, content: &str| PersistentChange {
            path: WorkspacePath::parse(path).unwrap(),
            kind,
            sha256: Sha256::of(content.as_bytes()),
        };
        let expected = vec![
            change("output/a", ChangeKind::Deleted, "1"),
            change("output/b", ChangeKind::Modified, "2"),
            change("plan/d", ChangeKind::Added, "1"),
        ];
        assert_eq!(told, expected);
        let sides: Vec<_> = found
            .iter()
            .map(|d| (d.before().is_some(), d.after().is_some()))
            .collect();
        assert_eq!(sides, [(true, false), (true, true), (false, true)]);
    }
}
