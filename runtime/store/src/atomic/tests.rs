//! Whole-file writes: content, leftovers, and what stays when one fails.

use serde_json::json;

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn json_is_pretty_and_leaves_no_temporary_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    write_json_atomic(&path, &json!({"b": 1}), Durability::Durable).unwrap();
    write_json_atomic(&path, &json!({"a": "é"}), Durability::Cache).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\n  \"a\": \"é\"\n}\n");
    assert_eq!(names(folder.path()), ["run.json"]);
}

#[test]
fn a_failed_write_keeps_the_target_and_removes_its_temporary_file() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("taken");
    std::fs::create_dir(&target).unwrap();
    std::fs::write(target.join("inside"), "kept").unwrap();
    let error = write_atomic(&target, b"new", Durability::Durable).unwrap_err();
    assert_eq!(error.code(), "store.io_failed");
    assert_eq!(names(folder.path()), ["taken"]);
    assert_eq!(names(&target), ["inside"]);
}

#[test]
fn creating_never_replaces() {
    let folder = tempfile::tempdir().unwrap();
    let handle = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
    create_in(&handle, "policy.toml.old-1", b"1").unwrap();
    let error = create_in(&handle, "policy.toml.old-1", b"2").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(
        std::fs::read_to_string(folder.path().join("policy.toml.old-1")).unwrap(),
        "1"
    );
}

#[test]
fn a_missing_folder_is_an_error_and_is_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let error = write_atomic(&folder.path().join("no/run.json"), b"x", Durability::Cache).unwrap_err();
    assert!(matches!(error, AtomicError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound));
    assert!(names(folder.path()).is_empty());
}

#[test]
fn sweeping_takes_only_temporary_names() {
    let folder = tempfile::tempdir().unwrap();
    let leftover = temp_name("run.json");
    for name in [&*leftover, "run.json", "notes.tmp", "a.not-a-uuid.tmp"] {
        std::fs::write(folder.path().join(name), "x").unwrap();
    }
    let handle = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
    assert_eq!(sweep_temps(&handle).unwrap(), 1);
    assert_eq!(names(folder.path()), ["a.not-a-uuid.tmp", "notes.tmp", "run.json"]);
}

#[test]
fn concurrent_writers_leave_one_whole_content() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    std::thread::scope(|scope| {
        for digit in b'0'..b'8' {
            let path = &path;
            scope.spawn(move || write_atomic(path, &[digit; 4096], Durability::Cache).unwrap());
        }
    });
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len(), 4096);
    assert!(bytes.iter().all(|byte| *byte == bytes[0]));
    assert_eq!(names(folder.path()), ["run.json"]);
}
