//! What the module `restore` promises, tried; no other module is.

use std::collections::BTreeMap;
use std::fs;

use super::*;
use crate::persistent::testing::{World, everything, file, run_id, state_id};

fn restore_error(world: &World) -> PersistentError {
    let folder = world.root.create_run(&world.workspace_id, &run_id("run_b")).unwrap();
    let tree = Tree::open(folder.path()).unwrap();
    world.states.restore(Some(&state_id("run_a")), &tree).unwrap_err()
}

fn map(entries: &[(&str, &str)]) -> BTreeMap<String, String> {
    let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    entries.iter().map(owned).collect()
}

#[test]
fn without_a_base_the_roots_are_empty() {
    let world = World::new();
    let run = world.run("run_a", None);
    assert_eq!(
        run.baseline,
        PersistSnapshot {
            base_state_id: None,
            files: vec![]
        }
    );
    assert_eq!(everything(&run.path), map(&[("persist/", "")]));
}

#[test]
fn files_and_folders_come_back_with_the_baseline_they_make() {
    let world = World::new();
    world.state(&[
        ("persist/a.md", "one"),
        ("persist/sub/deep/b.md", ""),
        ("output/main.md", "no"),
    ]);
    let run = world.run("run_b", Some("run_a"));
    assert_eq!(
        everything(&run.path),
        map(&[
            ("persist/", ""),
            ("persist/a.md", "one"),
            ("persist/sub/", ""),
            ("persist/sub/deep/", ""),
            ("persist/sub/deep/b.md", ""),
        ])
    );
    let files = vec![file("persist/a.md", "one"), file("persist/sub/deep/b.md", "")];
    let base_state_id = Some(state_id("run_a"));
    assert_eq!(run.baseline, PersistSnapshot { base_state_id, files });
}

#[test]
fn a_missing_state_is_not_an_empty_one() {
    let world = World::new();
    assert_eq!(restore_error(&world).code(), "agent.persistent_state_not_found");
    fs::create_dir(world.folder()).unwrap();
    let folder = world.root.find_run(&run_id("run_b")).unwrap();
    let tree = Tree::open(folder.path()).unwrap();
    let error = world.states.restore(Some(&state_id("run_a")), &tree).unwrap_err();
    assert_eq!(error.code(), "agent.persistent_state_not_found");
}

#[test]
fn a_file_in_place_of_the_state_is_invalid() {
    let world = World::new();
    fs::create_dir_all(world.folder()).unwrap();
    fs::write(world.folder().join("run_a"), "").unwrap();
    assert_eq!(restore_error(&world).code(), "agent.persistent_state_invalid");
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_state_is_invalid() {
    let world = World::new();
    world.state(&[("persist/a.md", "one")]);
    let elsewhere = world.data.path().join("elsewhere");
    fs::rename(world.folder().join("run_a"), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, world.folder().join("run_a")).unwrap();
    assert!(matches!(restore_error(&world), PersistentError::NotAFolder { .. }));
}

#[test]
fn a_root_may_be_missing_only_when_nothing_is_listed_below_it() {
    let world = World::new();
    world.state(&[]);
    fs::remove_dir(world.folder().join("run_a/persist")).unwrap();
    assert_eq!(world.run("run_c", Some("run_a")).baseline.files, vec![]);

    let world = World::new();
    world.state(&[("persist/a.md", "one")]);
    fs::remove_dir_all(world.folder().join("run_a/persist")).unwrap();
    assert_eq!(restore_error(&world).code(), "agent.persistent_state_root_missing");
}

#[test]
fn a_root_that_is_a_file_is_invalid() {
    let world = World::new();
    world.state(&[]);
    fs::remove_dir(world.folder().join("run_a/persist")).unwrap();
    fs::write(world.folder().join("run_a/persist"), "").unwrap();
    assert_eq!(restore_error(&world).code(), "agent.persistent_state_root_invalid");
}

#[test]
fn a_file_that_is_not_what_the_manifest_lists_is_damage() {
    for change in [Some("uno"), Some("one and more"), None] {
        let world = World::new();
        world.state(&[("persist/a.md", "one"), ("persist/b.md", "two")]);
        let path = world.folder().join("run_a/persist/a.md");
        match change {
            Some(text) => fs::write(path, text).unwrap(),
            None => fs::remove_file(path).unwrap(),
        }
        match restore_error(&world) {
            PersistentError::Damaged { file, .. } => assert_eq!(file, "persistent-states/run_a/persist/a.md"),
            other => panic!("{change:?}: {other:?}"),
        }
    }
}

#[cfg(unix)]
#[test]
fn a_listed_file_that_became_a_link_is_damage_and_not_followed() {
    let world = World::new();
    world.state(&[("persist/a.md", "one")]);
    let path = world.folder().join("run_a/persist/a.md");
    let elsewhere = world.data.path().join("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    assert!(matches!(restore_error(&world), PersistentError::Damaged { .. }));
    let run = world.root.find_run(&run_id("run_b")).unwrap();
    assert_eq!(everything(run.path()), map(&[("persist/", "")]));
}

#[test]
fn what_the_manifest_does_not_list_is_left_out() {
    let world = World::new();
    world.state(&[("persist/a.md", "one")]);
    for stray in ["persist/.DS_Store", "persist/stray.md", "other.md"] {
        fs::write(world.folder().join("run_a").join(stray), "stray").unwrap();
    }
    let run = world.run("run_b", Some("run_a"));
    assert_eq!(run.baseline.files, vec![file("persist/a.md", "one")]);
    assert_eq!(everything(&run.path), map(&[("persist/", ""), ("persist/a.md", "one")]));
}

#[test]
fn a_manifest_changed_by_hand_writes_nothing_outside() {
    let world = World::new();
    world.state(&[("persist/a.md", "one")]);
    world.edit_manifest("run_a", |json| json["files"][0]["path"] = "../x".into());
    let before = everything(&world.folder());
    assert!(matches!(restore_error(&world), PersistentError::Damaged { .. }));
    let run = world.root.find_run(&run_id("run_b")).unwrap();
    assert_eq!(everything(run.path()), map(&[("persist/", "")]));
    assert_eq!(everything(&world.folder()), before);
}

#[test]
fn files_that_are_there_already_are_not_replaced() {
    let world = World::new();
    world.state(&[("persist/a.md", "one")]);
    let folder = world.root.create_run(&world.workspace_id, &run_id("run_b")).unwrap();
    fs::create_dir(folder.path().join("persist")).unwrap();
    fs::write(folder.path().join("persist/a.md"), "mine").unwrap();
    let tree = Tree::open(folder.path()).unwrap();
    let error = world.states.restore(Some(&state_id("run_a")), &tree).unwrap_err();
    assert_eq!(error.code(), "store.io_failed");
    assert_eq!(fs::read_to_string(folder.path().join("persist/a.md")).unwrap(), "mine");
}
