//! A conversation that the provider keeps: told once, continued by what is new, and refused with advice where the provider forgot it.
//!
//! Only one of the formats has such conversations.

use std::sync::Arc;

use innkeeper::gateway::provider::Provider;
use innkeeper::gateway::request_log::RequestLog;
use innkeeper::protocol::run::RunStatus;
use innkeeper::{PromptInputs, StartRun};
use serde_json::{Value, json};

use super::runs::turns;
use super::server::{Memory, Server};
use super::{found_in, left_behind};
use crate::run::{Outcome, Stage};

/// A run whose settings ask the provider to keep the conversation; with the bodies of its requests.
async fn play(stage: &Stage, stream: bool, memory: Memory) -> (Outcome, Vec<Value>) {
    let server = Server::start_with(Provider::OpenaiResponses, turns(), memory).await;
    let log = RequestLog::to_file(&stage.data_root().with_file_name("requests.jsonl")).unwrap();
    let start = StartRun {
        stream: Some(stream),
        seed: Some(1),
        prompt: PromptInputs {
            snapshot: Some(json!({
                "chatCompletionPayload": {"messages": [{"role": "user", "content": "Go on."}], "store": true},
                "contextPolicy": {},
            })),
            ..PromptInputs::default()
        },
        ..StartRun::new(&stage.chat, Arc::from(server.logged_model(Some(Arc::new(log)))))
    };
    let handle = stage.host.start_run(start).await.unwrap();
    (stage.finish(handle).await, server.bodies().await)
}

fn of_each(values: &[Value], path: &str) -> Vec<Value> {
    let at = |value: &Value| value.pointer(path).cloned().unwrap_or_default();
    values.iter().map(at).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stored_conversation_is_told_once_and_continued_by_what_is_new() {
    for stream in [false, true] {
        let stage = Stage::new().await;
        let (outcome, bodies) = play(&stage, stream, Memory::Last).await;
        assert_eq!((outcome.report.status, outcome.code()), (RunStatus::Completed, None));
        let earlier = json!([null, "resp_0", "resp_1", "resp_2"]);
        assert_eq!(json!(of_each(&bodies, "/previous_response_id")), earlier);
        assert_eq!(of_each(&bodies, "/store"), vec![json!(true); 4]);
        let news: Vec<usize> = bodies[1..]
            .iter()
            .map(|body| body["input"].as_array().unwrap().len())
            .collect();
        assert_eq!(news, [1, 2, 2]);
        let kinds = bodies[1..].iter().flat_map(|body| body["input"].as_array().unwrap());
        assert!(
            kinds.clone().all(|item| item["type"] == "function_call_output"),
            "{bodies:?}"
        );

        let states = outcome.all("provider_state_updated");
        let states: Vec<Value> = states
            .iter()
            .map(|event| event.payload["providerState"].clone())
            .collect();
        assert_eq!(json!(of_each(&states, "/previousResponseId")), earlier);
        let answered = json!(["resp_0", "resp_1", "resp_2", "resp_3"]);
        assert_eq!(json!(of_each(&states, "/lastResponseId")), answered);
        let first = states[0]["messageCursor"].as_u64().unwrap();
        assert_eq!(
            json!(of_each(&states, "/messageCursor")),
            json!([first, first + 2, first + 5, first + 8])
        );
        let native = json!({"provider": "openai_responses", "partCount": 1});
        assert_eq!(of_each(&states, "/nativeContinuation"), vec![native; 4]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_state_of_a_conversation_is_in_no_file_no_body_and_no_log() {
    let stage = Stage::new().await;
    let (outcome, bodies) = play(&stage, false, Memory::Last).await;
    let session = format!("{}:inv_root", outcome.report.run_id);
    let folder = stage.data_root().parent().unwrap().to_owned();
    assert_eq!(found_in(&left_behind(&folder), &session), [""; 0]);
    assert!(!json!(bodies).to_string().contains(&session));
    for body in &bodies[1..] {
        for name in ["sessionId", "messageCursor", "providerState", "provider_state"] {
            assert_eq!(body.get(name), None);
        }
    }
    let log = std::fs::read_to_string(folder.join("requests.jsonl")).unwrap();
    let named = log.matches("\"previous_response_id\":").count();
    assert_eq!(
        (named, log.matches("\"previous_response_id\":\"[left out]\"").count()),
        (3, 3)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_that_the_provider_forgot_ends_the_run_with_advice() {
    let stage = Stage::new().await;
    let (outcome, bodies) = play(&stage, true, Memory::None).await;
    assert_eq!(
        (outcome.code(), bodies.len()),
        (Some("agent.provider_state_invalid"), 2)
    );
    let error = outcome.report.error.unwrap();
    assert!(
        error.message.contains("does not know its last answer any more"),
        "{error:?}"
    );
    assert!(error.hint.is_some_and(|hint| hint.contains("`store`")));
}
