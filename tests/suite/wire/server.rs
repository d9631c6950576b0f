//! A server on this machine that answers each request with the next turn, in a format, in one piece or as a stream.
//!
//! Whatever it is asked at another address, or without the key, gets a 404.

use std::sync::atomic::{AtomicUsize, Ordering};

use innkeeper::gateway::key::ApiKey;
use innkeeper::gateway::provider::Provider;
use innkeeper::gateway::spec::{ModelName, ModelOptions};
use innkeeper::protocol::model::Model;
use serde_json::Value;
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
    ResponseTemplate::new(200).set_body_json(match provider {
        Provider::Openai => openai::whole(said),
        Provider::OpenaiResponses => responses::whole(said),
        Provider::Claude => claude::whole(said),
        Provider::Gemini => gemini::whole(said),
    })
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

/// A running server.
pub struct Server {
    mock: MockServer,
    provider: Provider,
}

impl Server {
    /// Starts a server that says these turns.
    pub async fn start(provider: Provider, turns: Vec<Said>) -> Self {
        let mock = MockServer::start().await;
        let [whole, streamed] = paths(provider);
        let (name, value) = key_header(provider);
        let next = AtomicUsize::new(0);
        let answer = move |request: &Request| {
            let Some(said) = turns.get(next.fetch_add(1, Ordering::SeqCst)) else {
                return ResponseTemplate::new(400);
            };
            let body: Value = request.body_json().unwrap();
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
        let options = ModelOptions {
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
