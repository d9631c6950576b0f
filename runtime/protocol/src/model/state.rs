//! How far a conversation with a provider has come: its last answer, and how many messages it covers.
//!
//! The loop keeps it between two requests, the gateway reads it, and nobody is shown it: it is part of no stored turn and of no request's
//! body, and the journal tells a summary.

use std::fmt;

use serde_json::{Value, json};

use super::{ModelInfo, ModelResponse};
use crate::id::{InvocationId, RunId};

/// The conversation of one invocation.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderState {
    session_id: String,
    last: Option<LastAnswer>,
}

/// The answer from which a conversation goes on.
#[derive(Clone, PartialEq, Eq)]
pub struct LastAnswer {
    /// Who gave it.
    pub model: ModelInfo,
    /// How many messages the request held that it answers. What stands after them, but for the answer itself, is news.
    pub message_cursor: usize,
    /// The provider's id of it.
    pub response_id: Option<String>,
    /// What the gateway told about it.
    pub continuation: Continuation,
}

/// What only the gateway knows about how an answer continues a conversation.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Continuation {
    /// The earlier answer that the request named, instead of sending the messages before it.
    pub previous_response_id: Option<String>,
    /// The native parts that the next request is to give back.
    pub native: Option<NativeContinuation>,
}

/// Native parts of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeContinuation {
    /// Who understands them.
    pub provider: String,
    /// How many there are.
    pub part_count: usize,
}

impl ProviderState {
    /// The state of an invocation that has asked nothing yet.
    #[must_use]
    pub fn new(run: &RunId, invocation: &InvocationId) -> Self {
        Self {
            session_id: format!("{run}:{invocation}"),
            last: None,
        }
    }

    /// The state after a request of so many messages was answered.
    #[must_use]
    pub fn answered(&self, model: ModelInfo, message_cursor: usize, response: &ModelResponse) -> Self {
        Self {
            session_id: self.session_id.clone(),
            last: Some(LastAnswer {
                model,
                message_cursor,
                response_id: response.provider_metadata.id.clone(),
                continuation: response.continuation.clone(),
            }),
        }
    }

    /// Names the invocation among all of all runs, for a model that keeps a connection or a cache for each.
    #[must_use]
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// The last answer; none before the first.
    #[must_use]
    pub const fn last(&self) -> Option<&LastAnswer> {
        self.last.as_ref()
    }

    /// What the journal tells.
    #[must_use]
    pub fn summary(&self) -> Value {
        let Some(last) = &self.last else { return Value::Null };
        let native = last.continuation.native.as_ref();
        json!({
            "chatCompletionSource": last.model.source,
            "providerFormat": last.model.format,
            "transport": "http",
            "messageCursor": last.message_cursor,
            "lastResponseId": last.response_id,
            "previousResponseId": last.continuation.previous_response_id,
            "nativeContinuation": native.map(|native| json!({
                "provider": native.provider,
                "partCount": native.part_count,
            })),
        })
    }
}

impl fmt::Debug for ProviderState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProviderState(..)")
    }
}

impl fmt::Debug for LastAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LastAnswer(..)")
    }
}

impl fmt::Debug for Continuation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Continuation(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Message, ProviderMetadata, Role};

    fn response() -> ModelResponse {
        ModelResponse {
            message: Message::of_text(Role::Assistant, "hi"),
            tool_calls: Vec::new(),
            text: "hi".into(),
            reasoning: None,
            provider_metadata: ProviderMetadata {
                id: Some("resp_2".into()),
                model: None,
                usage: None,
                source: "custom".into(),
                format: "openai_responses".into(),
            },
            raw_response: Value::Null,
            continuation: Continuation {
                previous_response_id: Some("resp_1".into()),
                native: Some(NativeContinuation {
                    provider: "openai_responses".into(),
                    part_count: 1,
                }),
            },
        }
    }

    fn state() -> ProviderState {
        let run = RunId::parse("run_0123456789abcdef0123456789abcdef").unwrap();
        ProviderState::new(&run, &InvocationId::root())
    }

    fn model() -> ModelInfo {
        ModelInfo {
            source: "openai".into(),
            format: "openai_responses".into(),
            model: "m".into(),
            can_stream: true,
        }
    }

    #[test]
    fn an_answer_moves_the_state_on_and_the_session_stays() {
        let state = state();
        assert_eq!((state.last(), state.summary()), (None, Value::Null));
        let answered = state.answered(model(), 3, &response());
        assert_eq!(answered.session_id(), "run_0123456789abcdef0123456789abcdef:inv_root");
        let expected = json!({"chatCompletionSource": "openai", "providerFormat": "openai_responses", "transport": "http",
            "messageCursor": 3, "lastResponseId": "resp_2", "previousResponseId": "resp_1",
            "nativeContinuation": {"provider": "openai_responses", "partCount": 1}});
        assert_eq!(answered.summary(), expected);
    }

    #[test]
    fn neither_debug_output_nor_a_stored_turn_shows_it() {
        let response = response();
        let state = state().answered(model(), 3, &response);
        let shown = format!("{state:?} {:?} {:?}", state.last(), response.continuation);
        assert_eq!(shown, "ProviderState(..) Some(LastAnswer(..)) Continuation(..)");
        let stored = serde_json::to_string(&response).unwrap();
        assert!(
            !stored.contains("resp_1") && !stored.contains("ontinuation"),
            "{stored}"
        );
    }
}
