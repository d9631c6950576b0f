//! What of a run waits for a person, with all that the person should see before answering.
//!
//! Everything comes out of the journal and the files that it names; what is shown is whole, and nothing in it is invisible.

use innkeeper_protocol::approval::ApprovalSubject;
use innkeeper_protocol::event::{ApprovalRequestPayload, RunEvent};
use innkeeper_protocol::id::RunId;
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::shown::escape_invisible;
use innkeeper_store::journal::fold;
use innkeeper_store::tree::{MAX_FILE_BYTES, Tree};
use innkeeper_tools::ShownArguments;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::RunReader;
use crate::error::{About as _, HostError};

/// A call, or a rollback, that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingApproval {
    /// The question as the journal has it.
    #[serde(flatten)]
    pub request: ApprovalRequestPayload,
    /// The whole arguments as indented JSON, invisible characters spelled out.
    pub arguments: String,
    /// The change that the call would make, where it can be told before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Whether an answer may be made to cover more than this call: not where something had to be spelled out, and not for a rollback.
    pub may_stand: bool,
}

impl PendingApproval {
    pub(super) fn new(request: ApprovalRequestPayload, arguments: &Value, diff: Option<&str>) -> Self {
        let arguments = ShownArguments::new(arguments);
        let is_call = request.tool_id != ApprovalSubject::Rollback;
        Self {
            request,
            arguments: arguments.text,
            diff: diff.map(|diff| escape_invisible(diff).into_owned()),
            may_stand: is_call && !arguments.was_escaped,
        }
    }
}

impl RunReader {
    /// The calls of a run, or the rollback, that wait for a person, oldest first.
    ///
    /// # Errors
    /// `agent.not_found` for an unknown run; others when its journal or what it names cannot be read.
    pub fn pending_approvals(&self, run_id: &RunId) -> Result<Vec<PendingApproval>, HostError> {
        self.pending(run_id).about(run_id)
    }

    fn pending(&self, run_id: &RunId) -> Result<Vec<PendingApproval>, HostError> {
        let (folder, tree) = self.open(run_id)?;
        let mut open: Vec<ApprovalRequestPayload> = Vec::new();
        fold(folder.journal(), &mut |event| {
            let tagged = json!({ "type": event.kind, "payload": event.payload });
            match serde_json::from_value(tagged) {
                Ok(RunEvent::ToolCallAwaitingApproval(request)) => open.push(request),
                Ok(RunEvent::ToolCallApproved(answer) | RunEvent::ToolCallDenied(answer)) => {
                    open.retain(|request| request.approval_id != answer.approval_id);
                }
                _ => {}
            }
        })?;
        open.into_iter().map(|request| shown(&tree, request)).collect()
    }
}

/// A question with what it is about.
fn shown(tree: &Tree, request: ApprovalRequestPayload) -> Result<PendingApproval, HostError> {
    let read = |reference: &str| -> Result<String, HostError> {
        // The reference comes out of a file; it is checked like any other.
        let path = WorkspacePath::parse(reference)?;
        Ok(tree.read(&path, MAX_FILE_BYTES)?.text)
    };
    let text = read(&request.arguments_ref)?;
    let arguments: Value = serde_json::from_str(&text)
        .map_err(|error| HostError::internal("store.io_failed", format!("{}: {error}", request.arguments_ref)))?;
    let diff = request.diff_ref.as_deref().map(read).transpose()?;
    Ok(PendingApproval::new(request, &arguments, diff.as_deref()))
}
