//! What the module `manifest` promises, tried; no other module is.

use serde_json::json;

use super::*;
use crate::listing::ListedFile;
use crate::persistent::testing::{CREATED_AT, World, file, run_id, state_id};

fn code_after(edit: impl FnOnce(&mut Value)) -> &'static str {
    let world = World::new();
    world.state(&[("persist/a.md", "one")]);
    world.edit_manifest("run_a", edit);
    let error = world.states.load(&state_id("run_a")).unwrap_err();
    error.code()
}

fn problem_after(edit: impl FnOnce(&mut Value)) -> (String, String) {
    let world = World::new();
    world.state(&[("persist/a.md", "one")]);
    world.edit_manifest("run_a", edit);
    match world.states.load(&state_id("run_a")) {
        Err(PersistentError::Damaged { file, problem }) => (file, problem),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_manifest_is_stored_in_the_shared_form() {
    let world = World::new();
    world.state(&[("persist/a.md", "one")]);
    let run = world.run("run_b", Some("run_a"));
    run.remove("persist/a.md");
    run.promote(&world);
    let text = std::fs::read(world.folder().join("run_b/manifest.json")).unwrap();
    let deleted = json!({"path": "persist/a.md", "kind": "deleted", "sha256": Sha256::of(b"one"), "bytes": 3});
    assert_eq!(
        serde_json::from_slice::<Value>(&text).unwrap(),
        json!({
            "version": 1, "stateId": "run_b", "runId": "run_b", "workspaceId": "chat_0123456789abcdef",
            "stableChatId": "stable", "baseStateId": "run_a", "createdAt": CREATED_AT,
            "files": [], "changes": [deleted],
        })
    );
}

#[test]
fn a_manifest_is_read_as_it_was_written() {
    let world = World::new();
    world.state(&[("persist/b.md", "two"), ("persist/a.md", "one")]);
    let added = |path: &str, text: &str| {
        let ListedFile { path, sha256, bytes } = file(path, text);
        StateChange {
            path,
            kind: ChangeKind::Added,
            sha256,
            bytes,
        }
    };
    assert_eq!(
        world.states.load(&state_id("run_a")).unwrap(),
        StateManifest {
            version: 1,
            state_id: state_id("run_a"),
            run_id: run_id("run_a"),
            workspace_id: world.workspace_id.clone(),
            stable_chat_id: StableChatId::parse("stable").unwrap(),
            base_state_id: None,
            created_at: CREATED_AT.to_owned(),
            files: vec![file("persist/a.md", "one"), file("persist/b.md", "two")],
            changes: vec![added("persist/a.md", "one"), added("persist/b.md", "two")],
        }
    );
}

#[test]
fn a_state_of_somebody_else_is_refused() {
    let codes = [
        code_after(|json| json["version"] = json!(2)),
        code_after(|json| json["version"] = json!("1")),
        code_after(|json| json["stateId"] = json!("run_z")),
        code_after(|json| json["workspaceId"] = json!("chat_fedcba9876543210")),
    ];
    assert_eq!(
        codes,
        [
            "agent.persistent_state_version_unsupported",
            "agent.persistent_state_version_unsupported",
            "agent.persistent_state_manifest_mismatch",
            "agent.persistent_state_workspace_mismatch",
        ]
    );
}

#[test]
fn a_path_changed_by_hand_is_damage() {
    let bad = [
        "../x",
        "persist/../../x",
        "/etc/passwd",
        "output/a.md",
        "run.json",
        "persist",
        "C:\\x",
        "",
    ];
    for path in bad {
        let (file, _) = problem_after(|json| json["files"][0]["path"] = json!(path));
        assert_eq!(file, "persistent-states/run_a/manifest.json", "{path}");
        let (file, _) = problem_after(|json| json["changes"][0]["path"] = json!(path));
        assert_eq!(file, "persistent-states/run_a/manifest.json", "{path}");
    }
}

#[test]
fn a_file_listed_twice_is_damage() {
    let (_, problem) = problem_after(|json| {
        let twice = json["files"][0].clone();
        json["files"].as_array_mut().unwrap().push(twice);
    });
    assert_eq!(problem, "`persist/a.md` is there twice");
}

#[test]
fn a_manifest_that_is_missing_or_no_json_is_damage() {
    for content in [None, Some(""), Some("{\"version\":1"), Some("\u{0}")] {
        let world = World::new();
        world.state(&[]);
        let path = world.folder().join("run_a/manifest.json");
        match content {
            Some(text) => std::fs::write(path, text).unwrap(),
            None => std::fs::remove_file(path).unwrap(),
        }
        let error = world.states.load(&state_id("run_a")).unwrap_err();
        let expected = if content.is_none() {
            "persistent-states/run_a/manifest.json is damaged: it is missing"
        } else {
            ""
        };
        assert_eq!(error.code(), "agent.persistent_state_invalid", "{content:?}");
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_manifest_that_is_a_link_is_not_followed() {
    let world = World::new();
    world.state(&[]);
    let path = world.folder().join("run_a/manifest.json");
    let elsewhere = world.data.path().join("elsewhere.json");
    std::fs::rename(&path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    let error = world.states.load(&state_id("run_a")).unwrap_err();
    assert_eq!(error.code(), "agent.persistent_state_invalid");
}
