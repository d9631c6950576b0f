//! Streams of the messages format, whole, cut and broken.

use innkeeper_protocol::model::{ModelError, ModelResponse, Part};
use serde_json::json;

use super::*;
use crate::fixture::streamed;
use crate::provider::Provider;

fn start() -> Value {
    json!({"type": "message_start", "message": {"id": "m1", "model": "m-2026", "content": [], "stop_reason": null,
        "usage": {"input_tokens": 5, "output_tokens": 1}}})
}

fn block(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn tool_use(index: u64) -> Value {
    block(
        index,
        json!({"type": "tool_use", "id": format!("c{index}"), "name": "look", "input": {}}),
    )
}

fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn input(index: u64, json: &str) -> Value {
    delta(index, json!({"type": "input_json_delta", "partial_json": json}))
}

fn end(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": {"output_tokens": 9}})
}

fn told(events: &[Value]) -> Result<ModelResponse, ModelError> {
    streamed(Provider::Claude, events).map(|(_, response)| response)
}

#[test]
fn blocks_of_every_kind_become_the_answer_in_one_piece() {
    let response = told(&[
        start(),
        block(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "hm"})),
        delta(0, json!({"type": "signature_delta", "signature": "sealed"})),
        block(1, json!({"type": "redacted_thinking", "data": "x"})),
        block(2, json!({"type": "text", "text": ""})),
        delta(2, json!({"type": "text_delta", "text": "It is so."})),
        delta(2, json!({"type": "citations_delta", "citation": {"n": 1}})),
        delta(2, json!({"type": "something_new"})),
        json!({"type": "something_new"}),
        end("end_turn"),
    ])
    .unwrap();
    let expected = json!({"id": "m1", "model": "m-2026", "stop_reason": "end_turn", "stop_sequence": null,
    "usage": {"input_tokens": 5, "output_tokens": 9}, "content": [
        {"type": "thinking", "thinking": "hm", "signature": "sealed"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "It is so.", "citations": [{"n": 1}]},
    ]});
    assert_eq!(response.raw_response, expected);
}

#[test]
fn arguments_are_joined_and_none_at_all_are_an_empty_object() {
    let events = [
        start(),
        tool_use(0),
        input(0, ""),
        tool_use(1),
        input(1, "{\"x\": "),
        input(1, "1}"),
        end("tool_use"),
    ];
    let (deltas, response) = streamed(Provider::Claude, &events).unwrap();
    let arguments: Vec<Value> = response.tool_calls.into_iter().map(|call| call.arguments).collect();
    assert_eq!(arguments, [json!({}), json!({"x": 1})]);
    let mut shown = stream::call(0, "look", "");
    shown.extend(stream::call(1, "look", "{\"x\": "));
    shown.extend(stream::arguments(1, "1}"));
    assert_eq!(deltas, shown);
}

#[test]
fn a_call_that_was_cut_cannot_run_and_can_be_sent_back() {
    let response = told(&[start(), tool_use(0), input(0, "{\"path\": \"a"), end("max_tokens")]).unwrap();
    assert_eq!(response.tool_calls[0].arguments, json!("{\"path\": \"a"));
    let native = response.message.parts.iter().find_map(|part| match part {
        Part::Native { value, .. } => Some(value["content"][0]["input"].clone()),
        _ => None,
    });
    assert_eq!(native, Some(json!({"arguments": "{\"path\": \"a"})));
}

#[test]
fn a_cut_before_any_arguments_does_not_run_either() {
    let response = told(&[start(), tool_use(0), end("max_tokens")]).unwrap();
    assert_eq!(response.tool_calls[0].arguments, json!("{}"));
}

#[test]
fn pieces_that_belong_to_nothing_break_the_stream() {
    for events in [
        vec![start(), input(0, "{}")],
        vec![start(), tool_use(0), tool_use(0)],
        vec![start(), block(0, json!("text"))],
        vec![start(), tool_use(0), delta(0, json!({"type": "text_delta", "text": 3}))],
        vec![end("end_turn")],
        vec![json!({"no": "type"})],
    ] {
        let error = told(&events).unwrap_err();
        assert!(
            error.to_string().contains("its pieces do not follow the format"),
            "{events:?}: {error}"
        );
    }
}

#[test]
fn the_end_needs_a_reason() {
    for events in [
        vec![],
        vec![start()],
        vec![start(), tool_use(0), json!({"type": "message_stop"})],
    ] {
        let error = told(&events).unwrap_err();
        assert!(error.to_string().contains("it stopped before its end"), "{error}");
    }
}
