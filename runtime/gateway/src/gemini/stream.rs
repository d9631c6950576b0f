//! The stream of the Gemini format, put together as the answer that would have come in one piece.
//!
//! Its pieces are answers themselves, with whole parts; a call arrives complete. Parts with a signature are never joined with others.

use innkeeper_protocol::model::LiveDelta;
use serde_json::{Map, Value, json};

use super::CONTENT;
use crate::stream::{self, MAX_CALLS, Rebuild, StreamFault};

/// The list of answers, of which one is asked for.
const CANDIDATES: &str = "candidates";

/// The answer so far.
#[derive(Default)]
pub(crate) struct Contents {
    body: Map<String, Value>,
    /// The candidate without its content.
    candidate: Map<String, Value>,
    parts: Vec<Value>,
    calls: usize,
}

impl Rebuild for Contents {
    fn take(&mut self, event: &Map<String, Value>) -> Result<Vec<LiveDelta>, StreamFault> {
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            return Err(StreamFault::Reported(error.clone()));
        }
        update(&mut self.body, event, CANDIDATES);
        let candidate = match event.get(CANDIDATES) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Array(candidates)) => candidates.first(),
            Some(_) => return Err(StreamFault::Broken),
        };
        let Some(candidate) = candidate else {
            return Ok(Vec::new());
        };
        let candidate = candidate.as_object().ok_or(StreamFault::Broken)?;
        update(&mut self.candidate, candidate, CONTENT);
        match candidate.get(CONTENT).and_then(|content| content.get("parts")) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(parts)) => {
                let shown: Result<Vec<_>, _> = parts.iter().map(|part| self.add(part)).collect();
                Ok(shown?.into_iter().flatten().collect())
            }
            Some(_) => Err(StreamFault::Broken),
        }
    }

    fn is_whole(&self) -> bool {
        self.candidate.contains_key("finishReason")
    }

    fn body(self: Box<Self>) -> Result<Map<String, Value>, StreamFault> {
        let mut body = self.body;
        if self.candidate.get("finishReason").is_none() {
            let is_blocked = body
                .get("promptFeedback")
                .is_some_and(|told| told.get("blockReason").is_some());
            return if is_blocked {
                Ok(body)
            } else {
                Err(StreamFault::Unfinished)
            };
        }
        let mut candidate = self.candidate;
        if !self.parts.is_empty() {
            candidate.insert(CONTENT.to_owned(), json!({ "role": "model", "parts": self.parts }));
        }
        body.insert(CANDIDATES.to_owned(), Value::Array(vec![Value::Object(candidate)]));
        Ok(body)
    }
}

impl Contents {
    fn add(&mut self, part: &Value) -> Result<Vec<LiveDelta>, StreamFault> {
        let shown = self.shown(part)?;
        match self.parts.last_mut() {
            Some(last) if is_plain(last) && is_plain(part) && last.get("thought") == part.get("thought") => {
                if let Some(Value::String(text)) = last.get_mut("text") {
                    text.push_str(text_of(part));
                }
            }
            _ => self.parts.push(part.clone()),
        }
        Ok(shown)
    }

    fn shown(&mut self, part: &Value) -> Result<Vec<LiveDelta>, StreamFault> {
        if let Some(call) = part.get("functionCall") {
            let index = self.calls;
            if index >= MAX_CALLS {
                return Err(StreamFault::Broken);
            }
            self.calls = self.calls.saturating_add(1);
            let alias = call.get("name").and_then(Value::as_str).unwrap_or_default();
            let arguments = call.get("args").map(Value::to_string).unwrap_or_default();
            return Ok(stream::call(index, alias, &arguments));
        }
        let text = text_of(part);
        let is_thought = part.get("thought") == Some(&Value::Bool(true));
        let delta = if is_thought {
            LiveDelta::Reasoning
        } else {
            LiveDelta::Text
        };
        Ok((!text.is_empty()).then(|| delta(text.to_owned())).into_iter().collect())
    }
}

/// Takes every field but one; the last value that is not null counts.
fn update(known: &mut Map<String, Value>, news: &Map<String, Value>, except: &str) {
    for (field, value) in news
        .iter()
        .filter(|(field, value)| *field != except && !value.is_null())
    {
        known.insert(field.clone(), value.clone());
    }
}

/// Whether a part holds a text and nothing that belongs to just this part.
fn is_plain(part: &Value) -> bool {
    let fields = part.as_object().into_iter().flatten();
    part.get("text").is_some_and(Value::is_string)
        && fields
            .into_iter()
            .all(|(field, _)| field == "text" || field == "thought")
}

fn text_of(part: &Value) -> &str {
    part.get("text").and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use innkeeper_protocol::model::ModelError;

    use super::*;
    use crate::fixture::streamed;
    use crate::provider::Provider;

    fn told(events: &[Value]) -> Result<(Vec<LiveDelta>, Value), ModelError> {
        streamed(Provider::Gemini, events).map(|(deltas, response)| (deltas, response.raw_response))
    }

    fn chunk(parts: Value) -> Value {
        json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}]})
    }

    fn end(reason: &str) -> Value {
        json!({"candidates": [{"finishReason": reason}], "usageMetadata": {"totalTokenCount": 9}, "responseId": "r"})
    }

    #[test]
    fn whole_parts_are_shown_and_only_plain_texts_are_joined() {
        let call = json!({"functionCall": {"id": "c", "name": "look", "args": {"x": 1}}, "thoughtSignature": "s2"});
        let events = [
            json!({"usageMetadata": {"totalTokenCount": 1}}),
            chunk(json!([{"text": "h", "thought": true}])),
            chunk(json!([{"text": "m", "thought": true}, {"text": "Ro"}])),
            chunk(json!([{"text": "ll", "thoughtSignature": "s1"}, {"text": "i"}])),
            chunk(json!([{"text": "ng"}, call])),
            end("STOP"),
        ];
        let (deltas, body) = told(&events).unwrap();
        let text = |text: &str| LiveDelta::Text(text.into());
        let [announced, arguments] = stream::call(0, "look", "{\"x\":1}").try_into().unwrap();
        let thought = |text: &str| LiveDelta::Reasoning(text.into());
        assert_eq!(
            deltas,
            [
                thought("h"),
                thought("m"),
                text("Ro"),
                text("ll"),
                text("i"),
                text("ng"),
                announced,
                arguments
            ]
        );
        let parts = json!([{"text": "hm", "thought": true}, {"text": "Ro"}, {"text": "ll", "thoughtSignature": "s1"},
            {"text": "ing"}, call]);
        let candidate = json!({"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": parts}});
        assert_eq!(
            body,
            json!({"usageMetadata": {"totalTokenCount": 9}, "responseId": "r", "candidates": [candidate]})
        );
    }

    #[test]
    fn a_stream_needs_a_reason_for_its_end_or_for_being_blocked() {
        let error = told(&[chunk(json!([{"text": "hi"}]))]).unwrap_err();
        assert!(error.to_string().contains("it stopped before its end"), "{error}");
        let blocked = told(&[json!({"promptFeedback": {"blockReason": "SAFETY"}})]).unwrap_err();
        assert!(
            blocked.to_string().contains("the provider's filter withheld it"),
            "{blocked}"
        );
        assert_eq!(told(&[end("STOP")]).unwrap().0, []);
    }

    #[test]
    fn what_breaks_the_rules_breaks_the_stream_and_an_error_has_its_kind() {
        for event in [
            json!({"candidates": {}}),
            json!({"candidates": ["x"]}),
            chunk(json!("hi")),
        ] {
            let error = told(std::slice::from_ref(&event)).unwrap_err();
            assert!(
                error.to_string().contains("its pieces do not follow the format"),
                "{event}: {error}"
            );
        }
        let error = json!({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}});
        assert_eq!(told(&[error]).unwrap_err().code(), "agent.transient");
    }
}
