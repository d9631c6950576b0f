//! Canonical model messages, the request and response of one turn, what can go wrong with it, and the port that hosts implement.
//!
//! No provider's wire format is known here, and no alias is resolved: a request carries aliases as they are offered, a response
//! carries them as the model sent them, and the caller's snapshot tells whether they mean a tool.

mod error;
mod fault;
mod live;
mod message;
mod state;
mod turn;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

pub use error::{Excerpt, MAX_EXCERPT_BYTES, MAX_RETRY_AFTER_MS, ModelError, ProviderAnswer};
pub use fault::{
    BodyFault, MessageFault, NetworkFailure, ProviderStateFault, ResponseFault, ToolCallFault, TranscriptFault,
};
pub use live::{LiveDelta, LiveSink};
pub use message::{Message, Part, Role, ToolCallRequest, ToolResultPart};
pub use state::{Continuation, LastAnswer, NativeContinuation, ProviderState};
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
/// An implementation neither retries nor adds text to the prompt. Dropping the future of a request cancels the request.
#[async_trait]
pub trait Model: Send + Sync {
    /// Asks the model for its next turn.
    ///
    /// # Errors
    /// [`ModelError`]; [`ModelError::is_retryable`] tells whether the same request may work again.
    async fn complete(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError>;

    /// Asks the model for its next turn, and shows the turn as it comes. What it returns is what [`Model::complete`] would have.
    ///
    /// # Errors
    /// [`ModelError`], as for [`Model::complete`]; what was shown before an error counts for nothing.
    /// [`ModelError::StreamUnsupported`] from a model that cannot stream, as [`ModelInfo::can_stream`] tells beforehand: it never
    /// falls back to an answer in one piece.
    async fn stream(&self, _request: &ModelRequest, _live: &dyn LiveSink) -> Result<ModelResponse, ModelError> {
        Err(ModelError::StreamUnsupported {
            format: self.describe().format,
        })
    }

    /// Names the provider, the format and the model.
    fn describe(&self) -> ModelInfo;
}

/// The models of an application: which one a prompt is meant for.
pub trait ModelSource: Send + Sync {
    /// The model that these settings of a prompt name (`chat_completion_source`, `model` and whatever else the application puts there).
    ///
    /// # Errors
    /// [`RunError`](crate::run::RunError) when there is no such model, or it cannot be reached with what is set up.
    fn model(
        &self,
        settings: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<std::sync::Arc<dyn Model>, crate::run::RunError>;
}
