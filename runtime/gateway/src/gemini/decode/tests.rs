//! Answers in the Gemini format, whole, cut and broken.

use innkeeper_protocol::id::CallId;
use innkeeper_protocol::model::{BodyFault, Continuation, Message, ProviderMetadata, Role};
use serde_json::json;

use super::*;
use crate::fixture::info as info_of;
use crate::provider::Provider;

fn info() -> ModelInfo {
    info_of(Provider::Gemini)
}

fn decoded(body: Value) -> Result<ModelResponse, ModelError> {
    turn(body.as_object().unwrap().clone(), &info(), Excerpt::new)
}

fn ended(parts: Value, reason: &str) -> Result<ModelResponse, ModelError> {
    decoded(json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}]}))
}

fn sent(id: &str, args: Value) -> Value {
    json!({"functionCall": {"id": id, "name": "t", "args": args}})
}

fn call(id: &str, arguments: Value) -> ToolCallRequest {
    ToolCallRequest {
        call_id: CallId::parse(id).unwrap(),
        alias: "t".into(),
        arguments,
        provider_metadata: Map::new(),
    }
}

#[test]
fn a_turn_keeps_everything_in_order() {
    let parts = json!([
        {"text": "hm", "thought": true}, {"text": "Rol"}, {"text": "ling.", "thoughtSignature": "s1"},
        {"functionCall": {"id": "c1", "name": "t", "args": {"n": 1}}, "thoughtSignature": "s2"}, sent("c2", json!({})),
    ]);
    let content = json!({"role": "model", "parts": parts});
    let raw = json!({"responseId": "r1", "modelVersion": "m-2026", "usageMetadata": {"totalTokenCount": 3},
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}]});
    let origin = json!({"source": "makersuite", "format": "gemini", "model": "m"});
    let mut signed = call("c1", json!({"n": 1}));
    signed.provider_metadata = Map::from_iter([
        ("thoughtSignature".into(), json!("s2")),
        ("origin".into(), origin.clone()),
    ]);
    let calls = vec![signed, call("c2", json!({}))];
    let native = Part::Native {
        provider: "gemini".into(),
        value: json!({"content": content, "origin": origin}),
    };
    let mut all = vec![
        Part::Text {
            text: "Rolling.".into(),
        },
        thought("hm", "thought").unwrap(),
        native,
    ];
    all.extend(calls.iter().cloned().map(|call| Part::ToolCall { call }));
    let expected = ModelResponse {
        message: Message::new(Role::Assistant, all),
        tool_calls: calls,
        text: "Rolling.".into(),
        reasoning: Some("hm".into()),
        provider_metadata: ProviderMetadata {
            id: Some("r1".into()),
            model: Some("m-2026".into()),
            usage: Some(json!({"totalTokenCount": 3})),
            source: "makersuite".into(),
            format: "gemini".into(),
        },
        raw_response: raw.clone(),
        continuation: Continuation::default(),
    };
    assert_eq!(decoded(raw), Ok(expected));
}

#[test]
fn plain_text_needs_no_native_part_and_a_signed_one_does() {
    let parts = |parts: Value| ended(parts, "STOP").unwrap().message.parts.len();
    assert_eq!(parts(json!([{"text": "a"}, {"text": "b"}])), 1);
    assert_eq!(parts(json!([{"text": "a", "thoughtSignature": "s"}])), 2);
}

#[test]
fn two_parallel_calls_without_ids_are_refused_and_no_id_is_made_up() {
    let bare = || json!({"functionCall": {"name": "t", "args": {}}});
    let fault = ToolCallFault::BlankId;
    assert_eq!(
        ended(json!([bare(), bare()]), "STOP"),
        Err(ModelError::InvalidToolCall { position: 1, fault })
    );
    let second = ended(json!([sent("a", json!({})), bare()]), "STOP");
    assert_eq!(second, Err(ModelError::InvalidToolCall { position: 2, fault }));
}

#[test]
fn the_id_may_stand_on_the_part() {
    let part = json!({"id": "p1", "functionCall": {"id": "", "name": "t"}});
    assert_eq!(
        ended(json!([part]), "STOP").unwrap().tool_calls,
        [call("p1", json!({}))]
    );
}

#[test]
fn calls_that_are_none_refuse_the_turn() {
    let rows = [
        (json!([{"functionCall": "t"}]), 1, ToolCallFault::NoFunction),
        (
            json!([{"functionCall": {"id": "a", "name": " "}}]),
            1,
            ToolCallFault::BlankName,
        ),
        (
            json!([sent("a", json!({})), sent("a", json!({}))]),
            2,
            ToolCallFault::RepeatedId,
        ),
        (json!(["x"]), 1, ToolCallFault::NotObject),
    ];
    for (parts, position, fault) in rows {
        assert_eq!(
            ended(parts.clone(), "STOP"),
            Err(ModelError::InvalidToolCall { position, fault }),
            "{parts}"
        );
    }
}

#[test]
fn the_last_call_of_a_turn_that_was_cut_cannot_run_and_the_calls_before_it_can() {
    let parts = json!([sent("a", json!({"n": 1})), sent("b", json!({"n": 2}))]);
    let calls = ended(parts, "MAX_TOKENS").unwrap().tool_calls;
    assert_eq!(calls, [call("a", json!({"n": 1})), call("b", json!("{\"n\":2}"))]);
}

#[test]
fn a_call_that_the_model_failed_to_write_is_worth_another_try() {
    for reason in ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"] {
        let body = json!({"candidates": [{"finishReason": reason, "finishMessage": "bad call"}]});
        let expected = ModelError::UpstreamInvalidResponse {
            fault: BodyFault::ErrorReported,
            excerpt: Excerpt::new(&format!("{reason} bad call")),
        };
        assert!(expected.is_retryable());
        assert_eq!(decoded(body), Err(expected));
    }
}

#[test]
fn what_the_filter_withheld_is_told_and_what_it_let_through_is_kept() {
    let withheld = Err(ModelError::InvalidResponse {
        fault: ResponseFault::Withheld,
    });
    assert_eq!(
        decoded(json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})),
        withheld
    );
    for reason in [
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "IMAGE_SAFETY",
        "OTHER",
    ] {
        assert_eq!(
            decoded(json!({"candidates": [{"finishReason": reason}]})),
            withheld,
            "{reason}"
        );
        assert_eq!(ended(json!([{"text": "Th"}]), reason).unwrap().text, "Th");
    }
}

#[test]
fn a_model_may_say_nothing() {
    for body in [
        json!({"candidates": [{"finishReason": "STOP"}]}),
        json!({"candidates": [{"finishReason": "MAX_TOKENS", "content": {"role": "model"}}]}),
        json!({"candidates": [{"content": {"role": "model"}}]}),
    ] {
        assert_eq!(decoded(body.clone()).unwrap().message.parts, [], "{body}");
    }
}

#[test]
fn an_answer_must_hold_a_candidate_with_parts() {
    let none = |fault| Err(ModelError::InvalidResponse { fault });
    assert_eq!(decoded(json!({})), none(ResponseFault::NoMessage));
    assert_eq!(decoded(json!({"candidates": []})), none(ResponseFault::NoMessage));
    assert_eq!(decoded(json!({"candidates": [{}]})), none(ResponseFault::NoMessage));
    assert_eq!(ended(json!("hi"), "STOP"), none(ResponseFault::Content));
}

#[test]
fn an_error_in_a_success_is_an_error() {
    let body = json!({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}});
    assert_eq!(decoded(body).unwrap_err().code(), "agent.transient");
}
