//! What commands give, out of a run that was played: each answer fits its schema.
//!
//! What the answers say is checked where their commands are.

use std::sync::Arc;

use async_trait::async_trait;
use innkeeper::protocol::approval::{ApprovalAnswer, ApprovalScope};
use innkeeper::protocol::id::RunId;
use innkeeper::protocol::run::RunStatus;
use innkeeper::protocol::tool::Permission;
use innkeeper::protocol::view::{ReadDiff, ReadModelTurn, ReadRunEvents, ReadWorkspaceFile, RollbackRun};
use innkeeper::{ApproveToolCall, ListQuery, RollbackApprover, RollbackQuestion, RunNews, ToolList};
use serde_json::{Value, json};

use super::book::{check_given, complaints};
use crate::host;
use crate::run::{Outcome, Stage, happy_turns, script};

fn request<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

async fn played() -> (Stage, Outcome) {
    let stage = Stage::new().await;
    let outcome = stage.play(happy_turns()).await;
    assert_eq!(outcome.report.status, RunStatus::Completed);
    (stage, outcome)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_read_of_a_run() {
    let (stage, outcome) = played().await;
    let (runs, run) = (stage.host.runs().unwrap(), &outcome.report.run_id);
    check_given("RunPage", runs.list_agent_runs(&ListQuery::default()).unwrap());
    check_given("RunSummary", runs.read_agent_run(run).unwrap().0);
    let all = ReadRunEvents {
        include_timeline_projection: true,
        ..ReadRunEvents::of(run.clone())
    };
    check_given("RunEvents", runs.read_agent_run_events(&all).unwrap());
    let file: ReadWorkspaceFile = request(json!({"runId": run, "path": "output/main.md"}));
    check_given("WorkspaceFileView", runs.read_agent_workspace_file(&file).unwrap());
    let turn: ReadModelTurn = request(json!({"runId": run, "round": 1}));
    check_given("ModelTurnView", runs.read_agent_model_turn(&turn).unwrap());
    let diff = runs
        .read_agent_diff(&request::<ReadDiff>(json!({"runId": run})))
        .unwrap();
    assert!(!diff.files.is_empty());
    check_given("RunDiff", diff);
}

/// Agrees, and looks at what it is asked.
struct Agrees;

#[async_trait]
impl RollbackApprover for Agrees {
    async fn ask(&self, question: &RollbackQuestion) -> ApprovalAnswer {
        assert!(!question.changes.is_empty());
        check_given("RollbackQuestion", question);
        ApprovalAnswer {
            approved: true,
            scope: ApprovalScope::Once,
            reason: None,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rollback_its_question_and_its_events() {
    let (stage, outcome) = played().await;
    let runs = stage.host.runs().unwrap();
    let back: RollbackRun = request(json!({"runId": outcome.report.run_id, "checkpointId": "cp_000001"}));
    let done = runs.rollback_agent_run(&back, Some(&Agrees)).await.unwrap();
    check_given("RollbackOutcome", done);
    let refused = runs.rollback_agent_run(&back, None).await.unwrap_err();
    let all = ReadRunEvents {
        limit: Some(500),
        ..ReadRunEvents::of(outcome.report.run_id.clone())
    };
    let events = runs.read_agent_run_events(&all).unwrap().events;
    super::book::check_events(&events);
    let failed = events
        .iter()
        .find(|event| event.kind == "workspace_rollback_failed")
        .unwrap();
    assert_eq!(refused.event_seq.map(u64::from), Some(failed.seq));
    check_given("HostError", refused);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_about_a_call_and_its_answer() {
    let stage = Stage::new().await;
    let write = "builtin:workspace.write_file";
    let mut handle = stage.start_asking(Arc::new(script(happy_turns())), &[write]).await;
    let runs = stage.host.runs().unwrap();
    let mut asked = 0;
    while let Some(event) = handle.next_event().await {
        if event.kind != "tool_call_awaiting_approval" {
            continue;
        }
        asked += 1;
        let pending = runs.pending_approvals(handle.run_id()).unwrap();
        check_given("PendingApprovals", &pending);
        let answer: ApproveToolCall =
            request(json!({"runId": handle.run_id(), "callId": pending[0].request.call_id, "approved": true}));
        check_given("AnsweredToolCall", stage.host.approve_agent_tool_call(answer).unwrap());
    }
    assert_eq!(asked, 2);
    check_given(
        "AgentRun",
        stage.host.cancel_agent_run(handle.run_id().as_str()).await.unwrap(),
    );
    stage.finish(handle).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn drafts_that_are_being_written() {
    let stage = Stage::new().await;
    let mut handle = stage
        .start(Arc::new(script(happy_turns())), |profile| profile.run.stream = true)
        .await;
    let mut kinds = std::collections::BTreeSet::new();
    while let Some(news) = handle.next().await {
        if let RunNews::Live(update) = news {
            check_given("LiveUpdate", &update);
            kinds.insert(json!(update)["type"].as_str().unwrap().to_owned());
        }
    }
    assert!(kinds.contains("snapshot") && kinds.len() > 1, "{kinds:?}");
    stage.finish(handle).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn profiles_tools_and_policy() {
    let stage = Stage::new().await;
    let host = &stage.host;
    let profile = host.default_profile();
    let id = innkeeper::parse_profile_id(&profile.id).unwrap();
    check_given("ProfileList", host.list_agent_profiles().unwrap());
    check_given("LoadedProfile", host.load_agent_profile(&id).unwrap());
    check_given("LoadedProfile", Value::Null);
    check_given("ProfileHealth", host.diagnose_agent_profile(&id).unwrap());
    check_given(
        "ProfileCheck",
        host.check_agent_profile(&serde_json::to_vec(&profile).unwrap(), None),
    );
    check_given("ProfileCheck", host.check_agent_profile(b"{}", None));
    check_given(
        "AgentSystemPrompt",
        host.resolve_agent_system_prompt(None).await.unwrap(),
    );
    check_given("ToolList", ToolList::of(&host.tools()));
    let target = host.policy_target("builtin:dice.roll").unwrap();
    check_given("PolicyChange", host.set_policy(&target, Permission::Ask).unwrap());
    check_given("PolicyReport", host.policy().unwrap());
    std::fs::write(stage.data_root().join("policy.toml"), "[user]\n\"dice\" = 1\n").unwrap();
    let broken = host.policy().unwrap();
    assert!(broken.problem.is_some());
    check_given("PolicyReport", broken);
    check_given("PolicyReset", host.reset_policy().unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_without_a_run() {
    let folder = tempfile::TempDir::new().unwrap();
    let setup = innkeeper::BenchSetup {
        workspace: folder.path().to_path_buf(),
        ..innkeeper::BenchSetup::default()
    };
    let mut bench = host::shared().await.tool_bench(setup).await.unwrap();
    for formula in ["2d6", "nonsense"] {
        let result = bench.call("dice.roll", &json!({ "formula": formula })).await.unwrap();
        check_given("BenchResult", result);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_name_the_run_and_the_event_that_ended_it() {
    let stage = Stage::new().await;
    let unknown = RunId::parse("run_404").unwrap();
    let error = stage.host.runs().unwrap().read_agent_run(&unknown).unwrap_err();
    assert_eq!(error.run_id, Some(unknown));
    check_given("HostError", error);
    let outcome = stage.play(json!([{"text": "a"}, {"text": "b"}])).await;
    let error = outcome.report.error.clone().unwrap();
    assert_eq!(error.event_seq.map(u64::from), Some(outcome.one("run_failed").seq));
    assert_eq!(error.run_id, Some(outcome.report.run_id.clone()));
    check_given("HostError", error);
    assert_ne!(
        complaints("output/HostError.json", &json!({"code": "x"})),
        Vec::<String>::new()
    );
}
