//! What the module `promote` promises, tried; no other module is.

use std::fs;

use innkeeper_protocol::event::ChangeKind;

use super::*;
use crate::listing::ListedFile;
use crate::persistent::testing::{Run, World, everything, file, state_id};

fn change(path: &str, kind: ChangeKind, text: &str) -> PersistentChange {
    let ListedFile { path, sha256, .. } = file(path, text);
    PersistentChange { path, kind, sha256 }
}

fn promote_error(world: &World, run: &Run) -> PersistentError {
    let promoted = world.states.promote(&run.tree, &run.baseline, run.new_state());
    promoted.unwrap_err()
}

#[test]
fn new_changed_and_removed_files_are_told_apart() {
    let world = World::new();
    world.state(&[
        ("persist/kept", "k"),
        ("persist/changed", "old"),
        ("persist/removed", "r"),
    ]);
    let run = world.run("run_b", Some("run_a"));
    run.write("persist/changed", "new");
    run.write("persist/sub/added", "a");
    run.remove("persist/removed");
    assert_eq!(
        run.promote(&world),
        Promotion {
            state_id: state_id("run_b"),
            base_state_id: Some(state_id("run_a")),
            changes: vec![
                change("persist/changed", ChangeKind::Modified, "new"),
                change("persist/removed", ChangeKind::Deleted, "r"),
                change("persist/sub/added", ChangeKind::Added, "a"),
            ],
            files: 3,
            skipped: 0,
        }
    );
    let files = world.states.load(&state_id("run_b")).unwrap().files;
    let expected = [
        ("persist/changed", "new"),
        ("persist/kept", "k"),
        ("persist/sub/added", "a"),
    ];
    assert_eq!(files, expected.map(|(path, text)| file(path, text)));
}

#[test]
fn a_state_is_made_even_when_nothing_changed() {
    let world = World::new();
    world.state(&[("persist/a.md", "one")]);
    let run = world.run("run_b", Some("run_a"));
    assert_eq!(run.promote(&world).changes, vec![]);
    let persist = |state: &str| everything(&world.folder().join(state).join("persist"));
    assert_eq!(persist("run_b"), persist("run_a"));
}

#[test]
fn empty_folders_are_kept() {
    let world = World::new();
    let run = world.run("run_a", None);
    fs::create_dir_all(run.path.join("persist/empty/deep")).unwrap();
    run.promote(&world);
    assert!(world.folder().join("run_a/persist/empty/deep").is_dir());
}

#[test]
fn two_runs_from_one_state_make_two_states() {
    let world = World::new();
    world.state(&[("persist/a.md", "base")]);
    let before = everything(&world.folder().join("run_a"));
    let (one, other) = (world.run("run_b", Some("run_a")), world.run("run_c", Some("run_a")));
    one.write("persist/a.md", "one");
    other.write("persist/a.md", "other");
    let changes = [one.promote(&world), other.promote(&world)].map(|promotion| promotion.changes);
    let modified = |text: &str| vec![change("persist/a.md", ChangeKind::Modified, text)];
    assert_eq!(changes, [modified("one"), modified("other")]);
    let kept = |state: &str| fs::read_to_string(world.folder().join(state).join("persist/a.md")).unwrap();
    assert_eq!([kept("run_b"), kept("run_c")], ["one", "other"]);
    assert_eq!(everything(&world.folder().join("run_a")), before);
}

#[test]
fn a_state_is_never_made_twice() {
    let world = World::new();
    let run = world.run("run_a", None);
    run.write("persist/a.md", "first");
    run.promote(&world);
    run.write("persist/a.md", "second");
    assert_eq!(promote_error(&world, &run).code(), "agent.persistent_state_exists");
    let kept = fs::read_to_string(world.folder().join("run_a/persist/a.md")).unwrap();
    assert_eq!((kept.as_str(), world.names()), ("first", vec!["run_a".to_owned()]));
}

#[test]
fn an_empty_folder_in_the_way_is_not_replaced() {
    let world = World::new();
    let run = world.run("run_a", None);
    fs::create_dir_all(world.folder().join("run_a")).unwrap();
    assert!(matches!(promote_error(&world, &run), PersistentError::Exists { .. }));
    assert_eq!(everything(&world.folder()), everything_of(&["run_a/"]));
}

fn everything_of(names: &[&str]) -> std::collections::BTreeMap<String, String> {
    names.iter().map(|name| ((*name).to_owned(), String::new())).collect()
}

#[test]
fn a_failed_promotion_leaves_nothing() {
    let world = World::new();
    let run = world.run("run_a", None);
    run.write("persist/a.md", "one");
    run.write("persist/sub/.DS_Store/x", "odd");
    assert_eq!(promote_error(&world, &run).code(), "agent.persistent_state_invalid");
    assert_eq!(world.names(), Vec::<String>::new());
}

#[test]
fn a_root_that_is_gone_is_not_an_empty_one() {
    let world = World::new();
    world.state(&[("persist/a.md", "one")]);
    let run = world.run("run_b", Some("run_a"));
    fs::remove_dir_all(run.path.join("persist")).unwrap();
    assert_eq!(
        promote_error(&world, &run).code(),
        "agent.persistent_state_root_missing"
    );
    fs::write(run.path.join("persist"), "").unwrap();
    assert_eq!(
        promote_error(&world, &run).code(),
        "agent.persistent_state_root_invalid"
    );
    assert_eq!(world.names(), vec!["run_a".to_owned()]);
}

#[test]
fn a_run_whose_folder_was_replaced_makes_no_state() {
    let world = World::new();
    let run = world.run("run_a", None);
    fs::rename(&run.path, run.path.with_file_name("moved")).unwrap();
    fs::create_dir_all(run.path.join("persist")).unwrap();
    assert_eq!(promote_error(&world, &run).code(), "workspace.root_replaced");
    assert_eq!(world.names(), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn links_are_left_out_and_counted() {
    let world = World::new();
    let run = world.run("run_a", None);
    let secret = world.data.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    std::os::unix::fs::symlink(&secret, run.path.join("persist/link")).unwrap();
    let promotion = run.promote(&world);
    assert_eq!((promotion.files, promotion.skipped), (0, 1));
    assert_eq!(everything(&world.folder().join("run_a/persist")), everything_of(&[]));
}

#[cfg(unix)]
#[test]
fn a_hard_link_is_copied_and_not_shared() {
    let world = World::new();
    let run = world.run("run_a", None);
    let outside = world.data.path().join("outside");
    fs::write(&outside, "then").unwrap();
    fs::hard_link(&outside, run.path.join("persist/a.md")).unwrap();
    run.promote(&world);
    fs::write(&outside, "now").unwrap();
    assert_eq!(
        world.run("run_b", Some("run_a")).baseline.files,
        vec![file("persist/a.md", "then")]
    );
}

#[test]
fn an_unpublished_state_goes_when_it_is_dropped() {
    let world = World::new();
    let run = world.run("run_a", None);
    run.write("persist/sub/a.md", "one");
    let states = world.states.create_folder().unwrap();
    let temporary = Temporary::create(&states, &state_id("run_a")).unwrap();
    temporary.fill(&run.tree).unwrap();
    let filled = world.names();
    drop(temporary);
    assert_eq!((filled.len(), world.names()), (1, vec![]));
}

#[test]
fn a_state_that_came_in_between_stays_and_the_new_one_goes() {
    let world = World::new();
    world.state(&[("persist/a.md", "one")]);
    let states = world.states.create_folder().unwrap();
    let temporary = Temporary::create(&states, &state_id("run_a")).unwrap();
    let error = temporary.publish(&state_id("run_a")).unwrap_err();
    assert_eq!(error.code(), "agent.persistent_state_exists");
    assert_eq!(world.names(), vec!["run_a".to_owned()]);
    assert_eq!(
        world.run("run_b", Some("run_a")).baseline.files,
        vec![file("persist/a.md", "one")]
    );
}

#[test]
fn an_empty_folder_that_came_in_between_is_not_replaced() {
    let world = World::new();
    world.run("run_a", None);
    let states = world.states.create_folder().unwrap();
    let temporary = Temporary::create(&states, &state_id("run_a")).unwrap();
    fs::create_dir(world.folder().join("run_a")).unwrap();
    let error = temporary.publish(&state_id("run_a")).unwrap_err();
    assert_eq!(error.code(), "agent.persistent_state_exists");
    assert_eq!(world.names(), vec!["run_a".to_owned()]);
}
