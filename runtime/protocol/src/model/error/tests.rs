//! Codes, kinds and retries of every model error, and what an excerpt keeps.

use std::fmt::Write as _;

use super::*;

fn answer(status: u16, detail: &str) -> ProviderAnswer {
    ProviderAnswer {
        status: Some(status),
        detail: Excerpt::new(detail),
        retry_after_ms: None,
    }
}

fn one_of_each() -> Vec<ModelError> {
    let mut all = vec![
        ModelError::Validation(answer(400, "bad")),
        ModelError::ContextOverflow(answer(400, "too long")),
        ModelError::Unauthorized(answer(401, "no")),
        ModelError::RateLimited(answer(429, "")),
        ModelError::Transient(answer(503, "busy")),
        ModelError::UpstreamInvalidResponse {
            fault: BodyFault::NotJson,
            excerpt: Excerpt::new("<html>"),
        },
        ModelError::InvalidToolCall {
            position: 1,
            fault: ToolCallFault::BlankId,
        },
        ModelError::InvalidResponse {
            fault: ResponseFault::NoMessage,
        },
        ModelError::InvalidMessage {
            position: 2,
            fault: MessageFault::NoResult,
        },
        ModelError::InvalidTranscript {
            position: 3,
            fault: TranscriptFault::Orphan,
        },
        ModelError::NativeMetadataLost {
            format: "gemini".into(),
        },
        ModelError::ProviderStateInvalid {
            fault: ProviderStateFault::NoResponseId,
        },
        ModelError::StreamUnsupported {
            format: "openai_compatible".into(),
        },
        ModelError::ScriptExhausted {
            script: "demo".into(),
            turns: 2,
        },
        ModelError::Cancelled,
        ModelError::Internal(answer(418, "teapot")),
    ];
    all.extend(NetworkFailure::ALL.map(|failure| ModelError::UpstreamFailure {
        failure,
        endpoint: "http://localhost:1".into(),
        detail: Excerpt::default(),
    }));
    all
}

#[test]
fn every_error_has_its_code_kind_and_retry() {
    let mut table = String::new();
    for error in one_of_each() {
        let retry = if error.is_retryable() { "retry" } else { "final" };
        writeln!(table, "{} {:?} {retry}", error.code(), error.kind()).unwrap();
    }
    assert_eq!(
        table,
        "\
agent.validation_error Validation final
model.context_overflow Validation final
agent.unauthorized Unauthorized final
agent.rate_limited RateLimited retry
agent.transient Transient retry
model.upstream_invalid_response Transient retry
model.invalid_tool_call Validation final
chat_completion.invalid_response Validation final
agent.invalid_model_message Validation final
chat_completion.invalid_tool_transcript Validation final
model.native_metadata_lost Validation final
agent.provider_state_invalid Validation final
model.stream_unsupported Validation final
agent.validation_error Validation final
agent.cancelled Cancelled final
agent.internal_error Internal final
network.timeout UpstreamFailure retry
network.connect_failed UpstreamFailure retry
network.proxy_failed UpstreamFailure retry
network.dns_failed UpstreamFailure retry
network.tls_failed UpstreamFailure retry
network.body_interrupted UpstreamFailure retry
network.request_failed UpstreamFailure retry
"
    );
}

#[test]
fn a_run_error_keeps_code_kind_words_and_advice() {
    let error = ModelError::RateLimited(answer(429, "slow down"));
    assert_eq!(
        RunError::from(error),
        RunError {
            code: "agent.rate_limited",
            kind: ErrorKind::RateLimited,
            message: "the provider asks to slow down (HTTP status 429: slow down)".into(),
            hint: Some(
                "Try again later; if it goes on, check the limits and the credit of the key's account, or use another model."
                    .into()
            ),
        }
    );
}

#[test]
fn an_overflow_says_what_to_lower() {
    let hint = ModelError::ContextOverflow(ProviderAnswer::default()).hint().unwrap();
    assert!(hint.contains("context.maxPromptChars"), "{hint}");
}

#[test]
fn an_excerpt_is_one_line_without_tricks() {
    let excerpt = Excerpt::new("\u{FEFF}one\r\n\ttwo\u{1b}[31m \u{202e}three\u{0}");
    assert_eq!(excerpt.as_str(), "one two [31m three");
}

#[test]
fn an_excerpt_stops_at_a_whole_character_within_512_bytes() {
    let excerpt = Excerpt::new(&"é".repeat(400));
    assert_eq!(excerpt.as_str(), "é".repeat(256));
    let odd = Excerpt::new(&format!("a{}", "é".repeat(400)));
    assert_eq!(odd.as_str().len(), 511);
}

#[test]
fn an_empty_excerpt_says_so() {
    assert_eq!(ProviderAnswer::default().to_string(), "no details");
}

#[test]
fn only_errors_that_may_pass_tell_how_long_to_wait() {
    let answer = || ProviderAnswer {
        retry_after_ms: Some(9_000),
        ..answer(503, "busy")
    };
    let told = [
        ModelError::RateLimited(answer()),
        ModelError::Transient(answer()),
        ModelError::Internal(answer()),
    ];
    assert_eq!(
        told.map(|error| error.retry_after_ms()),
        [Some(9_000), Some(9_000), None]
    );
}

#[test]
fn statuses_without_a_kind_of_their_own_have_advice_where_there_is_any() {
    let hints = [302, 402, 404, 407, 413, 418].map(|status| ModelError::Internal(answer(status, "")).hint());
    let words = hints.map(|hint| {
        hint.and_then(|hint| {
            ["base URL", "credit", "model's name", "proxy"]
                .into_iter()
                .find(|word| hint.contains(word))
        })
    });
    assert_eq!(
        words,
        [
            Some("base URL"),
            Some("credit"),
            Some("base URL"),
            Some("proxy"),
            Some("proxy"),
            None
        ]
    );
}
