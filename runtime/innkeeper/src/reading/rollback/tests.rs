//! Who may roll back, who can answer, in which order it is written down, and that nothing changes without a yes.

use innkeeper_protocol::approval::ApprovalScope;
use innkeeper_protocol::event::RunEvent;
use innkeeper_protocol::view::ReadRunEvents;
use innkeeper_store::checkpoint::{Checkpoints, NewCheckpoint};
use innkeeper_store::inbox::InboxRequest;
use innkeeper_store::tree::Tree;
use serde_json::{Value, json};

use super::*;
use crate::commands::ApproveToolCall;
use crate::reading::RemoteAnswer;
use crate::reading::testing::Bench;

/// An ended run whose checkpoint 3 has another text than the file has now.
fn bench() -> Bench {
    let bench = Bench::ended();
    bench.put("output/main.md", "first");
    let tree = Arc::new(Tree::open(&bench.folder()).unwrap());
    let new = NewCheckpoint {
        number: 3,
        run_id: bench.run_id.to_string(),
        created_at: "2026-01-02T03:04:05Z".to_owned(),
        reason: "chat_commit".to_owned(),
        event_seq: 1,
    };
    Checkpoints::new(tree).create(new).unwrap();
    bench.put("output/main.md", "second");
    bench
}

fn request(bench: &Bench) -> RollbackRun {
    RollbackRun {
        run_id: bench.run_id.clone(),
        checkpoint_id: "cp_000003".to_owned(),
    }
}

async fn back(bench: &Bench, approvals: ApprovalMode) -> Result<RollbackOutcome, String> {
    let done = bench.reader.rollback_agent_run(&request(bench), approvals).await;
    done.map_err(|error| error.code)
}

async fn proposed(bench: &Bench) -> ProposedRollback {
    let request = request(bench);
    let proposed = bench.reader.propose_rollback(&request, ApprovalMode::Ask).await;
    proposed.unwrap()
}

/// An answer to the question of a rollback.
fn answer(proposed: &ProposedRollback, approved: bool) -> ApproveToolCall {
    let asked = &proposed.question().unwrap().request;
    ApproveToolCall {
        run_id: proposed.names.run_id.to_string(),
        call_id: asked.call_id.to_string(),
        approved,
        scope: None,
        approval_id: Some(asked.approval_id.to_string()),
        reason: Some("because".to_owned()),
    }
}

/// Asks, answers from the same process, and goes on.
async fn answered(bench: &Bench, approved: bool) -> Result<RollbackOutcome, String> {
    let proposed = proposed(bench).await;
    bench
        .reader
        .approve_agent_tool_call(answer(&proposed, approved))
        .unwrap();
    proposed.finish().await.map_err(|error| error.code)
}

fn text(bench: &Bench) -> String {
    std::fs::read_to_string(bench.folder().join("output/main.md")).unwrap()
}

/// Types of the events after the run's own two, and the payload of the last.
fn told(bench: &Bench) -> (Vec<String>, Value) {
    let page = bench
        .reader
        .read_agent_run_events(&ReadRunEvents::of(bench.run_id.clone()))
        .unwrap();
    let last = page.events.last().unwrap().payload.clone();
    (page.events.into_iter().skip(2).map(|event| event.kind).collect(), last)
}

#[tokio::test]
async fn after_a_yes_the_files_are_back_and_the_state_before_is_kept() {
    let bench = bench();
    let outcome = answered(&bench, true).await.unwrap();
    assert_eq!(
        (text(&bench).as_str(), outcome.safety_checkpoint_id.as_str()),
        ("first", "cp_000004")
    );
    let (events, last) = told(&bench);
    let expected = [
        "workspace_rollback_requested",
        "tool_call_awaiting_approval",
        "tool_call_approved",
        "checkpoint_created",
        "workspace_rollback_completed",
    ];
    assert_eq!(events, expected);
    assert_eq!(
        (&last["changeCount"], &last["safetyCheckpointId"]),
        (&json!(1), &json!("cp_000004"))
    );
    let (run, _) = bench.reader.read_agent_run(&bench.run_id).unwrap();
    assert_eq!(run.status, innkeeper_protocol::run::RunStatus::Completed);
}

#[tokio::test]
async fn without_a_yes_nothing_changes_and_the_end_says_why() {
    let bench = bench();
    assert_eq!(answered(&bench, false).await.unwrap_err(), "tool.approval_denied");
    assert_eq!(
        back(&bench, ApprovalMode::Never).await.unwrap_err(),
        "tool.approval_unavailable"
    );
    let (events, last) = told(&bench);
    let expected = [
        "workspace_rollback_requested",
        "tool_call_awaiting_approval",
        "tool_call_denied",
        "workspace_rollback_failed",
        "workspace_rollback_requested",
        "workspace_rollback_failed",
    ];
    assert_eq!(
        (events.as_slice(), &last["code"]),
        (&expected.map(str::to_owned)[..], &json!("tool.approval_unavailable"))
    );
    assert_eq!(text(&bench), "second");
    assert!(!bench.folder().join("checkpoints/cp_000004").exists());
}

#[tokio::test]
async fn an_application_that_agreed_beforehand_is_not_asked_and_is_named() {
    let bench = bench();
    back(&bench, ApprovalMode::Always).await.unwrap();
    let page = bench
        .reader
        .read_agent_run_events(&ReadRunEvents::of(bench.run_id.clone()))
        .unwrap();
    let kinds: Vec<&str> = page.events.iter().skip(3).map(|event| event.kind.as_str()).collect();
    assert_eq!(
        kinds,
        [
            "tool_call_approved",
            "checkpoint_created",
            "workspace_rollback_completed"
        ]
    );
    assert_eq!(
        (page.events[3].text("by"), text(&bench).as_str()),
        (Some("policy"), "first")
    );
}

#[tokio::test]
async fn the_question_says_what_will_be_overwritten_and_every_reader_has_it() {
    let bench = bench();
    let proposed = proposed(&bench).await;
    let asked = proposed.question().unwrap().clone();
    assert_eq!(
        bench.reader.pending_approvals(&bench.run_id).unwrap(),
        std::slice::from_ref(&asked)
    );
    let arguments: Value = serde_json::from_str(&asked.arguments).unwrap();
    let expected = json!({
        "checkpointId": "cp_000003", "creates": [], "overwrites": ["output/main.md"], "removes": [],
        "changedSinceTheLastCheckpoint": ["output/main.md"],
    });
    assert_eq!(arguments, expected);
    assert!(asked.diff.unwrap().contains("-second\n"));
    assert!(!asked.may_stand);
    assert_eq!(asked.request.tool_id.as_str(), "runtime:workspace.rollback");
    let page = bench
        .reader
        .read_agent_run_events(&ReadRunEvents::of(bench.run_id.clone()))
        .unwrap();
    let last = page.events.last().unwrap();
    let typed: RunEvent = serde_json::from_value(json!({"type": last.kind, "payload": last.payload})).unwrap();
    assert_eq!(typed, RunEvent::ToolCallAwaitingApproval(asked.request));
}

#[tokio::test]
async fn the_first_answer_counts_and_none_can_stand() {
    let bench = bench();
    let proposed = proposed(&bench).await;
    let give = |answer: ApproveToolCall| bench.reader.approve_agent_tool_call(answer).map_err(|error| error.code);
    let plain = answer(&proposed, false);
    let standing = ApproveToolCall {
        approved: true,
        scope: Some("always".to_owned()),
        ..plain.clone()
    };
    let elsewhere = ApproveToolCall {
        run_id: "run_2".to_owned(),
        ..plain.clone()
    };
    assert_eq!(give(standing).unwrap_err(), "agent.approval_invalid");
    assert_eq!(give(elsewhere).unwrap_err(), "agent.approval_run_mismatch");
    assert!(give(plain.clone()).is_ok());
    let late = ApproveToolCall {
        approved: true,
        ..plain
    };
    assert_eq!(give(late).unwrap_err(), "agent.approval_not_pending");
    assert_eq!(proposed.finish().await.unwrap_err().code, "tool.approval_denied");
}

#[tokio::test]
async fn another_process_answers_through_the_inbox_and_cannot_cancel_what_has_ended() {
    let bench = bench();
    let proposed = proposed(&bench).await;
    let asked = proposed.question().unwrap().request.clone();
    // A reader of its own knows nothing of this one's questions.
    let other = RunReader::new(bench.reader.data_root());
    let request = InboxRequest::Approve {
        call_id: asked.call_id,
        approval_id: Some(asked.approval_id),
        scope: ApprovalScope::Once,
        reason: None,
    };
    let elsewhere = async {
        let status = other.cancel_agent_run(&bench.run_id).await.unwrap().status;
        assert_eq!(status, innkeeper_protocol::run::RunStatus::Completed);
        other
            .answer_call(RemoteAnswer {
                run_id: bench.run_id.clone(),
                request,
            })
            .await
            .unwrap()
    };
    let (done, answered) = tokio::join!(proposed.finish(), elsewhere);
    assert!(answered.approved);
    assert_eq!((done.is_ok(), text(&bench).as_str()), (true, "first"));
    // The folder itself goes when the answer was fetched before the end, and stays otherwise.
    let left = std::fs::read_dir(bench.folder().join("inbox")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "something stays in the inbox");
}

#[tokio::test]
async fn a_run_at_work_and_a_run_of_another_owner_are_left_alone() {
    let open = Bench::new();
    assert_eq!(
        back(&open, ApprovalMode::Always).await.unwrap_err(),
        "agent.rollback_run_active"
    );
    let bench = bench();
    let owner = bench.own();
    assert_eq!(
        back(&bench, ApprovalMode::Always).await.unwrap_err(),
        "store.run_locked"
    );
    drop(owner);
    assert_eq!(told(&bench).0, Vec::<String>::new());
}

#[tokio::test]
async fn a_checkpoint_that_cannot_be_had_is_refused_before_anything_is_written() {
    let bench = bench();
    let code = async |id: &str| {
        let request = RollbackRun {
            run_id: bench.run_id.clone(),
            checkpoint_id: id.to_owned(),
        };
        let refused = bench.reader.rollback_agent_run(&request, ApprovalMode::Ask).await;
        refused.unwrap_err().code
    };
    assert_eq!(code("cp_000009").await, "agent.checkpoint_not_found");
    assert_eq!(code("../x").await, "agent.checkpoint_not_found");
    std::fs::remove_dir_all(bench.folder().join("checkpoints/blobs")).unwrap();
    assert_eq!(code("cp_000003").await, "agent.checkpoint_invalid");
    assert_eq!((told(&bench).0, text(&bench)), (Vec::new(), "second".to_owned()));
}

#[tokio::test]
async fn a_rollback_that_was_left_in_the_middle_is_ended_before_the_next() {
    let bench = bench();
    bench.append(
        "workspace_rollback_requested",
        json!({"rollbackId": "rollback_1", "checkpointId": "cp_000003"}),
    );
    bench.append(
        "checkpoint_created",
        json!({"checkpointId": "cp_000007", "reason": "rollback"}),
    );
    let outcome = answered(&bench, true).await.unwrap();
    assert_eq!(outcome.safety_checkpoint_id.as_str(), "cp_000008");
    assert_eq!(
        told(&bench).0[2..4],
        ["workspace_rollback_failed", "workspace_rollback_requested"]
    );
}

#[tokio::test]
async fn a_question_that_is_walked_away_from_is_off_the_desk_and_denied_by_the_next_start() {
    let bench = bench();
    let proposed = proposed(&bench).await;
    let late = answer(&proposed, true);
    drop(proposed);
    let refused = bench.reader.approve_agent_tool_call(late).unwrap_err();
    assert_eq!(refused.code, "agent.approval_not_pending");
    bench.reader.close_abandoned_runs().unwrap();
    let (events, last) = told(&bench);
    assert_eq!(events[2..], ["tool_call_denied", "workspace_rollback_failed"]);
    assert_eq!(last["code"], "agent.process_restarted");
    assert_eq!(bench.reader.pending_approvals(&bench.run_id).unwrap(), []);
    assert_eq!(text(&bench), "second");
}

#[tokio::test]
async fn files_changed_while_the_question_was_open_are_not_overwritten() {
    let bench = bench();
    let proposed = proposed(&bench).await;
    bench.put("output/other.md", "just written");
    bench.reader.approve_agent_tool_call(answer(&proposed, true)).unwrap();
    assert_eq!(proposed.finish().await.unwrap_err().code, "workspace.write_stale_file");
    assert!(bench.folder().join("output/other.md").exists());
    assert_eq!(
        (told(&bench).1["code"].as_str(), text(&bench).as_str()),
        (Some("workspace.write_stale_file"), "second")
    );
}
