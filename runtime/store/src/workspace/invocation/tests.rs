//! What the module `invocation` promises, tried; no other module is.

use serde_json::json;

use super::*;
use crate::persistent::testing::{CREATED_AT, run_id};
use crate::workspace::testing::{edit, invocation_id, prepared, stored};

const LATER: &str = "2026-10-01T12:00:05Z";

fn root() -> InvocationRecord {
    InvocationRecord {
        id: InvocationId::root(),
        run_id: run_id("run_b"),
        parent_invocation_id: None,
        profile_id: ProfileId::parse("writer").unwrap(),
        kind: InvocationKind::Root,
        status: InvocationStatus::Created,
        exit_policy: ExitPolicy::RunFinishAllowed,
        created_at: CREATED_AT.to_owned(),
        updated_at: CREATED_AT.to_owned(),
    }
}

fn child() -> InvocationRecord {
    InvocationRecord {
        id: invocation_id("inv_01"),
        parent_invocation_id: Some(InvocationId::root()),
        kind: InvocationKind::Subagent,
        exit_policy: ExitPolicy::TaskReturnRequired,
        ..root()
    }
}

#[test]
fn a_record_has_the_shared_form() {
    let (_world, workspace) = prepared();
    workspace.create_invocation(&root()).unwrap();
    workspace.create_invocation(&child()).unwrap();
    assert_eq!(
        stored(&workspace, "invocations/inv_root.json"),
        json!({
            "id": "inv_root", "runId": "run_b", "profileId": "writer", "kind": "root", "status": "created",
            "exitPolicy": "run_finish_allowed", "createdAt": CREATED_AT, "updatedAt": CREATED_AT,
        })
    );
    assert_eq!(
        stored(&workspace, "invocations/inv_01.json"),
        json!({
            "id": "inv_01", "runId": "run_b", "parentInvocationId": "inv_root", "profileId": "writer",
            "kind": "subagent", "status": "created", "exitPolicy": "task_return_required",
            "createdAt": CREATED_AT, "updatedAt": CREATED_AT,
        })
    );
}

#[test]
fn an_update_changes_status_and_time_only() {
    let (_world, workspace) = prepared();
    workspace.create_invocation(&child()).unwrap();
    let expected = InvocationRecord {
        status: InvocationStatus::Running,
        updated_at: LATER.to_owned(),
        ..child()
    };
    let id = &child().id;
    let updated = workspace
        .update_invocation(id, InvocationStatus::Running, LATER)
        .unwrap();
    assert_eq!(
        (&updated, workspace.invocation(id).unwrap()),
        (&expected, expected.clone())
    );
}

#[test]
fn an_invocation_that_has_ended_stays_as_it_ended() {
    for ended in [
        InvocationStatus::Completed,
        InvocationStatus::Failed,
        InvocationStatus::Cancelled,
        InvocationStatus::Transferred,
    ] {
        let (_world, workspace) = prepared();
        workspace.create_invocation(&root()).unwrap();
        let id = InvocationId::root();
        let record = workspace.update_invocation(&id, ended, CREATED_AT).unwrap();
        let after = workspace
            .update_invocation(&id, InvocationStatus::Running, LATER)
            .unwrap();
        assert_eq!((after.status, &after), (ended, &record));
        assert_eq!(workspace.invocation(&id).unwrap(), record);
    }
}

#[test]
fn a_record_is_created_once() {
    let (_world, workspace) = prepared();
    workspace.create_invocation(&root()).unwrap();
    let error = workspace.create_invocation(&root()).unwrap_err();
    assert_eq!(error.code(), "store.already_exists");
}

#[test]
fn other_runs_and_unknown_ids_are_refused() {
    let (_world, workspace) = prepared();
    let foreign = InvocationRecord {
        run_id: run_id("run_z"),
        ..root()
    };
    assert!(matches!(
        workspace.create_invocation(&foreign).unwrap_err(),
        WorkspaceError::ForeignInvocation { .. }
    ));
    let unknown = workspace.update_invocation(&InvocationId::root(), InvocationStatus::Running, LATER);
    assert_eq!(unknown.unwrap_err().code(), "agent.not_found");
}

#[test]
fn a_record_changed_by_hand_is_damage() {
    for (member, value) in [
        ("id", "inv_other"),
        ("runId", "run_z"),
        ("status", "odd"),
        ("parentInvocationId", "../x"),
    ] {
        let (_world, workspace) = prepared();
        workspace.create_invocation(&root()).unwrap();
        edit(&workspace, "invocations/inv_root.json", |json| {
            json[member] = json!(value)
        });
        let updated = workspace.update_invocation(&InvocationId::root(), InvocationStatus::Running, LATER);
        match updated {
            Err(WorkspaceError::Damaged { path, .. }) => assert_eq!(path.as_str(), "invocations/inv_root.json"),
            other => panic!("{member}: {other:?}"),
        }
    }
}
