//! Answers in the messages format, whole, cut and broken.

use innkeeper_protocol::id::CallId;
use innkeeper_protocol::model::{BodyFault, Continuation, Message, ProviderMetadata, Role};

use super::*;
use crate::fixture::info as info_of;
use crate::provider::Provider;

fn info() -> ModelInfo {
    info_of(Provider::Claude)
}

fn decoded(body: Value) -> Result<ModelResponse, ModelError> {
    turn(body.as_object().unwrap().clone(), &info(), Excerpt::new)
}

fn blocks_of(blocks: Value) -> Result<ModelResponse, ModelError> {
    decoded(json!({ "content": blocks }))
}

fn tool_use(id: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": "t", "input": input})
}

fn call(id: &str, arguments: Value) -> ToolCallRequest {
    ToolCallRequest {
        call_id: CallId::parse(id).unwrap(),
        alias: "t".into(),
        arguments,
        provider_metadata: Map::new(),
    }
}

fn thought_of(text: &str) -> Part {
    thought(text, "thinking").unwrap()
}

#[test]
fn a_turn_keeps_everything_in_order() {
    let blocks = json!([
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "Rol"}, {"type": "text", "text": "ling."},
        tool_use("c1", json!({"n": 1})), tool_use("c2", json!({})),
    ]);
    let raw = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m-2026", "content": blocks,
        "stop_reason": "tool_use", "usage": {"output_tokens": 3}});
    let native = Part::Native {
        provider: "claude".into(),
        value: json!({"content": blocks, "origin": {"source": "claude", "format": "claude_messages", "model": "m"}}),
    };
    let calls = vec![call("c1", json!({"n": 1})), call("c2", json!({}))];
    let mut parts = vec![
        Part::Text {
            text: "Rolling.".into(),
        },
        thought_of("hm"),
        native,
    ];
    parts.extend(calls.iter().cloned().map(|call| Part::ToolCall { call }));
    let expected = ModelResponse {
        message: Message::new(Role::Assistant, parts),
        tool_calls: calls,
        text: "Rolling.".into(),
        reasoning: Some("hm".into()),
        provider_metadata: ProviderMetadata {
            id: Some("msg_1".into()),
            model: Some("m-2026".into()),
            usage: Some(json!({"output_tokens": 3})),
            source: "claude".into(),
            format: "claude_messages".into(),
        },
        raw_response: raw.clone(),
        continuation: Continuation::default(),
    };
    assert_eq!(decoded(raw), Ok(expected));
}

#[test]
fn plain_text_needs_no_native_part() {
    let parts = |content: Value| decoded(json!({"content": content})).unwrap().message.parts;
    assert_eq!(
        parts(json!([{"type": "text", "text": "hi"}])),
        [Part::Text { text: "hi".into() }]
    );
    assert_eq!(parts(json!("hi")), [Part::Text { text: "hi".into() }]);
    assert_eq!(parts(json!([])), []);
    assert_eq!(
        parts(json!([{"type": "text", "text": "hi", "citations": [1]}])).len(),
        2
    );
}

#[test]
fn several_thoughts_are_joined_and_blank_ones_are_not_shown() {
    let response = blocks_of(json!([
        {"type": "thinking", "thinking": "one", "signature": "s"}, {"type": "thinking", "thinking": "", "signature": "s"},
        {"type": "thinking", "thinking": "two", "signature": "s"},
    ]));
    assert_eq!(response.unwrap().reasoning.as_deref(), Some("one\n\ntwo"));
}

#[test]
fn blocks_of_other_kinds_are_kept_and_not_run() {
    let response =
        blocks_of(json!([{"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}])).unwrap();
    assert_eq!((response.tool_calls.len(), response.message.parts.len()), (0, 1));
}

#[test]
fn the_last_call_of_a_turn_that_was_cut_cannot_run_and_the_calls_before_it_can() {
    for reason in [
        "max_tokens",
        "model_context_window_exceeded",
        "refusal",
        "something_new",
    ] {
        let content = json!([tool_use("c1", json!({"n": 1})), tool_use("c2", json!({"n": 2}))]);
        let response = decoded(json!({"content": content, "stop_reason": reason})).unwrap();
        assert_eq!(
            response.tool_calls,
            [call("c1", json!({"n": 1})), call("c2", json!("{\"n\":2}"))],
            "{reason}"
        );
    }
    for reason in ["end_turn", "tool_use", "stop_sequence", "pause_turn"] {
        let body = json!({"content": [tool_use("c1", json!({"n": 1}))], "stop_reason": reason});
        assert_eq!(
            decoded(body).unwrap().tool_calls,
            [call("c1", json!({"n": 1}))],
            "{reason}"
        );
    }
}

#[test]
fn a_call_before_a_text_that_was_cut_is_whole() {
    let content = json!([tool_use("c1", json!({})), {"type": "text", "text": "and th"}]);
    let response = decoded(json!({"content": content, "stop_reason": "max_tokens"})).unwrap();
    assert_eq!(response.tool_calls, [call("c1", json!({}))]);
}

#[test]
fn a_refusal_is_its_text_and_a_context_that_is_full_at_once_is_an_overflow() {
    let refused = decoded(json!({"content": [{"type": "text", "text": "No."}], "stop_reason": "refusal"}));
    assert_eq!(refused.unwrap().text, "No.");
    let full = decoded(json!({"content": [], "stop_reason": "model_context_window_exceeded"}));
    assert_eq!(full.unwrap_err().code(), "model.context_overflow");
    let late =
        decoded(json!({"content": [{"type": "text", "text": "Th"}], "stop_reason": "model_context_window_exceeded"}));
    assert_eq!(late.unwrap().text, "Th");
}

#[test]
fn a_call_without_id_or_name_refuses_the_turn() {
    let rows = [
        (
            json!([{"type": "tool_use", "name": "t", "input": {}}]),
            1,
            ToolCallFault::BlankId,
        ),
        (
            json!([tool_use("a", json!({})), tool_use(" ", json!({}))]),
            2,
            ToolCallFault::BlankId,
        ),
        (
            json!([{"type": "tool_use", "id": "a", "name": "", "input": {}}]),
            1,
            ToolCallFault::BlankName,
        ),
        (
            json!([tool_use("a", json!({})), tool_use("a", json!({}))]),
            2,
            ToolCallFault::RepeatedId,
        ),
        (json!(["text"]), 1, ToolCallFault::NotObject),
    ];
    for (content, position, fault) in rows {
        assert_eq!(
            blocks_of(content.clone()),
            Err(ModelError::InvalidToolCall { position, fault }),
            "{content}"
        );
    }
}

#[test]
fn an_answer_must_hold_a_message() {
    let none = |fault| Err(ModelError::InvalidResponse { fault });
    assert_eq!(decoded(json!({})), none(ResponseFault::NoMessage));
    assert_eq!(decoded(json!({"content": null})), none(ResponseFault::NoMessage));
    assert_eq!(decoded(json!({"content": {}})), none(ResponseFault::Content));
}

#[test]
fn an_error_in_a_success_is_an_error() {
    let body = |kind: &str| json!({"type": "error", "error": {"type": kind, "message": "Overloaded"}});
    assert_eq!(decoded(body("overloaded_error")).unwrap_err().code(), "agent.transient");
    let unknown = ModelError::UpstreamInvalidResponse {
        fault: BodyFault::ErrorReported,
        excerpt: Excerpt::new("Overloaded"),
    };
    assert_eq!(decoded(body("new_error")), Err(unknown));
}
