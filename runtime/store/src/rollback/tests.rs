//! Going back brings every file, refuses before it touches anything, and never leaves a mixture behind.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::event::ChangeKind;
use proptest::prelude::*;

use super::*;
use crate::checkpoint::NewCheckpoint;

type Files = BTreeMap<String, String>;

struct Run {
    folder: tempfile::TempDir,
    rollback: Rollback,
}

impl Run {
    /// A run whose checkpoint 1 holds these files.
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let rollback = Rollback::new(Arc::new(Tree::open(folder.path()).unwrap()));
        let run = Self { folder, rollback };
        files.iter().for_each(|(path, content)| run.put(path, content));
        run.checkpoint(1);
        run
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn put(&self, path: &str, content: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), content).unwrap();
    }

    fn checkpoint(&self, number: u64) -> Checkpoint {
        let new = NewCheckpoint {
            number,
            run_id: "run_1".to_owned(),
            created_at: "2026-01-02T03:04:05Z".to_owned(),
            reason: "rollback".to_owned(),
            event_seq: 7,
        };
        self.rollback.checkpoints().create(new).unwrap().checkpoint
    }

    fn back(&self) -> Result<Vec<PersistentChange>, RollbackError> {
        let plan = self.rollback.plan(1)?;
        let safety = self.checkpoint(2);
        self.rollback.apply(&plan, &safety)
    }

    fn blob(&self, content: &str) -> PathBuf {
        self.at(&format!("checkpoints/blobs/{}", Sha256::of(content.as_bytes())))
    }

    fn files(&self) -> Files {
        let present = self.rollback.checkpoints().present().unwrap().files;
        let read = |path: WorkspacePath| (path.to_string(), fs::read_to_string(self.at(path.as_str())).unwrap());
        present.into_iter().map(|file| read(file.path)).collect()
    }
}

fn files(list: &[(&str, &str)]) -> Files {
    list.iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

const BEFORE: [(&str, &str); 4] = [
    ("output/main.md", "first"),
    ("plan/steps", "a file"),
    ("scratch/notes/a.md", "a"),
    ("scratch/same.md", "same"),
];

#[test]
fn changed_new_and_lost_files_come_back_also_where_a_folder_took_their_place() {
    let run = Run::new(&BEFORE);
    run.put("output/main.md", "second");
    run.put("output/deep/er/new.md", "new");
    fs::remove_file(run.at("plan/steps")).unwrap();
    run.put("plan/steps/one.md", "a folder now");
    fs::create_dir_all(run.at("plan/steps/empty/too")).unwrap();
    fs::remove_dir_all(run.at("scratch/notes")).unwrap();
    run.put("scratch/notes", "a file now");
    let changes = run.back().unwrap();
    let told: Vec<_> = changes
        .iter()
        .map(|change| (change.path.as_str(), change.kind))
        .collect();
    let expected = [
        ("output/deep/er/new.md", ChangeKind::Deleted),
        ("output/main.md", ChangeKind::Modified),
        ("plan/steps", ChangeKind::Added),
        ("plan/steps/one.md", ChangeKind::Deleted),
        ("scratch/notes", ChangeKind::Deleted),
        ("scratch/notes/a.md", ChangeKind::Added),
    ];
    assert_eq!((told.as_slice(), run.files()), (&expected[..], files(&BEFORE)));
    assert!(!run.at("output/deep").exists());
}

#[test]
fn a_missing_or_damaged_content_is_refused_by_name_before_anything_is_touched() {
    for is_missing in [true, false] {
        let run = Run::new(&BEFORE);
        run.put("output/main.md", "second");
        let blob = run.blob("a");
        if is_missing {
            fs::remove_file(&blob).unwrap();
        } else {
            fs::write(&blob, "b").unwrap();
        }
        let before = run.files();
        let error = run.back().unwrap_err();
        assert_eq!(error.code(), "agent.checkpoint_invalid");
        assert!(error.to_string().contains("scratch/notes/a.md"), "{error}");
        assert_eq!(run.files(), before);
    }
}

#[test]
fn files_changed_since_the_question_are_not_overwritten() {
    let run = Run::new(&BEFORE);
    run.put("output/main.md", "second");
    let plan = run.rollback.plan(1).unwrap();
    run.put("scratch/same.md", "somebody's");
    let safety = run.checkpoint(2);
    let error = run.rollback.apply(&plan, &safety).unwrap_err();
    assert!(matches!(error, RollbackError::ChangedSince), "{error}");
    assert_eq!(run.files()["scratch/same.md"], "somebody's");
}

#[test]
fn what_no_checkpoint_holds_is_told() {
    let run = Run::new(&BEFORE);
    run.put("output/main.md", "saved");
    run.checkpoint(2);
    run.put("output/main.md", "edited by hand");
    run.put("output/extra.md", "made by hand");
    fs::remove_file(run.at("scratch/same.md")).unwrap();
    let plan = run.rollback.plan(1).unwrap();
    let unsaved: Vec<_> = plan.unsaved.iter().map(WorkspacePath::as_str).collect();
    assert_eq!(unsaved, ["output/extra.md", "output/main.md", "scratch/same.md"]);
    let saved = run.rollback.plan(2).unwrap();
    assert_eq!(saved.unsaved.len(), saved.changes.len());
}

#[test]
fn a_failure_in_the_middle_goes_back_to_what_was() {
    let run = Run::new(&BEFORE);
    run.put("output/main.md", "second");
    run.put("output/new.md", "new");
    let plan = run.rollback.plan(1).unwrap();
    let safety = run.checkpoint(2);
    let before = run.files();
    // Lost between the plan and its last step, when the new file is gone already.
    fs::remove_file(run.blob("first")).unwrap();
    let error = run.rollback.apply(&plan, &safety).unwrap_err();
    assert_eq!(error.code(), "agent.checkpoint_invalid", "{error}");
    assert_eq!(run.files(), before);
}

#[test]
fn a_failure_that_cannot_be_undone_names_the_checkpoint_of_what_was() {
    let run = Run::new(&BEFORE);
    run.put("output/main.md", "second");
    run.put("output/new.md", "new");
    let plan = run.rollback.plan(1).unwrap();
    let safety = run.checkpoint(2);
    fs::remove_file(run.blob("first")).unwrap();
    fs::remove_file(run.blob("new")).unwrap();
    let error = run.rollback.apply(&plan, &safety).unwrap_err();
    assert_eq!(error.code(), "workspace.rollback_incomplete");
    assert!(error.to_string().contains("cp_000002"), "{error}");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_or_removed_through_a_link() {
    use std::os::unix::fs::symlink;

    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.md"), "outside").unwrap();
    let run = Run::new(&BEFORE);
    fs::remove_dir_all(run.at("scratch/notes")).unwrap();
    symlink(outside.path(), run.at("scratch/notes")).unwrap();
    assert_eq!(run.back().unwrap_err().code(), "workspace.invalid_path");
    fs::remove_file(run.at("scratch/notes")).unwrap();
    fs::remove_file(run.at("plan/steps")).unwrap();
    fs::create_dir(run.at("plan/steps")).unwrap();
    symlink(outside.path(), run.at("plan/steps/link")).unwrap();
    let error = run.back().unwrap_err();
    assert!(matches!(error, RollbackError::InTheWay { .. }), "{error}");
    assert_eq!(fs::read_to_string(outside.path().join("a.md")).unwrap(), "outside");
}

/// Sets of files in which none is in another's way.
fn trees() -> impl Strategy<Value = Files> {
    let path = "(output|persist)/[ab](/[ab]){0,2}";
    proptest::collection::btree_map(path, "[xy]{0,2}", 0..8).prop_map(|mut files| {
        let paths: Vec<String> = files.keys().cloned().collect();
        files.retain(|path, _| !paths.iter().any(|other| other.starts_with(&format!("{path}/"))));
        files
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_there_becomes_what_was(then in trees(), now in trees()) {
        let list: Vec<_> = then.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let run = Run::new(&list);
        for root in ["output", "persist"] {
            if run.at(root).exists() {
                fs::remove_dir_all(run.at(root)).unwrap();
            }
        }
        now.iter().for_each(|(path, text)| run.put(path, text));
        run.back().unwrap();
        prop_assert_eq!(run.files(), then);
    }
}
