//! The calls of a stream of chat completions, put together from their pieces.
//!
//! A piece says by a number, an id or a name which call it belongs to, and servers differ in which of them can be relied on. What no
//! piece says stays missing.

use innkeeper_protocol::model::LiveDelta;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use crate::openai::CALL_FIELDS;
use crate::stream::{self, MAX_CALLS, StreamFault};

/// Most ends that may stray to a wrong number: for each the arguments so far are read again.
const MAX_STRAYS: u8 = 16;

/// The calls so far, in the order in which they began.
#[derive(Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    strays: u8,
}

#[derive(Default)]
struct Call {
    /// The server's number. Some begin at one, some give every call the same.
    number: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// Whether anything was said about arguments, if only that they are empty.
    has_begun: bool,
    /// Fields that are sent back with the call; the last value counts.
    kept: Map<String, Value>,
    /// How many bytes of the arguments were shown; none as long as the call was not announced.
    shown: Option<usize>,
}

/// One piece of one call.
struct Piece<'a> {
    number: Option<u64>,
    id: &'a str,
    name: &'a str,
    /// None where the piece says nothing about arguments.
    arguments: Option<String>,
}

impl<'a> Piece<'a> {
    fn of(value: &'a Value) -> Result<Self, StreamFault> {
        let object = value.as_object().ok_or(StreamFault::Broken)?;
        let function = match object.get("function") {
            None | Some(Value::Null) => None,
            Some(Value::Object(function)) => Some(function),
            Some(_) => return Err(StreamFault::Broken),
        };
        let text = |value: Option<&'a Value>| value.and_then(Value::as_str).unwrap_or_default();
        Ok(Self {
            number: object.get("index").and_then(Value::as_u64),
            id: text(object.get("id")).trim(),
            name: text(function.and_then(|function| function.get("name"))),
            arguments: match function.and_then(|function| function.get("arguments")) {
                None | Some(Value::Null) => None,
                Some(Value::String(text)) => Some(text.clone()),
                // Local servers send the arguments as JSON.
                Some(other) => Some(other.to_string()),
            },
        })
    }
}

impl Calls {
    /// Adds a piece; tells what of its call can be shown.
    pub(super) fn take(&mut self, value: &Value) -> Result<Vec<LiveDelta>, StreamFault> {
        let piece = Piece::of(value)?;
        let index = self.place(&piece)?;
        let Some(call) = index.and_then(|index| self.calls.get_mut(index)) else {
            return Ok(Vec::new());
        };
        call.add(piece, value);
        Ok(call.unshown(index.unwrap_or_default()))
    }

    /// The call that a piece belongs to; a new one where it begins one, none where it belongs to nothing.
    fn place(&mut self, piece: &Piece<'_>) -> Result<Option<usize>, StreamFault> {
        if let Some(index) = self.by_id(piece) {
            return Ok(Some(index));
        }
        let numbered = self
            .calls
            .iter()
            .rposition(|call| piece.number.is_some() && call.number == piece.number);
        if let Some(index) = numbered {
            let another = |call: &Call| !piece.id.is_empty() && !call.id.is_empty();
            // A new id on a used number begins another call.
            return Ok(Some(if self.calls.get(index).is_some_and(another) {
                self.begin(piece)?
            } else {
                index
            }));
        }
        if !piece.id.is_empty() || !piece.name.is_empty() {
            return Ok(Some(self.begin(piece)?));
        }
        let Some(last) = self.calls.last() else {
            return if piece.number.is_some() {
                Ok(Some(self.begin(piece)?))
            } else {
                Err(StreamFault::Broken)
            };
        };
        let index = self.calls.len().saturating_sub(1);
        if piece.number.is_none() {
            return Ok(Some(index));
        }
        // An end that strayed to a wrong number.
        self.strays = self.strays.saturating_add(1);
        if self.strays > MAX_STRAYS {
            return Err(StreamFault::Broken);
        }
        Ok(last.is_open().then_some(index))
    }

    fn by_id(&self, piece: &Piece<'_>) -> Option<usize> {
        let same = |call: &Call| call.id == piece.id && (piece.number.is_none() || call.number == piece.number);
        if piece.id.is_empty() {
            None
        } else {
            self.calls.iter().rposition(same)
        }
    }

    fn begin(&mut self, piece: &Piece<'_>) -> Result<usize, StreamFault> {
        if self.calls.len() >= MAX_CALLS {
            return Err(StreamFault::Broken);
        }
        self.calls.push(Call {
            number: piece.number,
            ..Call::default()
        });
        Ok(self.calls.len().saturating_sub(1))
    }

    /// The calls as an answer in one piece holds them. An id that never came is left out.
    pub(super) fn encoded(self) -> Vec<Value> {
        let encoded = self.calls.into_iter().map(|call| {
            let mut object = call.kept;
            if !call.id.is_empty() {
                object.insert("id".to_owned(), json!(call.id));
            }
            object.insert("type".to_owned(), json!("function"));
            object.insert(
                "function".to_owned(),
                json!({ "name": call.name, "arguments": call.arguments }),
            );
            Value::Object(object)
        });
        encoded.collect()
    }
}

impl Call {
    fn add(&mut self, piece: Piece<'_>, value: &Value) {
        if self.id.is_empty() {
            piece.id.clone_into(&mut self.id);
        }
        // Some servers repeat the name in every piece, some send it in several; once there are arguments, it is whole.
        if self.name.is_empty() || (!self.has_begun && self.name != piece.name) {
            self.name.push_str(piece.name);
        }
        self.has_begun |= piece.arguments.is_some();
        self.arguments.push_str(&piece.arguments.unwrap_or_default());
        for field in CALL_FIELDS {
            if let Some(kept) = value.get(field).filter(|kept| !kept.is_null()) {
                self.kept.insert(field.to_owned(), kept.clone());
            }
        }
    }

    /// What was not shown yet: the announcement with what waited for the name, or more of the arguments.
    fn unshown(&mut self, index: usize) -> Vec<LiveDelta> {
        if self.name.is_empty() || !self.has_begun {
            return Vec::new();
        }
        let is_announced = self.shown.is_some();
        let fragment = self.arguments.get(self.shown.unwrap_or(0)..).unwrap_or_default();
        self.shown = Some(self.arguments.len());
        if is_announced {
            stream::arguments(index, fragment).into_iter().collect()
        } else {
            stream::call(index, &self.name, fragment)
        }
    }

    /// Whether the arguments are not a whole JSON value yet.
    fn is_open(&self) -> bool {
        serde_json::from_str::<IgnoredAny>(&self.arguments).is_err()
    }
}
