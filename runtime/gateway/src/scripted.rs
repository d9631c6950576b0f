//! A model that says what a script tells it to, turn by turn: for demonstrations, tests and trying out tools.
//!
//! It looks at no request and repeats nothing: each request takes the next turn, also when the turn is an error or the caller gives
//! up waiting.

mod fault;
mod pieces;
mod script;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use innkeeper_protocol::model::{
    Continuation, LiveSink, Message, Model, ModelError, ModelInfo, ModelRequest, ModelResponse, Part, ProviderMetadata,
    Role,
};
use serde_json::{Map, Value};

pub use fault::ERROR_KINDS;
pub use script::{DEFAULT_CHUNK_CHARS, MAX_CHUNK_CHARS, MAX_DELAY_MS, ScriptError, ScriptFault};

use crate::calls;
use crate::error::GatewayError;
use script::{Outcome, Turn};

/// Source, format and model name of a script that is not named after a file.
const SCRIPTED: &str = "scripted";

/// Most bytes of a script file: far more than anyone writes, and nothing that fills the memory by accident.
const MAX_SCRIPT_BYTES: u64 = 16 * 1024 * 1024;

/// A model that follows a script.
#[derive(Debug)]
pub struct ScriptedModel {
    name: String,
    turns: Vec<Turn>,
    progress: Mutex<Progress>,
}

/// How far the script has gone.
#[derive(Debug, Default)]
struct Progress {
    next: usize,
    requests: Vec<ModelRequest>,
}

impl ScriptedModel {
    /// Reads a script of this form:
    /// `{"turns":[{"text"?,"reasoning"?,"calls"?:[{"id"?,"name","arguments"}],"delayMs"?,"chunkChars"?,"error"?:{"kind","status"?}}]}`.
    ///
    /// A call without an id gets `call_<n>`, where it is the script's n-th call. The kinds of an error are [`ERROR_KINDS`]. Where the
    /// turn is streamed, it comes in pieces of `chunkChars` characters ([`DEFAULT_CHUNK_CHARS`] unless given), and `delayMs` is
    /// spread over them.
    ///
    /// # Errors
    /// [`GatewayError::Script`] with the turn and the place in the JSON.
    ///
    /// # Example
    /// ```
    /// use innkeeper_gateway::scripted::ScriptedModel;
    /// let script = r#"{"turns": [{"calls": [{"name": "workspace_finish", "arguments": {}}]}]}"#;
    /// assert!(ScriptedModel::from_json(script).is_ok());
    /// ```
    pub fn from_json(script: impl AsRef<[u8]>) -> Result<Self, GatewayError> {
        Self::named(SCRIPTED, script.as_ref())
    }

    /// Reads a script file of at most 16 MiB; the model is named after it.
    ///
    /// # Errors
    /// [`GatewayError`] when the file cannot be read, is no regular file, is too large, or the script is wrong.
    pub fn from_file(path: &Path) -> Result<Self, GatewayError> {
        let unreadable = |source: io::Error| GatewayError::ScriptFile {
            path: path.to_owned(),
            source,
        };
        let unsuitable = || GatewayError::ScriptSize {
            path: path.to_owned(),
            limit: MAX_SCRIPT_BYTES,
        };
        // Asked before opening: opening a pipe would wait for someone to write into it.
        if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(unsuitable());
        }
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(unreadable)?;
        file.take(MAX_SCRIPT_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        if bytes.len() as u64 > MAX_SCRIPT_BYTES {
            return Err(unsuitable());
        }
        let name = path
            .file_name()
            .map_or_else(|| SCRIPTED.to_owned(), |name| name.to_string_lossy().into_owned());
        Self::named(&name, &bytes)
    }

    fn named(name: &str, script: &[u8]) -> Result<Self, GatewayError> {
        let turns = script::parse(script).map_err(|source| GatewayError::Script {
            script: name.to_owned(),
            source,
        })?;
        Ok(Self {
            name: name.to_owned(),
            turns,
            progress: Mutex::default(),
        })
    }

    /// The requests so far, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.progress
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .requests
            .clone()
    }

    /// Turns that are still to come.
    #[must_use]
    pub fn remaining(&self) -> usize {
        let next = self.progress.lock().unwrap_or_else(PoisonError::into_inner).next;
        self.turns.len().saturating_sub(next)
    }

    /// Notes the request and takes the next turn with its number, counted from 1.
    fn take(&self, request: &ModelRequest) -> Result<(usize, &Turn), ModelError> {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.requests.push(request.clone());
        let turn = self
            .turns
            .get(progress.next)
            .ok_or_else(|| ModelError::ScriptExhausted {
                script: self.name.clone(),
                turns: self.turns.len(),
            })?;
        progress.next = progress.next.saturating_add(1);
        Ok((progress.next, turn))
    }

    fn respond(&self, number: usize, answer: &script::Answer, raw: &Value) -> Result<ModelResponse, ModelError> {
        let mut parts = Vec::new();
        if !answer.text.trim().is_empty() {
            parts.push(Part::Text {
                text: answer.text.clone(),
            });
        }
        if let Some(reasoning) = &answer.reasoning {
            parts.push(Part::Reasoning {
                text: Some(reasoning.clone()),
                provider_metadata: Map::new(),
            });
        }
        let mut tool_calls = Vec::new();
        for (index, call) in answer.calls.iter().enumerate() {
            tool_calls.push(calls::accept(index.saturating_add(1), &call.as_sent())?);
        }
        parts.extend(tool_calls.iter().cloned().map(|call| Part::ToolCall { call }));
        Ok(ModelResponse {
            message: Message::new(Role::Assistant, parts),
            tool_calls,
            text: answer.text.clone(),
            reasoning: answer.reasoning.clone(),
            provider_metadata: ProviderMetadata {
                id: Some(format!("turn_{number}")),
                model: Some(self.name.clone()),
                usage: None,
                source: SCRIPTED.to_owned(),
                format: SCRIPTED.to_owned(),
            },
            raw_response: raw.clone(),
            continuation: Continuation::default(),
        })
    }
}

#[async_trait]
impl Model for ScriptedModel {
    async fn complete(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let (number, turn) = self.take(request)?;
        pause(Duration::from_millis(turn.delay_ms)).await;
        match &turn.outcome {
            Outcome::Answer(answer) => self.respond(number, answer, &turn.raw),
            Outcome::Error(error) => Err(error.clone()),
        }
    }

    async fn stream(&self, request: &ModelRequest, live: &dyn LiveSink) -> Result<ModelResponse, ModelError> {
        let (number, turn) = self.take(request)?;
        let delay = Duration::from_millis(turn.delay_ms);
        match &turn.outcome {
            Outcome::Error(error) => {
                pause(delay).await;
                Err(error.clone())
            }
            Outcome::Answer(answer) => {
                let pieces = pieces::of(turn, answer, request);
                // The last share passes between the last piece and the turn.
                let shares = u32::try_from(pieces.len()).unwrap_or(u32::MAX).saturating_add(1);
                let share = delay / shares;
                for piece in pieces {
                    pause(share).await;
                    live.show(piece);
                }
                pause(share).await;
                self.respond(number, answer, &turn.raw)
            }
        }
    }

    fn describe(&self) -> ModelInfo {
        ModelInfo {
            source: SCRIPTED.to_owned(),
            format: SCRIPTED.to_owned(),
            model: self.name.clone(),
            can_stream: true,
        }
    }
}

/// Waits, and lets others go on in any case.
async fn pause(time: Duration) {
    if time.is_zero() {
        tokio::task::yield_now().await;
    } else {
        tokio::time::sleep(time).await;
    }
}

#[cfg(test)]
mod tests;
