//! Lists of a workspace's files at one moment, and how two of them differ. Pure: it looks at lists, never at a disk.

use std::collections::BTreeMap;

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::event::{ChangeKind, PersistentChange};
use innkeeper_protocol::path::WorkspacePath;
use serde::{Deserialize, Serialize};

/// A file at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedFile {
    /// Where it is, the root first.
    pub path: WorkspacePath,
    /// Its content.
    pub sha256: Sha256,
    /// Its length.
    pub bytes: u64,
}

/// A file that two moments do not agree about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference<'a> {
    /// It came.
    Added(&'a ListedFile),
    /// It has another content.
    Modified {
        /// As it was.
        before: &'a ListedFile,
        /// As it is.
        after: &'a ListedFile,
    },
    /// It went.
    Deleted(&'a ListedFile),
}

impl<'a> Difference<'a> {
    /// The file as it is; where it went, as it was.
    #[must_use]
    pub const fn listed(&self) -> &'a ListedFile {
        let (Self::Added(file) | Self::Deleted(file) | Self::Modified { after: file, .. }) = self;
        file
    }

    /// Which file.
    #[must_use]
    pub const fn path(&self) -> &'a WorkspacePath {
        &self.listed().path
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
    pub const fn before(&self) -> Option<&'a ListedFile> {
        match self {
            Self::Added(_) => None,
            Self::Modified { before: file, .. } | Self::Deleted(file) => Some(file),
        }
    }

    /// As it is, if it is.
    #[must_use]
    pub const fn after(&self) -> Option<&'a ListedFile> {
        match self {
            Self::Deleted(_) => None,
            Self::Modified { after: file, .. } | Self::Added(file) => Some(file),
        }
    }

    /// As a journal tells it: the digest of a deleted file is the one before.
    #[must_use]
    pub fn to_change(&self) -> PersistentChange {
        let file = self.listed();
        PersistentChange {
            path: file.path.clone(),
            kind: self.kind(),
            sha256: file.sha256.clone(),
        }
    }
}

/// What was done to `before` to get `after`, in byte order of the paths. A path stands at most once in each list.
#[must_use]
pub fn differences<'a>(before: &'a [ListedFile], after: &'a [ListedFile]) -> Vec<Difference<'a>> {
    let mut pairs: BTreeMap<&WorkspacePath, (Option<&ListedFile>, Option<&ListedFile>)> = BTreeMap::new();
    for file in before {
        pairs.entry(&file.path).or_default().0 = Some(file);
    }
    for file in after {
        pairs.entry(&file.path).or_default().1 = Some(file);
    }
    pairs.into_values().filter_map(difference).collect()
}

fn difference<'a>(pair: (Option<&'a ListedFile>, Option<&'a ListedFile>)) -> Option<Difference<'a>> {
    match pair {
        (None, Some(after)) => Some(Difference::Added(after)),
        (Some(before), None) => Some(Difference::Deleted(before)),
        (Some(before), Some(after)) if before.sha256 != after.sha256 => Some(Difference::Modified { before, after }),
        (Some(_), Some(_)) | (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Files = BTreeMap<String, Vec<u8>>;

    fn list(files: &Files) -> Vec<ListedFile> {
        let entry = |(path, bytes): (&String, &Vec<u8>)| ListedFile {
            path: WorkspacePath::parse(path).unwrap(),
            sha256: Sha256::of(bytes),
            bytes: u64::try_from(bytes.len()).unwrap(),
        };
        files.iter().map(entry).collect()
    }

    fn files() -> impl Strategy<Value = Files> {
        let path = "persist/[ab]{1,2}(/[cd])?\\.md";
        proptest::collection::btree_map(path, proptest::collection::vec(0_u8..3, 0..3), 0..8)
    }

    /// Makes the differences to the list.
    fn replay(before: &[ListedFile], differences: &[Difference<'_>]) -> Vec<ListedFile> {
        let mut now: BTreeMap<_, _> = before.iter().map(|file| (file.path.clone(), file.clone())).collect();
        for difference in differences {
            let old = match difference.after() {
                Some(file) => now.insert(file.path.clone(), file.clone()),
                None => now.remove(difference.path()),
            };
            assert_eq!(old.as_ref(), difference.before());
        }
        now.into_values().collect()
    }

    #[test]
    fn a_journal_tells_the_digest_that_is_or_was() {
        let side = |files: &[(&str, &[u8])]| {
            list(
                &files
                    .iter()
                    .map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec()))
                    .collect(),
            )
        };
        let before = side(&[("output/a", b"1"), ("output/b", b"1"), ("output/c", b"1")]);
        let after = side(&[("output/b", b"2"), ("output/c", b"1"), ("plan/d", b"1")]);
        let told: Vec<_> = differences(&before, &after).iter().map(Difference::to_change).collect();
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
    }

    proptest! {
        #[test]
        fn the_differences_lead_from_one_list_to_the_other(before in files(), after in files()) {
            let (before, after) = (list(&before), list(&after));
            let found = differences(&before, &after);
            prop_assert_eq!(replay(&before, &found), after.clone());
            prop_assert!(found.is_sorted_by(|one, other| one.path() < other.path()));
        }

        #[test]
        fn only_what_differs_is_told(before in files(), after in files()) {
            let differing = before.keys().chain(after.keys())
                .filter(|path| before.get(*path) != after.get(*path))
                .collect::<std::collections::BTreeSet<_>>();
            let (before, after) = (list(&before), list(&after));
            let told = differences(&before, &after).iter().map(|d| d.path().as_str()).collect::<Vec<_>>();
            prop_assert_eq!(told, differing.into_iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
}
