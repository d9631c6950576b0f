//! Canonical model messages, the request and response of one turn, what can go wrong with it, and the port that hosts implement.
//!
//! No provider's wire format is known here, and no alias is resolved: a request carries aliases as they are offered, a response
//! carries them as the model sent them, and the caller's snapshot tells whether they mean a tool.

mod error;
mod fault;
mod message;
mod turn;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

pub use error::{Excerpt, MAX_EXCERPT_BYTES, ModelError, ProviderAnswer};
pub use fault::{
    BodyFault, MessageFault, NetworkFailure, ProviderStateFault, ResponseFault, ToolCallFault, TranscriptFault,
};
pub use message::{Message, Part, Role, ToolCallRequest, ToolResultPart};
pub use turn::{ModelRequest, ModelResponse, ProviderMetadata, StoredTurn, ToolChoice, ToolOffer};

/// Which provider and wire format a model is reached through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    /// The provider: `openai`, `custom`, `scripted`, or an application's own word.
    pub source: String,
    /// The wire format: `openai_compatible`, `scripted`, or an application's own word.
    pub format: String,
    /// The model's name at the provider.
    pub model: String,
    /// Whether this model can send its answer piece by piece. Where it cannot, a run that wants a stream is refused with
    /// `model.stream_unsupported` and never quietly buffered.
    pub can_stream: bool,
}

/// The port to a model: one request, one answer.
///
/// An implementation neither retries nor adds text to the prompt. Dropping the future of [`Model::complete`] cancels the request.
#[async_trait]
pub trait Model: Send + Sync {
    /// Asks the model for its next turn.
    ///
    /// # Errors
    /// [`ModelError`]; [`ModelError::is_retryable`] tells whether the same request may work again.
    async fn complete(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError>;

    /// Names the provider, the format and the model.
    fn describe(&self) -> ModelInfo;
}
