//! The stream of the Responses format, put together as the answer that would have come in one piece.
//!
//! Its last event holds the whole answer; the events before it only show what comes. Events of kinds that are not known are left out.

use std::collections::BTreeMap;

use innkeeper_protocol::model::LiveDelta;
use serde_json::{Map, Value};

use super::ITEMS;
use crate::stream::{self, MAX_CALLS, Rebuild, StreamFault};

/// The answer so far.
#[derive(Default)]
pub(crate) struct Items {
    response: Option<Map<String, Value>>,
    /// The items that are whole, by their place, for servers that leave them out of the last event.
    whole: BTreeMap<u64, Value>,
    /// The calls that were announced, by the place of their item.
    calls: BTreeMap<u64, Call>,
}

struct Call {
    index: usize,
    has_arguments: bool,
}

impl Rebuild for Items {
    fn take(&mut self, event: &Map<String, Value>) -> Result<Vec<LiveDelta>, StreamFault> {
        let text = |field: &str| event.get(field).and_then(Value::as_str).unwrap_or_default();
        let added = match event.get("type").and_then(Value::as_str) {
            Some("response.output_text.delta") => shown(text("delta"), LiveDelta::Text),
            Some("response.reasoning_summary_text.delta" | "response.reasoning_text.delta") => {
                shown(text("delta"), LiveDelta::Reasoning)
            }
            Some("response.output_item.added") => self.announce(event)?,
            Some("response.output_item.done") => {
                let item = event.get("item").ok_or(StreamFault::Broken)?;
                self.whole.insert(place(event)?, item.clone());
                None
            }
            Some("response.function_call_arguments.delta") => self.add(place(event)?, text("delta")),
            Some("response.function_call_arguments.done") => self.add_whole(place(event)?, text("arguments")),
            Some("response.completed" | "response.incomplete") => {
                self.response = Some(response(event)?.clone());
                None
            }
            Some("response.failed") => return Err(StreamFault::Reported(failure(event))),
            Some("error") => return Err(StreamFault::Reported(Value::Object(event.clone()))),
            Some(_) => None,
            None => return Err(StreamFault::Broken),
        };
        Ok(added.into_iter().collect())
    }

    fn is_whole(&self) -> bool {
        self.response.is_some()
    }

    fn body(self: Box<Self>) -> Result<Map<String, Value>, StreamFault> {
        let mut body = self.response.ok_or(StreamFault::Unfinished)?;
        if body.get(ITEMS).and_then(Value::as_array).is_none_or(Vec::is_empty) {
            body.insert(ITEMS.to_owned(), self.whole.into_values().collect());
        }
        Ok(body)
    }
}

impl Items {
    fn announce(&mut self, event: &Map<String, Value>) -> Result<Option<LiveDelta>, StreamFault> {
        let item = event.get("item").ok_or(StreamFault::Broken)?;
        if item.get("type").is_none_or(|kind| kind != "function_call") {
            return Ok(None);
        }
        let index = self.calls.len();
        if index >= MAX_CALLS {
            return Err(StreamFault::Broken);
        }
        let call = Call {
            index,
            has_arguments: false,
        };
        self.calls.insert(place(event)?, call);
        let alias = item.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Some(LiveDelta::Call { index, alias }))
    }

    /// More of the arguments; of a call that was never announced, nothing can be shown.
    fn add(&mut self, place: u64, fragment: &str) -> Option<LiveDelta> {
        let call = self.calls.get_mut(&place).filter(|_| !fragment.is_empty())?;
        call.has_arguments = true;
        stream::arguments(call.index, fragment)
    }

    /// All arguments, which are news only where they did not come in pieces before.
    fn add_whole(&mut self, place: u64, arguments: &str) -> Option<LiveDelta> {
        if self.calls.get(&place).is_some_and(|call| call.has_arguments) {
            return None;
        }
        self.add(place, arguments)
    }
}

fn response(event: &Map<String, Value>) -> Result<&Map<String, Value>, StreamFault> {
    event
        .get("response")
        .and_then(Value::as_object)
        .ok_or(StreamFault::Broken)
}

/// What a failed response says about its failure.
fn failure(event: &Map<String, Value>) -> Value {
    let error = event.get("response").and_then(|response| response.get("error"));
    error
        .filter(|error| !error.is_null())
        .cloned()
        .unwrap_or_else(|| Value::from("failed"))
}

fn place(event: &Map<String, Value>) -> Result<u64, StreamFault> {
    event
        .get("output_index")
        .and_then(Value::as_u64)
        .ok_or(StreamFault::Broken)
}

fn shown(text: &str, delta: impl Fn(String) -> LiveDelta) -> Option<LiveDelta> {
    (!text.is_empty()).then(|| delta(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use innkeeper_protocol::model::ModelError;
    use serde_json::json;

    use super::*;
    use crate::fixture::streamed;
    use crate::provider::Provider;

    fn told(events: &[Value]) -> Result<(Vec<LiveDelta>, Value), ModelError> {
        streamed(Provider::OpenaiResponses, events).map(|(deltas, response)| (deltas, response.raw_response))
    }

    fn item(seal: &str, arguments: &str) -> [Value; 2] {
        [
            json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": seal}),
            json!({"type": "function_call", "id": "fc", "call_id": "c", "name": "look", "arguments": arguments}),
        ]
    }

    fn of_item(kind: &str, place: u64, item: &Value) -> Value {
        json!({"type": format!("response.output_item.{kind}"), "output_index": place, "item": item})
    }

    fn ended(kind: &str, output: Value) -> Value {
        json!({"type": format!("response.{kind}"), "response": {"id": "r", "status": kind, "output": output}})
    }

    fn call(pieces: &[&str]) -> Vec<LiveDelta> {
        let more = pieces.iter().filter_map(|piece| stream::arguments(0, piece));
        stream::call(0, "look", "").into_iter().chain(more).collect()
    }

    #[test]
    fn pieces_are_shown_and_the_last_event_is_the_answer() {
        let [_, begun] = item("", "");
        let [sealed, whole] = item("sealed", "{}");
        let piece = |kind: &str, field: &str, text: &str| json!({"type": kind, "output_index": 1, field: text});
        let (deltas, body) = told(&[
            json!({"type": "response.created", "response": {}}),
            piece("response.reasoning_summary_text.delta", "delta", "hm"),
            piece("response.output_text.delta", "delta", "Hi"),
            of_item("added", 1, &begun),
            piece("response.function_call_arguments.delta", "delta", "{"),
            piece("response.function_call_arguments.delta", "delta", "}"),
            piece("response.function_call_arguments.done", "arguments", "{}"),
            ended("completed", json!([sealed, whole])),
        ])
        .unwrap();
        let spoken = vec![LiveDelta::Reasoning("hm".into()), LiveDelta::Text("Hi".into())];
        assert_eq!(deltas, [spoken, call(&["{", "}"])].concat());
        assert_eq!(
            body,
            json!({"id": "r", "status": "completed", "output": [sealed, whole]})
        );
    }

    #[test]
    fn items_that_the_last_event_leaves_out_are_those_that_were_whole() {
        let [begun_thought, begun_call] = item("partial", "");
        let [sealed, whole] = item("sealed", "{}");
        let events = [
            of_item("added", 0, &begun_thought),
            of_item("added", 1, &begun_call),
            json!({"type": "response.function_call_arguments.done", "output_index": 1, "arguments": "{}"}),
            of_item("done", 1, &whole),
            of_item("done", 0, &sealed),
            ended("incomplete", json!([])),
        ];
        let (deltas, body) = told(&events).unwrap();
        assert_eq!(deltas, call(&["{}"]));
        assert_eq!(body["output"], json!([sealed, whole]));
    }

    #[test]
    fn failures_have_their_kind_and_a_stream_needs_its_last_event() {
        let failed =
            json!({"type": "response.failed", "response": {"error": {"code": "server_error", "message": "x"}}});
        assert_eq!(told(&[failed]).unwrap_err().code(), "agent.transient");
        let error = json!({"type": "error", "code": "rate_limit_exceeded", "message": "x"});
        assert_eq!(told(&[error]).unwrap_err().code(), "agent.rate_limited");
        let silent = told(&[json!({"type": "response.failed", "response": {"error": null}})]).unwrap_err();
        assert_eq!(silent.code(), "model.upstream_invalid_response");
        let unfinished = told(&[json!({"type": "response.in_progress"})]).unwrap_err();
        assert!(
            unfinished.to_string().contains("it stopped before its end"),
            "{unfinished}"
        );
    }

    #[test]
    fn events_without_what_they_are_about_break_the_stream() {
        for event in [
            json!({"no": "type"}),
            json!({"type": "response.output_item.added"}),
            json!({"type": "response.output_item.done", "item": {}}),
            json!({"type": "response.function_call_arguments.delta", "delta": "x"}),
            json!({"type": "response.completed"}),
        ] {
            let error = told(std::slice::from_ref(&event)).unwrap_err();
            assert!(
                error.to_string().contains("its pieces do not follow the format"),
                "{event}: {error}"
            );
        }
    }
}
