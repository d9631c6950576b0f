//! A stored turn of a model, read for looking at it.
//!
//! Only what may be shown is taken out of the file; the provider's own answer, native parts, signatures and arguments are never held.

use std::collections::HashMap;

use innkeeper_protocol::id::InvocationId;
use innkeeper_protocol::path::{PathRefusal, WorkspacePath};
use serde::Deserialize;
use serde_json::Value;

use crate::journal::{JournalError, Location, fold};
use crate::tree::{Tree, TreeError};

/// The most that is read of a stored turn, in bytes: it holds the provider's whole answer, pictures included.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The name of reasoning whose provider gives it none.
const REASONING: &str = "reasoning_content";
/// Longest name of a reasoning's source that is believed to be one, in bytes.
const MAX_SOURCE_BYTES: usize = 64;

/// Why a turn cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// No turn of this round was stored.
    #[error("invocation {invocation_id} has no stored turn of round {round}")]
    NotFound {
        /// The invocation.
        invocation_id: InvocationId,
        /// The round.
        round: u32,
    },
    /// The file is no turn.
    #[error("`{path}` is no stored turn: {problem}")]
    Damaged {
        /// The file.
        path: WorkspacePath,
        /// What is wrong with it.
        problem: String,
    },
    /// The file holds another round's turn.
    #[error("`{path}` holds round {found}")]
    OtherRound {
        /// The file.
        path: WorkspacePath,
        /// The round in it.
        found: u32,
    },
    /// The file holds another invocation's turn.
    #[error("`{path}` holds a turn of invocation {found:?}")]
    OtherInvocation {
        /// The file.
        path: WorkspacePath,
        /// The invocation in it.
        found: String,
    },
    /// The invocation's id cannot be a folder's name on every platform.
    #[error(transparent)]
    Path(#[from] PathRefusal),
    /// The run's files refused it.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The journal, which knows the tools of the calls, cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl TurnError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "agent.not_found",
            Self::Damaged { .. } => "agent.model_response_parse_failed",
            Self::OtherRound { .. } => "agent.model_response_round_mismatch",
            Self::OtherInvocation { .. } => "agent.model_response_invocation_mismatch",
            Self::Path(_) => "agent.model_turn_invocation_id_invalid",
            Self::Tree(error) => error.code(),
            Self::Journal(error) => error.code(),
        }
    }
}

/// What may be shown of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownTurn {
    /// Where the whole lies, from the run's folder.
    pub path: WorkspacePath,
    /// Where the answer came from.
    pub provider: TurnProvider,
    /// What the model said.
    pub text: String,
    /// What it thought, each with the name of where it stood.
    pub reasoning: Vec<(String, String)>,
    /// What it called.
    pub calls: Vec<ShownCall>,
}

/// Where an answer came from.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnProvider {
    /// The provider's id of the answer.
    #[serde(default)]
    pub id: Option<String>,
    /// The model that answered.
    #[serde(default)]
    pub model: Option<String>,
    /// Token counts, as the provider gives them.
    #[serde(default)]
    pub usage: Option<Value>,
    /// Where the model is reached.
    pub chat_completion_source: String,
    /// The wire format.
    pub provider_format: String,
}

/// A call, without its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownCall {
    /// The provider's id.
    pub call_id: String,
    /// What the model called the tool.
    pub alias: String,
    /// Id and native name of the tool, where the journal says that there is one.
    pub tool: Option<(String, String)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    round: u32,
    invocation_id: String,
    response: Response,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    message: Message,
    tool_calls: Vec<Call>,
    text: String,
    provider_metadata: TurnProvider,
}

#[derive(Deserialize)]
struct Message {
    parts: Vec<Part>,
}

/// A part of a message, of which only visible reasoning counts: text and calls stand in the response once more.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    provider_metadata: Source,
}

#[derive(Default, Deserialize)]
struct Source {
    #[serde(default)]
    source: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    call_id: String,
    alias: String,
}

/// Where the turn of a round is stored, from the run's folder. Not every id of an invocation can be a folder's name on every platform.
fn turn_path(invocation: &InvocationId, round: u32) -> Result<WorkspacePath, PathRefusal> {
    let folder = if *invocation == InvocationId::root() {
        String::new()
    } else {
        format!("{invocation}/")
    };
    WorkspacePath::parse(&format!("model-responses/{folder}round-{round:03}.json"))
}

/// Reads a stored turn, and from the journal which tools its calls were about.
///
/// # Errors
/// When there is no such turn, or its file is damaged or holds another one.
pub fn read_turn(
    tree: &Tree,
    journal: &Location,
    invocation: &InvocationId,
    round: u32,
) -> Result<ShownTurn, TurnError> {
    let path = turn_path(invocation, round)?;
    let Stored {
        round: found,
        invocation_id,
        response,
    } = read_stored(tree, &path, invocation, round)?;
    if found != round {
        return Err(TurnError::OtherRound { path, found });
    }
    if invocation_id != invocation.as_str() {
        let found = invocation_id.chars().take(MAX_SOURCE_BYTES).collect();
        return Err(TurnError::OtherInvocation { path, found });
    }
    let tools = if response.tool_calls.is_empty() {
        HashMap::new()
    } else {
        tools_of(journal, invocation, round)?
    };
    let shown = |call: Call| ShownCall {
        tool: tools.get(&call.call_id).cloned(),
        call_id: call.call_id,
        alias: call.alias,
    };
    Ok(ShownTurn {
        path,
        reasoning: response.message.parts.into_iter().filter_map(reasoning).collect(),
        text: response.text,
        calls: response.tool_calls.into_iter().map(shown).collect(),
        provider: response.provider_metadata,
    })
}

fn read_stored(tree: &Tree, path: &WorkspacePath, invocation: &InvocationId, round: u32) -> Result<Stored, TurnError> {
    let damaged = |problem: String| TurnError::Damaged {
        path: path.clone(),
        problem,
    };
    match tree.read_bytes(path, MAX_BYTES) {
        // The place alone: what the parser says may repeat what stands there, which is not to be shown.
        Ok(file) => serde_json::from_slice(&file.bytes)
            .map_err(|error| damaged(format!("line {}, column {}", error.line(), error.column()))),
        Err(TreeError::FileNotFound { .. }) => Err(TurnError::NotFound {
            invocation_id: invocation.clone(),
            round,
        }),
        Err(error) if error.is_fault() => Err(error.into()),
        Err(error) => Err(damaged(error.to_string())),
    }
}

/// Visible reasoning with the name of its source.
fn reasoning(part: Part) -> Option<(String, String)> {
    let text = part.text.filter(|_| part.kind == "reasoning")?;
    let text = text.trim();
    let is_name = |name: &&str| {
        (1..=MAX_SOURCE_BYTES).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let source = part.provider_metadata.source.as_str().filter(is_name);
    (!text.is_empty()).then(|| (source.unwrap_or(REASONING).to_owned(), text.to_owned()))
}

/// Id and native name of each tool that was called in a round, by the provider's call id.
fn tools_of(
    journal: &Location,
    invocation: &InvocationId,
    round: u32,
) -> Result<HashMap<String, (String, String)>, JournalError> {
    let mut tools = HashMap::new();
    fold(journal, &mut |event| {
        let is_of_turn = event.kind == "tool_call_requested"
            && event.text("invocationId") == Some(invocation.as_str())
            && event.payload.get("round").and_then(Value::as_u64) == Some(u64::from(round));
        let named = (event.text("callId"), event.text("toolId"), event.text("name"));
        if let (true, (Some(call), Some(tool), Some(name))) = (is_of_turn, named) {
            tools.insert(call.to_owned(), (tool.to_owned(), name.to_owned()));
        }
    })?;
    Ok(tools)
}

#[cfg(test)]
mod tests;
