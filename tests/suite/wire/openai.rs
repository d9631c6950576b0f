//! A server of the chat-completions format.
//!
//! It says what it is told to; nothing of a request is looked at.

use serde_json::{Value, json};

use super::{Call, Said, pieces};

fn call(call: &Call) -> Value {
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments.to_string()}})
}

/// A turn in one piece.
pub fn whole(said: &Said) -> Value {
    let calls: Vec<Value> = said.calls.iter().map(call).collect();
    let message =
        json!({"role": "assistant", "content": said.text, "reasoning_content": said.thought, "tool_calls": calls});
    json!({"id": said.id, "model": "m-1", "usage": {"total_tokens": 3},
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]})
}

/// The same turn as events.
pub fn events(said: &Said) -> Vec<Value> {
    let delta = |delta: Value| json!({"id": said.id, "model": "m-1", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let mut events = vec![delta(json!({"role": "assistant", "content": ""}))];
    events.extend(
        pieces(&said.thought)
            .iter()
            .map(|piece| delta(json!({"reasoning_content": piece}))),
    );
    events.extend(pieces(&said.text).iter().map(|piece| delta(json!({"content": piece}))));
    for (index, call) in said.calls.iter().enumerate() {
        let function = json!({"name": call.name, "arguments": ""});
        events.push(delta(
            json!({"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]}),
        ));
        let more = |piece: &String| delta(json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}));
        events.extend(pieces(&call.arguments.to_string()).iter().map(more));
    }
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}));
    events.push(json!({"choices": [], "usage": {"total_tokens": 3}}));
    events
}
