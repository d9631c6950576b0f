//! What the module `workspace` promises, tried; no other module is.

use std::collections::BTreeSet;
use std::fs;

use innkeeper_protocol::event::{ChangeKind, PersistentChange};
use serde_json::json;

use super::testing::{prepared, setup, stored};
use super::*;
use crate::persistent::testing::{CREATED_AT, World, everything, file, run_id, state_id};

fn names(workspace: &PreparedWorkspace) -> BTreeSet<String> {
    everything(workspace.folder().path()).into_keys().collect()
}

#[test]
fn a_new_run_has_its_roots_and_its_inputs() {
    let (_world, workspace) = prepared();
    let expected = [
        "input/",
        "input/persist_snapshot.json",
        "input/prompt_snapshot.json",
        "input/resolved_profile.json",
        "manifest.json",
        "model-responses/",
        "output/",
        "persist/",
        "plan/",
        "scratch/",
        "summaries/",
        "tool-args/",
        "tool-results/",
    ];
    assert_eq!(names(&workspace), expected.map(str::to_owned).into());
}

#[test]
fn inputs_are_stored_as_the_caller_gave_them() {
    let (_world, workspace) = prepared();
    let setup = setup();
    assert_eq!(stored(&workspace, "input/prompt_snapshot.json"), setup.prompt_snapshot);
    assert_eq!(
        stored(&workspace, "input/resolved_profile.json"),
        setup.resolved_profile
    );
    assert_eq!(stored(&workspace, "input/persist_snapshot.json"), json!({"files": []}));
}

#[test]
fn a_run_begins_with_the_files_of_its_state() {
    let world = World::new();
    world.state(&[("persist/b.md", "two"), ("persist/a.md", "one")]);
    let folder = world.root.create_run(&world.workspace_id, &run_id("run_b")).unwrap();
    let mut setup = setup();
    setup.persist_base_state_id = Some(state_id("run_a"));
    let workspace = prepare(&folder, &world.states, &setup).unwrap();
    let files = vec![file("persist/a.md", "one"), file("persist/b.md", "two")];
    assert_eq!(
        stored(&workspace, "input/persist_snapshot.json"),
        json!({"baseStateId": "run_a", "files": files})
    );
    let base_state_id = Some(state_id("run_a"));
    assert_eq!(*workspace.baseline(), PersistSnapshot { base_state_id, files });
    assert_eq!(fs::read_to_string(folder.path().join("persist/a.md")).unwrap(), "one");
}

#[test]
fn without_its_state_a_run_has_no_manifest() {
    let world = World::new();
    let folder = world.root.create_run(&world.workspace_id, &run_id("run_b")).unwrap();
    let mut setup = setup();
    setup.persist_base_state_id = Some(state_id("run_a"));
    let error = prepare(&folder, &world.states, &setup).unwrap_err();
    assert_eq!(error.code(), "agent.persistent_state_not_found");
    assert!(!folder.path().join("manifest.json").exists());
}

#[test]
fn a_folder_is_prepared_once() {
    let (world, workspace) = prepared();
    fs::write(workspace.folder().path().join("persist/a.md"), "mine").unwrap();
    let before = everything(workspace.folder().path());
    let mut other = setup();
    other.prompt_snapshot = json!({});
    let error = prepare(workspace.folder(), &world.states, &other).unwrap_err();
    assert_eq!(error.code(), "store.already_exists");
    assert_eq!(everything(workspace.folder().path()), before);
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_a_root_is_refused() {
    let world = World::new();
    let folder = world.root.create_run(&world.workspace_id, &run_id("run_b")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("persist")).unwrap();
    let error = prepare(&folder, &world.states, &setup()).unwrap_err();
    assert_eq!(error.code(), "workspace.io_failed");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn the_finished_run_makes_a_state_under_its_own_id() {
    let (world, workspace) = prepared();
    fs::write(workspace.folder().path().join("persist/a.md"), "one").unwrap();
    let promotion = workspace.promote(&world.states, CREATED_AT).unwrap();
    let change = PersistentChange {
        path: file("persist/a.md", "one").path,
        kind: ChangeKind::Added,
        sha256: file("persist/a.md", "one").sha256,
    };
    assert_eq!(
        (promotion.state_id, promotion.changes),
        (state_id("run_b"), vec![change])
    );
    let manifest = world.states.load(&state_id("run_b")).unwrap();
    assert_eq!(
        (manifest.stable_chat_id.as_str(), manifest.created_at.as_str()),
        ("stable", CREATED_AT)
    );
}
