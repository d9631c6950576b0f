//! Who worked in a run, told by its journal: invocations as nodes, tasks as edges between them.
//!
//! A fold over events, whole, because the first event of an invocation may stand anywhere. It keeps words that it does not know, and
//! judges only that no task names an invocation that never was.

use std::collections::BTreeMap;

use innkeeper_protocol::envelope::Envelope;
use innkeeper_protocol::view::{DelegationEdge, TimelineInvocation, TimelineProjection};
use serde_json::Value;

use crate::journal::{JournalError, Location, fold};

const ROOT: &str = "inv_root";
const TRANSFER: &str = "transfer_control";
const HANDOFF: &str = "handoff";

/// Why a run cannot be shown as a timeline.
#[derive(Debug, thiserror::Error)]
pub enum TimelineError {
    /// The journal cannot be read at all.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A task names an invocation that the journal does not know, though no line of it is lost.
    #[error("task {task_id:?} names invocation {invocation_id:?}, which this run never had")]
    Dangling {
        /// The task.
        task_id: String,
        /// What it names.
        invocation_id: String,
    },
}

impl TimelineError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Journal(error) => error.code(),
            Self::Dangling { .. } => "agent.timeline_projection_invalid",
        }
    }
}

/// Reads who worked in a run. Where the journal is damaged, tasks whose invocation is lost are left out: the damage is told elsewhere.
///
/// # Errors
/// That the journal cannot be read, and `agent.timeline_projection_invalid`.
pub fn read_timeline(location: &Location) -> Result<TimelineProjection, TimelineError> {
    let mut timeline = Timeline::default();
    let reading = fold(location, &mut |event| timeline.apply(&event))?;
    if reading.issues.is_empty() {
        timeline.check()?;
    } else {
        timeline.drop_dangling();
    }
    Ok(timeline.project())
}

#[derive(Default)]
struct Timeline {
    invocations: BTreeMap<String, TimelineInvocation>,
    edges: BTreeMap<String, DelegationEdge>,
}

impl Timeline {
    fn apply(&mut self, event: &Envelope) {
        if event.kind.starts_with("agent_invocation_") {
            self.apply_invocation(event);
        } else if event.kind.starts_with("agent_task_") {
            self.apply_task(event);
        }
    }

    fn apply_invocation(&mut self, event: &Envelope) {
        let Some(id) = event.text("invocationId") else { return };
        let node = self
            .invocations
            .entry(id.to_owned())
            .or_insert_with(|| TimelineInvocation {
                invocation_id: id.to_owned(),
                created_at: event.timestamp.clone(),
                ..TimelineInvocation::default()
            });
        node.updated_at.clone_from(&event.timestamp);
        take(event, "profileId", &mut node.profile_id);
        take(event, "kind", &mut node.kind);
        take(event, "status", &mut node.status);
        take(event, "exitPolicy", &mut node.exit_policy);
        take_some(event, "parentInvocationId", &mut node.parent_invocation_id);
    }

    fn apply_task(&mut self, event: &Envelope) {
        let Some(id) = event.text("taskId") else { return };
        let edge = self.edges.entry(id.to_owned()).or_insert_with(|| DelegationEdge {
            task_id: id.to_owned(),
            created_at: event.timestamp.clone(),
            ..DelegationEdge::default()
        });
        edge.updated_at.clone_from(&event.timestamp);
        take(event, "parentInvocationId", &mut edge.source_invocation_id);
        take(event, "childInvocationId", &mut edge.target_invocation_id);
        take(event, "targetProfileId", &mut edge.target_profile_id);
        take(event, "workspaceKey", &mut edge.workspace_key);
        take(event, "continuation", &mut edge.continuation);
        take(event, "status", &mut edge.status);
        take_some(event, "resultRef", &mut edge.result_ref);
        if let Some(error) = event.payload.get("error").filter(|error| !error.is_null()) {
            edge.error = Some(error.clone());
        }
    }

    /// The first end of the edge that leads nowhere.
    fn dangling_end<'a>(&self, edge: &'a DelegationEdge) -> Option<&'a str> {
        let ends = [edge.source_invocation_id.as_str(), edge.target_invocation_id.as_str()];
        ends.into_iter().find(|id| !self.invocations.contains_key(*id))
    }

    fn check(&self) -> Result<(), TimelineError> {
        let found = self
            .edges
            .values()
            .find_map(|edge| Some((edge, self.dangling_end(edge)?)));
        match found {
            None => Ok(()),
            Some((edge, invocation)) => Err(TimelineError::Dangling {
                task_id: edge.task_id.clone(),
                invocation_id: invocation.to_owned(),
            }),
        }
    }

    fn drop_dangling(&mut self) {
        let edges = std::mem::take(&mut self.edges);
        self.edges = edges
            .into_iter()
            .filter(|(_, edge)| self.dangling_end(edge).is_none())
            .collect();
    }

    fn project(self) -> TimelineProjection {
        let mut invocations: Vec<_> = self.invocations.into_values().collect();
        let mut edges: Vec<_> = self.edges.into_values().collect();
        // Both come in order of their ids, which a stable sort keeps where two began at one moment.
        invocations.sort_by(|a, b| a.created_at.cmp(&b.created_at));
        edges.sort_by(|a, b| a.created_at.cmp(&b.created_at));
        let is_foreground = |node: &&TimelineInvocation| {
            let was_handed_to = |edge: &DelegationEdge| {
                edge.continuation == TRANSFER && edge.target_invocation_id == node.invocation_id
            };
            node.invocation_id != ROOT && (node.kind == HANDOFF || edges.iter().any(was_handed_to))
        };
        let handed = invocations.iter().filter(is_foreground);
        let foreground_invocation_ids = std::iter::once(ROOT.to_owned())
            .chain(handed.map(|node| node.invocation_id.clone()))
            .collect();
        TimelineProjection {
            foreground_invocation_ids,
            invocations,
            delegation_edges: edges,
        }
    }
}

/// A later event may say less than an earlier one: what it does not say stays.
fn take(event: &Envelope, member: &str, into: &mut String) {
    if let Some(text) = event.payload.get(member).and_then(Value::as_str) {
        text.clone_into(into);
    }
}

fn take_some(event: &Envelope, member: &str, into: &mut Option<String>) {
    if let Some(text) = event.text(member) {
        *into = Some(text.to_owned());
    }
}

#[cfg(test)]
mod tests;
