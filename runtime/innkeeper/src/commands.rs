//! The commands that reach a run on its way, as a front end calls them: cancel, guidance, approval, and the answers of its own chat.
//!
//! Starting and reading runs lies elsewhere.

use innkeeper_agent::live::{LiveProjection, LiveSubscription};
use innkeeper_protocol::approval::{ApprovalId, ApprovalScope};
use innkeeper_protocol::id::{CallId, RunId, StableChatId, WorkspaceId};
use innkeeper_protocol::run::RunStatus;
use innkeeper_store::runs::{RunsRoot, cancel_abandoned};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::builder::Innkeeper;
use crate::control::ActiveRun;
use crate::error::{About as _, HostError};
use crate::ports::blocking;
use crate::recovery::FilePorts;

/// A run in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentRun {
    /// The run.
    pub run_id: RunId,
    /// The folder of its chat's runs.
    pub workspace_id: WorkspaceId,
    /// Its chat.
    pub stable_chat_id: StableChatId,
    /// What kind of message it makes.
    pub generation_type: String,
    /// How far it has come.
    pub status: RunStatus,
}

impl AgentRun {
    pub(crate) fn of(run: &ActiveRun, status: RunStatus) -> Self {
        Self {
            run_id: run.run_id.clone(),
            workspace_id: run.workspace_id.clone(),
            stable_chat_id: run.stable_chat_id.clone(),
            generation_type: run.generation_type.as_str().to_owned(),
            status,
        }
    }
}

/// Something that a person says to a run on its way.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SubmitGuidance {
    /// The run.
    pub run_id: String,
    /// 1 to 16,000 characters once trimmed.
    pub text: String,
    /// The sender's own name for it.
    #[serde(default)]
    pub client_guidance_id: Option<String>,
}

/// Guidance that waits for the run's next request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubmittedGuidance {
    /// The run.
    pub run_id: RunId,
    /// Names the guidance.
    pub guidance_id: String,
    /// The sender's own name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_guidance_id: Option<String>,
    /// Always `queued`.
    pub status: String,
    /// The beginning, on one line.
    pub preview: String,
    /// Unicode scalars.
    pub chars: u32,
    /// Words.
    pub words: u32,
    /// Items that wait, this one included.
    pub pending_count: usize,
}

/// A person's answer to a call that waits for it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApproveToolCall {
    /// The run.
    pub run_id: String,
    /// The call.
    pub call_id: String,
    /// Whether it may be made.
    pub approved: bool,
    /// What the answer covers: `once`, `run` or `always`. A denial covers one call.
    #[serde(default)]
    pub scope: Option<String>,
    /// The question that is answered; whichever waits where not given.
    #[serde(default)]
    pub approval_id: Option<String>,
    /// Why; the model is told.
    #[serde(default)]
    pub reason: Option<String>,
}

/// An answer that counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnsweredToolCall {
    /// The run.
    pub run_id: RunId,
    /// The call.
    pub call_id: CallId,
    /// The question.
    pub approval_id: ApprovalId,
    /// Whether the call may be made.
    pub approved: bool,
    /// What the answer covers.
    pub scope: ApprovalScope,
}

impl Innkeeper {
    /// Cancels a run: whatever it waits for is stopped, nothing more is applied, and it ends as cancelled. A run that has ended or has
    /// promoted its persistent files is left as it is. Returns once the journal says so.
    ///
    /// # Errors
    /// `agent.not_found` for an unknown run, `store.run_locked` when another process executes it.
    pub async fn cancel_agent_run(&self, run_id: &str) -> Result<AgentRun, HostError> {
        let run_id = parse_run(run_id, "agent.not_found")?;
        let Some(run) = self.active.get(&run_id) else {
            return self.cancel_inactive(run_id.clone()).await.about(&run_id);
        };
        run.cancel.cancel();
        let status = run
            .reaches(|status| status.is_terminal() || matches!(status, RunStatus::Cancelling | RunStatus::Finishing))
            .await;
        Ok(AgentRun::of(&run, status))
    }

    /// A run that nobody here executes: closed where its owner is gone, told where it has ended.
    async fn cancel_inactive(&self, run_id: RunId) -> Result<AgentRun, HostError> {
        let root = RunsRoot::new(self.data_root()?);
        let mut ports = FilePorts::new(self.data_root()?, self.stamps());
        blocking(move || {
            let folder = root.find_run(&run_id)?;
            let record = cancel_abandoned(&root, &folder, &mut ports)?;
            Ok(AgentRun {
                run_id: record.id,
                workspace_id: record.workspace_id,
                stable_chat_id: record.stable_chat_id,
                generation_type: record.generation_type,
                status: record.status,
            })
        })
        .await
    }

    /// Tells a run something; it reads it with its next request to the model.
    ///
    /// # Errors
    /// `agent.guidance_invalid` without a run, `agent.guidance_empty`, `agent.guidance_too_large`, `agent.guidance_mailbox_full`,
    /// `agent.guidance_mailbox_closed`, `agent.guidance_run_not_accepting` when the run is at its end, `agent.guidance_active_run_missing`
    /// when this process does not execute it.
    pub async fn submit_agent_run_guidance(&self, request: SubmitGuidance) -> Result<SubmittedGuidance, HostError> {
        self.active.guide(request, &self.stamps()).await
    }

    /// Answers the question about a call. The first answer counts.
    ///
    /// # Errors
    /// `agent.approval_invalid` for an empty id or an unknown scope, and where an answer that is to stand is given to arguments with
    /// invisible characters; `agent.approval_not_pending` when no such question waits (any more); `agent.approval_run_mismatch` when the
    /// call belongs to another run and goes on waiting.
    pub fn approve_agent_tool_call(&self, request: ApproveToolCall) -> Result<AnsweredToolCall, HostError> {
        self.active.answer(request)
    }

    /// Watches what a run's model is writing: first a snapshot, then every change until the run ends. There is nothing to watch where the
    /// run is unknown here, has ended, or takes answers in one piece.
    #[must_use]
    pub fn subscribe_agent_run_live_projection(&self, run_id: &RunId) -> LiveSubscription {
        match self.active.get(run_id) {
            Some(run) => run.live.subscribe(),
            None => {
                let nothing = LiveProjection::new();
                nothing.run_ended();
                nothing.subscribe()
            }
        }
    }

    /// The front end has put a commit into its chat, or refuses to (`error`, not blank).
    ///
    /// # Errors
    /// See [`HostBridge::resolve_commit`](crate::HostBridge::resolve_commit).
    pub fn resolve_agent_chat_commit(
        &self,
        run_id: &str,
        commit_id: &str,
        message_id: Option<&str>,
        error: Option<&str>,
    ) -> Result<(), HostError> {
        let answered = self.bridge.resolve_commit(run_id, commit_id, message_id, error);
        about_named(answered, run_id)
    }

    /// The front end has named a run's persistent state in its message, or could not (`error`, not blank).
    ///
    /// # Errors
    /// See [`HostBridge::resolve_metadata_update`](crate::HostBridge::resolve_metadata_update).
    pub fn resolve_agent_persistent_state_metadata_update(
        &self,
        run_id: &str,
        update_id: &str,
        error: Option<&str>,
    ) -> Result<(), HostError> {
        about_named(self.bridge.resolve_metadata_update(run_id, update_id, error), run_id)
    }
}

/// An error about the run of this name, if it can be one.
fn about_named<T>(answer: Result<T, HostError>, run_id: &str) -> Result<T, HostError> {
    match RunId::parse(run_id.trim()) {
        Ok(run_id) => answer.about(&run_id),
        Err(_) => answer,
    }
}

/// The run of this name.
pub(crate) fn parse_run(text: &str, code: &str) -> Result<RunId, HostError> {
    RunId::parse(text.trim()).map_err(|error| HostError::new(code, error.to_string()))
}
