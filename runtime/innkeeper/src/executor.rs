//! The executor: performs the effects that the loop asks for, in order, and tells it what came of them.
//!
//! It decides nothing about the run. An event is durable in the journal before the next effect begins.

use std::sync::Arc;
use std::time::Duration;

use innkeeper_agent::{Effect, Event, Run, WrittenText, step};
use innkeeper_capabilities::{Invocation, LogLine, StagedChanges};
use innkeeper_protocol::call::{CallOutcome, PlannedCommit, ToolResult};
use innkeeper_protocol::envelope::Envelope;
use innkeeper_protocol::event::{CheckpointReason, RunEvent};
use innkeeper_protocol::id::{CallId, CheckpointId, CommitId, ToolId};
use innkeeper_protocol::limits::{Limits, Usage};
use innkeeper_protocol::model::{Model, ModelError, ModelRequest, StoredTurn};
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::port::{
    ApplyError, ChatHost, Clock, CommitReceipt, CommitRefusal, CommitRequest, FileChange, FileError, Guard,
    MetadataUpdate,
};
use innkeeper_protocol::run::{RunError, RunStatus};
use innkeeper_sandbox::Sandbox;
use innkeeper_store::audit::CallFiles;
use innkeeper_store::workspace::InvocationStatus;
use innkeeper_text::measure;
use innkeeper_tools::{CallEnvironment, Catalogue};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tracing::Instrument as _;

use crate::cancel::CancelSwitch;
use crate::error::{HostError, unwritable};
use crate::recorder::Recorder;
use crate::setup::RunFrame;
use crate::system::SeededRandomness;
use crate::words;

/// How long a cancelled run still waits for a commit that is under way, so that the journal can say what became of it.
const COMMIT_GRACE: Duration = Duration::from_millis(500);

/// Everything that one run's effects are performed with.
pub(crate) struct Executor {
    pub(crate) run: Run,
    pub(crate) frame: RunFrame,
    pub(crate) recorder: Recorder,
    pub(crate) sandbox: Arc<Sandbox>,
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) invocation: Arc<Invocation>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) host: Arc<dyn ChatHost>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) cancel: CancelSwitch,
    pub(crate) events: UnboundedSender<Envelope>,
    pub(crate) limits: Limits,
    pub(crate) seed: u64,
    pub(crate) work: Work,
}

/// What is carried from one effect to a later one.
#[derive(Default)]
pub(crate) struct Work {
    /// Files of the call that is open.
    call: Option<CallFiles>,
    /// What its tool has staged.
    staged: Option<StagedChanges>,
    /// Requests to the model so far, retries counted.
    turns: u32,
    /// Tool calls so far; each has random numbers of its own.
    tool_calls: u64,
    /// Commits that the host has confirmed.
    commits: u64,
    /// Checkpoints so far.
    checkpoints: u64,
    /// What the model thought, turn by turn.
    reasoning: Vec<String>,
}

/// What follows after some effects.
enum Next {
    /// The last one was answered.
    Event(Event),
    /// The run is over.
    Over,
    /// The journal takes no more events, so nothing more is done. Whoever opens the data root next closes the run.
    Broken(RunError),
}

/// How a run ended.
pub(crate) struct Ended {
    pub(crate) status: RunStatus,
    pub(crate) error: Option<HostError>,
}

impl Executor {
    /// Drives the run to its end.
    pub(crate) async fn drive(mut self) -> Ended {
        let mut event = Event::Started;
        loop {
            let effects = step(&mut self.run, event);
            match self.perform(effects).await {
                Next::Event(next) => event = next,
                Next::Over => {
                    return Ended {
                        status: self.run.status(),
                        error: self.run.error().cloned().map(HostError::from),
                    };
                }
                Next::Broken(error) => return self.broken(error),
            }
        }
    }

    /// The journal takes no more events. What was committed stands, so the run has not simply failed.
    fn broken(&self, error: RunError) -> Ended {
        let status = if self.work.commits > 0 {
            RunStatus::PartialSuccess
        } else {
            RunStatus::Failed
        };
        Ended {
            status,
            error: Some(error.into()),
        }
    }

    /// Performs effects in order. The last one may have an answer.
    async fn perform(&mut self, effects: Vec<Effect>) -> Next {
        for effect in effects {
            match effect {
                Effect::Append(event) => {
                    if let Err(error) = self.append(*event).await {
                        return Next::Broken(error);
                    }
                }
                Effect::End => return Next::Over,
                other => return Next::Event(self.answer(other).await),
            }
        }
        Next::Over
    }

    async fn append(&mut self, event: RunEvent) -> Result<(), RunError> {
        let invocation = invocation_status(&event);
        let envelope = self.recorder.append(event).await?;
        if let Some(status) = invocation {
            self.recorder.note_invocation(status).await;
        }
        // Nobody may be listening; the journal has it.
        let _ = self.events.send(envelope);
        Ok(())
    }

    async fn answer(&mut self, effect: Effect) -> Event {
        let answer = match effect {
            Effect::PrepareWorkspace => self.prepare_workspace().await,
            Effect::CallModel(request) => return self.call_model(*request).await,
            Effect::Wait { ms } => return self.wait(ms).await,
            Effect::StoreTurn(turn) => self.store_turn(*turn).await,
            Effect::StoreArguments {
                call_id,
                tool_id,
                arguments,
                must_fit,
            } => {
                // A turn may hold thousands of calls that are refused before they run.
                if self.cancel.is_thrown() {
                    return Event::CancelRequested;
                }
                let checked = must_fit.then_some(&tool_id);
                self.store_arguments(call_id, checked, arguments).await
            }
            Effect::RunTool {
                call_id,
                tool_id,
                arguments,
            } => return self.run_tool(call_id, tool_id, arguments).await,
            Effect::ApplyStaged => self.apply_staged().await,
            Effect::CreateCheckpoint { reason } => self.create_checkpoint(reason).await,
            Effect::AskCommit {
                commit_id,
                sequence,
                planned,
                checkpoint_id,
                is_explicit,
            } => {
                return self
                    .ask_commit(commit_id, sequence, planned, checkpoint_id, is_explicit)
                    .await;
            }
            Effect::StoreResult { result, counts, view } => self.store_result(*result, counts, view).await,
            Effect::CaptureText { path, text } => self.capture_text(path, text).await,
            Effect::Promote => return self.promote().await,
            Effect::UpdateMetadata {
                update_id,
                message_id,
                state_id,
                changes,
            } => {
                let update = MetadataUpdate {
                    update_id,
                    run_id: self.frame.run_id.clone(),
                    stable_chat_id: self.frame.stable_chat_id.clone(),
                    message_id,
                    state_id,
                    base_state_id: self.frame.persist_base_state_id.clone(),
                    changes,
                };
                return Event::MetadataUpdated(self.host.update_metadata(&update).await);
            }
            Effect::Append(_) | Effect::End => Err(RunError::internal(
                "agent.internal_error",
                "an effect without an answer was asked for one",
            )),
        };
        answer.unwrap_or_else(Event::Failed)
    }

    async fn prepare_workspace(&mut self) -> Result<Event, RunError> {
        let persistent_roots = self.recorder.prepare_workspace(&self.frame).await?;
        Ok(Event::WorkspaceReady { persistent_roots })
    }

    async fn call_model(&mut self, request: ModelRequest) -> Event {
        if self.cancel.is_thrown() {
            return Event::CancelRequested;
        }
        self.work.turns += 1;
        let span = tracing::info_span!("turn", request = self.work.turns, messages = request.messages.len());
        let asked = tokio::select! {
            biased;
            () = self.cancel.thrown() => return Event::CancelRequested,
            answer = self.model.complete(&request).instrument(span) => answer,
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

    async fn wait(&self, ms: u64) -> Event {
        tokio::select! {
            biased;
            () = self.cancel.thrown() => Event::CancelRequested,
            () = tokio::time::sleep(Duration::from_millis(ms)) => Event::WaitOver,
        }
    }

    async fn store_turn(&mut self, turn: StoredTurn) -> Result<Event, RunError> {
        let path = format!("model-responses/round-{:03}.json", turn.round);
        self.recorder
            .store_json(&path, serde_json::to_value(&turn).map_err(unwritable)?)
            .await?;
        Ok(Event::TurnStored { path })
    }

    async fn store_arguments(
        &mut self,
        call_id: CallId,
        checked: Option<&ToolId>,
        arguments: Value,
    ) -> Result<Event, RunError> {
        let tool = checked.and_then(|id| self.catalogue.tool(id));
        let fit = tool.is_none_or(|tool| tool.accepts(&arguments));
        let files = self.recorder.begin_call(call_id, arguments).await?;
        let path = files.arguments.as_str().to_owned();
        self.work.call = Some(files);
        self.work.staged = None;
        Ok(Event::ArgumentsStored { path, fit })
    }

    async fn run_tool(&mut self, call_id: CallId, tool_id: ToolId, arguments: Value) -> Event {
        if self.cancel.is_thrown() {
            return Event::CancelRequested;
        }
        let Some(tool) = self.catalogue.tool(&tool_id).cloned() else {
            let error = innkeeper_protocol::call::ToolError::new(
                "agent.tool_denied",
                format!("{} is no longer installed. Go on without it.", tool_id.name()),
            );
            return Event::ToolReturned {
                outcome: CallOutcome::Error(error),
                elapsed_ms: 0,
            };
        };
        self.work.tool_calls += 1;
        let environment = CallEnvironment {
            invocation: self.invocation.clone(),
            randomness: Box::new(SeededRandomness::of_call(self.seed, self.work.tool_calls)),
            limits: self.limits.clone(),
        };
        let span =
            tracing::info_span!("tool_call", call = %call_id, tool = %tool_id, component = %tool.component_digest());
        let started = self.clock.monotonic_micros();
        let dispatched = tokio::select! {
            biased;
            () = self.cancel.thrown() => return Event::CancelRequested,
            dispatched = tool.call(&self.sandbox, &arguments, environment).instrument(span) => dispatched,
        };
        self.work.staged = Some(dispatched.staged);
        tell_log(&dispatched.log, dispatched.log_dropped);
        note_usage(&dispatched.outcome);
        let elapsed_ms = self.clock.monotonic_micros().saturating_sub(started) / 1_000;
        Event::ToolReturned {
            outcome: dispatched.outcome,
            elapsed_ms,
        }
    }

    async fn apply_staged(&mut self) -> Result<Event, RunError> {
        let Some(staged) = &mut self.work.staged else {
            return Ok(Event::EffectsApplied(Ok(())));
        };
        let changes = std::mem::take(&mut staged.changes);
        match self.invocation.files().apply(changes).await {
            Ok(()) => Ok(Event::EffectsApplied(Ok(()))),
            Err(ApplyError::Fault(error)) => Err(error),
            Err(error) => Ok(Event::EffectsApplied(Err(words::not_applied(&error, &staged.effects)))),
        }
    }

    async fn create_checkpoint(&mut self, reason: CheckpointReason) -> Result<Event, RunError> {
        self.work.checkpoints += 1;
        let id = self.recorder.create_checkpoint(self.work.checkpoints, reason).await?;
        let id = CheckpointId::parse(&id).map_err(|e| RunError::internal("agent.internal_error", e.to_string()))?;
        Ok(Event::CheckpointCreated(id))
    }

    async fn ask_commit(
        &mut self,
        commit_id: CommitId,
        sequence: u32,
        planned: PlannedCommit,
        checkpoint_id: CheckpointId,
        is_explicit: bool,
    ) -> Event {
        if self.cancel.is_thrown() {
            return Event::CancelRequested;
        }
        let text = match self.text_to_commit(&planned).await {
            Ok(text) => text,
            Err(Ok(refusal)) => return Event::CommitAnswered(Err(refusal)),
            Err(Err(error)) => return Event::Failed(error),
        };
        let request = self
            .frame
            .commit_request(commit_id, sequence, planned, checkpoint_id, text, is_explicit);
        let request = CommitRequest {
            reasoning: self.visible_reasoning(),
            ..request
        };
        let Some(answer) = self.await_commit(&request).await else {
            return Event::CancelRequested;
        };
        if answer.is_ok() {
            self.work.commits += 1;
            if is_explicit {
                self.invocation.explicit_commit_confirmed();
            }
        }
        Event::CommitAnswered(answer)
    }

    /// The host's answer; none when the run was cancelled and the host did not answer soon.
    async fn await_commit(&self, request: &CommitRequest) -> Option<Result<CommitReceipt, CommitRefusal>> {
        let commit = self.host.commit(request);
        tokio::pin!(commit);
        tokio::select! {
            answer = &mut commit => Some(answer),
            () = self.cancel.thrown() => tokio::time::timeout(COMMIT_GRACE, commit).await.ok(),
        }
    }

    /// The file as it is now, if it is still what the tool has seen.
    async fn text_to_commit(&self, planned: &PlannedCommit) -> Result<String, Result<CommitRefusal, RunError>> {
        let refused = |reason: String| Err(Ok(CommitRefusal { reason }));
        match self.invocation.files().read(&planned.path).await {
            Ok(file) if file.sha256 == planned.sha256 => Ok(file.text),
            Ok(_) => refused(format!("{} was changed after the commit was asked for.", planned.path)),
            Err(FileError::Problem(problem)) => refused(format!("{} cannot be read: {problem}.", planned.path)),
            Err(FileError::Fault(error)) => Err(Err(error)),
        }
    }

    fn visible_reasoning(&self) -> Option<String> {
        (!self.work.reasoning.is_empty()).then(|| self.work.reasoning.join("\n\n"))
    }

    async fn store_result(
        &mut self,
        result: ToolResult,
        counts: bool,
        view: Option<String>,
    ) -> Result<Event, RunError> {
        let Some(files) = self.work.call.take() else {
            return Err(RunError::internal(
                "agent.internal_error",
                "a result came for a call that was never begun",
            ));
        };
        let path = files.result.clone();
        let view_path = view.is_some().then(|| files.view.clone());
        self.recorder.store_result(files, result, view).await?;
        if let (true, Some(staged)) = (counts, self.work.staged.take()) {
            self.invocation.settle(&staged);
        }
        Ok(Event::ResultStored { path, view: view_path })
    }

    async fn capture_text(&mut self, path: WorkspacePath, text: String) -> Result<Event, RunError> {
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

    async fn promote(&mut self) -> Event {
        if self.cancel.is_thrown() {
            return Event::CancelRequested;
        }
        Event::Promoted(self.recorder.promote(&self.frame).await)
    }
}

/// Passes on what a tool logged, to people who asked for it.
fn tell_log(lines: &[LogLine], dropped: u64) {
    for LogLine { level, message } in lines {
        tracing::debug!(level, "the tool says: {message}");
    }
    if dropped > 0 {
        tracing::debug!(dropped, "lines beyond the log's limit were left out");
    }
}

/// Tells the log what a call used of its limits; never what it was about.
fn note_usage(outcome: &CallOutcome) {
    let usage = match outcome {
        CallOutcome::Reply(reply) => Some(reply.usage),
        CallOutcome::Error(error) => error.usage,
        CallOutcome::Fault(_) => None,
    };
    if let Some(Usage {
        wall_micros,
        peak_memory_bytes,
        host_calls,
        output_bytes,
    }) = usage
    {
        tracing::debug!(
            wall_micros,
            peak_memory_bytes,
            host_calls,
            output_bytes,
            "the tool is done"
        );
    }
}

/// What an event says of the root invocation.
fn invocation_status(event: &RunEvent) -> Option<InvocationStatus> {
    match event {
        RunEvent::AgentInvocationCompleted(_) => Some(InvocationStatus::Completed),
        RunEvent::AgentInvocationFailed(_) => Some(InvocationStatus::Failed),
        RunEvent::AgentInvocationCancelled(_) => Some(InvocationStatus::Cancelled),
        _ => None,
    }
}
