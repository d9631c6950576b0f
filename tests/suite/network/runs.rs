//! Runs whose tool sends something: told before it goes out, and never sent twice.

use std::sync::Arc;

use innkeeper::protocol::approval::ApprovalMode;
use innkeeper::protocol::envelope::Envelope;
use innkeeper::protocol::run::RunStatus;
use innkeeper::{Consent, PackageInput, RunHandle, StartRun, parse_extension_id};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Sends;
use super::server::{Answer, Server};
use crate::host;
use crate::run::journal;
use crate::run::restart::{copy, journal_of};
use crate::run::stage::{Outcome, Stage, script};

/// A model that calls the tool, and would do so again.
fn calls() -> Value {
    let call = json!({"calls": [{"name": "ext__tide__hostile_act", "arguments": {}}]});
    json!([call, call, {"text": "never said"}])
}

/// A stage with the guest installed and granted the server.
async fn stage(sends: &Sends, server: &Server) -> Stage {
    let stage = Stage::new().await;
    let package = sends.package(&server.origin());
    let host = format!("http={}", server.origin());
    let plan = stage
        .host
        .plan_extension(PackageInput::Folder(package.path().to_path_buf()))
        .await
        .unwrap();
    let words = &plan.offer.capabilities[0].words;
    assert_eq!(*words, format!("send requests to {}, unencrypted", server.origin()));
    let consent = Consent {
        grants: [host].into(),
        accepts_changes: false,
    };
    stage.host.install_extension(plan, &consent).await.unwrap();
    stage
}

async fn start(stage: &Stage) -> RunHandle {
    let start = StartRun {
        with: vec![parse_extension_id("tide").unwrap()],
        approvals: ApprovalMode::Always,
        seed: Some(1),
        ..StartRun::new(&stage.chat, Arc::new(script(calls())))
    };
    stage.host.start_run(start).await.unwrap()
}

async fn play(sends: &Sends, server: &Server) -> Outcome {
    let stage = stage(sends, server).await;
    let handle = start(&stage).await;
    stage.finish(handle).await
}

/// How the one call ended.
fn call_end(events: &[Envelope]) -> (Option<&str>, Option<&str>) {
    let failed = events.iter().find(|event| event.kind == "tool_call_failed").unwrap();
    (failed.text("errorCode"), failed.text("outcome"))
}

const UNKNOWN: (Option<&str>, Option<&str>) = (Some("tool.outcome_unknown"), Some("outcome_unknown"));

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_sent_is_told_before_and_kept_by_its_digests() {
    let server = Server::start([Answer::Says("noted")]).await;
    let stage = stage(&Sends::new("POST", server.url("/tide")), &server).await;
    let handle = start(&stage).await;
    let outcome = stage.finish(handle).await;
    let kinds: Vec<&str> = outcome.events.iter().map(|event| event.kind.as_str()).collect();
    let place = |kind: &str| kinds.iter().position(|found| *found == kind).unwrap();
    assert!(
        place("tool_call_started") < place("tool_call_request_started"),
        "{kinds:?}"
    );
    assert!(
        place("tool_call_request_started") < place("tool_result_stored"),
        "{kinds:?}"
    );
    let told = &outcome.all("tool_call_request_started")[0].payload;
    assert_eq!(
        (&told["method"], &told["origin"], &told["bodyBytes"]),
        (&json!("POST"), &json!(server.origin()), &json!(20))
    );
    let stored = outcome.all("tool_result_stored")[0].text("path").unwrap();
    let result: Value = serde_json::from_str(&outcome.file(stored).unwrap()).unwrap();
    let request = &result["requests"][0];
    assert_eq!(
        (&request["status"], &request["responseBytes"], &request["bodyDigest"]),
        (&json!(200), &json!(5), &told["bodyDigest"])
    );
    let journal = std::fs::read_to_string(outcome.report.folder.join("events.jsonl")).unwrap();
    assert!(
        !journal.contains("three bytes") && !journal.contains("/tide\""),
        "{journal}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_dies_with_the_request_ends_the_run_and_nothing_is_sent_again() {
    let server = Server::start([Answer::HangsUp]).await;
    let outcome = play(&Sends::new("POST", server.url("/")), &server).await;
    assert_eq!(
        (outcome.report.status, outcome.code()),
        (RunStatus::Failed, Some("tool.outcome_unknown"))
    );
    assert_eq!(call_end(&outcome.events), UNKNOWN);
    assert_eq!(
        (server.came().len(), outcome.all("model_request_created").len()),
        (1, 1)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_breaks_down_after_its_request_ends_the_run_too() {
    let server = Server::start([Answer::Says("noted")]).await;
    let sends = Sends {
        then: "(unreachable)",
        ..Sends::new("POST", server.url("/"))
    };
    let outcome = play(&sends, &server).await;
    assert_eq!(
        (outcome.report.status, call_end(&outcome.events)),
        (RunStatus::Failed, UNKNOWN)
    );
    let reads = Sends { method: "GET", ..sends };
    let outcome = play(&reads, &server).await;
    assert_eq!(
        call_end(&outcome.events),
        (Some("tool.trap"), Some("error")),
        "reading changes nothing"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_is_only_read_may_fail_and_the_run_goes_on() {
    let server = Server::start([Answer::HangsUp]).await;
    let outcome = play(&Sends::new("GET", server.url("/")), &server).await;
    assert_eq!(outcome.all("tool_call_request_started").len(), 0);
    assert_eq!(outcome.all("tool_call_completed").len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_is_stopped_while_an_answer_is_awaited_says_that_it_does_not_know() {
    let server = Server::start([Answer::Waits]).await;
    let stage = stage(&Sends::new("POST", server.url("/")), &server).await;
    let handle = start(&stage).await;
    server.asked().await;
    handle.cancel_switch().cancel();
    let outcome = stage.finish(handle).await;
    assert_eq!(
        (outcome.report.status, call_end(&outcome.events)),
        (RunStatus::Cancelled, UNKNOWN)
    );
}

/// What a process leaves that is killed while the server has the request and nobody has the answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_process_leaves_a_call_of_which_nobody_knows() {
    for (method, expected) in [
        ("POST", UNKNOWN),
        ("GET", (Some("agent.process_restarted"), Some("error"))),
    ] {
        let server = Server::start([Answer::Waits]).await;
        let stage = stage(&Sends::new(method, server.url("/")), &server).await;
        let handle = start(&stage).await;
        server.asked().await;
        let copied = TempDir::new().unwrap();
        copy(&stage.data_root(), copied.path());
        let run = handle.run_id().clone();
        handle.cancel_switch().cancel();
        stage.finish(handle).await;
        let host = host::builder().data_root(copied.path()).build().await.unwrap();
        let events = journal_of(&host, &run);
        assert_eq!(
            journal::violations(&events),
            Vec::<String>::new(),
            "{}",
            journal::listing(&events)
        );
        assert_eq!(call_end(&events), expected, "{method}");
        assert_eq!(server.came().len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_is_taken_away_turns_the_extension_off() {
    let server = Server::start([Answer::Says("noted")]).await;
    let stage = stage(&Sends::new("GET", server.url("/")), &server).await;
    let id = parse_extension_id("tide").unwrap();
    // Written in another way, it is the same host.
    let name = format!("http={}", server.origin().to_uppercase().replace("HTTP", "http"));
    let change = stage.host.revoke_extension(&id, &name).await.unwrap();
    let problem = change.extension.problem.unwrap();
    assert_eq!(
        (change.changed, problem.code.as_str()),
        (true, "extension.grant_missing")
    );
}
