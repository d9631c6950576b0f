//! How the files of two moments differ. Pure: it looks at lists, never at a disk.

use std::collections::BTreeMap;

use innkeeper_protocol::event::ChangeKind;
use innkeeper_protocol::path::WorkspacePath;

use super::manifest::{StateChange, StateFile};

/// What was done to `before` to get `after`, in byte order of the paths. A path stands at most once in each list.
pub(super) fn changes(before: &[StateFile], after: &[StateFile]) -> Vec<StateChange> {
    let mut pairs: BTreeMap<&WorkspacePath, (Option<&StateFile>, Option<&StateFile>)> = BTreeMap::new();
    for file in before {
        pairs.entry(&file.path).or_default().0 = Some(file);
    }
    for file in after {
        pairs.entry(&file.path).or_default().1 = Some(file);
    }
    pairs.into_values().filter_map(change).collect()
}

fn change(pair: (Option<&StateFile>, Option<&StateFile>)) -> Option<StateChange> {
    let (kind, file) = match pair {
        (None, Some(after)) => (ChangeKind::Added, after),
        (Some(before), None) => (ChangeKind::Deleted, before),
        (Some(before), Some(after)) if before.sha256 != after.sha256 => (ChangeKind::Modified, after),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    Some(StateChange {
        path: file.path.clone(),
        kind,
        sha256: file.sha256.clone(),
        bytes: file.bytes,
    })
}

#[cfg(test)]
mod tests {
    use innkeeper_protocol::digest::Sha256;
    use proptest::prelude::*;

    use super::*;

    type Files = BTreeMap<String, Vec<u8>>;

    fn list(files: &Files) -> Vec<StateFile> {
        let entry = |(path, bytes): (&String, &Vec<u8>)| StateFile {
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

    /// Makes the changes to the list, as a reader of the manifest would.
    fn replay(before: &[StateFile], changes: &[StateChange]) -> Vec<StateFile> {
        let mut now: BTreeMap<_, _> = before.iter().map(|file| (file.path.clone(), file.clone())).collect();
        for StateChange {
            path,
            kind,
            sha256,
            bytes,
        } in changes
        {
            let file = StateFile {
                path: path.clone(),
                sha256: sha256.clone(),
                bytes: *bytes,
            };
            let old = match kind {
                ChangeKind::Added | ChangeKind::Modified => now.insert(path.clone(), file.clone()),
                ChangeKind::Deleted => now.remove(path),
            };
            match kind {
                ChangeKind::Added => assert_eq!(old, None),
                ChangeKind::Modified => assert_ne!(old.unwrap().sha256, *sha256),
                ChangeKind::Deleted => assert_eq!(old, Some(file)),
            }
        }
        now.into_values().collect()
    }

    proptest! {
        #[test]
        fn the_changes_lead_from_one_list_to_the_other(before in files(), after in files()) {
            let (before, after) = (list(&before), list(&after));
            let changes = changes(&before, &after);
            prop_assert_eq!(replay(&before, &changes), after);
            prop_assert!(changes.is_sorted_by(|one, other| one.path < other.path));
        }

        #[test]
        fn only_what_differs_is_a_change(before in files(), after in files()) {
            let differing = before.keys().chain(after.keys())
                .filter(|path| before.get(*path) != after.get(*path))
                .collect::<std::collections::BTreeSet<_>>();
            let changed = changes(&list(&before), &list(&after));
            let changed: Vec<_> = changed.iter().map(|change| change.path.as_str()).collect();
            prop_assert_eq!(changed, differing.into_iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
}
