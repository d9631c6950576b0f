//! The stream of chat completions, put together as the answer that would have come in one piece.
//!
//! Servers of this format number, name and split their calls in many ways; what can be told apart is taken, and no id is made up.

mod calls;

use innkeeper_protocol::model::LiveDelta;
use serde_json::{Map, Value, json};

use super::REASONING_DETAILS;
use crate::stream::{Rebuild, StreamFault};
use calls::Calls;

/// Fields of the answer whose first value counts.
const FIRST_COUNTS: [&str; 5] = ["id", "model", "created", "service_tier", "system_fingerprint"];

/// Fields of the message whose pieces are joined.
const JOINED: [&str; 4] = ["content", "refusal", "reasoning_content", "reasoning"];

/// Entries of `reasoning_details` that may still grow: far more than servers write at the same time.
const OPEN_DETAILS: usize = 16;

/// The answer so far.
#[derive(Default)]
pub(crate) struct Chat {
    body: Map<String, Value>,
    texts: [String; 4],
    details: Vec<Value>,
    calls: Calls,
    finish_reason: Option<Value>,
}

impl Rebuild for Chat {
    fn take(&mut self, event: &Map<String, Value>) -> Result<Vec<LiveDelta>, StreamFault> {
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            return Err(StreamFault::Reported(error.clone()));
        }
        self.take_metadata(event);
        let choice = match event.get("choices").and_then(Value::as_array).map(Vec::as_slice) {
            // Token counts, or a sign of life.
            Some([]) => return Ok(Vec::new()),
            Some([choice]) if is_first(choice) => choice,
            _ => return Err(StreamFault::Broken),
        };
        if let Some(error) = choice.get("error").filter(|error| !error.is_null()) {
            return Err(StreamFault::Reported(error.clone()));
        }
        if let Some(reason) = choice.get("finish_reason").filter(|reason| !reason.is_null()) {
            self.finish_reason = Some(reason.clone());
        }
        match choice.get("delta") {
            Some(Value::Object(delta)) => self.take_delta(delta),
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(_) => Err(StreamFault::Broken),
        }
    }

    fn is_whole(&self) -> bool {
        self.finish_reason.is_some()
    }

    fn body(self: Box<Self>) -> Result<Map<String, Value>, StreamFault> {
        let finish_reason = self.finish_reason.ok_or(StreamFault::Unfinished)?;
        let mut message = Map::from_iter([("role".to_owned(), json!("assistant"))]);
        for (field, text) in JOINED.into_iter().zip(self.texts) {
            if !text.is_empty() {
                message.insert(field.to_owned(), Value::String(text));
            }
        }
        if !self.details.is_empty() {
            message.insert(REASONING_DETAILS.to_owned(), Value::Array(self.details));
        }
        let calls = self.calls.encoded();
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), Value::Array(calls));
        }
        let choice = json!({ "index": 0, "message": message, "finish_reason": finish_reason });
        let mut body = self.body;
        body.insert("choices".to_owned(), Value::Array(vec![choice]));
        Ok(body)
    }
}

impl Chat {
    fn take_metadata(&mut self, event: &Map<String, Value>) {
        for field in FIRST_COUNTS {
            if let Some(value) = event.get(field).filter(|value| !value.is_null()) {
                self.body.entry(field).or_insert_with(|| value.clone());
            }
        }
        if let Some(usage) = event.get("usage").filter(|usage| !usage.is_null()) {
            self.body.insert("usage".to_owned(), usage.clone());
        }
    }

    fn take_delta(&mut self, delta: &Map<String, Value>) -> Result<Vec<LiveDelta>, StreamFault> {
        let mut added = Vec::new();
        for (field, text) in JOINED.into_iter().zip(&mut self.texts) {
            match delta.get(field) {
                None | Some(Value::Null) => {}
                Some(Value::String(piece)) => {
                    text.push_str(piece);
                    // Servers that send both forms of thoughts send the same ones twice.
                    if field != "reasoning" || !added.iter().any(|delta| matches!(delta, LiveDelta::Reasoning(_))) {
                        added.extend(shown(field, piece));
                    }
                }
                Some(_) => return Err(StreamFault::Broken),
            }
        }
        if let Some(Value::Array(details)) = delta.get(REASONING_DETAILS) {
            details.iter().for_each(|piece| add_detail(&mut self.details, piece));
        }
        match delta.get("tool_calls") {
            None | Some(Value::Null) => {}
            Some(Value::Array(pieces)) => {
                for piece in pieces {
                    added.extend(self.calls.take(piece)?);
                }
            }
            Some(_) => return Err(StreamFault::Broken),
        }
        Ok(added)
    }
}

fn is_first(choice: &Value) -> bool {
    choice
        .get("index")
        .is_none_or(|index| index.is_null() || *index == json!(0))
}

fn shown(field: &str, piece: &str) -> Option<LiveDelta> {
    if piece.is_empty() {
        return None;
    }
    match field {
        "content" => Some(LiveDelta::Text(piece.to_owned())),
        "reasoning_content" | "reasoning" => Some(LiveDelta::Reasoning(piece.to_owned())),
        _ => None,
    }
}

/// Adds to the entry of the same number and type, or begins another one.
fn add_detail(details: &mut Vec<Value>, piece: &Value) {
    let key = |entry: &Value| (entry.get("index").cloned(), entry.get("type").cloned());
    let is_numbered = piece.get("index").is_some_and(Value::is_number);
    // Only the latest are looked at: pieces of an entry come close together, and a long list is not searched for each of them.
    let latest = details.iter_mut().rev().take(OPEN_DETAILS);
    let same = latest.into_iter().find(|entry| is_numbered && key(entry) == key(piece));
    let (Some(Value::Object(entry)), Value::Object(piece)) = (same, piece) else {
        details.push(piece.clone());
        return;
    };
    for (field, value) in piece.iter().filter(|(_, value)| !value.is_null()) {
        match (entry.get_mut(field), value) {
            (Some(Value::String(text)), Value::String(more))
                if ["text", "summary", "data"].contains(&field.as_str()) =>
            {
                text.push_str(more);
            }
            _ => {
                entry.insert(field.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests;
