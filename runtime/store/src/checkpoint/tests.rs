//! Making, loading and checking checkpoints; what they cost; what a killed process leaves.

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::listing::ListedFile;

struct Run {
    folder: tempfile::TempDir,
    checkpoints: Checkpoints,
}

impl Run {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints::new(Arc::new(Tree::open(folder.path()).unwrap()));
        Self { folder, checkpoints }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn put(&self, path: &str, content: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), content).unwrap();
    }

    fn create(&self, number: u64) -> Result<Created, CheckpointError> {
        self.checkpoints.create(new(number))
    }

    fn blobs(&self) -> usize {
        fs::read_dir(self.at("checkpoints/blobs")).unwrap().count()
    }

    /// Changes the stored list of checkpoint 1 by hand.
    fn edit(&self, from: &str, to: &str) {
        let file = self.at("checkpoints/cp_000001/checkpoint.json");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(file, text.replace(from, to)).unwrap();
    }
}

fn new(number: u64) -> NewCheckpoint {
    NewCheckpoint {
        number,
        run_id: "run_1".to_owned(),
        created_at: "2026-01-02T03:04:05Z".to_owned(),
        reason: "tool_workspace_write".to_owned(),
        event_seq: 7,
    }
}

fn file(path: &str, content: &str) -> ListedFile {
    ListedFile {
        path: WorkspacePath::parse(path).unwrap(),
        sha256: Sha256::of(content.as_bytes()),
        bytes: content.len() as u64,
    }
}

#[test]
fn a_checkpoint_holds_the_five_roots_and_comes_back_whole() {
    let run = Run::new();
    for (path, content) in [
        ("scratch/s.md", "s"),
        ("output/a/b.md", "ä"),
        ("persist/p.md", "s"),
        ("plan/p", ""),
        ("summaries/z", "z"),
    ] {
        run.put(path, content);
    }
    run.put("tool-results/call.json", "not a part");
    let created = run.create(1).unwrap();
    let files = vec![
        file("output/a/b.md", "ä"),
        file("persist/p.md", "s"),
        file("plan/p", ""),
        file("scratch/s.md", "s"),
        file("summaries/z", "z"),
    ];
    assert_eq!(created.checkpoint.files, files);
    assert_eq!(
        (created.hashed, created.stored, created.skipped, run.blobs()),
        (5, 4, 0, 4)
    );
    let loaded = run.checkpoints.load(1).unwrap();
    assert_eq!(loaded, created.checkpoint);
    run.checkpoints.verify(&loaded).unwrap();
    assert_eq!(run.checkpoints.content(&loaded.files[0]).unwrap(), "ä".as_bytes());
}

#[test]
fn the_list_has_the_stored_form() {
    let run = Run::new();
    run.put("output/a.md", "a");
    run.create(1_234_567).unwrap();
    let text = fs::read_to_string(run.at("checkpoints/cp_1234567/checkpoint.json")).unwrap();
    let expected = serde_json::json!({
        "id": "cp_1234567", "seq": 1_234_567, "runId": "run_1", "createdAt": "2026-01-02T03:04:05Z", "reason": "tool_workspace_write",
        "eventSeq": 7, "files": [{"path": "output/a.md", "sha256": Sha256::of(b"a"), "bytes": 1}],
    });
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), expected);
}

#[test]
fn unchanged_files_are_neither_stored_nor_read_again() {
    let run = Run::new();
    run.put("output/a.md", "a");
    run.put("output/b.md", "b");
    // A file that changed within the present tick of the disk's clock is read once more; soon none is.
    let settled = (1..10_000)
        .map(|number| (number, run.create(number).unwrap()))
        .find(|(_, created)| created.hashed == 0);
    let (number, _) = settled.unwrap();
    run.put("output/b.md", "changed");
    let created = run.create(number + 1).unwrap();
    assert_eq!((created.hashed, created.stored, run.blobs()), (1, 1, 3));
    assert_eq!(
        created.checkpoint.files,
        [file("output/a.md", "a"), file("output/b.md", "changed")]
    );
}

#[test]
fn changes_of_the_same_length_are_never_missed() {
    let run = Run::new();
    for number in 1..200 {
        let content = format!("{number:04}");
        run.put("output/a.md", &content);
        assert_eq!(
            run.create(number).unwrap().checkpoint.files,
            [file("output/a.md", &content)]
        );
    }
}

#[test]
fn a_number_is_never_used_twice() {
    let run = Run::new();
    run.put("output/a.md", "first");
    run.create(1).unwrap();
    run.put("output/a.md", "second");
    assert_eq!(run.create(1).unwrap_err().code(), "store.checkpoint_exists");
    assert_eq!(run.checkpoints.load(1).unwrap().files, [file("output/a.md", "first")]);
}

#[test]
fn a_missing_or_changed_content_is_named() {
    let run = Run::new();
    run.put("output/a.md", "a");
    run.put("output/b.md", "b");
    let checkpoint = run.create(1).unwrap().checkpoint;
    let blob = |content: &[u8]| run.at("checkpoints/blobs").join(Sha256::of(content).as_str());
    fs::write(blob(b"b"), "X").unwrap();
    let damaged = run.checkpoints.verify(&checkpoint).unwrap_err();
    assert!(
        matches!(&damaged, CheckpointError::BlobDamaged { path, .. } if path.as_str() == "output/b.md"),
        "{damaged}"
    );
    fs::remove_file(blob(b"a")).unwrap();
    let missing = run.checkpoints.verify(&checkpoint).unwrap_err();
    assert!(
        matches!(&missing, CheckpointError::BlobMissing { path, .. } if path.as_str() == "output/a.md"),
        "{missing}"
    );
    assert_eq!([damaged.code(), missing.code()], ["agent.checkpoint_invalid"; 2]);
}

#[test]
fn a_lost_content_is_stored_again_by_the_next_checkpoint() {
    let run = Run::new();
    run.put("output/a.md", "a");
    run.create(1).unwrap();
    fs::remove_file(run.at("checkpoints/blobs").join(Sha256::of(b"a").as_str())).unwrap();
    let checkpoint = run.create(2).unwrap().checkpoint;
    run.checkpoints.verify(&checkpoint).unwrap();
}

#[test]
fn a_list_that_was_edited_by_hand_is_damage() {
    let edits = [
        ("output/a.md", "../x"),
        ("output/a.md", "/etc/passwd"),
        ("output/a.md", "input/prompt_snapshot.json"),
        ("output/a.md", "output/b.md"),
        ("cp_000001", "cp_000002"),
        ("\"seq\": 1", "\"seq\": 9"),
        ("\"sha256\": \"", "\"sha256\": \"../../"),
        ("{", "{{"),
    ];
    for (from, to) in edits {
        let run = Run::new();
        run.put("output/a.md", "a");
        run.put("output/b.md", "b");
        run.create(1).unwrap();
        run.edit(from, to);
        let error = run.checkpoints.load(1).unwrap_err();
        let named =
            matches!(&error, CheckpointError::Damaged { file, .. } if file == "checkpoints/cp_000001/checkpoint.json");
        assert!(named, "{from} -> {to}: {error}");
    }
}

#[test]
fn numbers_are_those_with_a_list_and_one_without_does_not_exist() {
    let run = Run::new();
    assert_eq!(run.checkpoints.numbers().unwrap(), [0_u64; 0]);
    run.create(2).unwrap();
    run.create(11).unwrap();
    fs::create_dir(run.at("checkpoints/cp_000003")).unwrap();
    fs::create_dir(run.at("checkpoints/cp_4")).unwrap();
    assert_eq!(run.checkpoints.numbers().unwrap(), [2, 11]);
    assert_eq!(
        run.checkpoints.load(3).unwrap_err().code(),
        "agent.checkpoint_not_found"
    );
    assert_eq!(run.create(3).unwrap().checkpoint.id, "cp_000003");
}

#[test]
fn sweeping_removes_what_a_killed_process_left_and_nothing_else() {
    let run = Run::new();
    run.put("output/a.md", "a");
    let checkpoint = run.create(1).unwrap().checkpoint;
    let temp = crate::atomic::temp_name("blob");
    run.put(&format!("checkpoints/blobs/{temp}"), "half");
    run.put(
        &format!("checkpoints/cp_000002/{}", crate::atomic::temp_name(MANIFEST)),
        "half",
    );
    run.put("checkpoints/notes/mine.md", "kept");
    assert_eq!(run.checkpoints.sweep_leftovers().unwrap(), 3);
    assert_eq!(
        (
            run.blobs(),
            run.at("checkpoints/cp_000002").exists(),
            run.at("checkpoints/notes/mine.md").exists()
        ),
        (1, false, true)
    );
    run.checkpoints.verify(&checkpoint).unwrap();
}

#[cfg(unix)]
#[test]
fn links_are_left_out_and_counted() {
    let run = Run::new();
    run.put("output/a.md", "a");
    std::os::unix::fs::symlink("a.md", run.at("output/link")).unwrap();
    std::os::unix::fs::symlink("output", run.at("plan")).unwrap();
    let created = run.create(1).unwrap();
    assert_eq!(
        (created.checkpoint.files, created.skipped),
        (vec![file("output/a.md", "a")], 2)
    );
}

#[test]
fn the_present_files_are_told_without_storing_them() {
    let run = Run::new();
    run.put("persist/a.md", "a");
    run.put("output/b.md", "b");
    run.put("tool-results/call.json", "not a part");
    let expected = Present {
        files: vec![file("output/b.md", "b"), file("persist/a.md", "a")],
        skipped: 0,
    };
    assert_eq!(run.checkpoints.present().unwrap(), expected);
    assert!(!run.at("checkpoints").exists());
}

/// What a thousand checkpoints of the same files add is their lists alone.
#[test]
fn the_same_content_is_stored_once_however_often_it_is_saved() {
    let run = Run::new();
    run.put("output/main.md", &"We climb. ".repeat(1_000));
    let size = |folder: &str| -> u64 {
        let files = fs::read_dir(run.at(folder)).unwrap();
        files.map(|file| file.unwrap().metadata().unwrap().len()).sum()
    };
    run.create(1).unwrap();
    let once = size("checkpoints/blobs");
    for number in 2..=1_000 {
        assert_eq!(run.create(number).unwrap().stored, 0);
    }
    assert_eq!((run.blobs(), size("checkpoints/blobs")), (1, once));
}
