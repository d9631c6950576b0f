//! One whole exchange in each format: address, headers and body of the request, and what becomes of the answer.

use innkeeper_protocol::model::ProviderAnswer;
use serde_json::{Value, json};
use wiremock::matchers::{body_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;
use crate::fixture::user;

const SECRET: &str = "sk-canary-42";

fn reach(provider: Provider, server: &MockServer) -> RemoteModel {
    let settings = RemoteSettings {
        base_url: Some(format!("{}/base", server.uri())),
        api_key: ApiKey::parse(SECRET, "INNKEEPER_API_KEY").unwrap(),
        ..RemoteSettings::new(provider, "m")
    };
    RemoteModel::new(settings).unwrap()
}

/// Asks a server that knows one request and gives one answer.
async fn exchange(
    provider: Provider,
    (at, key): (&str, (&'static str, String)),
    expected: Value,
    answer: ResponseTemplate,
) -> Result<ModelResponse, ModelError> {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path(at))
        .and(header(key.0, key.1.as_str()))
        .and(body_json(expected))
        .respond_with(answer)
        .expect(1)
        .mount(&server)
        .await;
    let request = ModelRequest::new(vec![user("hi")]);
    reach(provider, &server).complete(&request).await
}

fn found(body: Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

fn openai_request() -> Value {
    json!({"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": false})
}

fn responses_request() -> Value {
    json!({"model": "m", "store": false, "include": ["reasoning.encrypted_content"], "stream": false,
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}]})
}

fn claude_request() -> Value {
    json!({"model": "m", "max_tokens": 8192, "stream": false,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]})
}

fn gemini_request() -> Value {
    let off = |category: &str| json!({"category": format!("HARM_CATEGORY_{category}"), "threshold": "OFF"});
    let categories = [
        "HARASSMENT",
        "HATE_SPEECH",
        "SEXUALLY_EXPLICIT",
        "DANGEROUS_CONTENT",
        "CIVIC_INTEGRITY",
    ];
    json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}], "safetySettings": categories.map(off),
        "generationConfig": {"candidateCount": 1}})
}

/// Where each provider listens, with which header, and what it is sent.
fn wire(provider: Provider) -> ((&'static str, (&'static str, String)), Value) {
    let bearer = ("authorization", format!("Bearer {SECRET}"));
    let own = |name| (name, SECRET.to_owned());
    match provider {
        Provider::Openai => (("/base/chat/completions", bearer), openai_request()),
        Provider::OpenaiResponses => (("/base/responses", bearer), responses_request()),
        Provider::Claude => (("/base/messages", own("x-api-key")), claude_request()),
        Provider::Gemini => (
            ("/base/models/m:generateContent", own("x-goog-api-key")),
            gemini_request(),
        ),
    }
}

/// The word "hello" as each provider says it.
fn hello(provider: Provider) -> Value {
    match provider {
        Provider::Openai => json!({"choices": [{"message": {"content": "hello"}}]}),
        Provider::OpenaiResponses => json!({"id": "r", "status": "completed",
            "output": [{"type": "message", "content": [{"type": "output_text", "text": "hello"}]}]}),
        Provider::Claude => json!({"content": [{"type": "text", "text": "hello"}], "stop_reason": "end_turn"}),
        Provider::Gemini => {
            json!({"candidates": [{"content": {"parts": [{"text": "hello"}]}, "finishReason": "STOP"}]})
        }
    }
}

#[tokio::test]
async fn each_format_asks_its_own_resource_and_reads_its_answer() {
    for provider in Provider::ALL {
        let (at, body) = wire(provider);
        let response = exchange(provider, at, body, found(hello(provider))).await.unwrap();
        assert_eq!(response.text, "hello");
        let metadata = (response.provider_metadata.source, response.provider_metadata.format);
        assert_eq!(metadata, ("custom".into(), provider.format().into()));
    }
}

#[tokio::test]
async fn each_providers_refusal_is_told_without_the_key() {
    let bodies = [
        json!({"error": {"message": format!("slow {SECRET}"), "type": "requests", "code": "rate_limit_exceeded"}}),
        json!({"error": {"message": format!("slow {SECRET}"), "type": "requests", "code": "rate_limit_exceeded"}}),
        json!({"type": "error", "error": {"type": "rate_limit_error", "message": format!("slow {SECRET}")}}),
        json!({"error": {"code": 429, "message": format!("slow {SECRET}"), "status": "RESOURCE_EXHAUSTED"}}),
    ];
    for (provider, refusal) in Provider::ALL.into_iter().zip(bodies) {
        let (at, body) = wire(provider);
        let error = exchange(provider, at, body, ResponseTemplate::new(429).set_body_json(refusal)).await;
        let expected = ProviderAnswer {
            status: Some(429),
            detail: Excerpt::new("slow [secret]"),
            retry_after_ms: None,
        };
        assert_eq!(error, Err(ModelError::RateLimited(expected)), "{provider:?}");
    }
}

#[tokio::test]
async fn each_providers_overflow_is_recognised() {
    let invalid = "invalid_request_error";
    let bodies = [
        json!({"error": {"message": "x", "type": invalid, "code": "context_length_exceeded"}}),
        json!({"error": {"message": "Your input exceeds the context window of this model.", "type": invalid,
                         "code": "context_length_exceeded"}}),
        json!({"type": "error", "error": {"type": invalid, "message": "prompt is too long: 9 tokens > 8 maximum"}}),
        json!({"error": {"code": 400, "message": "The input token count (9) exceeds the maximum number of tokens allowed (8).",
                         "status": "INVALID_ARGUMENT"}}),
    ];
    for (provider, refusal) in Provider::ALL.into_iter().zip(bodies) {
        let (at, body) = wire(provider);
        let error = exchange(provider, at, body, ResponseTemplate::new(400).set_body_json(refusal))
            .await
            .unwrap_err();
        assert_eq!(error.code(), "model.context_overflow", "{provider:?}");
    }
}

#[tokio::test]
async fn an_answer_that_something_in_between_translated_is_read_but_its_calls_have_lost_what_belongs_to_them() {
    let call = json!({"id": "c", "function": {"name": "t", "arguments": "{}"}});
    for provider in [Provider::OpenaiResponses, Provider::Claude, Provider::Gemini] {
        let (at, body) = wire(provider);
        let text = exchange(provider, at, body, found(hello(Provider::Openai))).await;
        assert_eq!(text.unwrap().text, "hello");
        let (at, body) = wire(provider);
        let calls = json!({"choices": [{"message": {"tool_calls": [call]}}]});
        let format = provider.format().to_owned();
        assert_eq!(
            exchange(provider, at, body, found(calls)).await,
            Err(ModelError::NativeMetadataLost { format })
        );
    }
}
