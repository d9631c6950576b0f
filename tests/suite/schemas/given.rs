//! What commands give, out of a run that was played: each answer fits its schema.
//!
//! What the answers say is checked where their commands are.

use std::sync::Arc;

use innkeeper::protocol::approval::ApprovalMode;
use innkeeper::protocol::id::RunId;
use innkeeper::protocol::run::RunStatus;
use innkeeper::protocol::tool::Permission;
use innkeeper::protocol::view::{ReadDiff, ReadModelTurn, ReadRunEvents, ReadWorkspaceFile, RollbackRun};
use innkeeper::{ApproveToolCall, ListQuery, RunNews, ToolList};
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rollback_its_question_and_its_events() {
    let (stage, outcome) = played().await;
    let runs = stage.host.runs().unwrap();
    let back: RollbackRun = request(json!({"runId": outcome.report.run_id, "checkpointId": "cp_000001"}));
    let proposed = runs.propose_rollback(&back, ApprovalMode::Ask).await.unwrap();
    let question = proposed.question().unwrap();
    check_given("PendingApproval", question);
    let answer: ApproveToolCall =
        request(json!({"runId": outcome.report.run_id, "callId": question.request.call_id, "approved": true}));
    stage.host.approve_agent_tool_call(answer).unwrap();
    check_given("RollbackOutcome", proposed.finish().await.unwrap());
    let refused = runs.rollback_agent_run(&back, ApprovalMode::Never).await.unwrap_err();
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

/// What is installed is left as it is found; each command's answer is looked at.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn extensions_from_the_plan_to_the_removal() {
    let stage = Stage::new().await;
    let host = &stage.host;
    let id = innkeeper::parse_extension_id("mood").unwrap();
    let plan = async |guest: &str| {
        let bytes = crate::guests::component(guest);
        let input = innkeeper::PackageInput::Component { id: id.clone(), bytes };
        host.plan_extension(input).await.unwrap()
    };
    let consent = innkeeper::Consent::default();
    let (first, grants) = (plan("well_behaved").await, std::collections::BTreeSet::new());
    check_given("ExtensionOffer", &first.offer);
    check_given("InstallReport", host.install_extension(first, &consent).await.unwrap());
    let second = plan("undeclared_use").await;
    assert!(second.offer.replaces.is_some() && !second.offer.capabilities.is_empty());
    check_given("ExtensionOffer", &second.offer);
    check_given("InstallReport", host.install_extension(second, &consent).await.unwrap());
    let list = host.list_extensions().await.unwrap();
    assert!(list.extensions[0].update.is_some());
    check_given("ExtensionList", list);
    check_given("GrantChange", host.accept_extension(&id, &grants).await.unwrap());
    check_given("ExtensionList", host.list_extensions().await.unwrap());
    check_given("GrantChange", host.grant_extension(&id, "random").await.unwrap());
    check_given("GrantChange", host.revoke_extension(&id, "random").await.unwrap());
    check_given("RemovedExtension", host.remove_extension(&id).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_look_at_a_component_and_a_trial_of_it() {
    let host = host::shared().await;
    for guest in ["well_behaved", "import_control"] {
        let report = host.inspect_component("mood", &crate::guests::component(guest)).await;
        check_given("ComponentReport", report.unwrap());
    }
    let folder = tempfile::TempDir::new().unwrap();
    let manifest = format!(
        "id = \"mood\"\nversion = \"0.1.0\"\npublisher = \"p\"\ndescription = \"d\"\nwit = \"0.1.0\"\ncomponent = \"mood.wasm\"\nsha256 = \"{}\"\n",
        "0".repeat(64)
    );
    std::fs::write(folder.path().join("extension.toml"), manifest).unwrap();
    std::fs::write(folder.path().join("mood.wasm"), crate::guests::component("trap")).unwrap();
    let package = innkeeper::TrialPackage::read(folder.path()).unwrap();
    let loaded = host.load_trial(&package).await.unwrap();
    std::fs::create_dir(folder.path().join("scratch")).unwrap();
    let setup = innkeeper::TrialSetup {
        scratch: folder.path().join("scratch"),
        samples: Vec::new(),
        network: Default::default(),
        seed: 1,
        rounds: 3,
    };
    let report = host.try_extension(&loaded, setup).await.unwrap();
    assert!(!report.passed());
    check_given("TrialReport", report);
}
