//! A server of the messages format.
//!
//! It says what it is told to; nothing of a request is looked at.

use serde_json::{Value, json};

use super::{Said, pieces};

/// A turn in one piece.
pub fn whole(said: &Said) -> Value {
    let mut content = vec![json!({"type": "thinking", "thinking": said.thought, "signature": "sealed"})];
    content.push(json!({"type": "text", "text": said.text}));
    content.extend(
        said.calls
            .iter()
            .map(|call| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments})),
    );
    json!({"id": said.id, "model": "m-1", "role": "assistant", "stop_reason": "tool_use", "usage": {"output_tokens": 3}, "content": content})
}

/// The same turn as events.
pub fn events(said: &Said) -> Vec<Value> {
    let message =
        json!({"id": said.id, "model": "m-1", "role": "assistant", "content": [], "stop_reason": null, "usage": {}});
    let mut events = vec![
        json!({"type": "message_start", "message": message}),
        json!({"type": "ping"}),
    ];
    events.extend(block(
        0,
        &json!({"type": "thinking", "thinking": "", "signature": ""}),
        "thinking_delta",
        "thinking",
        &said.thought,
    ));
    let signature = json!({"type": "signature_delta", "signature": "sealed"});
    events.push(json!({"type": "content_block_delta", "index": 0, "delta": signature}));
    events.extend(block(
        1,
        &json!({"type": "text", "text": ""}),
        "text_delta",
        "text",
        &said.text,
    ));
    for (index, call) in said.calls.iter().enumerate() {
        let begun = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}});
        events.extend(block(
            index + 2,
            &begun,
            "input_json_delta",
            "partial_json",
            &call.arguments.to_string(),
        ));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}}));
    events.push(json!({"type": "message_stop"}));
    events
}

/// A block that begins so and gets its text piece by piece.
fn block(index: usize, begun: &Value, kind: &str, field: &str, text: &str) -> Vec<Value> {
    let mut events = vec![json!({"type": "content_block_start", "index": index, "content_block": begun})];
    events.extend(
        pieces(text)
            .iter()
            .map(|piece| json!({"type": "content_block_delta", "index": index, "delta": {"type": kind, field: piece}})),
    );
    events
}
