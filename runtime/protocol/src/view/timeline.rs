//! Events of a run, and who worked in it: invocations as nodes, delegations and hand-offs as edges.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::RunId;

/// Which events are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadRunEvents {
    /// The run.
    pub run_id: RunId,
    /// Only events after this number, the first `limit` of them.
    #[serde(default)]
    pub after_seq: Option<u64>,
    /// Only events before this number, the last `limit` of them; wins over `after_seq`.
    #[serde(default)]
    pub before_seq: Option<u64>,
    /// Most events; 100 when absent, brought into 1 to 500.
    #[serde(default)]
    pub limit: Option<u64>,
    /// Only events about this invocation, first or among others. Filters before the limit counts.
    #[serde(default)]
    pub invocation_id: Option<String>,
    /// Whether the answer also says who worked in the run; the filters do not touch that.
    #[serde(default)]
    pub include_timeline_projection: bool,
}

impl ReadRunEvents {
    /// The first events of this run.
    #[must_use]
    pub fn of(run_id: RunId) -> Self {
        Self {
            run_id,
            after_seq: None,
            before_seq: None,
            limit: None,
            invocation_id: None,
            include_timeline_projection: false,
        }
    }
}

/// Who worked in a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelineProjection {
    /// The invocations that speak for the run: the root, then those that it was handed to, oldest first.
    pub foreground_invocation_ids: Vec<String>,
    /// Every invocation, oldest first.
    pub invocations: Vec<TimelineInvocation>,
    /// Every delegation and hand-off, oldest first.
    pub delegation_edges: Vec<DelegationEdge>,
}

/// One invocation as its events tell. Words that this version does not know are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelineInvocation {
    /// The invocation.
    pub invocation_id: String,
    /// Who started it; the root has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_invocation_id: Option<String>,
    /// Its profile.
    pub profile_id: String,
    /// `root`, `subagent` or `handoff`.
    pub kind: String,
    /// Where it stands.
    pub status: String,
    /// How it may end.
    pub exit_policy: String,
    /// RFC 3339: time of its first event.
    pub created_at: String,
    /// Time of its last.
    pub updated_at: String,
}

/// One piece of work that an invocation gave to another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DelegationEdge {
    /// The task.
    pub task_id: String,
    /// Who gave it.
    pub source_invocation_id: String,
    /// Who took it.
    pub target_invocation_id: String,
    /// The profile of who took it.
    pub target_profile_id: String,
    /// The name of its private folders.
    pub workspace_key: String,
    /// `return_to_parent` or `transfer_control`.
    pub continuation: String,
    /// Where it stands.
    pub status: String,
    /// Where its result lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_ref: Option<String>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
    /// RFC 3339: time of its first event.
    pub created_at: String,
    /// Time of its last.
    pub updated_at: String,
}
