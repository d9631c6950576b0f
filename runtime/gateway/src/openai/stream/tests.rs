//! Streams of well-behaved and of odd servers.

use innkeeper_protocol::model::{ModelError, ToolCallFault};

use super::*;
use crate::fixture::streamed;
use crate::provider::Provider;
use crate::stream;

fn chat(events: &[Value]) -> Result<(Vec<LiveDelta>, Value), ModelError> {
    let (deltas, response) = streamed(Provider::Openai, events)?;
    Ok((deltas, response.raw_response))
}

/// A stream of deltas that comes to its end.
fn deltas(pieces: &[Value]) -> Result<(Vec<LiveDelta>, Value), ModelError> {
    let mut events: Vec<Value> = pieces
        .iter()
        .map(|delta| json!({"choices": [{"index": 0, "delta": delta}]}))
        .collect();
    events.push(json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}));
    chat(&events)
}

/// The calls that pieces become, as id, name and arguments.
fn calls(pieces: &[Value]) -> Vec<(String, String, String)> {
    let pieces: Vec<Value> = pieces.iter().map(|piece| json!({"tool_calls": [piece]})).collect();
    let (_, body) = deltas(&pieces).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let calls = body["choices"][0]["message"]["tool_calls"].as_array().unwrap().clone();
    let row = |call: &Value| {
        (
            text(&call["id"]),
            text(&call["function"]["name"]),
            text(&call["function"]["arguments"]),
        )
    };
    calls.iter().map(row).collect()
}

fn row(id: &str, name: &str, arguments: &str) -> (String, String, String) {
    (id.into(), name.into(), arguments.into())
}

fn first(index: Value, id: &str, arguments: &str) -> Value {
    json!({"index": index, "id": id, "function": {"name": "look", "arguments": arguments}})
}

fn more(index: Value, arguments: &str) -> Value {
    json!({"index": index, "function": {"arguments": arguments}})
}

#[test]
fn pieces_are_joined_and_the_first_or_last_of_each_field_counts() {
    let (_, body) = chat(&[
        json!({"id": null, "model": "m1", "usage": {"n": 1}, "choices": [{"delta": {"content": "a", "refusal": null}}]}),
        json!({"id": "r1", "model": "m2", "usage": null, "choices": [{"index": null, "delta": {"content": "b", "refusal": "No"}}]}),
        json!({"id": "r2", "usage": {"n": 2}, "choices": []}),
        json!({"choices": [{"delta": null, "finish_reason": "length"}]}),
    ])
    .unwrap();
    let message = json!({"role": "assistant", "content": "ab", "refusal": "No"});
    let choice = json!({"index": 0, "message": message, "finish_reason": "length"});
    assert_eq!(
        body,
        json!({"id": "r1", "model": "m1", "usage": {"n": 2}, "choices": [choice]})
    );
}

#[test]
fn what_breaks_the_rules_breaks_the_stream() {
    for event in [
        json!({}),
        json!({"choices": null}),
        json!({"choices": [{"index": 1, "delta": {}}]}),
        json!({"choices": [{"delta": {}}, {"delta": {}}]}),
        json!({"choices": [{"delta": {"content": 3}}]}),
        json!({"choices": [{"delta": {"tool_calls": {}}}]}),
        json!({"choices": [{"delta": {"tool_calls": ["x"]}}]}),
        json!({"choices": [{"delta": {"tool_calls": [{"function": {"arguments": "{}"}}]}}]}),
    ] {
        let error = chat(std::slice::from_ref(&event)).unwrap_err();
        assert!(
            error.to_string().contains("its pieces do not follow the format"),
            "{event}: {error}"
        );
    }
}

#[test]
fn the_end_needs_a_reason_and_nothing_else() {
    let said = json!({"choices": [{"delta": {"content": "hi"}}]});
    let error = chat(std::slice::from_ref(&said)).unwrap_err();
    assert!(error.to_string().contains("it stopped before its end"), "{error}");
    let without_calls = chat(&[said, json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})]);
    assert_eq!(without_calls.unwrap().1["choices"][0]["message"]["content"], "hi");
}

#[test]
fn calls_are_told_apart_by_number_id_or_name() {
    let (a, b) = (row("a", "look", "{\"x\":1}"), row("b", "look", "{}"));
    let numbered = [
        first(json!(0), "a", "{\"x\""),
        first(json!(1), "b", "{}"),
        more(json!(0), ":1}"),
    ];
    assert_eq!(calls(&numbered), [a.clone(), b.clone()]);
    let from_one = [
        first(json!(1), "a", "{\"x\""),
        more(json!(1), ":1}"),
        first(json!(2), "b", "{}"),
    ];
    assert_eq!(calls(&from_one), [a.clone(), b.clone()]);
    let all_zero = [
        first(json!(0), "a", "{\"x\""),
        more(json!(0), ":1}"),
        first(json!(0), "b", "{}"),
    ];
    assert_eq!(calls(&all_zero), [a.clone(), b.clone()]);
    let without = [
        first(json!(null), "a", "{\"x\""),
        more(json!(null), ":1}"),
        first(json!(null), "b", "{}"),
    ];
    assert_eq!(calls(&without), [a.clone(), b]);
    let by_id = [
        first(json!(null), "a", "{\"x\""),
        json!({"id": "a", "function": {"arguments": ":1}"}}),
    ];
    assert_eq!(calls(&by_id), [a]);
}

#[test]
fn ids_and_names_may_be_repeated_late_or_in_pieces() {
    let repeated = [first(json!(0), "a", "{"), first(json!(0), "a", "}")];
    assert_eq!(calls(&repeated), [row("a", "look", "{}")]);
    let emptied = [
        first(json!(0), "a", "{"),
        json!({"index": 0, "id": "", "function": {"name": "", "arguments": "}"}}),
    ];
    assert_eq!(calls(&emptied), [row("a", "look", "{}")]);
    let apart = [
        json!({"index": 0, "function": {"name": "lo"}}),
        json!({"index": 0, "id": "a"}),
        json!({"index": 0, "function": {"name": "ok"}}),
        more(json!(0), "{}"),
    ];
    assert_eq!(calls(&apart), [row("a", "look", "{}")]);
}

#[test]
fn an_end_on_a_wrong_number_is_taken_only_while_the_arguments_are_open() {
    let open = [first(json!(0), "a", "{\"x\":"), more(json!(1), "1}")];
    assert_eq!(calls(&open), [row("a", "look", "{\"x\":1}")]);
    let closed = [first(json!(0), "a", "{}"), more(json!(1), "}")];
    assert_eq!(calls(&closed), [row("a", "look", "{}")]);
}

#[test]
fn an_id_that_never_comes_is_not_made_up() {
    let nameless = json!({"tool_calls": [{"index": 0, "id": null, "function": {"name": "look", "arguments": "{}"}}]});
    let expected = ModelError::InvalidToolCall {
        position: 1,
        fault: ToolCallFault::BlankId,
    };
    assert_eq!(deltas(&[nameless]), Err(expected));
}

#[test]
fn arguments_as_json_are_taken_and_what_goes_back_with_a_call_is_kept() {
    let piece = |kept: Value| {
        json!({"tool_calls": [{"index": 0, "id": "a", "extra_content": kept,
        "function": {"name": "look", "arguments": {"x": 1}}}]})
    };
    let (_, body) = deltas(&[piece(json!({"g": 1}))]).unwrap();
    let call = &body["choices"][0]["message"]["tool_calls"][0];
    assert_eq!(
        (&call["function"]["arguments"], &call["extra_content"]),
        (&json!("{\"x\":1}"), &json!({"g": 1}))
    );
}

#[test]
fn arguments_that_come_before_the_name_wait_for_it() {
    let pieces = [
        more(json!(0), "{\"x\""),
        first(json!(0), "a", ":"),
        more(json!(0), ""),
        more(json!(0), "1}"),
    ];
    let events: Vec<Value> = pieces.iter().map(|piece| json!({"tool_calls": [piece]})).collect();
    let mut shown = stream::call(0, "look", "{\"x\":");
    shown.extend(stream::arguments(0, "1}"));
    assert_eq!(deltas(&events).unwrap().0, shown);
}

#[test]
fn thoughts_in_both_forms_are_shown_once_and_details_are_joined_by_number() {
    let detail = |text: &str| json!([{"type": "reasoning.text", "index": 0, "text": text, "signature": null}]);
    let sealed = json!([{"type": "reasoning.encrypted", "index": 1, "data": "x"}]);
    let (shown, body) = deltas(&[
        json!({"reasoning": "one ", "reasoning_content": "one ", "reasoning_details": detail("one ")}),
        json!({"reasoning": "two", "reasoning_details": detail("two")}),
        json!({"reasoning_details": sealed}),
    ])
    .unwrap();
    assert_eq!(
        shown,
        [LiveDelta::Reasoning("one ".into()), LiveDelta::Reasoning("two".into())]
    );
    let joined = json!([{"type": "reasoning.text", "index": 0, "text": "one two", "signature": null}, sealed[0]]);
    assert_eq!(body["choices"][0]["message"]["reasoning_details"], joined);
}

#[test]
fn a_call_that_was_cut_keeps_its_half_as_a_text() {
    let piece = json!({"tool_calls": [first(json!(0), "a", "{\"x\":")]});
    let events = [
        json!({"choices": [{"delta": piece}]}),
        json!({"choices": [{"delta": {}, "finish_reason": "length"}]}),
    ];
    let (_, response) = streamed(Provider::Openai, &events).unwrap();
    assert_eq!(response.tool_calls[0].arguments, json!("{\"x\":"));
}

#[test]
fn a_server_that_strays_without_end_or_begins_calls_without_end_is_given_up() {
    let stray = |count: usize| {
        let strays = (0..count).map(|_| more(json!(7), " "));
        std::iter::once(first(json!(0), "a", "{"))
            .chain(strays)
            .collect::<Vec<_>>()
    };
    assert_eq!(calls(&stray(16)), [row("a", "look", &format!("{{{}", " ".repeat(16)))]);
    let begun = (0..=stream::MAX_CALLS).map(|number| first(json!(number), &format!("c{number}"), "{}"));
    for pieces in [stray(17), begun.collect()] {
        let events: Vec<Value> = pieces.iter().map(|piece| json!({"tool_calls": [piece]})).collect();
        let error = deltas(&events).unwrap_err();
        assert!(
            error.to_string().contains("its pieces do not follow the format"),
            "{error}"
        );
    }
}
