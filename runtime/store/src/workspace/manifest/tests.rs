//! What the module `manifest` promises, tried; no other module is.

use serde_json::{Value, json};

use super::*;
use crate::persistent::testing::{CREATED_AT, run_id};
use crate::workspace::testing::{edit, path, prepared, setup, stored};

fn root(path: &str, visible: bool, writable: bool) -> Value {
    json!({
        "path": path, "lifecycle": "run", "scope": "run", "mount": "materialized",
        "visible": visible, "writable": writable, "commit": "never",
    })
}

#[test]
fn the_manifest_has_the_shared_form() {
    let (_world, workspace) = prepared();
    let persist = json!({
        "path": "persist", "lifecycle": "persistent", "scope": "chat", "mount": "projected_overlay",
        "visible": true, "writable": true, "commit": "on_run_completed",
    });
    let artifact = json!({
        "id": "main", "path": "output/main.md", "kind": "markdown", "target": "message_body",
        "required": true, "assemblyOrder": 0,
    });
    let expected = json!({
        "workspaceVersion": 1, "runId": "run_b", "stableChatId": "stable",
        "chatRef": {"kind": "group", "chatId": "group"}, "createdAt": CREATED_AT,
        "input": {
            "mode": "prompt_snapshot",
            "promptSnapshotPath": "input/prompt_snapshot.json",
            "resolvedProfilePath": "input/resolved_profile.json",
        },
        "roots": [
            root("output", true, true), root("scratch", true, true), root("plan", true, false),
            root("summaries", true, true), persist, root("tool-results", true, false),
        ],
        "artifacts": [artifact],
        "commitPolicy": {"defaultTarget": "message_body", "combineTemplate": null, "storeArtifactsInExtra": true},
    });
    assert_eq!(stored(&workspace, "manifest.json"), expected);
}

#[test]
fn hidden_roots_are_listed_as_such() {
    let mut data = setup().manifest;
    data.visible.truncate(1);
    data.writable.clear();
    let manifest = WorkspaceManifest::new(run_id("run_b"), &data).unwrap();
    let rights: Vec<_> = manifest
        .roots
        .iter()
        .map(|root| (root.path.as_str(), root.visible, root.writable))
        .collect();
    assert_eq!(
        rights,
        [
            ("output", true, false),
            ("scratch", false, false),
            ("plan", false, false),
            ("summaries", false, false),
            ("persist", false, false),
            ("tool-results", true, false),
        ]
    );
}

#[test]
fn targets_have_the_names_that_are_shared() {
    let key = "notes".to_owned();
    let targets = [
        ArtifactTarget::MessageBody,
        ArtifactTarget::MessageExtra { key },
        ArtifactTarget::CombinedMarkdown,
        ArtifactTarget::HiddenRunArtifact,
    ];
    let extra = json!({"message_extra": {"key": "notes"}});
    let expected = json!(["message_body", extra, "combined_markdown", "hidden_run_artifact"]);
    assert_eq!(serde_json::to_value(targets).unwrap(), expected);
}

#[test]
fn unknown_roots_and_artifacts_outside_are_refused() {
    let mut data = setup().manifest;
    data.visible.push(RootName::declare("notes").unwrap());
    let unknown = WorkspaceManifest::new(run_id("run_b"), &data).unwrap_err();
    let mut data = setup().manifest;
    data.artifacts[0].path = path("input/prompt_snapshot.json");
    let outside = WorkspaceManifest::new(run_id("run_b"), &data).unwrap_err();
    assert_eq!(
        [unknown.code(), outside.code()],
        [
            "agent.profile_workspace_root_invalid",
            "agent.profile_output_path_denied"
        ]
    );
}

#[test]
fn the_roots_that_outlive_the_run_are_named() {
    let (_world, workspace) = prepared();
    assert_eq!(workspace.promoted_roots(), ["persist"]);
}

#[test]
fn a_manifest_is_read_back_as_it_was_written() {
    let (_world, workspace) = prepared();
    let manifest = WorkspaceManifest::load(workspace.tree(), &run_id("run_b")).unwrap();
    assert_eq!(manifest, *workspace.manifest());
}

#[test]
fn a_manifest_changed_by_hand_is_damage() {
    type Edit = fn(&mut Value);
    let edits: [Edit; 8] = [
        |json| json["roots"][0]["path"] = json!("../x"),
        |json| json["roots"][0]["path"] = json!("input"),
        |json| json["roots"][0]["path"] = json!("output/sub"),
        |json| json["roots"][0]["path"] = json!("persist"),
        |json| json["artifacts"][0]["path"] = json!("run.json"),
        |json| json["workspaceVersion"] = json!(2),
        |json| json["runId"] = json!("run_z"),
        |json| *json = json!([]),
    ];
    for (number, by_hand) in edits.into_iter().enumerate() {
        let (_world, workspace) = prepared();
        edit(&workspace, "manifest.json", by_hand);
        match WorkspaceManifest::load(workspace.tree(), &run_id("run_b")) {
            Err(WorkspaceError::Damaged { path, .. }) => assert_eq!(path.as_str(), "manifest.json"),
            other => panic!("{number}: {other:?}"),
        }
    }
}

#[test]
fn a_missing_manifest_is_named() {
    let (_world, workspace) = prepared();
    std::fs::remove_file(workspace.folder().path().join("manifest.json")).unwrap();
    let error = WorkspaceManifest::load(workspace.tree(), &run_id("run_b")).unwrap_err();
    assert_eq!(error.to_string(), "`manifest.json` is missing");
}
