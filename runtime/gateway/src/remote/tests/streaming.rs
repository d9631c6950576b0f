//! Streams on the wire: how they are asked for, how they come, and how they go wrong.

use innkeeper_protocol::model::{LiveDelta, ToolOffer};

use super::*;
use crate::fixture::{Watcher, dice};

const BEGUN: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

fn reach(provider: Provider, address: &str) -> RemoteSettings {
    RemoteSettings {
        provider,
        ..settings(address)
    }
}

fn offering() -> ModelRequest {
    ModelRequest {
        tools: [ToolOffer { ..dice() }].into(),
        ..request()
    }
}

/// What a model says to one reply of its server, and what was shown of it.
async fn streamed(settings: RemoteSettings) -> (Result<ModelResponse, ModelError>, Vec<LiveDelta>) {
    let watcher = Watcher::default();
    let answer = RemoteModel::new(settings).unwrap().stream(&offering(), &watcher).await;
    (answer, watcher.seen())
}

async fn told(provider: Provider, reply: Reply) -> (Result<ModelResponse, ModelError>, Vec<LiveDelta>) {
    let server = Server::start(vec![reply]).await;
    streamed(reach(provider, &server.address)).await
}

fn events(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

/// The word "hello", up to but without the end of the turn.
fn begun(provider: Provider) -> Vec<Value> {
    match provider {
        Provider::Openai => vec![json!({"choices": [{"delta": {"content": "hello"}}]})],
        Provider::OpenaiResponses => vec![json!({"type": "response.output_text.delta", "delta": "hello"})],
        Provider::Claude => vec![
            json!({"type": "message_start", "message": {"content": [], "stop_reason": null}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "hello"}}),
        ],
        Provider::Gemini => vec![json!({"candidates": [{"content": {"parts": [{"text": "hello"}]}}]})],
    }
}

fn ended(provider: Provider) -> Value {
    match provider {
        Provider::Openai => json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}),
        Provider::OpenaiResponses => {
            let item = json!({"type": "message", "content": [{"type": "output_text", "text": "hello"}]});
            json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [item]}})
        }
        Provider::Claude => json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        Provider::Gemini => json!({"candidates": [{"finishReason": "STOP"}]}),
    }
}

fn hello_shown() -> Vec<LiveDelta> {
    vec![LiveDelta::Text("hello".into())]
}

#[tokio::test]
async fn each_format_is_asked_for_a_stream_and_shown_as_it_comes() {
    for provider in Provider::ALL {
        let stream = format!("{BEGUN}{}{}", events(&begun(provider)), events(&[ended(provider)]));
        let server = Server::start(vec![Reply::Close(stream)]).await;
        let (answer, shown) = streamed(reach(provider, &server.address)).await;
        assert_eq!(
            (answer.unwrap().text.as_str(), shown),
            ("hello", hello_shown()),
            "{provider:?}"
        );
        let seen = server.seen.await.unwrap().remove(0);
        let (head, body) = seen.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("accept: text/event-stream\r\n"), "{head}");
        let body: Value = serde_json::from_str(body).unwrap();
        match provider {
            Provider::Gemini => {
                assert!(
                    head.starts_with("POST /v1/models/m:streamGenerateContent?alt=sse HTTP/1.1\r\n"),
                    "{head}"
                );
                assert_eq!(body.get("stream"), None);
            }
            _ => assert_eq!(body["stream"], json!(true)),
        }
    }
}

#[tokio::test]
async fn silence_in_a_stream_is_found_out_long_before_the_request_is_given_up() {
    for provider in Provider::ALL {
        let server = Server::start(vec![Reply::Hold(format!("{BEGUN}{}", events(&begun(provider))))]).await;
        let impatient = RemoteSettings {
            idle_timeout: IMPATIENT,
            ..reach(provider, &server.address)
        };
        let (answer, shown) = streamed(impatient).await;
        let expected = ModelError::UpstreamFailure {
            failure: NetworkFailure::Timeout,
            endpoint: format!("http://{}", server.address),
            detail: Excerpt::new("the answer began, then nothing came for 100ms"),
        };
        assert_eq!((answer, shown), (Err(expected), hello_shown()));
    }
}

#[tokio::test]
async fn before_a_stream_begins_only_the_whole_requests_limit_counts() {
    for said in ["", BEGUN] {
        let server = Server::start(vec![Reply::Hold(said.to_owned())]).await;
        let impatient = RemoteSettings {
            idle_timeout: Duration::ZERO,
            request_timeout: IMPATIENT,
            ..settings(&server.address)
        };
        let error = streamed(impatient).await.0.unwrap_err();
        assert_eq!(network_failure(&error), NetworkFailure::Timeout);
        assert!(!error.to_string().contains("the answer began"), "{error}");
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_an_interruption_and_one_that_just_ends_is_unfinished() {
    for provider in Provider::ALL {
        let piece = events(&begun(provider));
        let chunked = format!(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{piece}\r\n",
            piece.len()
        );
        let (answer, shown) = told(provider, Reply::Close(chunked)).await;
        let failure = network_failure(&answer.unwrap_err());
        assert_eq!((failure, shown), (NetworkFailure::BodyInterrupted, hello_shown()));
        let (answer, _) = told(provider, Reply::Close(format!("{BEGUN}{piece}"))).await;
        let error = answer.unwrap_err();
        assert!(
            error.is_retryable() && error.to_string().contains("it stopped before its end"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_connection_that_fails_after_the_end_of_the_turn_loses_nothing() {
    for provider in Provider::ALL {
        let all = format!("{}{}", events(&begun(provider)), events(&[ended(provider)]));
        let promised = "HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n";
        for reply in [
            Reply::Close(format!("{promised}{all}")),
            Reply::Hold(format!("{BEGUN}{all}")),
        ] {
            let server = Server::start(vec![reply]).await;
            let impatient = RemoteSettings {
                idle_timeout: IMPATIENT,
                ..reach(provider, &server.address)
            };
            let (answer, shown) = streamed(impatient).await;
            assert_eq!(
                (answer.unwrap().text.as_str(), shown),
                ("hello", hello_shown()),
                "{provider:?}"
            );
        }
    }
}

#[tokio::test]
async fn each_formats_error_in_the_middle_of_a_stream_has_its_kind() {
    let busy = [
        json!({"error": {"code": 503, "message": "busy"}}),
        json!({"type": "response.failed", "response": {"error": {"code": "server_error", "message": "busy"}}}),
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
        json!({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}),
    ];
    for (provider, error) in Provider::ALL.into_iter().zip(busy) {
        let mut all = begun(provider);
        all.extend([error, ended(provider)]);
        let (answer, shown) = told(provider, Reply::Close(format!("{BEGUN}{}", events(&all)))).await;
        assert_eq!(
            (answer.unwrap_err().code(), shown),
            ("agent.transient", hello_shown()),
            "{provider:?}"
        );
    }
}

#[tokio::test]
async fn refusals_and_pages_instead_of_a_stream_are_what_they_are_without_one() {
    let page = "<html>busy</html>";
    let limited = r#"{"error": {"message": "slow down", "type": "rate_limit_error"}}"#;
    for provider in Provider::ALL {
        let (answer, _) = told(provider, answer("429 Too Many Requests", "retry-after: 7\r\n", limited)).await;
        let error = answer.unwrap_err();
        assert_eq!(
            (error.code(), error.retry_after_ms()),
            ("agent.rate_limited", Some(7_000))
        );
        let (answer, _) = told(
            provider,
            super::answer("502 Bad Gateway", "content-type: text/html\r\n", page),
        )
        .await;
        let error = answer.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the provider failed for the moment (HTTP status 502: <html>busy</html>)"
        );
        let (answer, _) = told(
            provider,
            super::answer("200 OK", "content-type: text/event-stream\r\n", page),
        )
        .await;
        let excerpt = Excerpt::new(page);
        let expected = ModelError::UpstreamInvalidResponse {
            fault: BodyFault::NotJson,
            excerpt,
        };
        assert_eq!(answer, Err(expected));
    }
}

#[tokio::test]
async fn a_call_that_the_length_limit_cut_is_never_one_that_can_run() {
    let open = "{\"title\": \"a";
    let call = json!({"index": 0, "id": "c", "function": {"name": "dice_roll", "arguments": open}});
    let item = json!({"type": "function_call", "call_id": "c", "name": "dice_roll", "arguments": open, "status": "incomplete"});
    let tool_use = json!({"type": "tool_use", "id": "c", "name": "dice_roll", "input": {}});
    let streams = [
        vec![
            json!({"choices": [{"delta": {"tool_calls": [call]}}]}),
            json!({"choices": [{"delta": {}, "finish_reason": "length"}]}),
        ],
        vec![json!({"type": "response.incomplete", "response": {"id": "r", "status": "incomplete", "output": [item]}})],
        vec![
            json!({"type": "message_start", "message": {"content": [], "stop_reason": null}}),
            json!({"type": "content_block_start", "index": 0, "content_block": tool_use}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": open}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}),
        ],
        vec![
            json!({"candidates": [{"content": {"parts": [{"functionCall": {"id": "c", "name": "dice_roll", "args": {"title": "a"}}}]}}]}),
            json!({"candidates": [{"finishReason": "MAX_TOKENS"}]}),
        ],
    ];
    for (provider, stream) in Provider::ALL.into_iter().zip(streams) {
        let (answer, _) = told(provider, Reply::Close(format!("{BEGUN}{}", events(&stream)))).await;
        let arguments = answer.unwrap().tool_calls.remove(0).arguments;
        assert!(arguments.is_string(), "{provider:?}: {arguments}");
    }
}

#[tokio::test]
async fn a_request_that_is_dropped_is_given_up_at_the_server_too() {
    let server = Server::start(vec![Reply::Watch(format!(
        "{BEGUN}{}",
        events(&begun(Provider::Openai))
    ))])
    .await;
    let model = RemoteModel::new(settings(&server.address)).unwrap();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let request = offering();
    let watcher = Teller(sender);
    tokio::select! {
        answer = model.stream(&request, &watcher) => panic!("{answer:?}"),
        shown = receiver.recv() => assert_eq!(shown.map(|delta| vec![delta]), Some(hello_shown())),
    }
    // The server is done only when the connection is closed.
    assert_eq!(server.seen.await.unwrap().len(), 1);
}

/// Passes on what it is shown.
struct Teller(tokio::sync::mpsc::UnboundedSender<LiveDelta>);

impl LiveSink for Teller {
    fn show(&self, delta: LiveDelta) {
        let _ = self.0.send(delta);
    }
}
