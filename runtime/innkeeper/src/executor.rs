//! The executor: performs the effects that the loop asks for, in order, and tells it what came of them.
//!
//! It decides nothing about the run. An event is durable in the journal before the next effect begins.

mod approval;
mod calls;
mod commits;
mod model;

use std::num::NonZeroU64;
use std::sync::Arc;

use innkeeper_agent::live::LiveInvocation;
use innkeeper_agent::{Effect, Event, Run, step};
use innkeeper_capabilities::{Invocation, StagedChanges};
use innkeeper_protocol::approval::ApprovalMode;
use innkeeper_protocol::event::{DiscardReason, RunEvent};
use innkeeper_protocol::limits::Limits;
use innkeeper_protocol::model::Model;
use innkeeper_protocol::port::{ChatHost, Clock};
use innkeeper_protocol::run::{RunError, RunStatus};
use innkeeper_sandbox::Sandbox;
use innkeeper_store::approvals::Approvals;
use innkeeper_store::audit::CallFiles;
use innkeeper_store::workspace::InvocationStatus;
use innkeeper_tools::Catalogue;

use crate::control::{ActiveRun, discarded};
use crate::error::HostError;
use crate::network::NetworkPorts;
use crate::setup::RunFrame;
use approval::Question;

/// Everything that one run's effects are performed with.
pub(crate) struct Executor {
    pub(crate) run: Run,
    pub(crate) frame: RunFrame,
    /// What of the run can be reached from outside, its journal among it.
    pub(crate) active: Arc<ActiveRun>,
    pub(crate) sandbox: Arc<Sandbox>,
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) invocation: Arc<Invocation>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) host: Arc<dyn ChatHost>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) network: NetworkPorts,
    /// Shows the model's answers as they come, where they come piece by piece.
    pub(crate) live: Option<LiveInvocation>,
    /// Who is asked about calls that need an approval.
    pub(crate) approvals: ApprovalMode,
    /// Answers that stand from run to run.
    pub(crate) standing: Arc<Approvals>,
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
    /// What a person is asked about it.
    question: Option<Question>,
    /// Calls of the turn that the journal has asked for.
    calls_of_turn: usize,
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
    /// The number of the event that says why the run ended early.
    failed_in: Option<NonZeroU64>,
}

/// What follows after some effects.
enum Next {
    /// The last one was answered.
    Event(Event),
    /// The run is over.
    Over,
    /// The journal takes no more events, so nothing more is done. The run is closed when it takes them again.
    Broken(RunError),
}

/// How a run ended.
pub(crate) struct Ended {
    pub(crate) status: RunStatus,
    pub(crate) error: Option<HostError>,
    /// The journal has not the run's end, because it took no more events.
    pub(crate) is_broken: bool,
}

impl Executor {
    /// Drives the run to its end.
    pub(crate) async fn drive(mut self) -> Ended {
        let ended = self.run_to_end().await;
        // Whatever the host was asked and has not answered is asked no more.
        self.host.withdraw(&self.frame.run_id);
        self.active.live.run_ended();
        ended
    }

    async fn run_to_end(&mut self) -> Ended {
        let mut event = Event::Started;
        loop {
            let effects = step(&mut self.run, event);
            match self.perform(effects).await {
                Next::Event(next) => event = next,
                Next::Over => {
                    return Ended {
                        status: self.run.status(),
                        error: self.run.error().cloned().map(|error| self.told(error)),
                        is_broken: false,
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
            error: Some(self.told(error)),
            is_broken: true,
        }
    }

    /// An error that ended the run, as whoever started it is told.
    fn told(&self, error: RunError) -> HostError {
        HostError::from(error).told_in(&self.frame.run_id, self.work.failed_in)
    }

    /// Performs effects in order. The last one may have an answer.
    async fn perform(&mut self, effects: Vec<Effect>) -> Next {
        let mut effects = effects.into_iter().peekable();
        while let Some(effect) = effects.next() {
            let done = match effect {
                Effect::Append(event) => {
                    let mut events = vec![*event];
                    while let Some(Effect::Append(next)) = effects.next_if(|next| matches!(next, Effect::Append(_))) {
                        events.push(*next);
                    }
                    self.append(events).await
                }
                Effect::CloseMailbox { reason } => self.close_mailbox(reason).await,
                Effect::End => return Next::Over,
                other => return Next::Event(self.answer(other).await),
            };
            if let Err(error) = done {
                return Next::Broken(error);
            }
        }
        Next::Over
    }

    /// Appends events between which nothing is done, and then does what follows from each. They are as durable as if each came alone.
    async fn append(&mut self, events: Vec<RunEvent>) -> Result<(), RunError> {
        for event in &events {
            self.announce(event);
        }
        let (seqs, done) = self.active.recorder.append_all(events.clone()).await;
        for (event, seq) in events.into_iter().zip(seqs) {
            if matches!(event, RunEvent::RunFailed { .. } | RunEvent::RunPartialSuccess { .. }) {
                self.work.failed_in = NonZeroU64::new(seq);
            }
            self.follow_up(event).await;
        }
        done
    }

    /// Whoever reads an event that asks for an answer may answer at once: the question is put before the event is written.
    fn announce(&mut self, event: &RunEvent) {
        match event {
            RunEvent::ChatCommitRequested { run_id, commit_id, .. } => self.host.announce_commit(run_id, commit_id),
            RunEvent::PersistentStateMetadataUpdateRequested { run_id, update_id, .. } => {
                self.host.announce_update(run_id, update_id);
            }
            RunEvent::ToolCallAwaitingApproval(request) => self.put_question(request),
            _ => {}
        }
    }

    /// What holds once the journal says so.
    async fn follow_up(&mut self, event: RunEvent) {
        match event {
            RunEvent::ModelRequestCreated { .. } => self.work.calls_of_turn = 0,
            RunEvent::ModelCallAttemptStarted { round, attempt, .. } => {
                self.live(|live| live.attempt_started(round, attempt))
            }
            RunEvent::ModelCallAttemptFailed { round, attempt, .. } => {
                self.live(|live| live.attempt_failed(round, attempt))
            }
            RunEvent::ToolCallRequested { .. } => self.call_stands(),
            RunEvent::UserGuidanceApplied(applied) => self.active.mailbox.remove(&applied.guidance_ids),
            RunEvent::ToolCallApproved(approval) => self.keep_answer(approval).await,
            RunEvent::AgentInvocationCompleted(_) => self.note_invocation(InvocationStatus::Completed).await,
            RunEvent::AgentInvocationFailed(_) => self.note_invocation(InvocationStatus::Failed).await,
            RunEvent::AgentInvocationCancelled(_) => self.note_invocation(InvocationStatus::Cancelled).await,
            _ => {}
        }
    }

    fn live(&self, tell: impl FnOnce(&LiveInvocation)) {
        if let Some(live) = &self.live {
            tell(live);
        }
    }

    /// A call that stands in the journal is shown from there.
    fn call_stands(&mut self) {
        let index = self.work.calls_of_turn;
        self.work.calls_of_turn = index.saturating_add(1);
        self.live(|live| live.call_requested(index));
    }

    async fn note_invocation(&self, status: InvocationStatus) {
        self.active.recorder.note_invocation(status).await;
    }

    async fn close_mailbox(&mut self, reason: DiscardReason) -> Result<(), RunError> {
        let left = self.active.mailbox.close();
        if left.is_empty() {
            return Ok(());
        }
        let discarded = RunEvent::UserGuidanceDiscarded(discarded(&left, reason));
        self.active.recorder.append(discarded).await.map(|_| ())
    }

    async fn answer(&mut self, effect: Effect) -> Event {
        let answer = match effect {
            Effect::PrepareWorkspace => self.prepare_workspace().await,
            Effect::TakeGuidance => Ok(Event::GuidanceTaken(self.active.mailbox.waiting())),
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
                if self.active.cancel.is_thrown() {
                    return Event::CancelRequested;
                }
                let checked = must_fit.then_some(&tool_id);
                self.store_arguments(call_id, checked, arguments).await
            }
            Effect::PrepareApproval { tool_id, arguments, .. } => self.prepare_approval(&tool_id, &arguments).await,
            Effect::AskApproval { .. } => return self.ask_approval().await,
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
            } => return self.update_metadata(update_id, message_id, state_id, changes).await,
            Effect::CloseMailbox { .. } | Effect::Append(_) | Effect::End => Err(RunError::internal(
                "agent.internal_error",
                "an effect without an answer was asked for one",
            )),
        };
        answer.unwrap_or_else(Event::Failed)
    }

    async fn prepare_workspace(&mut self) -> Result<Event, RunError> {
        let persistent_roots = self.active.recorder.prepare_workspace(&self.frame).await?;
        Ok(Event::WorkspaceReady { persistent_roots })
    }
}
