//! What the commands about profiles answer. The names of the members are those of the Agent Host API.

use innkeeper_agent::profile::{Checked, FaultKind, Profile, ResolvedProfile, StoredFault};
use innkeeper_protocol::id::ProfileId;
use innkeeper_store::profiles::file_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::HostError;

/// The profiles of a data root.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileList {
    /// Those that can be loaded.
    pub profiles: Vec<ProfileSummary>,
    /// The files that cannot.
    pub issues: Vec<ProfileIssue>,
}

/// A profile in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileSummary {
    /// Its id.
    pub id: String,
    /// The name for people.
    pub display_name: String,
    /// The description for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether a person can start it.
    pub direct_runnable: bool,
}

impl ProfileSummary {
    pub(super) fn of(profile: &Profile) -> Self {
        Self {
            id: profile.id.trim().to_owned(),
            display_name: profile.display_name.trim().to_owned(),
            description: profile.description.clone(),
            direct_runnable: profile.run.direct_runnable,
        }
    }
}

/// A file that gives no profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileIssue {
    /// The id that its name has.
    pub profile_id: ProfileId,
    /// Its name.
    pub file_name: String,
    /// How it is broken.
    pub kind: ProfileIssueKind,
    /// What would set it right; none where it takes a hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommended_action: Option<RepairAction>,
    /// What is wrong.
    pub message: String,
}

/// How a file is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ProfileIssueKind {
    /// It is not JSON.
    InvalidJson,
    /// Only its version, kind or id is wrong.
    InvalidFileIdentity,
    /// It does not fit the schema, or is no file that is read.
    InvalidProfile,
}

/// What can be done about a broken file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RepairAction {
    /// Remove it.
    Delete,
    /// Set version, kind and id right.
    NormalizeIdentity,
}

impl ProfileIssue {
    pub(super) fn of_fault(id: &ProfileId, fault: &StoredFault) -> Self {
        let (kind, action) = match fault.kind {
            FaultKind::Json => (ProfileIssueKind::InvalidJson, Some(RepairAction::Delete)),
            FaultKind::Identity => (
                ProfileIssueKind::InvalidFileIdentity,
                Some(RepairAction::NormalizeIdentity),
            ),
            FaultKind::Structure => (ProfileIssueKind::InvalidProfile, None),
        };
        Self {
            profile_id: id.clone(),
            file_name: file_name(id),
            kind,
            recommended_action: action,
            message: fault.error.to_string(),
        }
    }

    /// For what cannot be read: nobody knows what would be lost, so nothing is recommended.
    pub(super) fn unreadable(id: &ProfileId, error: &HostError) -> Self {
        Self {
            profile_id: id.clone(),
            file_name: file_name(id),
            kind: ProfileIssueKind::InvalidProfile,
            recommended_action: None,
            message: error.message.clone(),
        }
    }
}

/// What came of a check.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileCheck {
    /// Whether there is no problem.
    pub valid: bool,
    /// What has to be changed.
    pub problems: Vec<ProfileProblem>,
    /// The profile with every default, where it is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<ResolvedProfile>,
}

/// Something in a profile that has to be changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileProblem {
    /// The stable code.
    pub code: String,
    /// Where, as RFC 9535 writes it.
    pub path: String,
    /// What is wrong, and what to write instead.
    pub message: String,
    /// What else helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl ProfileCheck {
    pub(super) fn of(checked: Checked) -> Self {
        let problem = |problem: innkeeper_agent::profile::Problem| ProfileProblem {
            code: problem.code.to_owned(),
            path: problem.path.to_string(),
            message: problem.message,
            hint: None,
        };
        Self {
            valid: checked.problems.is_empty(),
            problems: checked.problems.into_iter().map(problem).collect(),
            profile: checked.profile.map(|(_, resolved)| resolved),
        }
    }
}

/// What a profile can be used for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileHealth {
    /// The profile.
    pub profile_id: ProfileId,
    /// Whether it can be shown in its checked form.
    pub preview_available: bool,
    /// Whether a prompt can be put together for it.
    pub prompt_assembly_available: bool,
    /// Whether a person can start it.
    pub direct_run_available: bool,
    /// Whether another agent can start it.
    pub sub_agent_available: bool,
    /// What is in the way.
    pub diagnostics: Vec<ProfileDiagnostic>,
}

/// Something that is in the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileDiagnostic {
    /// The stable code.
    pub code: &'static str,
    /// Always `error`.
    pub severity: &'static str,
    /// Where in the profile.
    pub path: &'static str,
    /// What is wrong.
    pub message: String,
    /// What cannot be done.
    pub blocks: Vec<Blocked>,
    /// What would set it right.
    pub repair_actions: Vec<ProfileRepair>,
    /// What the profile names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<serde_json::Value>,
}

/// A use of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Blocked {
    /// Showing its checked form.
    Preview,
    /// Putting a prompt together.
    PromptAssembly,
    /// A run that a person starts.
    DirectRun,
    /// A run that another agent starts.
    SubAgent,
}

/// What an application can offer to set a profile right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ProfileRepair {
    /// Show the file.
    OpenJsonEditor,
    /// Choose a preset.
    SelectPreset,
    /// Choose a model.
    SelectModel,
}

/// What an agent is told by us.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentSystemPrompt {
    /// The text.
    pub agent_system_prompt: String,
}
