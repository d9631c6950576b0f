//! Answers in the Responses format, whole, cut and broken.

use innkeeper_protocol::id::CallId;
use innkeeper_protocol::model::{BodyFault, Continuation, Message, ProviderMetadata, Role};
use serde_json::json;

use super::*;
use crate::fixture::info as info_of;
use crate::provider::Provider;

fn info() -> ModelInfo {
    info_of(Provider::OpenaiResponses)
}

fn decoded(body: Value) -> Result<ModelResponse, ModelError> {
    turn(body.as_object().unwrap().clone(), &info(), Excerpt::new)
}

fn output(items: Value) -> Result<ModelResponse, ModelError> {
    decoded(json!({ "output": items }))
}

fn sent(call_id: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": "fc_1", "call_id": call_id, "name": "t", "arguments": arguments, "status": "completed"})
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
    let items = json!([
        {"id": "rs_1", "type": "reasoning", "encrypted_content": "sealed",
         "summary": [{"type": "summary_text", "text": "one"}, {"type": "summary_text", "text": "two"}]},
        {"id": "msg_1", "type": "message", "content": [{"type": "output_text", "text": "Rol"}, {"type": "output_text", "text": "ling."}]},
        sent("c1", "{\"n\": 1}"), sent("c2", ""),
    ]);
    let raw = json!({"id": "resp_1", "model": "m-2026", "status": "completed", "error": null, "output": items,
        "usage": {"total_tokens": 3}});
    let origin = json!({"source": "openai", "format": "openai_responses", "model": "m"});
    let native = Part::Native {
        provider: "openai_responses".into(),
        value: json!({"responseId": "resp_1", "output": items, "origin": origin}),
    };
    let calls = vec![call("c1", json!({"n": 1})), call("c2", json!({}))];
    let mut parts = vec![
        Part::Text {
            text: "Rolling.".into(),
        },
        thought("one\n\ntwo", "summary").unwrap(),
        native,
    ];
    parts.extend(calls.iter().cloned().map(|call| Part::ToolCall { call }));
    let expected = ModelResponse {
        message: Message::new(Role::Assistant, parts),
        tool_calls: calls,
        text: "Rolling.".into(),
        reasoning: Some("one\n\ntwo".into()),
        provider_metadata: ProviderMetadata {
            id: Some("resp_1".into()),
            model: Some("m-2026".into()),
            usage: Some(json!({"total_tokens": 3})),
            source: "openai".into(),
            format: "openai_responses".into(),
        },
        raw_response: raw.clone(),
        continuation: Continuation::default(),
    };
    assert_eq!(decoded(raw), Ok(expected));
}

#[test]
fn the_call_id_pairs_and_the_items_id_stands_in_for_it() {
    let only_item = json!({"type": "function_call", "id": "fc_9", "call_id": " ", "name": "t", "arguments": null});
    assert_eq!(
        output(json!([only_item])).unwrap().tool_calls,
        [call("fc_9", json!({}))]
    );
}

#[test]
fn a_call_that_was_cut_cannot_run() {
    let mut item = sent("c1", "{\"n\": 1}");
    item["status"] = json!("incomplete");
    assert_eq!(
        output(json!([item])).unwrap().tool_calls,
        [call("c1", json!("{\"n\": 1}"))]
    );
    let incomplete = |arguments: &str| {
        json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"},
        "output": [sent("c1", arguments)]})
    };
    assert_eq!(
        decoded(incomplete("{\"n\"")).unwrap().tool_calls,
        [call("c1", json!("{\"n\""))]
    );
    assert_eq!(decoded(incomplete("")).unwrap().tool_calls, [call("c1", json!(""))]);
    assert_eq!(
        decoded(incomplete("{\"n\": 1}")).unwrap().tool_calls,
        [call("c1", json!({"n": 1}))]
    );
}

#[test]
fn calls_without_id_name_or_anyone_to_answer_refuse_the_turn() {
    let rows = [
        (
            json!([{"type": "function_call", "name": "t"}]),
            1,
            ToolCallFault::BlankId,
        ),
        (
            json!([sent("a", ""), {"type": "function_call", "call_id": "b", "name": " "}]),
            2,
            ToolCallFault::BlankName,
        ),
        (json!([sent("a", ""), sent("a", "")]), 2, ToolCallFault::RepeatedId),
        (
            json!([{"type": "custom_tool_call", "call_id": "a", "name": "t", "input": "x"}]),
            1,
            ToolCallFault::NoFunction,
        ),
        (json!([7]), 1, ToolCallFault::NotObject),
    ];
    for (items, position, fault) in rows {
        assert_eq!(
            output(items.clone()),
            Err(ModelError::InvalidToolCall { position, fault }),
            "{items}"
        );
    }
}

#[test]
fn a_refusal_counts_as_text_where_there_is_no_other() {
    let refusal = json!({"type": "refusal", "refusal": "No."});
    let message = |content: Value| json!([{"type": "message", "content": content}]);
    assert_eq!(output(message(json!([refusal]))).unwrap().text, "No.");
    assert_eq!(
        output(message(json!([refusal, {"type": "output_text", "text": "But"}])))
            .unwrap()
            .text,
        "But"
    );
}

#[test]
fn thoughts_are_summaries_or_text_and_sealed_ones_are_only_kept() {
    let content = json!([{"type": "reasoning_text", "text": "raw"}]);
    let shown = |item: Value| output(json!([item])).unwrap().reasoning;
    assert_eq!(
        shown(json!({"type": "reasoning", "summary": [], "content": content})).as_deref(),
        Some("raw")
    );
    let both = json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "s"}], "content": content});
    assert_eq!(shown(both).as_deref(), Some("s"));
    let sealed = output(json!([{"type": "reasoning", "summary": [], "encrypted_content": "x"}])).unwrap();
    assert_eq!((sealed.reasoning, sealed.message.parts.len()), (None, 1));
}

#[test]
fn an_answer_must_hold_items() {
    let none = |fault| Err(ModelError::InvalidResponse { fault });
    assert_eq!(decoded(json!({})), none(ResponseFault::NoMessage));
    assert_eq!(decoded(json!({"output": null})), none(ResponseFault::NoMessage));
    assert_eq!(decoded(json!({"output": "hi"})), none(ResponseFault::Content));
    assert_eq!(output(json!([])).unwrap().message.parts, []);
}

#[test]
fn a_failed_response_is_an_error_by_its_name() {
    let failed = |code: &str| json!({"status": "failed", "error": {"code": code, "message": "x"}, "output": []});
    assert_eq!(decoded(failed("server_error")).unwrap_err().code(), "agent.transient");
    assert_eq!(
        decoded(failed("rate_limit_exceeded")).unwrap_err().code(),
        "agent.rate_limited"
    );
    assert_eq!(
        decoded(failed("context_length_exceeded")).unwrap_err().code(),
        "model.context_overflow"
    );
    let silent = ModelError::UpstreamInvalidResponse {
        fault: BodyFault::ErrorReported,
        excerpt: Excerpt::new("failed"),
    };
    assert_eq!(
        decoded(json!({"status": "failed", "error": null, "output": []})),
        Err(silent)
    );
}
