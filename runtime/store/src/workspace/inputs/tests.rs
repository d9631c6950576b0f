//! What the module `inputs` promises, tried; no other module is.

use serde_json::json;

use super::*;
use crate::workspace::testing::{edit, invocation_id, path, prepared, stored};

#[test]
fn inputs_of_an_invocation_lie_in_its_folder() {
    let (_world, workspace) = prepared();
    let id = invocation_id("inv_01");
    let inputs = [
        InvocationInput::PromptSnapshot,
        InvocationInput::PromptAssembly,
        InvocationInput::ResolvedSkills,
        InvocationInput::ToolSnapshot,
    ];
    let paths = inputs.map(|input| {
        let value = json!({"which": input.file_name()});
        let path = workspace.freeze(&id, input, &value).unwrap();
        assert_eq!(stored(&workspace, path.as_str()), value);
        path
    });
    let names = ["prompt_snapshot", "prompt_assembly", "resolved_skills", "tool_snapshot"];
    assert_eq!(
        paths,
        names.map(|name| path(&format!("input/invocations/inv_01/{name}.json")))
    );
}

#[test]
fn what_is_frozen_is_never_replaced() {
    let (_world, workspace) = prepared();
    let id = invocation_id("inv_root");
    let freeze = |value: Value| workspace.freeze(&id, InvocationInput::ToolSnapshot, &value);
    let file = freeze(json!({"bindings": []})).unwrap();
    let error = freeze(json!({"bindings": ["more"]})).unwrap_err();
    assert_eq!(error.code(), "store.already_exists");
    assert_eq!(stored(&workspace, file.as_str()), json!({"bindings": []}));

    let skills = workspace.freeze_skills(&json!(["one"])).unwrap();
    let error = workspace.freeze_skills(&json!(["two"])).unwrap_err();
    assert!(matches!(error, WorkspaceError::AlreadyExists { path } if path == skills));
    assert_eq!(stored(&workspace, "input/resolved_skills.json"), json!(["one"]));
}

#[test]
fn an_id_that_windows_takes_for_a_device_is_refused() {
    let (_world, workspace) = prepared();
    let error = workspace
        .freeze(&invocation_id("nul"), InvocationInput::ToolSnapshot, &json!({}))
        .unwrap_err();
    assert_eq!(error.code(), "workspace.invalid_path");
}

#[test]
fn the_baseline_is_read_back_as_it_was_written() {
    let (_world, workspace) = prepared();
    assert_eq!(load_baseline(workspace.tree()).unwrap(), *workspace.baseline());
}

#[test]
fn a_baseline_changed_by_hand_is_damage() {
    for bad in ["../x", "persist/../../x", "output/main.md", "persist"] {
        let (_world, workspace) = prepared();
        let sha256 = innkeeper_protocol::digest::Sha256::of(b"");
        edit(&workspace, "input/persist_snapshot.json", |json| {
            json["files"] = json!([{"path": bad, "sha256": sha256, "bytes": 0}]);
        });
        match load_baseline(workspace.tree()) {
            Err(WorkspaceError::Damaged { path, .. }) => assert_eq!(path.as_str(), "input/persist_snapshot.json"),
            other => panic!("{bad}: {other:?}"),
        }
    }
}
