//! Set-up for tests of a run's folder: what a caller says of it, and a folder that is ready.
//!
//! No assertions live here.

use innkeeper_protocol::id::{InvocationId, StableChatId};
use innkeeper_protocol::path::{RootName, WorkspacePath};
use innkeeper_protocol::run::ChatRef;
use serde_json::{Value, json};

use super::{Artifact, ArtifactTarget, ManifestData, PreparedWorkspace, WorkspaceSetup, prepare};
use crate::persistent::testing::{CREATED_AT, World, run_id};

/// All roots shown, `plan` read-only, one artifact, no persistent state.
pub(super) fn setup() -> WorkspaceSetup {
    let universe = RootName::universe().to_vec();
    let writable = universe
        .iter()
        .filter(|root| root.as_str() != "plan")
        .cloned()
        .collect();
    WorkspaceSetup {
        manifest: ManifestData {
            stable_chat_id: StableChatId::parse("stable").unwrap(),
            chat_ref: ChatRef::Group {
                chat_id: "group".to_owned(),
            },
            created_at: CREATED_AT.to_owned(),
            visible: universe,
            writable,
            artifacts: vec![Artifact {
                id: "main".to_owned(),
                path: path("output/main.md"),
                kind: "markdown".to_owned(),
                target: ArtifactTarget::MessageBody,
                required: true,
                assembly_order: 0,
            }],
        },
        persist_base_state_id: None,
        prompt_snapshot: json!({"messages": [{"role": "user", "content": "Guten Tag"}]}),
        resolved_profile: json!({"id": "writer"}),
    }
}

/// A world with one run, `run_b`, whose folder is ready.
pub(super) fn prepared() -> (World, PreparedWorkspace) {
    let world = World::new();
    let folder = world.root.create_run(&world.workspace_id, &run_id("run_b")).unwrap();
    let workspace = prepare(&folder, &world.states, &setup()).unwrap();
    (world, workspace)
}

/// A JSON file in the run's folder.
pub(super) fn stored(workspace: &PreparedWorkspace, path: &str) -> Value {
    let bytes = std::fs::read(workspace.folder().path().join(path)).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// Changes a JSON file in the run's folder by hand.
pub(super) fn edit(workspace: &PreparedWorkspace, path: &str, edit: impl FnOnce(&mut Value)) {
    let mut json = stored(workspace, path);
    edit(&mut json);
    std::fs::write(workspace.folder().path().join(path), json.to_string()).unwrap();
}

pub(super) fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

pub(super) fn invocation_id(text: &str) -> InvocationId {
    InvocationId::parse(text).unwrap()
}
