//! What the module `contents` promises, tried; no other module is.

use super::*;
use crate::persistent::testing::{World, file};

#[test]
fn the_baseline_lists_files_of_persistent_roots_only() {
    let world = World::new();
    let run = world.run("run_a", None);
    run.write("persist/z.md", "z");
    run.write("persist/sub/a.md", "a");
    run.write("output/main.md", "no");
    assert_eq!(
        baseline(&run.tree, None).unwrap(),
        PersistSnapshot {
            base_state_id: None,
            files: vec![file("persist/sub/a.md", "a"), file("persist/z.md", "z")],
        }
    );
}

#[test]
fn the_view_file_of_macos_is_passed_over() {
    let world = World::new();
    let run = world.run("run_a", None);
    run.write("persist/.DS_Store", "view");
    run.write("persist/sub/.DS_Store", "view");
    run.write("persist/sub/DS_Store", "kept");
    let files = baseline(&run.tree, None).unwrap().files;
    assert_eq!(files, vec![file("persist/sub/DS_Store", "kept")]);
}

#[test]
fn a_folder_with_that_name_is_an_error() {
    let world = World::new();
    let run = world.run("run_a", None);
    std::fs::create_dir_all(run.path.join("persist/sub/.DS_Store")).unwrap();
    let error = baseline(&run.tree, None).unwrap_err();
    assert!(
        matches!(&error, PersistentError::MetadataFolder { path } if path.as_str() == "persist/sub/.DS_Store"),
        "{error:?}"
    );
    assert_eq!(error.code(), "agent.persistent_state_invalid");
}

#[cfg(unix)]
#[test]
fn links_and_special_files_are_passed_over_and_counted() {
    let world = World::new();
    let run = world.run("run_a", None);
    let secret = world.data.path().join("secret");
    std::fs::create_dir(&secret).unwrap();
    std::fs::write(secret.join("key"), "secret").unwrap();
    std::os::unix::fs::symlink(&secret, run.path.join("persist/folder")).unwrap();
    std::os::unix::fs::symlink(secret.join("key"), run.path.join("persist/file")).unwrap();
    let pipe = run.path.join("persist/pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    run.write("persist/a.md", "one");
    let root = persistent_roots().next().unwrap();
    let found = contents(&run.tree, &root, None).unwrap();
    let expected = Contents {
        folders: vec![],
        files: vec![file("persist/a.md", "one").path],
        skipped: 3,
    };
    assert_eq!(found, Some(expected));
}
