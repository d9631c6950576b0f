//! A server of the Responses format.
//!
//! It says what it is told to; nothing of a request is looked at.

use serde_json::{Value, json};

use super::{Call, Said, pieces};

fn call(call: &Call) -> Value {
    json!({"type": "function_call", "id": format!("fc_{}", call.id), "call_id": call.id, "name": call.name,
        "arguments": call.arguments.to_string(), "status": "completed"})
}

/// A turn in one piece.
pub fn whole(said: &Said) -> Value {
    let summary = json!([{"type": "summary_text", "text": said.thought}]);
    let mut output = vec![json!({"type": "reasoning", "id": "rs", "summary": summary, "encrypted_content": "sealed"})];
    output
        .push(json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": said.text}]}));
    output.extend(said.calls.iter().map(call));
    json!({"id": said.id, "model": "m-1", "status": "completed", "usage": {"total_tokens": 3}, "output": output})
}

/// The same turn as events.
pub fn events(said: &Said) -> Vec<Value> {
    let mut events = vec![json!({"type": "response.created", "response": {"id": said.id}})];
    let delta = |kind: &str, piece: &String| json!({"type": format!("response.{kind}.delta"), "delta": piece});
    events.extend(
        pieces(&said.thought)
            .iter()
            .map(|piece| delta("reasoning_summary_text", piece)),
    );
    events.extend(pieces(&said.text).iter().map(|piece| delta("output_text", piece)));
    for (index, said) in said.calls.iter().enumerate() {
        // The thoughts and the message are items too.
        let place = index + 2;
        let item = json!({"type": "function_call", "call_id": said.id, "name": said.name, "arguments": ""});
        events.push(json!({"type": "response.output_item.added", "output_index": place, "item": item}));
        let arguments = said.arguments.to_string();
        events.extend(pieces(&arguments).iter().map(
            |piece| json!({"type": "response.function_call_arguments.delta", "output_index": place, "delta": piece}),
        ));
        events.push(
            json!({"type": "response.function_call_arguments.done", "output_index": place, "arguments": arguments}),
        );
        events.push(json!({"type": "response.output_item.done", "output_index": place, "item": call(said)}));
    }
    events.push(json!({"type": "response.completed", "response": whole(said)}));
    events
}
