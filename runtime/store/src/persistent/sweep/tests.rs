//! What the module `sweep` promises, tried; no other module is.

use std::fs;

use super::*;
use crate::persistent::testing::{World, file, state_id};

const UNIQUE: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

/// What a process leaves that was killed while it copied: files, and no list yet.
fn leave_half_a_state(world: &World, state: &str) -> String {
    let name = format!(".{state}.tmp-{UNIQUE}");
    fs::create_dir_all(world.folder().join(&name).join("persist/sub")).unwrap();
    fs::write(world.folder().join(&name).join("persist/sub/a.md"), "half").unwrap();
    name
}

#[test]
fn a_temporary_name_says_whose_it_is() {
    let id = state_id("run_a");
    assert_eq!(state_of(&temporary_name(&id)), Some(id));
    for other in [
        "run_a",
        ".run_a",
        ".run_a.tmp-",
        ".run_a.tmp-1",
        ".tmp-x",
        &format!("run_a.tmp-{UNIQUE}"),
    ] {
        assert_eq!(state_of(other), None, "{other}");
    }
}

#[test]
fn only_states_of_abandoned_runs_are_swept() {
    let world = World::new();
    world.state(&[("persist/a.md", "one")]);
    leave_half_a_state(&world, "run_dead");
    let live = leave_half_a_state(&world, "run_live");
    fs::create_dir(world.folder().join(".other")).unwrap();
    let mut asked = Vec::new();
    let removed = world.states.sweep_leftovers(&mut |state_id| {
        asked.push(state_id.to_string());
        state_id.as_str() == "run_dead"
    });
    asked.sort();
    assert_eq!(
        (removed.unwrap(), asked),
        (1, vec!["run_dead".to_owned(), "run_live".to_owned()])
    );
    assert_eq!(world.names(), vec![".other".to_owned(), live, "run_a".to_owned()]);
}

#[test]
fn a_chat_without_states_has_nothing_to_sweep() {
    assert_eq!(World::new().states.sweep_leftovers(&mut |_| true).unwrap(), 0);
}

#[test]
fn half_a_state_is_no_state_and_in_nobodys_way() {
    let world = World::new();
    let half = leave_half_a_state(&world, "run_a");
    let error = world.states.load(&state_id("run_a")).unwrap_err();
    assert_eq!(error.code(), "agent.persistent_state_not_found");
    world.state(&[("persist/a.md", "one")]);
    assert_eq!(world.names(), vec![half, "run_a".to_owned()]);
    assert_eq!(
        world.run("run_b", Some("run_a")).baseline.files,
        vec![file("persist/a.md", "one")]
    );
}
