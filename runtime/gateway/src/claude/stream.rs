//! The stream of the messages format, put together as the answer that would have come in one piece.
//!
//! Events and pieces of kinds that are not known are left out, as the provider asks of its clients.

use std::collections::BTreeMap;

use innkeeper_protocol::model::LiveDelta;
use serde_json::{Map, Value};

use super::BLOCKS;
use crate::stream::{self, MAX_CALLS, Rebuild, StreamFault};

/// The answer so far.
#[derive(Default)]
pub(crate) struct Blocks {
    message: Option<Map<String, Value>>,
    /// By the provider's numbers, which give their order.
    blocks: BTreeMap<u64, Block>,
    calls: usize,
}

struct Block {
    fields: Map<String, Value>,
    /// The text of the arguments, where it is a call.
    input: String,
    /// Counts the calls of the turn.
    call_index: usize,
}

impl Rebuild for Blocks {
    fn take(&mut self, event: &Map<String, Value>) -> Result<Vec<LiveDelta>, StreamFault> {
        let kind = event.get("type").and_then(Value::as_str);
        let added = match kind {
            Some("message_start") => {
                let message = object(event, "message")?.clone();
                self.message = Some(message);
                None
            }
            Some("content_block_start") => self.begin(event)?,
            Some("content_block_delta") => self.add(event)?,
            Some("message_delta") => {
                self.end(event)?;
                None
            }
            Some("error") => {
                return Err(StreamFault::Reported(event.get("error").cloned().unwrap_or_default()));
            }
            Some(_) => None,
            None => return Err(StreamFault::Broken),
        };
        Ok(added.into_iter().collect())
    }

    fn is_whole(&self) -> bool {
        let reason = self.message.as_ref().and_then(|message| message.get("stop_reason"));
        reason.is_some_and(|reason| !reason.is_null())
    }

    fn body(self: Box<Self>) -> Result<Map<String, Value>, StreamFault> {
        if !self.is_whole() {
            return Err(StreamFault::Unfinished);
        }
        let mut body = self.message.ok_or(StreamFault::Unfinished)?;
        let blocks = self.blocks.into_values().map(Block::whole).collect();
        body.insert(BLOCKS.to_owned(), blocks);
        Ok(body)
    }
}

impl Blocks {
    fn begin(&mut self, event: &Map<String, Value>) -> Result<Option<LiveDelta>, StreamFault> {
        let fields = object(event, "content_block")?.clone();
        let text = |field: &str| fields.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let call_index = self.calls;
        let delta = match text("type").as_str() {
            "text" => piece(text("text"), LiveDelta::Text),
            "thinking" => piece(text("thinking"), LiveDelta::Reasoning),
            "tool_use" => {
                if call_index >= MAX_CALLS {
                    return Err(StreamFault::Broken);
                }
                self.calls = self.calls.saturating_add(1);
                Some(LiveDelta::Call {
                    index: call_index,
                    alias: text("name"),
                })
            }
            _ => None,
        };
        let block = Block {
            fields,
            input: String::new(),
            call_index,
        };
        match self.blocks.insert(number(event)?, block) {
            None => Ok(delta),
            Some(_) => Err(StreamFault::Broken),
        }
    }

    fn add(&mut self, event: &Map<String, Value>) -> Result<Option<LiveDelta>, StreamFault> {
        let block = self.blocks.get_mut(&number(event)?).ok_or(StreamFault::Broken)?;
        let delta = object(event, "delta")?;
        let text = |field: &str| delta.get(field).and_then(Value::as_str).ok_or(StreamFault::Broken);
        match delta.get("type").and_then(Value::as_str) {
            Some("text_delta") => {
                block.join("text", text("text")?);
                Ok(piece(text("text")?.to_owned(), LiveDelta::Text))
            }
            Some("thinking_delta") => {
                block.join("thinking", text("thinking")?);
                Ok(piece(text("thinking")?.to_owned(), LiveDelta::Reasoning))
            }
            Some("signature_delta") => {
                block.join("signature", text("signature")?);
                Ok(None)
            }
            Some("input_json_delta") => {
                let fragment = text("partial_json")?;
                block.input.push_str(fragment);
                Ok(block.shown(fragment))
            }
            Some("citations_delta") => {
                block.cite(delta.get("citation"));
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// The reason for the end, and the last token counts.
    fn end(&mut self, event: &Map<String, Value>) -> Result<(), StreamFault> {
        let message = self.message.as_mut().ok_or(StreamFault::Broken)?;
        for (field, value) in object(event, "delta")? {
            message.insert(field.clone(), value.clone());
        }
        if let Some(Value::Object(counts)) = event.get("usage") {
            let usage = message.entry("usage").or_insert_with(|| Value::Object(Map::new()));
            if let Some(usage) = usage.as_object_mut() {
                usage.extend(counts.clone());
            }
        }
        Ok(())
    }
}

impl Block {
    fn join(&mut self, field: &str, more: &str) {
        match self.fields.get_mut(field) {
            Some(Value::String(text)) => text.push_str(more),
            _ => {
                self.fields.insert(field.to_owned(), Value::from(more));
            }
        }
    }

    fn cite(&mut self, citation: Option<&Value>) {
        let Some(citation) = citation else { return };
        match self.fields.get_mut("citations") {
            Some(Value::Array(citations)) => citations.push(citation.clone()),
            _ => {
                self.fields
                    .insert("citations".to_owned(), Value::Array(vec![citation.clone()]));
            }
        }
    }

    fn shown(&self, fragment: &str) -> Option<LiveDelta> {
        let is_call = self.fields.get("type").is_some_and(|kind| kind == "tool_use");
        stream::arguments(self.call_index, fragment).filter(|_| is_call)
    }

    /// The block with its arguments. What is no JSON stays a text, which no tool takes for its arguments.
    fn whole(mut self) -> Value {
        if !self.input.trim().is_empty() {
            let input = serde_json::from_str(&self.input).unwrap_or(Value::String(self.input));
            self.fields.insert("input".to_owned(), input);
        }
        Value::Object(self.fields)
    }
}

fn object<'a>(event: &'a Map<String, Value>, field: &str) -> Result<&'a Map<String, Value>, StreamFault> {
    event.get(field).and_then(Value::as_object).ok_or(StreamFault::Broken)
}

fn number(event: &Map<String, Value>) -> Result<u64, StreamFault> {
    event.get("index").and_then(Value::as_u64).ok_or(StreamFault::Broken)
}

fn piece(text: String, delta: impl Fn(String) -> LiveDelta) -> Option<LiveDelta> {
    (!text.is_empty()).then(|| delta(text))
}

#[cfg(test)]
mod tests;
