//! `start_agent_run`: a start as a front end sends it, over a chat of the application.
//!
//! It is turned into a [`StartRun`](super::StartRun); what is checked, and in which order, is the same.

use innkeeper_agent::snapshot::{StartOptions, Submission, Submitted};
use innkeeper_protocol::approval::ApprovalMode;
use innkeeper_protocol::id::RunId;
use innkeeper_protocol::run::{ChatRef, RunStatus};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ApplicationChat, ProfileChoice, RunChat, StartRun};
use crate::builder::Innkeeper;
use crate::commands::AgentRun;
use crate::error::HostError;
use crate::prompt::PromptInputs;

/// A start as a front end sends it.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartAgentRun {
    /// Where the chat lies in the application.
    pub chat_ref: ChatRef,
    /// The application's lasting id of the chat.
    #[serde(default, alias = "stableId")]
    pub stable_chat_id: String,
    /// `normal`, `regenerate`, `swipe` or `continue`; `normal` where not given.
    #[serde(default)]
    pub generation_type: Option<String>,
    /// The profile; the built-in one where blank or not given.
    #[serde(default)]
    pub profile_id: Option<String>,
    /// The persistent state that the front end expects the run to start from.
    #[serde(default)]
    pub persist_base_state_id: Option<String>,
    /// The front end's prompt.
    #[serde(default)]
    pub prompt_snapshot: Option<Value>,
    /// What the front end kept for prompts of other agents.
    #[serde(default)]
    pub frozen_run_input_snapshot: Option<Value>,
    /// Why the front end asks. Recorded, never read.
    #[serde(default)]
    pub generation_intent: Option<Value>,
    /// Which preset and character skills are looked up for.
    #[serde(default)]
    pub skill_scope_refs: Option<Value>,
    /// `foreground` or `background`; the options' word wins, the profile's holds where neither is given.
    #[serde(default)]
    pub presentation: Option<Value>,
    /// `{stream?, presentation?}`.
    #[serde(default)]
    pub options: Option<Value>,
    /// Accepted and without effect: there is no resume.
    #[serde(default)]
    pub workspace_mode: Option<String>,
    /// Accepted and without effect: there is no resume.
    #[serde(default)]
    pub resume_run_id: Option<String>,
}

impl Innkeeper {
    /// Starts a run over a chat of the application and returns once it is on its way. Commits are asked for in its events, and a person
    /// is asked about calls that need an approval.
    ///
    /// # Errors
    /// `agent.options_invalid`, `agent.presentation_invalid`, `agent.prompt_snapshot_required` and the others of a start, the first in
    /// their order; `agent.chats_required` and `agent.models_required` for a host that was built without them. Nothing is written then.
    pub async fn start_agent_run(&self, request: StartAgentRun) -> Result<AgentRun, HostError> {
        let options = StartOptions::parse(request.options.as_ref())?;
        let told = request
            .presentation
            .as_ref()
            .map(|word| json!({ "presentation": word }));
        let told = StartOptions::parse(told.as_ref())?;
        let submitted = Submitted::receive(Submission {
            snapshot: request.prompt_snapshot.as_ref(),
            generation_type: request.generation_type.as_deref(),
            frozen: request.frozen_run_input_snapshot.as_ref(),
            intent: request.generation_intent.as_ref(),
        })?;
        let source = self
            .chats
            .clone()
            .ok_or_else(|| missing("agent.chats_required", "chats"))?;
        let models = self
            .models
            .clone()
            .ok_or_else(|| missing("agent.models_required", "models"))?;
        let model = models.model(submitted.payload())?;
        let chat = RunChat::Application(ApplicationChat {
            chat_ref: request.chat_ref,
            stable_chat_id: request.stable_chat_id,
            source,
        });
        let start = StartRun {
            profile: ProfileChoice::of_id(request.profile_id.as_deref())?,
            generation: submitted.generation_type,
            presentation: options.presentation.or(told.presentation),
            prompt: PromptInputs {
                snapshot: request.prompt_snapshot,
                frozen: request.frozen_run_input_snapshot,
                intent: request.generation_intent,
                ..PromptInputs::default()
            },
            skill_scope_refs: request.skill_scope_refs,
            persist_base_state_id: request.persist_base_state_id,
            approvals: ApprovalMode::Ask,
            stream: options.stream,
            ..StartRun::over(chat, model)
        };
        let handle = self.start_run(start).await?;
        let run = self.active.get(handle.run_id());
        run.map(|run| AgentRun::of(&run, RunStatus::Created))
            .map_or_else(|| self.started_and_gone(handle.run_id()), Ok)
    }

    /// A run that was over before anybody could look.
    fn started_and_gone(&self, run_id: &RunId) -> Result<AgentRun, HostError> {
        let (summary, _) = self.runs()?.read_agent_run(run_id)?;
        Ok(AgentRun {
            run_id: run_id.clone(),
            workspace_id: summary.workspace_id,
            stable_chat_id: summary.stable_chat_id,
            generation_type: summary.generation_type,
            status: RunStatus::Created,
        })
    }
}

fn missing(code: &str, what: &str) -> HostError {
    HostError::new(
        code,
        format!("this host was built without {what}, so it cannot start runs over an application's chat"),
    )
    .with_hint(format!("Give the builder {what}."))
}
