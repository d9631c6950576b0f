//! Changes that fail in the middle: everything is as it was.

use super::super::tests::Run;
use super::tests::{remove, write};
use super::*;

#[test]
fn a_failure_while_preparing_removes_the_folders_it_made() {
    let run = Run::new();
    let before = run.everything();
    // The second folder is a twin of the first, which exists only once the first was prepared.
    let error = run
        .tree
        .apply(&[
            write("output/New/x/1.md", "1", Guard::Unchecked),
            write("output/new/2.md", "2", Guard::Unchecked),
        ])
        .unwrap_err();
    assert_eq!(error.code(), "workspace.name_conflict");
    assert_eq!(run.everything(), before);
}

/// Runs all steps, with `meanwhile` between the last check and the first rename.
fn apply_with(run: &Run, changes: &[Change], meanwhile: impl FnOnce()) -> Result<(), TreeError> {
    let mut staging = Staging::create(run.tree.root()).unwrap();
    let staged: Vec<_> = changes
        .iter()
        .map(|change| stage(&mut staging, change).unwrap())
        .collect();
    let mut transaction = Transaction {
        root: run.tree.root(),
        staging,
        folders: HashMap::new(),
        undo: Vec::new(),
    };
    let ready: Vec<_> = changes
        .iter()
        .map(|change| transaction.prepare(change).unwrap())
        .collect();
    meanwhile();
    let committed = ready
        .iter()
        .zip(&staged)
        .try_for_each(|(ready, staged)| transaction.commit(ready, staged.as_ref()));
    committed.map_err(|cause| transaction.undo(cause))
}

#[test]
fn a_failure_between_renames_puts_everything_back() {
    let run = Run::new();
    run.put("output/replaced.md", "old");
    run.put("output/removed.md", "kept");
    let before = run.everything();
    let changes = [
        write("output/replaced.md", "new", Guard::Unchecked),
        remove("output/removed.md", Guard::Unchecked),
        write("output/sub/created.md", "new", Guard::Unchecked),
        write("output/blocked.md", "new", Guard::Unchecked),
    ];
    // A folder where a file is to be put makes its rename fail.
    let blocked = run.at("output/blocked.md");
    let error = apply_with(&run, &changes, || std::fs::create_dir(&blocked).unwrap()).unwrap_err();
    assert!(
        matches!(&error, TreeError::Io { operation: "replace", path, .. } if path == "output/blocked.md"),
        "{error}"
    );
    std::fs::remove_dir(&blocked).unwrap();
    assert_eq!(run.everything(), before);
}

#[test]
fn an_undo_that_fails_is_a_fault_that_names_the_place() {
    let run = Run::new();
    run.put("output/a.md", "old");
    let changes = [
        write("output/a.md", "new", Guard::Unchecked),
        write("output/blocked.md", "new", Guard::Unchecked),
    ];
    let error = apply_with(&run, &changes, || {
        std::fs::create_dir(run.at("output/blocked.md")).unwrap();
        for entry in std::fs::read_dir(run.at("")).unwrap() {
            let entry = entry.unwrap();
            // Only the copy of the old content is lost; what is to be written stays.
            if entry.file_name().to_str().unwrap().starts_with(".staging-") {
                std::fs::remove_file(entry.path().join("2")).unwrap();
            }
        }
    })
    .unwrap_err();
    assert!(
        matches!(&error, TreeError::RollbackIncomplete { path, .. } if path == "output/a.md") && error.is_fault(),
        "{error}"
    );
}

#[test]
fn a_change_of_very_many_files_keeps_one_handle_for_each_folder() {
    let run = Run::new();
    let changes: Vec<_> = (0..1_500)
        .map(|n| write(&format!("output/{}/{n}.md", n % 7), "x", Guard::MustNotExist))
        .collect();
    let staging = Staging::create(run.tree.root()).unwrap();
    let mut transaction = Transaction {
        root: run.tree.root(),
        staging,
        folders: HashMap::new(),
        undo: Vec::new(),
    };
    let ready: Vec<_> = changes
        .iter()
        .map(|change| transaction.prepare(change).unwrap())
        .collect();
    assert_eq!(
        (ready.len(), transaction.folders.len(), transaction.undo.len()),
        (1_500, 7, 7)
    );
    drop((ready, transaction));
    assert_eq!(run.tree.apply(&changes).unwrap().len(), 1_500);
    assert_eq!(std::fs::read_dir(run.at("output/3")).unwrap().count(), 214);
}

#[test]
fn undoing_a_file_that_somebody_removed_is_no_failure() {
    let run = Run::new();
    let changes = [
        write("output/a.md", "new", Guard::Unchecked),
        write("output/b.md", "new", Guard::Unchecked),
    ];
    let mut staging = Staging::create(run.tree.root()).unwrap();
    let staged: Vec<_> = changes
        .iter()
        .map(|change| stage(&mut staging, change).unwrap())
        .collect();
    let mut transaction = Transaction {
        root: run.tree.root(),
        staging,
        folders: HashMap::new(),
        undo: Vec::new(),
    };
    let ready = transaction.prepare(&changes[0]).unwrap();
    transaction.commit(&ready, staged[0].as_ref()).unwrap();
    std::fs::remove_file(run.at("output/a.md")).unwrap();
    let error = transaction.undo(TreeError::RootReplaced);
    assert!(matches!(error, TreeError::RootReplaced), "{error}");
}
