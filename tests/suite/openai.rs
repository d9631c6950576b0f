//! A whole run over the OpenAI chat-completions format, against a server on this machine.
//!
//! The wire format itself is tested in the gateway; here it only has to carry a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use innkeeper::gateway::key::ApiKey;
use innkeeper::gateway::spec::{ModelName, ModelOptions};
use innkeeper::protocol::model::Model;
use innkeeper::protocol::run::RunStatus;
use serde_json::{Value, json};
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::run::{Outcome, Stage, happy_turns};

/// A text that must be found nowhere but in the header of requests.
const SECRET: &str = "sk-canary-0123456789";

/// The turns of a scripted run as the server's answers.
fn completion(number: usize, turn: &Value) -> Value {
    let calls: Vec<Value> = turn["calls"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .map(|(index, call)| {
            json!({"id": format!("call_{number}_{index}"), "type": "function",
                   "function": {"name": call["name"], "arguments": call["arguments"].to_string()}})
        })
        .collect();
    json!({
        "id": format!("chatcmpl-{number}"), "object": "chat.completion", "model": "test-model-1",
        "choices": [{"index": 0, "finish_reason": "tool_calls",
                     "message": {"role": "assistant", "content": turn["text"], "tool_calls": calls}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    })
}

async fn server(answers: Vec<ResponseTemplate>) -> MockServer {
    let server = MockServer::start().await;
    let next = AtomicUsize::new(0);
    let answer = move |_: &Request| {
        let number = next.fetch_add(1, Ordering::SeqCst);
        answers
            .get(number)
            .cloned()
            .unwrap_or_else(|| ResponseTemplate::new(400))
    };
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .and(header("authorization", format!("Bearer {SECRET}").as_str()))
        .respond_with(answer)
        .mount(&server)
        .await;
    server
}

fn answers() -> Vec<ResponseTemplate> {
    let turns = happy_turns();
    let bodies = turns
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .map(|(number, turn)| completion(number, turn));
    bodies
        .map(|body| ResponseTemplate::new(200).set_body_json(body))
        .collect()
}

async fn play(stage: &Stage, server: &MockServer) -> Outcome {
    let options = ModelOptions {
        base_url: Some(format!("{}/v1", server.uri())),
        api_key: ApiKey::parse(SECRET, "TEST_KEY").unwrap(),
        ..ModelOptions::default()
    };
    let name: ModelName = "openai:test-model".parse().unwrap();
    let model: Arc<dyn Model> = Arc::from(name.open(options).unwrap());
    let handle = stage.start(model, |_| {}).await;
    stage.finish(handle).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_completes_over_the_wire() {
    let (stage, server) = (Stage::new().await, server(answers()).await);
    let outcome = play(&stage, &server).await;
    assert_eq!(
        (outcome.report.status, &outcome.report.error),
        (RunStatus::Completed, &None)
    );
    assert_eq!(outcome.messages()[2]["mes"], "The lamp is lit.\nWe climb.");
    let stored = outcome.all("model_response_stored");
    assert_eq!(
        (&stored[0].payload["responseId"], &stored[0].payload["model"]),
        (&json!("chatcmpl-0"), &json!("test-model-1"))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_request_carries_the_results_of_the_calls_before() {
    let (stage, server) = (Stage::new().await, server(answers()).await);
    play(&stage, &server).await;
    let requests: Vec<Value> = server
        .received_requests()
        .await
        .unwrap()
        .iter()
        .map(|request| request.body_json().unwrap())
        .collect();
    assert_eq!(requests.len(), 4);
    let names: Vec<&Value> = requests[0]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["function"]["name"])
        .collect();
    assert!(
        names.contains(&&json!("workspace_commit")) && !names.contains(&&json!("dice_roll")),
        "{names:?}"
    );
    let answered: Vec<&Value> = requests[3]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| &message["tool_call_id"])
        .collect();
    assert_eq!(answered, ["call_0_0", "call_1_0", "call_1_1", "call_2_0", "call_2_1"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_overloaded_for_a_moment_is_asked_again() {
    let mut all = answers();
    all.insert(0, ResponseTemplate::new(503));
    all.insert(
        1,
        ResponseTemplate::new(429).set_body_json(json!({"error": {"message": "slow down"}})),
    );
    let (stage, server) = (Stage::new().await, server(all).await);
    let outcome = play(&stage, &server).await;
    assert_eq!(outcome.report.status, RunStatus::Completed);
    let codes: Vec<&str> = outcome
        .all("model_call_attempt_failed")
        .iter()
        .map(|event| event.text("code").unwrap())
        .collect();
    assert_eq!(codes, ["agent.transient", "agent.rate_limited"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_key_is_nowhere_in_what_a_run_leaves_behind() {
    let (stage, server) = (Stage::new().await, server(answers()).await);
    play(&stage, &server).await;
    let mut files = 0;
    let mut open = vec![stage.data_root()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            files += 1;
            let bytes = std::fs::read(&path).unwrap();
            let is_there = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
            assert!(!is_there, "{}", path.display());
        }
    }
    assert!(files > 10, "only {files} files were looked at");
}
