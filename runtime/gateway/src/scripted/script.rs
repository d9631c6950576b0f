//! The script's form, read with the place of every fault.
//!
//! Nothing is guessed: a key that is not known is refused, because it is most likely a misspelt one.

use std::fmt;

use innkeeper_protocol::model::ModelError;
use serde_json::{Map, Value};

use super::fault::{ERROR_KINDS, error_of};
use crate::calls::{Cut, SentCall};

/// Most milliseconds that a turn may wait: a day. More is a slip of the pen that would look like a hang.
pub const MAX_DELAY_MS: u64 = 86_400_000;

/// Characters of the pieces in which a turn is shown, where the script does not say.
pub const DEFAULT_CHUNK_CHARS: u64 = 12;

/// Most characters of such a piece: a million, which no turn has.
pub const MAX_CHUNK_CHARS: u64 = 1_000_000;

/// What is wrong at one place of a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptFault {
    /// The text is not JSON.
    #[error("it is not JSON ({detail})")]
    NotJson {
        /// What the parser says, with line and column.
        detail: String,
    },
    /// A value of another type.
    #[error("it must be {expected}, not {found}")]
    Type {
        /// What is expected.
        expected: &'static str,
        /// What came.
        found: &'static str,
    },
    /// A key that is missing.
    #[error("the key {key:?} is missing")]
    MissingKey {
        /// The key.
        key: &'static str,
    },
    /// A key that is not known.
    #[error("the key {key:?} is not known; known are {known}")]
    UnknownKey {
        /// The key.
        key: String,
        /// The keys that may stand here.
        known: String,
    },
    /// A number out of its range.
    #[error("it must be a whole number from {min} to {max}")]
    Range {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
    },
    /// A kind of error that is not known.
    #[error("the error kind {kind:?} is not known; known are {known}")]
    UnknownKind {
        /// The kind.
        kind: String,
        /// The kinds that exist.
        known: String,
    },
    /// The error kind `http` without a status.
    #[error("an error of kind \"http\" needs a `status`")]
    StatusMissing,
    /// A turn that is both an answer and an error.
    #[error("a turn with an `error` can have no {key:?}")]
    AnswerAndError {
        /// The key that contradicts.
        key: &'static str,
    },
}

/// A fault and its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ScriptError {
    /// JSON pointer (RFC 6901) of the place.
    pub pointer: String,
    /// The turn, counted from 1, where the place lies in one.
    pub turn: Option<usize>,
    /// What is wrong there.
    pub fault: ScriptFault,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() {
            "the top"
        } else {
            &self.pointer
        };
        match self.turn {
            Some(turn) => write!(f, "turn {turn}, at {place}: {}", self.fault),
            None => write!(f, "at {place}: {}", self.fault),
        }
    }
}

/// One turn.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) delay_ms: u64,
    pub(super) chunk_chars: usize,
    pub(super) outcome: Outcome,
    /// The turn as the script has it.
    pub(super) raw: Value,
}

/// How a turn ends.
#[derive(Debug)]
pub(super) enum Outcome {
    Answer(Answer),
    Error(ModelError),
}

/// What the model says.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) reasoning: Option<String>,
    pub(super) calls: Vec<ScriptedCall>,
}

/// A call, with the script's id or the counted one.
#[derive(Debug)]
pub(super) struct ScriptedCall {
    id: String,
    name: String,
    arguments: Option<Value>,
}

impl ScriptedCall {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The text of the arguments, as a stream would bring it.
    pub(super) fn arguments_text(&self) -> String {
        match &self.arguments {
            None => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        }
    }

    /// The call, as if a provider had sent it.
    pub(super) fn as_sent(&self) -> SentCall<'_> {
        SentCall {
            id: Some(&self.id),
            name: Some(&self.name),
            arguments: self.arguments.as_ref(),
            cut: Cut::No,
        }
    }
}

/// Reads a script.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Turn>, ScriptError> {
    let top = Place {
        pointer: String::new(),
        turn: None,
    };
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        top.fault(ScriptFault::NotJson {
            detail: error.to_string(),
        })
    })?;
    let script = top.object(&value, &["turns"])?;
    let turns = script
        .get("turns")
        .ok_or_else(|| top.fault(ScriptFault::MissingKey { key: "turns" }))?;
    let place = top.key("turns");
    let mut calls_so_far = 0;
    let mut parsed = Vec::new();
    for (index, turn) in place.array(turns)?.iter().enumerate() {
        parsed.push(parse_turn(&place.turn(index), turn, &mut calls_so_far)?);
    }
    Ok(parsed)
}

fn parse_turn(place: &Place, value: &Value, calls_so_far: &mut usize) -> Result<Turn, ScriptError> {
    let turn = place.object(value, &["text", "reasoning", "calls", "delayMs", "chunkChars", "error"])?;
    let delay_ms = place.number(turn, "delayMs", 0, MAX_DELAY_MS)?.unwrap_or(0);
    let chunk_chars = place.number(turn, "chunkChars", 1, MAX_CHUNK_CHARS)?;
    let outcome = match present(turn, "error") {
        Some(error) => {
            if let Some(key) = ["text", "reasoning", "calls", "chunkChars"]
                .into_iter()
                .find(|key| present(turn, key).is_some())
            {
                return Err(place.key(key).fault(ScriptFault::AnswerAndError { key }));
            }
            Outcome::Error(parse_error(&place.key("error"), error)?)
        }
        None => Outcome::Answer(Answer {
            text: place.text(turn, "text")?.unwrap_or_default().to_owned(),
            reasoning: place
                .text(turn, "reasoning")?
                .filter(|text| !text.trim().is_empty())
                .map(str::to_owned),
            calls: parse_calls(place, turn, calls_so_far)?,
        }),
    };
    Ok(Turn {
        delay_ms,
        chunk_chars: usize::try_from(chunk_chars.unwrap_or(DEFAULT_CHUNK_CHARS)).unwrap_or(usize::MAX),
        outcome,
        raw: value.clone(),
    })
}

fn parse_calls(
    place: &Place,
    turn: &Map<String, Value>,
    calls_so_far: &mut usize,
) -> Result<Vec<ScriptedCall>, ScriptError> {
    let Some(calls) = present(turn, "calls") else {
        return Ok(Vec::new());
    };
    let place = place.key("calls");
    let mut parsed = Vec::new();
    for (index, value) in place.array(calls)?.iter().enumerate() {
        *calls_so_far = calls_so_far.saturating_add(1);
        parsed.push(parse_call(&place.index(index), value, *calls_so_far)?);
    }
    Ok(parsed)
}

/// `number` counts the script's calls from 1. A blank id or name is kept: it plays a provider that forgot it.
fn parse_call(place: &Place, value: &Value, number: usize) -> Result<ScriptedCall, ScriptError> {
    let call = place.object(value, &["id", "name", "arguments"])?;
    let name = place
        .text(call, "name")?
        .ok_or_else(|| place.fault(ScriptFault::MissingKey { key: "name" }))?;
    let id = place.text(call, "id")?;
    Ok(ScriptedCall {
        id: id.map_or_else(|| format!("call_{number}"), str::to_owned),
        name: name.to_owned(),
        arguments: call.get("arguments").cloned(),
    })
}

fn parse_error(place: &Place, value: &Value) -> Result<ModelError, ScriptError> {
    let error = place.object(value, &["kind", "status"])?;
    let kind = place
        .text(error, "kind")?
        .ok_or_else(|| place.fault(ScriptFault::MissingKey { key: "kind" }))?;
    let status = place
        .number(error, "status", 100, 599)?
        .and_then(|status| u16::try_from(status).ok());
    error_of(kind, status).ok_or_else(|| {
        place.key("kind").fault(if kind == "http" {
            ScriptFault::StatusMissing
        } else {
            ScriptFault::UnknownKind {
                kind: kind.to_owned(),
                known: ERROR_KINDS.join(", "),
            }
        })
    })
}

/// The value of an optional key; null counts as absent.
fn present<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    object.get(key).filter(|value| !value.is_null())
}

/// Where the reader stands.
struct Place {
    pointer: String,
    turn: Option<usize>,
}

impl Place {
    fn fault(&self, fault: ScriptFault) -> ScriptError {
        ScriptError {
            pointer: self.pointer.clone(),
            turn: self.turn,
            fault,
        }
    }

    /// Only for keys without `~` and `/`, which a pointer would have to escape.
    fn key(&self, key: &'static str) -> Self {
        Self {
            pointer: format!("{}/{key}", self.pointer),
            turn: self.turn,
        }
    }

    fn index(&self, index: usize) -> Self {
        Self {
            pointer: format!("{}/{index}", self.pointer),
            turn: self.turn,
        }
    }

    fn turn(&self, index: usize) -> Self {
        Self {
            turn: Some(index.saturating_add(1)),
            ..self.index(index)
        }
    }

    fn mismatch(&self, expected: &'static str, found: &Value) -> ScriptError {
        self.fault(ScriptFault::Type {
            expected,
            found: type_name(found),
        })
    }

    fn object<'a>(&self, value: &'a Value, known: &[&str]) -> Result<&'a Map<String, Value>, ScriptError> {
        let object = value.as_object().ok_or_else(|| self.mismatch("an object", value))?;
        match object.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(object),
            Some(key) => Err(self.fault(ScriptFault::UnknownKey {
                key: key.clone(),
                known: known.join(", "),
            })),
        }
    }

    fn array<'a>(&self, value: &'a Value) -> Result<&'a [Value], ScriptError> {
        value
            .as_array()
            .map(Vec::as_slice)
            .ok_or_else(|| self.mismatch("a list", value))
    }

    fn text<'a>(&self, object: &'a Map<String, Value>, key: &'static str) -> Result<Option<&'a str>, ScriptError> {
        let Some(value) = present(object, key) else {
            return Ok(None);
        };
        value
            .as_str()
            .map(Some)
            .ok_or_else(|| self.key(key).mismatch("a text", value))
    }

    fn number(
        &self,
        object: &Map<String, Value>,
        key: &'static str,
        min: u64,
        max: u64,
    ) -> Result<Option<u64>, ScriptError> {
        let Some(value) = present(object, key) else {
            return Ok(None);
        };
        match value.as_u64().filter(|number| (min..=max).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(self.key(key).fault(ScriptFault::Range { min, max })),
        }
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
