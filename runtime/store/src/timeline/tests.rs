//! What the journal's events say of invocations and tasks, and what a task that leads nowhere does.

use innkeeper_protocol::envelope::Draft;
use serde_json::{Value, json};

use super::*;
use crate::journal::testing::{Bench, draft, stamp};
use crate::journal::{Durability, Journal};

fn invocation(stage: &str, id: &str, kind: &str) -> Draft {
    let parent = if kind == "root" { Value::Null } else { json!("inv_root") };
    let payload = json!({
        "invocationId": id, "parentInvocationId": parent, "profileId": "writer", "kind": kind, "status": stage,
        "exitPolicy": "run_finish_allowed",
    });
    draft(&format!("agent_invocation_{stage}"), payload)
}

fn task(stage: &str, id: &str, child: &str, more: Value) -> Draft {
    let mut payload = json!({
        "taskId": id, "parentInvocationId": "inv_root", "childInvocationId": child, "targetProfileId": "critic", "status": stage,
        "resultRef": null, "error": null,
    });
    let (members, more) = (payload.as_object_mut().unwrap(), more.as_object().unwrap().clone());
    members.extend(more);
    draft(&format!("agent_task_{stage}"), payload)
}

fn journal(events: &[Draft]) -> Bench {
    let bench = Bench::new();
    let mut journal = Journal::create(bench.location.clone(), Durability::Batched).unwrap();
    for (event, number) in events.iter().zip(1..) {
        journal.append(event.clone(), stamp(number)).unwrap();
    }
    bench
}

fn story() -> Vec<Draft> {
    let delegated = json!({"workspaceKey": "critic-1", "continuation": "return_to_parent"});
    let handed = json!({"workspaceKey": "critic-2", "continuation": "transfer_control"});
    vec![
        invocation("created", "inv_root", "root"),
        invocation("created", "inv_b", "subagent"),
        task("registered", "task_b", "inv_b", delegated),
        invocation("created", "inv_a", "handoff"),
        task("registered", "task_a", "inv_a", handed),
        task(
            "completed",
            "task_b",
            "inv_b",
            json!({"resultRef": "agent-results/inv_b.json"}),
        ),
        invocation("completed", "inv_b", "subagent"),
    ]
}

#[test]
fn nodes_and_edges_carry_what_their_events_said_last() {
    let projection = read_timeline(&journal(&story()).location).unwrap();
    assert_eq!(projection.foreground_invocation_ids, ["inv_root", "inv_a"]);
    let nodes: Vec<_> = projection
        .invocations
        .iter()
        .map(|node| (node.invocation_id.as_str(), node.status.as_str(), node.kind.as_str()))
        .collect();
    let expected = [
        ("inv_root", "created", "root"),
        ("inv_b", "completed", "subagent"),
        ("inv_a", "created", "handoff"),
    ];
    assert_eq!(nodes, expected);
    let edge = json!({
        "taskId": "task_b", "sourceInvocationId": "inv_root", "targetInvocationId": "inv_b", "targetProfileId": "critic",
        "workspaceKey": "critic-1", "continuation": "return_to_parent", "status": "completed", "resultRef": "agent-results/inv_b.json",
        "createdAt": stamp(3).timestamp, "updatedAt": stamp(6).timestamp,
    });
    assert_eq!(serde_json::to_value(&projection.delegation_edges[0]).unwrap(), edge);
    assert_eq!(projection.delegation_edges.len(), 2);
}

#[test]
fn a_run_without_invocations_still_has_its_root_in_the_foreground() {
    let projection = read_timeline(&journal(&[]).location).unwrap();
    let expected = TimelineProjection {
        foreground_invocation_ids: vec!["inv_root".to_owned()],
        ..TimelineProjection::default()
    };
    assert_eq!(projection, expected);
}

#[test]
fn a_task_that_leads_nowhere_is_refused_by_name() {
    let mut events = story();
    events.remove(1);
    events.pop();
    let error = read_timeline(&journal(&events).location).unwrap_err();
    assert_eq!(error.code(), "agent.timeline_projection_invalid");
    assert!(
        error.to_string().contains("task_b") && error.to_string().contains("inv_b"),
        "{error}"
    );
}

#[test]
fn where_lines_are_lost_their_tasks_are_left_out() {
    let bench = journal(&story());
    let mut lines = bench.lines();
    lines[3] = b"lost\n".to_vec();
    bench.set_lines(&lines);
    let projection = read_timeline(&bench.location).unwrap();
    let tasks: Vec<_> = projection
        .delegation_edges
        .iter()
        .map(|edge| edge.task_id.as_str())
        .collect();
    assert_eq!(tasks, ["task_b"]);
}
