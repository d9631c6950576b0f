//! A server on this machine that answers each request with the next turn, in a format, in one piece or as a stream.
//!
//! Whatever it is asked at another address, or without the key, gets a 404.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use innkeeper::gateway::key::ApiKey;
use innkeeper::gateway::provider::Provider;
use innkeeper::gateway::request_log::RequestLog;
use innkeeper::gateway::spec::{ModelName, ModelOptions};
use innkeeper::protocol::model::Model;
use serde_json::{Value, json};
use wiremock::matchers::{header, method};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::{Said, claude, gemini, openai, responses};

/// The key that every request must carry.
pub const SECRET: &str = "sk-canary-0123456789";

/// Where a format listens, in one piece and streamed.
fn paths(provider: Provider) -> [&'static str; 2] {
    match provider {
        Provider::Openai => ["/v1/chat/completions"; 2],
        Provider::OpenaiResponses => ["/v1/responses"; 2],
        Provider::Claude => ["/v1/messages"; 2],
        Provider::Gemini => ["/v1/models/m:generateContent", "/v1/models/m:streamGenerateContent"],
    }
}

fn key_header(provider: Provider) -> (&'static str, String) {
    match provider {
        Provider::Openai | Provider::OpenaiResponses => ("authorization", format!("Bearer {SECRET}")),
        Provider::Claude => ("x-api-key", SECRET.to_owned()),
        Provider::Gemini => ("x-goog-api-key", SECRET.to_owned()),
    }
}

fn in_one_piece(provider: Provider, said: &Said) -> ResponseTemplate {
    let usual = || match provider {
        Provider::Openai => openai::whole(said),
        Provider::OpenaiResponses => responses::whole(said),
        Provider::Claude => claude::whole(said),
        Provider::Gemini => gemini::whole(said),
    };
    ResponseTemplate::new(200).set_body_json(said.raw.clone().unwrap_or_else(usual))
}

fn as_stream(provider: Provider, said: &Said) -> ResponseTemplate {
    let events = match provider {
        Provider::Openai => openai::events(said),
        Provider::OpenaiResponses => responses::events(said),
        Provider::Claude => claude::events(said),
        Provider::Gemini => gemini::events(said),
    };
    let mut stream: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    if provider == Provider::Openai {
        stream.push_str("data: [DONE]\n\n");
    }
    ResponseTemplate::new(200).set_body_raw(stream, "text/event-stream")
}

/// Whether a request goes on from nothing, or from the answer that is kept.
fn knows(body: &Value, kept: Option<&str>) -> bool {
    body.get("previous_response_id").is_none_or(|id| id.as_str() == kept)
}

fn forgotten() -> ResponseTemplate {
    let error = json!({"message": "Previous response with id 'resp' not found.", "type": "invalid_request_error",
        "param": "previous_response_id", "code": "previous_response_not_found"});
    ResponseTemplate::new(400).set_body_json(json!({ "error": error }))
}

/// A running server.
pub struct Server {
    mock: MockServer,
    provider: Provider,
}

/// What a server keeps of the conversations that it is asked to store.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// Its last answer.
    Last,
    /// Nothing.
    None,
}

impl Server {
    /// Starts a server that says these turns.
    pub async fn start(provider: Provider, turns: Vec<Said>) -> Self {
        Self::start_with(provider, turns, Memory::Last).await
    }

    /// The same with another memory.
    pub async fn start_with(provider: Provider, turns: Vec<Said>, memory: Memory) -> Self {
        let mock = MockServer::start().await;
        let [whole, streamed] = paths(provider);
        let (name, value) = key_header(provider);
        let next = AtomicUsize::new(0);
        let answer = move |request: &Request| {
            let number = next.fetch_add(1, Ordering::SeqCst);
            let Some(said) = turns.get(number) else {
                return ResponseTemplate::new(400);
            };
            let body: Value = request.body_json().unwrap();
            let last = number.checked_sub(1).map(|before| turns[before].id.as_str());
            if !knows(&body, last.filter(|_| memory == Memory::Last)) {
                return forgotten();
            }
            let is_streamed = body["stream"] == true || (whole != streamed && request.url.path() == streamed);
            if is_streamed {
                as_stream(provider, said)
            } else {
                in_one_piece(provider, said)
            }
        };
        let is_known = move |request: &Request| [whole, streamed].contains(&request.url.path());
        Mock::given(method("POST"))
            .and(is_known)
            .and(header(name, value.as_str()))
            .respond_with(answer)
            .mount(&mock)
            .await;
        Self { mock, provider }
    }

    /// A model that is reached here.
    pub fn model(&self) -> Box<dyn Model> {
        self.logged_model(None)
    }

    /// A model that is reached here, with a log of what is asked and answered.
    pub fn logged_model(&self, request_log: Option<Arc<RequestLog>>) -> Box<dyn Model> {
        let options = ModelOptions {
            request_log,
            base_url: Some(format!("{}/v1", self.mock.uri())),
            api_key: ApiKey::parse(SECRET, "TEST_KEY").unwrap(),
            ..ModelOptions::default()
        };
        let name: ModelName = format!("{}:m", self.provider.name()).parse().unwrap();
        name.open(options).unwrap()
    }

    /// The bodies of the requests so far, without the switch for a stream.
    pub async fn bodies(&self) -> Vec<Value> {
        let requests = self.mock.received_requests().await.unwrap();
        let body = |request: &Request| {
            let mut body: Value = request.body_json().unwrap();
            body.as_object_mut().unwrap().remove("stream");
            body
        };
        requests.iter().map(body).collect()
    }
}
