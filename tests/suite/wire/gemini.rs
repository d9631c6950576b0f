//! A server of the Gemini format.
//!
//! It says what it is told to; nothing of a request is looked at.

use serde_json::{Value, json};

use super::{Call, Said, pieces};

fn call(call: &Call) -> Value {
    json!({"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}, "thoughtSignature": "sealed"})
}

/// An answer with these parts.
fn answer(said: &Said, parts: &[Value]) -> Value {
    json!({"responseId": said.id, "modelVersion": "m-1", "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}]})
}

fn ended(mut answer: Value) -> Value {
    answer["candidates"][0]["finishReason"] = json!("STOP");
    answer["usageMetadata"] = json!({"totalTokenCount": 3});
    answer
}

/// A turn in one piece.
pub fn whole(said: &Said) -> Value {
    let mut parts = vec![
        json!({"text": said.thought, "thought": true}),
        json!({"text": said.text}),
    ];
    parts.extend(said.calls.iter().map(call));
    ended(answer(said, &parts))
}

/// The same turn as events; a call comes whole.
pub fn events(said: &Said) -> Vec<Value> {
    let thoughts = pieces(&said.thought);
    let mut events: Vec<Value> = thoughts
        .iter()
        .map(|piece| answer(said, &[json!({"text": piece, "thought": true})]))
        .collect();
    events.extend(
        pieces(&said.text)
            .iter()
            .map(|piece| answer(said, &[json!({"text": piece})])),
    );
    events.extend(said.calls.iter().map(|one| answer(said, &[call(one)])));
    events.push(ended(json!({"candidates": [{}]})));
    events
}
