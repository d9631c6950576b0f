//! What is known of a run without reading its journal: the record and the summary, both caches.
//!
//! They are data; how they come about is said by `fold` and `cache`.

use innkeeper_protocol::envelope::Envelope;
use innkeeper_protocol::id::{RunId, StableChatId, WorkspaceId};
use innkeeper_protocol::run::{ChatRef, Presentation, RunStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// How the chat's file began when the run started, for hosts whose chat is a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Boundary {
    /// Bytes of the file.
    pub bytes: u64,
    /// Their SHA-256.
    pub sha256: String,
}

/// What a run is and how far it has come: `run.json` and its copy in the index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    /// The run.
    pub id: RunId,
    /// The folder of its chat.
    pub workspace_id: WorkspaceId,
    /// Its chat.
    pub stable_chat_id: StableChatId,
    /// Where the chat lies in the application.
    pub chat_ref: ChatRef,
    /// `normal`, `swipe` and so on; other words of other programs are kept.
    pub generation_type: String,
    /// The profile.
    pub profile_id: Option<String>,
    /// Preset and character whose skills count; omitted when empty.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub skill_scope_refs: Map<String, Value>,
    /// The persistent state that the run began with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persist_base_state_id: Option<String>,
    /// Messages of the chat that the run may see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_message_count: Option<u64>,
    /// How the chat's file began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_boundary: Option<Boundary>,
    /// Whether a person watches.
    #[serde(default = "foreground")]
    pub presentation: Presentation,
    /// How far the run has come.
    pub status: RunStatus,
    /// Time of `run_created`, RFC 3339 UTC.
    pub created_at: String,
    /// Time of the last event that set the status.
    pub updated_at: String,
    /// The rollback that was asked for and has no end, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_rollback: Option<String>,
    /// Invocations that began and have no end yet, in the order in which they began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live_invocations: Vec<String>,
    /// Bytes of the journal that are folded into this record.
    pub journal_bytes: u64,
}

fn foreground() -> Presentation {
    Presentation::Foreground
}

/// The members of `run_created` that the record keeps.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    workspace_id: WorkspaceId,
    stable_chat_id: StableChatId,
    chat_ref: ChatRef,
    generation_type: String,
    profile_id: Option<String>,
    skill_scope_refs: Option<Map<String, Value>>,
    persist_base_state_id: Option<String>,
    input_message_count: Option<u64>,
    input_boundary: Option<Boundary>,
    presentation: Option<Presentation>,
}

impl RunRecord {
    /// The record of a run that has just begun; None when the event does not say what the run is.
    pub(crate) fn created(event: &Envelope) -> Option<Self> {
        let created = Created::deserialize(&event.payload).ok()?;
        parse_time(&event.timestamp)?;
        Some(Self {
            id: RunId::parse(&event.run_id).ok()?,
            workspace_id: created.workspace_id,
            stable_chat_id: created.stable_chat_id,
            chat_ref: created.chat_ref,
            generation_type: created.generation_type,
            profile_id: created.profile_id,
            skill_scope_refs: created.skill_scope_refs.unwrap_or_default(),
            persist_base_state_id: created.persist_base_state_id,
            input_message_count: created.input_message_count,
            input_boundary: created.input_boundary,
            presentation: created.presentation.unwrap_or_else(foreground),
            status: RunStatus::Created,
            created_at: event.timestamp.clone(),
            updated_at: event.timestamp.clone(),
            open_rollback: None,
            live_invocations: Vec::new(),
            journal_bytes: 0,
        })
    }

    /// Whether the run has ended and nothing that may follow its end is left open.
    pub(crate) fn is_settled(&self) -> bool {
        self.status.is_terminal() && self.open_rollback.is_none() && self.live_invocations.is_empty()
    }
}

/// Reads an RFC 3339 date.
pub(crate) fn parse_time(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).ok()
}

/// The last message that the host confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommittedMessage {
    /// The commit.
    pub commit_id: String,
    /// The message, in the host's words.
    pub message_id: String,
    /// Its number in the chat, where the host's words are one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_index: Option<u64>,
    /// When the host confirmed it.
    pub committed_at: String,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunSummary {
    /// The run.
    pub run_id: RunId,
    /// The folder of its chat.
    pub workspace_id: WorkspaceId,
    /// Its chat.
    pub stable_chat_id: StableChatId,
    /// Where the chat lies in the application.
    pub chat_ref: ChatRef,
    /// What kind of message it makes.
    pub generation_type: String,
    /// The profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_id: Option<String>,
    /// Preset and character whose skills count.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub skill_scope_refs: Map<String, Value>,
    /// The persistent state that the run began with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persist_base_state_id: Option<String>,
    /// Messages of the chat that the run may see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_message_count: Option<u64>,
    /// Whether a person watches.
    pub presentation: Presentation,
    /// How far the run has come.
    pub status: RunStatus,
    /// Time of `run_created`.
    pub created_at: String,
    /// Time of the last event that set the status.
    pub updated_at: String,
    /// Commits that the host confirmed.
    pub commit_count: u64,
    /// The last of them that names a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub committed_message: Option<CommittedMessage>,
    /// Time of the terminal event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_at: Option<String>,
}

/// What a summary has beyond the record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outcome {
    pub(crate) commit_count: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) committed_message: Option<CommittedMessage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) terminal_at: Option<String>,
}

impl RunSummary {
    pub(crate) fn new(record: RunRecord, outcome: Outcome) -> Self {
        Self {
            run_id: record.id,
            workspace_id: record.workspace_id,
            stable_chat_id: record.stable_chat_id,
            chat_ref: record.chat_ref,
            generation_type: record.generation_type,
            profile_id: record.profile_id,
            skill_scope_refs: record.skill_scope_refs,
            persist_base_state_id: record.persist_base_state_id,
            input_message_count: record.input_message_count,
            presentation: record.presentation,
            status: record.status,
            created_at: record.created_at,
            updated_at: record.updated_at,
            commit_count: outcome.commit_count,
            committed_message: outcome.committed_message,
            terminal_at: outcome.terminal_at,
        }
    }
}
