//! Rounds: a request, its retries, the answer, and what follows when the calls of a turn are done or there are none.
//!
//! The calls themselves are `calls`, the words for the model are `prompt`.

use innkeeper_protocol::event::{CheckpointReason, DiscardReason, RunEvent};
use innkeeper_protocol::guidance::Guidance;
use innkeeper_protocol::model::{Message, ModelError, ModelRequest, ModelResponse, StoredTurn, ToolChoice};
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::run::{ErrorKind, RunError, RunStatus};
use serde_json::json;

use crate::effect::Effect;
use crate::event::WrittenText;
use crate::prompt;
use crate::run::{AfterCheckpoint, Phase, Run, Turn, root};
use crate::step::{Effects, answer_metrics, append};

/// Calls of one turn. Each leaves files and events even when it is refused.
const MAX_CALLS_PER_TURN: usize = 1_000;
/// Longest id of a call in bytes: it stands in every event of the call.
const MAX_CALL_ID_BYTES: usize = 4_096;
/// Characters of an unknown tool's name that a message repeats.
const SHOWN_NAME_CHARS: usize = 100;

impl Run {
    /// The next round begins with what a person has said in the meantime.
    pub(crate) fn begin_round(&mut self, out: &mut Effects) {
        self.round += 1;
        self.turn = Turn::default();
        out.push(Effect::TakeGuidance);
        self.phase = Phase::TakingGuidance;
    }

    /// The next request, with all that the model has been told so far.
    pub(crate) fn guidance_taken(&mut self, items: &[Guidance]) -> Effects {
        let mut out = Vec::new();
        self.apply_guidance(items, &mut out);
        self.send_request(&mut out);
        out
    }

    fn send_request(&mut self, out: &mut Effects) {
        self.set_status(RunStatus::CallingModel, out);
        let request = self.request();
        out.push(append(RunEvent::ModelRequestCreated {
            round: self.round,
            invocation_id: root(),
            request: self.request_summary(request.messages.len()),
            tool_turn: json!({
                "snapshotId": root(),
                "toolCount": self.offers.len(),
                "choice": "auto",
            }),
        }));
        self.attempt(1, request, out);
    }

    fn request(&self) -> ModelRequest {
        ModelRequest {
            messages: self.conversation.to_send(),
            tools: self.offers.clone(),
            tool_choice: ToolChoice::Auto,
            settings: self.setup.settings.clone(),
            provider_state: Some(self.provider_state.clone()),
        }
    }

    fn attempt(&mut self, attempt: u32, request: ModelRequest, out: &mut Effects) {
        out.push(append(RunEvent::ModelCallAttemptStarted {
            round: self.round,
            invocation_id: root(),
            attempt,
            max_retries: self.setup.rules.max_retries,
        }));
        out.push(Effect::CallModel(Box::new(request)));
        self.phase = Phase::AwaitingModel { attempt };
    }

    pub(crate) fn ask_again(&mut self, attempt: u32) -> Effects {
        let mut out = Vec::new();
        let request = self.request();
        self.attempt(attempt, request, &mut out);
        out
    }

    pub(crate) fn model_answered(&mut self, attempt: u32, answer: Result<Box<ModelResponse>, ModelError>) -> Effects {
        match answer {
            Err(error) => self.model_failed(attempt, error),
            Ok(response) => {
                self.turn.answer = Some(response.message.clone());
                self.turn.response_id.clone_from(&response.provider_metadata.id);
                self.turn.answered_by.clone_from(&response.provider_metadata.model);
                self.turn.calls = response.tool_calls.iter().cloned().collect();
                let (model, cursor) = (self.setup.model.clone(), self.conversation.message_count());
                self.provider_state = self.provider_state.answered(model, cursor, &response);
                self.phase = Phase::StoringTurn;
                let stored = StoredTurn {
                    round: self.round,
                    invocation_id: root(),
                    response: *response,
                };
                vec![Effect::StoreTurn(Box::new(stored))]
            }
        }
    }

    fn model_failed(&mut self, attempt: u32, error: ModelError) -> Effects {
        if error.kind() == ErrorKind::Cancelled {
            return self.cancelled(DiscardReason::RunCancelledBeforeNextModelRequest);
        }
        let rules = &self.setup.rules;
        let max_retries = rules.max_retries;
        // Asking sooner than the provider wants would only be refused again.
        let interval_ms = rules.retry_interval_ms.max(error.retry_after_ms().unwrap_or(0));
        let will_retry = error.is_retryable() && attempt <= max_retries;
        let mut out = vec![append(RunEvent::ModelCallAttemptFailed {
            round: self.round,
            invocation_id: root(),
            attempt,
            max_retries,
            retryable: error.is_retryable(),
            will_retry,
            code: error.code().to_owned(),
            message: error.to_string(),
        })];
        if !will_retry {
            out.extend(self.fail(error.into()));
            return out;
        }
        let next_attempt = attempt.saturating_add(1);
        out.push(append(RunEvent::ModelCallRetryScheduled {
            round: self.round,
            invocation_id: root(),
            next_attempt,
            interval_ms,
        }));
        out.push(Effect::Wait { ms: interval_ms });
        self.phase = Phase::WaitingToRetry { attempt: next_attempt };
        out
    }

    /// The turn is on disk; from here on its calls count.
    pub(crate) fn turn_stored(&mut self, path: String) -> Effects {
        let Some(answer) = self.turn.answer.clone() else {
            return self.fail(crate::run::internal("a turn was stored that nobody gave"));
        };
        self.turn.response_path.clone_from(&path);
        let mut out = self.answer_events(&answer, path);
        if let Some(error) = self.unusable_turn() {
            out.extend(self.fail(error));
            return out;
        }
        if self.turn.calls.is_empty() {
            self.drift(answer.text(), &mut out)
        } else {
            self.next_call(&mut out)
        }
        out
    }

    /// Why nothing of a turn can be carried out: calls without end, ids that no journal should hold, names that nobody offered.
    fn unusable_turn(&self) -> Option<RunError> {
        let calls = &self.turn.calls;
        let invalid = |message: String| {
            let error = RunError::invalid("model.invalid_tool_call", message);
            Some(error.with_hint("The model or its server does not keep to the tool-calling format; try another one."))
        };
        if calls.len() > MAX_CALLS_PER_TURN {
            let count = calls.len();
            return invalid(format!(
                "the model made {count} calls in one turn; at most {MAX_CALLS_PER_TURN} are taken"
            ));
        }
        if let Some(call) = calls
            .iter()
            .find(|call| call.call_id.as_str().len() > MAX_CALL_ID_BYTES)
        {
            let bytes = call.call_id.as_str().len();
            return invalid(format!(
                "a call's id has {bytes} bytes; at most {MAX_CALL_ID_BYTES} are taken"
            ));
        }
        let unknown = calls.iter().find(|call| self.tool_by_alias(&call.alias).is_none())?;
        let offered: Vec<&str> = self.offered().map(|tool| tool.offer.alias.as_str()).collect();
        let shown: String = unknown.alias.chars().take(SHOWN_NAME_CHARS).collect();
        let error = RunError::invalid(
            "model.unknown_tool_call",
            format!(
                "the model called {shown:?}, which it was not offered; offered are: {}",
                offered.join(", ")
            ),
        );
        Some(error.with_hint("Try again, or use a model that keeps to the tools it is given."))
    }

    fn answer_events(&self, answer: &Message, path: String) -> Effects {
        let (round, invocation_id) = (self.round, root());
        let reasoning = prompt::reasoning_text(answer);
        vec![
            append(RunEvent::ModelResponseStored {
                round,
                invocation_id: invocation_id.clone(),
                path: path.clone(),
                response_id: self.turn.response_id.clone(),
                model: self.turn.answered_by.clone(),
            }),
            append(RunEvent::ProviderStateUpdated {
                round,
                invocation_id: invocation_id.clone(),
                provider_state: self.provider_state.summary(),
            }),
            append(RunEvent::ModelCompleted {
                round,
                invocation_id,
                model_response_path: path,
                tool_call_count: self.turn.calls.len(),
                text: answer_metrics(&answer.text(), reasoning.as_deref(), !self.turn.calls.is_empty()),
            }),
        ]
    }

    /// A turn without a call: its text is kept, and the model is reminded once or given up.
    fn drift(&mut self, text: String, out: &mut Effects) {
        if text.trim().is_empty() {
            self.remind(None, out);
            return;
        }
        let root_name = self.setup.rules.message_path.first_segment();
        match WorkspacePath::parse(&format!("{root_name}/direct_output.md")) {
            Ok(path) => {
                self.phase = Phase::CapturingText(path.clone());
                out.push(Effect::CaptureText { path, text });
            }
            Err(_) => self.remind(None, out),
        }
    }

    pub(crate) fn text_captured(&mut self, path: WorkspacePath, text: WrittenText) -> Effects {
        let mut out = vec![append(RunEvent::DirectOutputCaptured {
            invocation_id: root(),
            round: self.round,
            path: path.clone(),
            chars: text.chars,
            words: text.words,
            sha256: text.sha256,
            model_response_path: self.turn.response_path.clone(),
        })];
        self.set_status(RunStatus::CreatingCheckpoint, &mut out);
        out.push(Effect::CreateCheckpoint {
            reason: CheckpointReason::DirectOutputCapture,
        });
        self.phase = Phase::Checkpointing(AfterCheckpoint::Drift(Some(path)));
        out
    }

    pub(crate) fn remind(&mut self, captured: Option<WorkspacePath>, out: &mut Effects) {
        let rules = &self.setup.rules;
        let (max_attempts, max_rounds) = (rules.drift_attempts, rules.max_rounds);
        if self.drift_attempts >= max_attempts || self.round >= max_rounds {
            let error = RunError::invalid(
                "model.tool_call_required",
                "the model answered with text instead of a tool call, so the run cannot go on",
            );
            out.extend(self.fail(error.with_hint("Start the run again; a model that is good with tools helps.")));
            return;
        }
        // What this reminder is taken from: reminders that are left, and rounds that can still follow one.
        let attempts_left = max_attempts.saturating_sub(self.drift_attempts);
        let rounds_left = max_rounds.saturating_sub(self.round);
        self.drift_attempts += 1;
        out.push(append(RunEvent::DriftRecoveryAttempted {
            attempt: self.drift_attempts,
            max_attempts,
            max_rounds,
            limit_reason: if rounds_left < attempts_left {
                "max_rounds"
            } else {
                "max_attempts"
            }
            .to_owned(),
            round: self.round,
            invocation_id: root(),
            committed_count: self.explicit_commits(),
            reason_code: "model.tool_call_required".to_owned(),
        }));
        let aliases: Vec<&str> = self.offered().map(|tool| tool.offer.alias.as_str()).collect();
        let reminder = prompt::reminder(&aliases, captured.as_ref(), self.explicit_commits() > 0);
        if let Some(answer) = self.turn.answer.take() {
            self.conversation.push(answer);
        }
        self.conversation.push(reminder);
        self.begin_round(out);
    }

    /// Every call of the round has settled.
    pub(crate) fn end_of_calls(&mut self, out: &mut Effects) {
        if self.begin_auto_commit(out) {
            return;
        }
        self.end_of_round(out);
    }

    pub(crate) fn end_of_round(&mut self, out: &mut Effects) {
        if self.turn.is_finished {
            out.push(append(RunEvent::AgentLoopFinished {
                commit_count: self.ledger.len(),
                round: self.round,
                invocation_id: root(),
            }));
            self.begin_finish(out);
            return;
        }
        if self.round >= self.setup.rules.max_rounds {
            out.extend(self.fail(RunError::new(
                "agent.max_tool_rounds_exceeded",
                ErrorKind::Validation,
                format!(
                    "the model used up its {} rounds without finishing; it should have called workspace_finish",
                    self.setup.rules.max_rounds
                ),
            )));
            return;
        }
        if let Some(answer) = self.turn.answer.take() {
            self.conversation.push(answer);
        }
        for result in std::mem::take(&mut self.turn.results) {
            self.conversation.push(result);
        }
        self.begin_round(out);
    }
}
