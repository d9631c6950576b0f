//! A whole run over each format.
//!
//! What a run does is tested elsewhere; here it only has to arrive.

use std::collections::BTreeMap;
use std::sync::Arc;

use innkeeper::gateway::provider::Provider;
use innkeeper::live::{LiveField, LiveUpdate};
use innkeeper::protocol::envelope::Envelope;
use innkeeper::protocol::run::RunStatus;
use innkeeper::{RunNews, StartRun};
use serde_json::{Value, json};

use super::server::Server;
use super::{Call, Said};
use crate::run::{Outcome, Stage, happy_turns};

/// The turns of a scripted run.
pub(super) fn turns() -> Vec<Said> {
    let turns = happy_turns();
    let said = |(number, turn): (usize, &Value)| {
        let calls = turn["calls"].as_array().unwrap().iter().enumerate();
        let call = |(index, call): (usize, &Value)| Call {
            id: format!("call_{number}_{index}"),
            name: call["name"].as_str().unwrap().to_owned(),
            arguments: call["arguments"].clone(),
        };
        Said {
            id: format!("resp_{number}"),
            text: turn["text"].as_str().unwrap_or_default().to_owned(),
            thought: "Hm.".to_owned(),
            calls: calls.map(call).collect(),
            raw: None,
        }
    };
    turns.as_array().unwrap().iter().enumerate().map(said).collect()
}

/// What the journal says, without what only a provider knows, what is drawn, and what the time was.
fn told(outcome: &Outcome) -> Vec<Value> {
    const OF_THE_RUN: [&str; 5] = [
        "run_created",
        "provider_state_updated",
        "agent_model_binding_resolved",
        "context_assembled",
        "model_request_created",
    ];
    let told = |event: &Envelope| {
        let mut payload = event.payload.clone();
        if OF_THE_RUN.contains(&event.kind.as_str()) {
            payload = Value::Null;
        }
        if let Some(members) = payload.as_object_mut() {
            // Ids that hold the run's own, dates, and what the server says of itself.
            for name in [
                "commitId",
                "runId",
                "workspaceId",
                "stableChatId",
                "updateId",
                "stateId",
                "baseStateId",
                "elapsedMs",
                "responseId",
                "model",
                "callId",
                "argumentsRef",
                "path",
                "resourceRefs",
            ] {
                members.remove(name);
            }
        }
        json!([event.kind, payload])
    };
    outcome.events.iter().map(told).collect()
}

/// A whole run over a format, in one piece or streamed; with what was shown of it while it was written.
async fn play(provider: Provider, stream: bool) -> (Outcome, Vec<LiveUpdate>) {
    let server = Server::start(provider, turns()).await;
    let stage = Stage::new().await;
    let start = StartRun {
        stream: Some(stream),
        seed: Some(1),
        ..StartRun::new(&stage.chat, Arc::from(server.model()))
    };
    let mut handle = stage.host.start_run(start).await.unwrap();
    let mut shown = Vec::new();
    while let Some(news) = handle.next().await {
        if let RunNews::Live(update) = news {
            shown.push(update);
        }
    }
    (stage.finish(handle).await, shown)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_tells_the_same_over_every_format_streamed_or_not() {
    let (first, _) = play(Provider::Openai, false).await;
    assert_eq!(
        (first.report.status, &first.report.error),
        (RunStatus::Completed, &None)
    );
    let expected = told(&first);
    for provider in Provider::ALL {
        for stream in [false, true] {
            let (outcome, shown) = play(provider, stream).await;
            assert_eq!(told(&outcome), expected, "{provider:?}, streamed: {stream}");
            assert_eq!(outcome.messages()[2]["mes"], "The lamp is lit.\nWe climb.");
            let is_shown = shown
                .iter()
                .any(|update| !matches!(update, LiveUpdate::Snapshot { .. }));
            assert_eq!(is_shown, stream, "{provider:?}: {shown:?}");
        }
    }
}

/// What a watcher has seen being written, file by file, and how many drafts are left.
fn drafts(updates: &[LiveUpdate]) -> (Vec<String>, usize) {
    let (mut written, mut open) = (Vec::new(), BTreeMap::new());
    for update in updates {
        match update {
            LiveUpdate::Snapshot { .. } => {}
            LiveUpdate::Replace { call } => {
                open.insert(call.tool_call_index, String::new());
            }
            LiveUpdate::Append {
                tool_call_index,
                field: LiveField::Content,
                text,
                ..
            } => open.entry(*tool_call_index).or_default().push_str(text),
            LiveUpdate::Append { .. } => {}
            LiveUpdate::Remove { tool_call_index, .. } => written.extend(open.remove(tool_call_index)),
        }
    }
    (written, open.len())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_shown_is_what_is_written_and_is_gone_at_the_end() {
    for provider in Provider::ALL {
        let (_, shown) = play(provider, true).await;
        let (written, left) = drafts(&shown);
        assert_eq!(
            written,
            ["The lamp is out.\nWe climb.", "lamp: out", ""],
            "{provider:?}"
        );
        assert_eq!(left, 0, "{provider:?}: {shown:?}");
    }
}
