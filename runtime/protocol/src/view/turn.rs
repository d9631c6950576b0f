//! One turn of a model and one text file, as a person may look at them.
//!
//! What only a provider understands has no place here: no raw answer, no signatures, no sealed reasoning, no arguments of calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::Sha256;
use crate::id::{InvocationId, RunId};
use crate::path::WorkspacePath;

/// Which turn is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadModelTurn {
    /// The run.
    pub run_id: RunId,
    /// The invocation; the root when blank or absent.
    #[serde(default)]
    pub invocation_id: Option<String>,
    /// The round, from 1.
    pub round: u32,
    /// Most characters of each text; 40,000 when absent.
    #[serde(default)]
    pub max_chars: Option<u32>,
}

/// A turn as it was stored, as far as it may be shown.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelTurnView {
    /// The run.
    pub run_id: RunId,
    /// The invocation.
    pub invocation_id: InvocationId,
    /// The round.
    pub round: u32,
    /// Where the whole lies, from the run's folder.
    pub model_response_path: WorkspacePath,
    /// Where the answer came from.
    pub provider: ProviderView,
    /// What the model said.
    pub assistant: TextView,
    /// What it said beside its calls; only where there are calls and words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narration: Option<SourcedText>,
    /// What it thought, where it shows it.
    pub reasoning: Vec<SourcedText>,
    /// What it called.
    pub tool_calls: Vec<ToolCallView>,
}

/// Where an answer came from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderView {
    /// Where the model is reached.
    pub source: String,
    /// The wire format.
    pub format: String,
    /// The model that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider's id of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// Token counts, as the provider gives them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Value>,
}

/// A text, whole or its beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextView {
    /// The text as far as it was asked for.
    pub text: String,
    /// Unicode scalars of the whole.
    pub total_chars: u32,
    /// Words of the whole.
    pub total_words: u32,
    /// Whether `text` is not the whole.
    pub truncated: bool,
}

/// A text and the part of the turn that it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourcedText {
    /// `assistantText`, `reasoning_content` or another name of the provider.
    pub source: String,
    /// The text.
    #[serde(flatten)]
    pub text: TextView,
}

/// A call, without its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallView {
    /// The provider's id.
    pub call_id: String,
    /// The tool; absent where the model named none that exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_id: Option<String>,
    /// The tool's native name, else what the model called it.
    pub name: String,
    /// What the model called it.
    pub model_alias: String,
}

/// Which file is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadWorkspaceFile {
    /// The run.
    pub run_id: RunId,
    /// From the run's folder; checked by the command.
    pub path: String,
}

/// A text file of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceFileView {
    /// From the run's folder.
    pub path: WorkspacePath,
    /// The whole text.
    pub text: String,
    /// Unicode scalars.
    pub chars: u32,
    /// Words.
    pub words: u32,
    /// Digest of the bytes.
    pub sha256: Sha256,
}
