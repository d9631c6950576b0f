//! What a run is made of once its start has been checked: names, frozen inputs, and where they are kept.

use innkeeper_agent::RunSetup;
use innkeeper_agent::profile::ResolvedProfile;
use innkeeper_protocol::call::PlannedCommit;
use innkeeper_protocol::id::{CheckpointId, CommitId, ProfileId, RunId, StableChatId, StateId, WorkspaceId};
use innkeeper_protocol::port::CommitRequest;
use innkeeper_protocol::run::{ChatRef, GenerationType};
use innkeeper_tools::Snapshot;
use serde_json::Value;

use crate::error::{HostError, unwritable};

/// The names and frozen inputs of one run.
pub(crate) struct RunFrame {
    pub(crate) run_id: RunId,
    pub(crate) workspace_id: WorkspaceId,
    pub(crate) stable_chat_id: StableChatId,
    pub(crate) chat_ref: ChatRef,
    pub(crate) generation_type: GenerationType,
    pub(crate) profile_id: ProfileId,
    pub(crate) profile: ResolvedProfile,
    pub(crate) persist_base_state_id: Option<StateId>,
    /// The prompt as it was put together.
    pub(crate) prompt_snapshot: Value,
    /// The skills as they were frozen.
    pub(crate) skills: Value,
    /// The tools as they were frozen.
    pub(crate) tool_snapshot: Value,
}

impl RunFrame {
    /// What the host keeps of a run beside what the loop does.
    pub(crate) fn of(
        setup: &RunSetup,
        profile: ResolvedProfile,
        prompt_snapshot: Value,
        tools: &Snapshot,
    ) -> Result<Self, HostError> {
        Ok(Self {
            run_id: setup.run_id.clone(),
            workspace_id: setup.workspace_id.clone(),
            stable_chat_id: setup.stable_chat_id.clone(),
            chat_ref: setup.chat_ref.clone(),
            generation_type: setup.generation_type,
            profile_id: setup.profile_id.clone(),
            persist_base_state_id: setup.persist_base_state_id.clone(),
            prompt_snapshot,
            skills: serde_json::to_value(&setup.skills.effective).map_err(unwritable)?,
            tool_snapshot: serde_json::to_value(tools).map_err(unwritable)?,
            profile,
        })
    }

    /// The host's view of a commit. What the model thought is added by whoever knows it.
    pub(crate) fn commit_request(
        &self,
        commit_id: CommitId,
        sequence: u32,
        planned: PlannedCommit,
        checkpoint_id: CheckpointId,
        text: String,
        is_explicit: bool,
    ) -> CommitRequest {
        CommitRequest {
            commit_id,
            sequence,
            run_id: self.run_id.clone(),
            workspace_id: self.workspace_id.clone(),
            stable_chat_id: self.stable_chat_id.clone(),
            chat_ref: self.chat_ref.clone(),
            generation_type: self.generation_type,
            profile_id: self.profile_id.clone(),
            persist_base_state_id: self.persist_base_state_id.clone(),
            checkpoint_id,
            planned,
            text,
            is_explicit,
            reasoning: None,
        }
    }
}
