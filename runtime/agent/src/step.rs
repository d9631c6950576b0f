//! The step: one event in, what is to be done out. Pure and total; an event that does not fit the phase ends the run as a defect.
//!
//! Nothing is performed here, and nothing is asked for twice: an answer that does not come is waited for by whoever performs effects.

use innkeeper_protocol::event::{
    AnswerMetrics, InvocationPayload, Narration, OfferedTool as OfferedToolSummary, RequestSummary, RunEvent,
};
use innkeeper_protocol::run::RunStatus;
use innkeeper_text::measure;
use serde_json::json;

use crate::effect::Effect;
use crate::event::Event;
use crate::run::{Phase, Run, internal, root};

/// Characters of a model's side remark that the journal shows.
const NARRATION_CHARS: usize = 280;

/// What one step asks for, in order.
pub(crate) type Effects = Vec<Effect>;

pub(crate) fn append(event: RunEvent) -> Effect {
    Effect::Append(Box::new(event))
}

/// Takes one event and says what is to be done.
#[must_use]
pub fn step(run: &mut Run, event: Event) -> Vec<Effect> {
    let phase = std::mem::replace(&mut run.phase, Phase::Ended);
    // A journal begins with its run, also when the first thing to happen is an end.
    let mut out = if matches!(phase, Phase::Created) {
        run.opening()
    } else {
        Vec::new()
    };
    out.extend(take(run, phase, event));
    out
}

fn take(run: &mut Run, phase: Phase, event: Event) -> Effects {
    match (phase, event) {
        (Phase::Ended, _) => Vec::new(),
        (phase, Event::CancelRequested) => run.cancel(phase),
        (phase, Event::Failed(error)) => run.fail_in(phase, error),
        (Phase::Created, Event::Started) => run.begin(),
        (Phase::PreparingWorkspace, Event::WorkspaceReady { persistent_roots }) => {
            run.workspace_ready(persistent_roots)
        }
        (Phase::TakingGuidance, Event::GuidanceTaken(items)) => run.guidance_taken(&items),
        (Phase::AwaitingModel { attempt }, Event::ModelAnswered(answer)) => run.model_answered(attempt, answer),
        (Phase::WaitingToRetry { attempt }, Event::WaitOver) => run.ask_again(attempt),
        (Phase::StoringTurn, Event::TurnStored { path }) => run.turn_stored(path),
        (Phase::StoringArguments, Event::ArgumentsStored { path, fit }) => run.arguments_stored(path, fit),
        (Phase::PreparingApproval(rule), Event::ApprovalPrepared(finding)) => run.approval_prepared(rule, finding),
        (Phase::AwaitingApproval(id), Event::ApprovalAnswered(answer)) => run.approval_answered(id, answer),
        (Phase::RunningTool, Event::ToolReturned { outcome, elapsed_ms }) => run.tool_returned(outcome, elapsed_ms),
        (Phase::Applying(reply), Event::EffectsApplied(applied)) => run.effects_applied(reply, applied),
        (Phase::Checkpointing(after), Event::CheckpointCreated(id)) => run.checkpoint_created(after, id),
        (Phase::AwaitingCommit(pending), Event::CommitAnswered(answer)) => run.commit_answered(pending, answer),
        (Phase::StoringResult { result, how }, Event::ResultStored { path, view }) => {
            run.result_stored(result, how, path, view)
        }
        (Phase::CapturingText(path), Event::TextCaptured(text)) => run.text_captured(path, text),
        (Phase::Promoting, Event::Promoted(promoted)) => run.promoted(promoted),
        (Phase::UpdatingMetadata(names), Event::MetadataUpdated(answer)) => run.metadata_updated(names, answer),
        (phase, event) => {
            let (event, now) = (event.name(), phase.name());
            let error = internal(format!("the event {event} does not belong to the phase {now}"));
            run.fail_in(phase, error)
        }
    }
}

impl Run {
    /// Moves to a status and says so, once.
    pub(crate) fn set_status(&mut self, status: RunStatus, out: &mut Effects) {
        if self.status != status {
            self.status = status;
            out.push(append(RunEvent::StatusChanged { status }));
        }
    }

    pub(crate) fn invocation(&self, status: &str) -> InvocationPayload {
        InvocationPayload {
            invocation_id: root(),
            parent_invocation_id: None,
            profile_id: self.setup.profile_id.clone(),
            kind: "root".to_owned(),
            status: status.to_owned(),
            exit_policy: "run_finish_allowed".to_owned(),
        }
    }

    fn opening(&self) -> Effects {
        let setup = &self.setup;
        let mut out = vec![
            append(RunEvent::RunCreated {
                workspace_id: setup.workspace_id.clone(),
                stable_chat_id: setup.stable_chat_id.clone(),
                chat_ref: setup.chat_ref.clone(),
                generation_type: setup.generation_type,
                profile_id: setup.profile_id.clone(),
                persist_base_state_id: setup.persist_base_state_id.clone(),
                input_message_count: setup.input_message_count,
                input_boundary: setup.input_boundary.clone(),
                presentation: setup.presentation,
            }),
            append(RunEvent::ProfileResolved {
                profile_id: setup.profile_id.clone(),
                source: setup.profile_source.clone(),
            }),
            append(RunEvent::SkillScopesResolved {
                scopes: setup.skills.scopes.clone(),
                refs: setup.skills.refs.clone(),
                effective_skills: setup.skills.effective.clone(),
            }),
        ];
        let intent = setup.generation_intent.clone();
        out.extend(intent.map(|intent| append(RunEvent::GenerationIntentRecorded(intent))));
        out
    }

    fn begin(&mut self) -> Effects {
        let mut out = Vec::new();
        self.set_status(RunStatus::InitializingWorkspace, &mut out);
        out.push(Effect::PrepareWorkspace);
        self.phase = Phase::PreparingWorkspace;
        out
    }

    fn workspace_ready(&mut self, persistent_roots: Vec<String>) -> Effects {
        self.is_invocation_live = true;
        let setup = &self.setup;
        let mut out = vec![
            append(RunEvent::WorkspaceInitialized {
                workspace_id: setup.workspace_id.clone(),
                stable_chat_id: setup.stable_chat_id.clone(),
            }),
            append(RunEvent::AgentInvocationCreated(self.invocation("created"))),
            append(RunEvent::AgentInvocationStarted(self.invocation("running"))),
        ];
        if !persistent_roots.is_empty() {
            out.push(append(RunEvent::PersistentProjectionInitialized {
                roots: persistent_roots,
            }));
        }
        out.push(append(RunEvent::AgentModelBindingResolved {
            mode: "currentPromptSnapshot".to_owned(),
            chat_completion_source: setup.model.source.clone(),
            custom_api_format: None,
            model_id: setup.model.model.clone(),
        }));
        self.set_status(RunStatus::AssemblingContext, &mut out);
        out.push(append(self.context_assembled()));
        self.begin_round(&mut out);
        out
    }

    fn context_assembled(&self) -> RunEvent {
        let rules = &self.setup.rules;
        let offered = |tool: &crate::run::OfferedTool| OfferedToolSummary {
            tool_id: tool.id.clone(),
            model_alias: tool.offer.alias.clone(),
        };
        RunEvent::ContextAssembled {
            request: self.request_summary(self.conversation.message_count()),
            invocation_id: root(),
            tools: self.offered().map(offered).collect(),
            max_rounds: rules.max_rounds,
            context_policy: rules.context_policy.clone(),
            model_retry: json!({ "maxRetries": rules.max_retries, "intervalMs": rules.retry_interval_ms }),
        }
    }

    pub(crate) fn request_summary(&self, message_count: usize) -> RequestSummary {
        RequestSummary {
            chat_completion_source: self.setup.model.source.clone(),
            custom_api_format: None,
            model: self.setup.model.model.clone(),
            message_count,
            tool_count: self.offered().count(),
        }
    }
}

/// What the journal says of an answer's text.
pub(crate) fn answer_metrics(text: &str, reasoning: Option<&str>, has_calls: bool) -> AnswerMetrics {
    let said = measure(text);
    let thought = measure(reasoning.unwrap_or_default());
    let has_text = !text.trim().is_empty();
    let narration = (has_text && has_calls).then(|| Narration {
        source: "assistantText".to_owned(),
        text: text.chars().take(NARRATION_CHARS).collect(),
        total_chars: said.chars,
        total_words: said.words,
        truncated: said.chars as usize > NARRATION_CHARS,
    });
    AnswerMetrics {
        has_assistant_text: has_text,
        assistant_text_chars: said.chars,
        assistant_text_words: said.words,
        has_reasoning: thought.chars > 0,
        reasoning_chars: thought.chars,
        reasoning_words: thought.words,
        narration,
        text_chars: said.chars,
        text_words: said.words,
    }
}

#[cfg(test)]
mod tests;
