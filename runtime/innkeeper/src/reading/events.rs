//! `read_agent_run_events`: a page of a run's journal, and who worked in the run.

use innkeeper_protocol::envelope::Envelope;
use innkeeper_protocol::view::{ReadRunEvents, TimelineProjection};
use innkeeper_store::journal::{JournalIssue, Page, PageQuery, read_page};
use innkeeper_store::timeline::read_timeline;
use schemars::JsonSchema;
use serde::Serialize;

use super::RunReader;
use crate::error::{About as _, HostError};

/// Events of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunEvents {
    /// The events, ascending by number.
    pub events: Vec<Envelope>,
    /// Who worked in the run, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline_projection: Option<TimelineProjection>,
    /// Damaged places in the part of the journal that was read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<JournalIssue>,
}

impl RunReader {
    /// Events of a run. Without an invocation and a timeline the cost does not depend on the journal's length.
    ///
    /// # Errors
    /// `agent.not_found` for an unknown run, `agent.read_events_invocation_id_invalid`, `agent.timeline_projection_invalid`; others when
    /// the journal cannot be read at all. A damaged place is an issue of the answer.
    pub fn read_agent_run_events(&self, request: &ReadRunEvents) -> Result<RunEvents, HostError> {
        self.events(request).about(&request.run_id)
    }

    fn events(&self, request: &ReadRunEvents) -> Result<RunEvents, HostError> {
        let folder = self.root().find_run(&request.run_id)?;
        let query = PageQuery {
            after_seq: request.after_seq,
            before_seq: request.before_seq,
            limit: request.limit,
            invocation: request.invocation_id.clone(),
        };
        let Page { events, issues } = read_page(folder.journal(), &query)?;
        let timeline = request
            .include_timeline_projection
            .then(|| read_timeline(folder.journal()));
        Ok(RunEvents {
            events,
            timeline_projection: timeline.transpose()?,
            issues,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::reading::testing::Bench;

    fn read(bench: &Bench, more: Value) -> Result<Value, String> {
        let mut request = json!({"runId": bench.run_id});
        request
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let request: ReadRunEvents = serde_json::from_value(request).unwrap();
        let page = bench.reader.read_agent_run_events(&request);
        page.map(|page| serde_json::to_value(page).unwrap())
            .map_err(|error| error.code)
    }

    fn seqs(page: &Value) -> Vec<u64> {
        let events = page["events"].as_array().unwrap();
        events.iter().map(|event| event["seq"].as_u64().unwrap()).collect()
    }

    #[test]
    fn the_timeline_is_whole_whatever_the_events_are_filtered_by() {
        let bench = Bench::new();
        for id in ["inv_root", "inv_a"] {
            let payload = json!({
                "invocationId": id, "profileId": "writer", "kind": "subagent", "status": "created", "exitPolicy": "task_return_required",
            });
            bench.append("agent_invocation_created", payload);
        }
        let asked = json!({"invocationId": " inv_a ", "limit": 9_000, "includeTimelineProjection": true});
        let page = read(&bench, asked).unwrap();
        assert_eq!(seqs(&page), [3]);
        let nodes = page["timelineProjection"]["invocations"].as_array().unwrap();
        let mut ids: Vec<_> = nodes
            .iter()
            .map(|node| node["invocationId"].as_str().unwrap())
            .collect();
        // Two that begin within one millisecond stand by their ids.
        ids.sort_unstable();
        assert_eq!(ids, ["inv_a", "inv_root"]);
        let plain = read(&bench, json!({"beforeSeq": 3, "limit": 0})).unwrap();
        assert_eq!((seqs(&plain), plain.as_object().unwrap().len()), (vec![2], 1));
    }

    #[test]
    fn an_invocation_that_is_no_id_and_an_unknown_run_have_codes() {
        let bench = Bench::new();
        let code = |more: Value| read(&bench, more).unwrap_err();
        assert_eq!(
            code(json!({"invocationId": "a/b"})),
            "agent.read_events_invocation_id_invalid"
        );
        assert_eq!(code(json!({"runId": "run_2"})), "agent.not_found");
    }
}
