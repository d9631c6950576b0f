//! Who may roll back, in which order it is written down, and that nothing changes without a yes.

use std::sync::{Arc, Mutex};

use innkeeper_protocol::approval::ApprovalScope;
use innkeeper_protocol::event::ChangeKind;
use innkeeper_protocol::view::ReadRunEvents;
use innkeeper_store::checkpoint::{Checkpoints, NewCheckpoint};
use innkeeper_store::tree::Tree;
use serde_json::{Value, json};

use super::*;
use crate::reading::testing::Bench;

/// Answers always the same, and keeps what it was asked.
struct Person {
    approves: bool,
    asked: Mutex<Vec<RollbackQuestion>>,
}

impl Person {
    fn new(approves: bool) -> Self {
        Self {
            approves,
            asked: Mutex::default(),
        }
    }
}

#[async_trait]
impl RollbackApprover for Person {
    async fn ask(&self, question: &RollbackQuestion) -> ApprovalAnswer {
        self.asked.lock().unwrap().push(question.clone());
        ApprovalAnswer {
            approved: self.approves,
            scope: ApprovalScope::Once,
            reason: None,
        }
    }
}

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

async fn back(bench: &Bench, approver: Option<&dyn RollbackApprover>) -> Result<RollbackOutcome, String> {
    let request = RollbackRun {
        run_id: bench.run_id.clone(),
        checkpoint_id: "cp_000003".to_owned(),
    };
    let done = bench.reader.rollback_agent_run(&request, approver).await;
    done.map_err(|error| error.code)
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
    let person = Person::new(true);
    let outcome = back(&bench, Some(&person)).await.unwrap();
    assert_eq!(
        (text(&bench).as_str(), outcome.safety_checkpoint_id.as_str()),
        ("first", "cp_000004")
    );
    let kinds: Vec<_> = outcome.changes.iter().map(|change| change.kind).collect();
    assert_eq!(kinds, [ChangeKind::Modified]);
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
    let asked = person.asked.lock().unwrap();
    assert_eq!(asked[0].unsaved, [outcome.changes[0].path.clone()]);
    let (run, _) = bench.reader.read_agent_run(&bench.run_id).unwrap();
    assert_eq!(run.status, innkeeper_protocol::run::RunStatus::Completed);
}

#[tokio::test]
async fn without_a_yes_nothing_changes_and_the_end_says_why() {
    let bench = bench();
    let person = Person::new(false);
    assert_eq!(back(&bench, Some(&person)).await.unwrap_err(), "tool.approval_denied");
    assert_eq!(back(&bench, None).await.unwrap_err(), "tool.approval_unavailable");
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
async fn a_run_at_work_and_a_run_of_another_owner_are_left_alone() {
    let open = Bench::new();
    let person = Person::new(true);
    assert_eq!(
        back(&open, Some(&person)).await.unwrap_err(),
        "agent.rollback_run_active"
    );
    let bench = bench();
    let owner = bench.own();
    assert_eq!(back(&bench, Some(&person)).await.unwrap_err(), "store.run_locked");
    drop(owner);
    assert!(person.asked.lock().unwrap().is_empty());
    assert_eq!(told(&bench).0, Vec::<String>::new());
}

#[tokio::test]
async fn a_checkpoint_that_cannot_be_had_is_refused_before_anything_is_written() {
    let bench = bench();
    let person = Person::new(true);
    let code = async |id: &str| {
        let request = RollbackRun {
            run_id: bench.run_id.clone(),
            checkpoint_id: id.to_owned(),
        };
        bench
            .reader
            .rollback_agent_run(&request, Some(&person))
            .await
            .unwrap_err()
            .code
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
    let outcome = back(&bench, Some(&Person::new(true))).await.unwrap();
    assert_eq!(outcome.safety_checkpoint_id.as_str(), "cp_000008");
    assert_eq!(
        told(&bench).0[2..4],
        ["workspace_rollback_failed", "workspace_rollback_requested"]
    );
}

#[tokio::test]
async fn files_changed_while_the_question_was_open_are_not_overwritten() {
    struct Editor<'a>(&'a Bench);
    #[async_trait]
    impl RollbackApprover for Editor<'_> {
        async fn ask(&self, _: &RollbackQuestion) -> ApprovalAnswer {
            self.0.put("output/other.md", "just written");
            ApprovalAnswer {
                approved: true,
                scope: ApprovalScope::Once,
                reason: None,
            }
        }
    }
    let bench = bench();
    assert_eq!(
        back(&bench, Some(&Editor(&bench))).await.unwrap_err(),
        "workspace.write_stale_file"
    );
    assert!(bench.folder().join("output/other.md").exists());
    assert_eq!(
        (told(&bench).1["code"].as_str(), text(&bench).as_str()),
        (Some("workspace.write_stale_file"), "second")
    );
}
