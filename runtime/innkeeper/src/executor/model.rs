//! The model: its requests, the pauses between them, and what is kept of its turns.

use std::time::Duration;

use innkeeper_agent::{Event, WrittenText};
use innkeeper_protocol::model::{ModelError, ModelRequest, StoredTurn};
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::port::{ApplyError, FileChange, Guard};
use innkeeper_protocol::run::RunError;
use innkeeper_text::measure;
use tracing::Instrument as _;

use super::Executor;
use crate::error::unwritable;

impl Executor {
    pub(super) async fn call_model(&mut self, request: ModelRequest) -> Event {
        if self.active.cancel.is_thrown() {
            return Event::CancelRequested;
        }
        self.work.turns += 1;
        let span = tracing::info_span!("turn", request = self.work.turns, messages = request.messages.len());
        let answer = match &self.live {
            Some(live) => self.model.stream(&request, live),
            None => self.model.complete(&request),
        };
        let asked = tokio::select! {
            biased;
            () = self.active.cancel.thrown() => return Event::CancelRequested,
            answer = answer.instrument(span) => answer,
        };
        match asked {
            Err(ModelError::Cancelled) => Event::CancelRequested,
            Err(error) => Event::ModelAnswered(Err(error)),
            Ok(response) => {
                self.work
                    .reasoning
                    .extend(response.reasoning.clone().filter(|text| !text.trim().is_empty()));
                Event::ModelAnswered(Ok(Box::new(response)))
            }
        }
    }

    pub(super) async fn wait(&self, ms: u64) -> Event {
        tokio::select! {
            biased;
            () = self.active.cancel.thrown() => Event::CancelRequested,
            () = tokio::time::sleep(Duration::from_millis(ms)) => Event::WaitOver,
        }
    }

    pub(super) async fn store_turn(&mut self, turn: StoredTurn) -> Result<Event, RunError> {
        let path = format!("model-responses/round-{:03}.json", turn.round);
        self.active
            .recorder
            .store_json(&path, serde_json::to_value(&turn).map_err(unwritable)?)
            .await?;
        Ok(Event::TurnStored { path })
    }

    pub(super) async fn capture_text(&mut self, path: WorkspacePath, text: String) -> Result<Event, RunError> {
        let metrics = measure(&text);
        let sha256 = innkeeper_protocol::digest::Sha256::of(text.as_bytes());
        let change = FileChange {
            path,
            content: Some(text),
            guard: Guard::Unchecked,
        };
        match self.invocation.files().apply(vec![change]).await {
            Ok(()) => {}
            Err(ApplyError::Fault(error)) => return Err(error),
            Err(error) => return Err(RunError::internal("agent.internal_error", error.to_string())),
        }
        Ok(Event::TextCaptured(WrittenText {
            chars: metrics.chars,
            words: metrics.words,
            sha256,
        }))
    }
}
