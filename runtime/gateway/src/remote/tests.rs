//! What happens on the wire, against a server on this machine.

mod agreement;
mod canary;
mod exchange;
mod server;
mod streaming;

use std::sync::Arc;

use innkeeper_protocol::model::{BodyFault, Excerpt, Message, NetworkFailure, ProviderAnswer, Role};
use reqwest::dns::{Name, Resolve, Resolving};
use serde_json::json;

use super::*;
use crate::http::client;
use server::{Reply, Server, answer};

const KEY: &str = "sk-canary-0123456789";

/// Short enough for a test, long enough for a server on the same machine.
const IMPATIENT: Duration = Duration::from_millis(100);

fn settings(address: &str) -> RemoteSettings {
    RemoteSettings {
        base_url: Some(format!("http://{address}/v1/")),
        api_key: ApiKey::parse(KEY, "INNKEEPER_API_KEY").unwrap(),
        ..RemoteSettings::new(Provider::Openai, "m")
    }
}

fn request() -> ModelRequest {
    ModelRequest {
        settings: Map::from_iter([("top_p".to_owned(), json!(0.5))]),
        ..ModelRequest::new(vec![Message::of_text(Role::User, "hi")])
    }
}

fn hello() -> String {
    json!({"choices": [{"message": {"role": "assistant", "content": "hello"}}]}).to_string()
}

async fn ask(settings: RemoteSettings) -> Result<String, ModelError> {
    let model = RemoteModel::new(settings).unwrap();
    model.complete(&request()).await.map(|response| response.text)
}

/// The error of one reply.
async fn error_of(reply: Reply) -> ModelError {
    let server = Server::start(vec![reply]).await;
    ask(RemoteSettings {
        request_timeout: Duration::from_secs(20),
        ..settings(&server.address)
    })
    .await
    .unwrap_err()
}

fn network_failure(error: &ModelError) -> NetworkFailure {
    match error {
        ModelError::UpstreamFailure { failure, .. } => *failure,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_request_goes_out_and_its_answer_comes_back() {
    let server = Server::start(vec![answer("200 OK", "", &hello())]).await;
    assert_eq!(ask(settings(&server.address)).await, Ok("hello".into()));
    let seen = server.seen.await.unwrap().remove(0);
    let (head, body) = seen.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("authorization: Bearer {KEY}\r\n")), "{head}");
    assert!(head.contains("content-type: application/json\r\n"), "{head}");
    assert_eq!(
        serde_json::from_str::<Value>(body).unwrap(),
        json!({"model": "m", "messages": [{"role": "user", "content": "hi"}], "top_p": 0.5, "stream": false})
    );
}

#[tokio::test]
async fn without_a_key_no_authorization_is_sent() {
    let server = Server::start(vec![answer("200 OK", "", &hello())]).await;
    ask(RemoteSettings {
        api_key: None,
        ..settings(&server.address)
    })
    .await
    .unwrap();
    assert!(!server.seen.await.unwrap()[0].to_lowercase().contains("authorization"));
}

#[tokio::test]
async fn a_refusal_is_told_by_its_status_and_words() {
    let body = json!({"error": {"message": "slow down"}}).to_string();
    let error = error_of(answer("429 Too Many Requests", "retry-after: 9\r\n", &body)).await;
    let expected = ProviderAnswer {
        status: Some(429),
        detail: Excerpt::new("slow down"),
        retry_after_ms: Some(9_000),
    };
    assert_eq!(error, ModelError::RateLimited(expected));
}

#[tokio::test]
async fn a_key_that_the_server_repeats_is_taken_out_of_every_error() {
    let words = format!("bad key {KEY}!");
    let replies = [
        answer(
            "401 Unauthorized",
            "",
            &json!({"error": {"message": words}}).to_string(),
        ),
        answer("401 Unauthorized", "", &words),
        answer("200 OK", "", &words),
        answer("200 OK", "", &json!({"error": words}).to_string()),
    ];
    for reply in replies {
        let error = error_of(reply).await;
        let shown = format!("{error} {error:?}");
        assert!(shown.contains("bad key [secret]!") && !shown.contains(KEY), "{shown}");
    }
}

#[tokio::test]
async fn a_model_shows_neither_key_nor_query() {
    let settings = RemoteSettings {
        base_url: Some(format!("http://x.example/v1?key={KEY}")),
        ..settings("")
    };
    let shown = format!("{settings:?} {:?}", RemoteModel::new(settings.clone()).unwrap());
    assert!(shown.contains("http://x.example") && !shown.contains(KEY), "{shown}");
}

#[tokio::test]
async fn a_web_page_with_a_success_is_transient_and_quoted_shortly() {
    let page = format!("<html>{}</html>", "x".repeat(2_000));
    let error = error_of(answer("200 OK", "content-type: text/html\r\n", &page)).await;
    let excerpt = Excerpt::new(&page);
    assert_eq!(
        error,
        ModelError::UpstreamInvalidResponse {
            fault: BodyFault::NotJson,
            excerpt
        }
    );
    assert!(error.is_retryable());
}

#[tokio::test]
async fn a_body_that_breaks_off_is_an_interruption() {
    let promised = "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"choices\": [";
    let error = error_of(Reply::Close(promised.into())).await;
    assert_eq!(network_failure(&error), NetworkFailure::BodyInterrupted);
}

#[tokio::test]
async fn a_connection_that_closes_without_an_answer_is_a_failed_request() {
    let error = error_of(Reply::Close(String::new())).await;
    assert_eq!(network_failure(&error), NetworkFailure::Request);
}

#[tokio::test]
async fn silence_before_or_in_the_answer_is_a_timeout() {
    for said in ["", "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"] {
        let server = Server::start(vec![Reply::Hold(said.into())]).await;
        let error = ask(RemoteSettings {
            request_timeout: IMPATIENT,
            ..settings(&server.address)
        })
        .await
        .unwrap_err();
        assert_eq!(network_failure(&error), NetworkFailure::Timeout, "{said}");
    }
}

#[tokio::test]
async fn an_error_whose_body_never_ends_still_tells_its_status() {
    let server = Server::start(vec![Reply::Hold(
        "HTTP/1.1 503 Busy\r\ncontent-length: 9\r\n\r\nbus".into(),
    )])
    .await;
    let error = ask(RemoteSettings {
        request_timeout: IMPATIENT,
        ..settings(&server.address)
    })
    .await
    .unwrap_err();
    let expected = ProviderAnswer {
        status: Some(503),
        detail: Excerpt::new("bus"),
        retry_after_ms: None,
    };
    assert_eq!(error, ModelError::Transient(expected));
}

#[tokio::test]
async fn a_body_above_the_limit_is_not_read_to_its_end() {
    let length = 1_u64 << 40;
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{}",
        "x".repeat(2_000)
    );
    let server = Server::start(vec![Reply::Hold(head)]).await;
    let error = ask(RemoteSettings {
        body_limit: 1_000,
        ..settings(&server.address)
    })
    .await
    .unwrap_err();
    let fault = BodyFault::TooLarge { limit: 1_000 };
    assert_eq!(
        error,
        ModelError::UpstreamInvalidResponse {
            fault,
            excerpt: Excerpt::default()
        }
    );
}

#[tokio::test]
async fn nobody_at_the_port_is_a_failed_connection() {
    let server = Server::start(vec![]).await;
    // The server had nothing to say and is gone with its listener.
    server.seen.await.unwrap();
    let error = ask(settings(&server.address)).await.unwrap_err();
    assert_eq!(network_failure(&error), NetworkFailure::Connect);
    assert!(
        error
            .to_string()
            .starts_with(&format!("http://{} could not be asked", server.address)),
        "{error}"
    );
}

#[tokio::test]
async fn a_redirect_to_another_origin_is_not_followed() {
    let other = Server::start(vec![answer("200 OK", "", &hello())]).await;
    let header = format!("location: http://{}/v1/chat/completions?k=canary\r\n", other.address);
    let error = error_of(answer("307 Temporary Redirect", &header, "")).await;
    let words = format!(
        "a redirect to http://{}, which is not followed; check the base URL",
        other.address
    );
    assert_eq!(
        error,
        ModelError::Internal(ProviderAnswer {
            status: Some(307),
            detail: Excerpt::new(&words),
            retry_after_ms: None,
        })
    );
    assert!(!other.seen.is_finished());
}

#[tokio::test]
async fn a_redirect_on_the_same_server_keeps_method_body_and_key() {
    let moved = answer("308 Permanent Redirect", "location: /v2/chat\r\n", "");
    let server = Server::start(vec![moved, answer("200 OK", "", &hello())]).await;
    assert_eq!(ask(settings(&server.address)).await, Ok("hello".into()));
    let seen = server.seen.await.unwrap().remove(1);
    assert!(
        seen.starts_with("POST /v2/chat HTTP/1.1\r\n") && seen.contains(KEY) && seen.contains("\"hi\""),
        "{seen}"
    );
}

#[tokio::test]
async fn a_redirect_that_would_lose_the_body_is_not_followed() {
    let error = error_of(answer("302 Found", "location: /v2/chat\r\n", "")).await;
    assert_eq!(error.code(), "agent.internal_error");
}

#[tokio::test]
async fn endless_redirects_end() {
    let moved = || answer("307 Temporary Redirect", "location: /again\r\n", "");
    let server = Server::start(vec![moved(), moved(), moved(), moved(), moved()]).await;
    assert_eq!(
        ask(settings(&server.address)).await.unwrap_err().code(),
        "agent.internal_error"
    );
}

/// A model whose client is made differently from what a machine offers.
async fn ask_through(base_url: &str, change: impl Fn(reqwest::ClientBuilder) -> reqwest::ClientBuilder) -> ModelError {
    let endpoint = Endpoint::parse(base_url, &Provider::Openai.resource("m")).unwrap();
    let trusts_nobody = client::tls_that_trusts_nobody().unwrap();
    let client = change(client::builder(&endpoint, trusts_nobody)).build().unwrap();
    let mut model = RemoteModel::new(settings("127.0.0.1:1")).unwrap();
    model.transport.endpoint = endpoint;
    model.transport.client = client;
    model.complete(&request()).await.unwrap_err()
}

#[tokio::test]
async fn a_server_that_does_not_speak_tls_is_told_apart() {
    let server = Server::start(vec![Reply::Close("HTTP/1.1 400 Bad Request\r\n\r\n".into())]).await;
    let error = ask_through(&format!("https://{}/v1", server.address), |builder| builder).await;
    assert_eq!(network_failure(&error), NetworkFailure::Tls);
}

#[tokio::test]
async fn a_proxy_that_refuses_is_told_apart() {
    let server = Server::start(vec![Reply::Close("HTTP/1.1 403 Forbidden\r\n\r\n".into())]).await;
    let proxy = format!("http://{}", server.address);
    let error = ask_through("https://x.invalid/v1", |builder| {
        builder.proxy(reqwest::Proxy::all(&proxy).unwrap())
    })
    .await;
    assert_eq!(network_failure(&error), NetworkFailure::Proxy);
}

/// Knows no name.
struct Ignorant;

impl Resolve for Ignorant {
    fn resolve(&self, _: Name) -> Resolving {
        Box::pin(async { Err("no such name".into()) })
    }
}

#[tokio::test]
async fn a_name_that_is_not_known_is_told_apart() {
    let change = |builder: reqwest::ClientBuilder| builder.no_proxy().dns_resolver(Arc::new(Ignorant));
    let error = ask_through("http://x.invalid/v1", change).await;
    assert_eq!(network_failure(&error), NetworkFailure::Dns);
    assert!(!error.to_string().contains("/v1"), "{error}");
}

#[test]
fn preparing_a_model_installs_nothing_for_the_whole_process() {
    RemoteModel::new(settings("127.0.0.1:1")).unwrap();
    assert!(rustls::crypto::CryptoProvider::get_default().is_none());
}
