//! The calls of a turn, one after the other: the tool, its effects, and the result.
//!
//! Whether a call may reach its tool is decided in `gates`, commits are made in `commits`.

use innkeeper_policy::Approval;
use innkeeper_protocol::call::{CallOutcome, PlannedEffect, Reply, ToolError, ToolResult};
use innkeeper_protocol::event::{CallScope, FailedOutcome, RunEvent};
use innkeeper_protocol::id::{CallId, Provider};
use innkeeper_protocol::model::ToolResultPart;
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::run::{ErrorKind, RunError, RunStatus};

use crate::effect::Effect;
use crate::gates::Gate;
use crate::prompt;
use crate::run::{
    AfterCheckpoint, OpenCall, Phase, ResultKind, Run, checkpoint_reason, file_effects, finishes, internal, patches,
    planned_commit, refused, root,
};
use crate::step::{Effects, append};

/// What the journal says of a call that nobody can tell the outcome of.
pub(crate) const OUTCOME_UNKNOWN: [&str; 2] = ["tool.outcome_unknown", "mcp.call_outcome_unknown"];

impl Run {
    pub(crate) fn next_call(&mut self, out: &mut Effects) {
        let Some(request) = self.turn.calls.pop_front() else {
            self.end_of_calls(out);
            return;
        };
        let Some(tool) = self.tool_by_alias(&request.alias) else {
            out.extend(self.fail(internal("a call of an unknown tool passed the check of its turn")));
            return;
        };
        let (tool_id, alias) = (tool.id.clone(), tool.offer.alias.clone());
        out.push(Effect::StoreArguments {
            call_id: request.call_id.clone(),
            tool_id: tool_id.clone(),
            arguments: request.arguments.clone(),
            must_fit: matches!(tool.decision.approval, Approval::Needed { .. }),
        });
        self.turn.open = Some(OpenCall {
            request,
            tool_id,
            alias,
            arguments_ref: String::new(),
            is_requested: false,
            elapsed_ms: None,
        });
        self.phase = Phase::StoringArguments;
    }

    pub(crate) fn scope(&self, open: &OpenCall) -> CallScope {
        CallScope {
            round: self.round,
            invocation_id: root(),
            call_id: open.request.call_id.clone(),
            tool_id: open.tool_id.clone(),
        }
    }

    pub(crate) fn arguments_stored(&mut self, path: String, fit: bool) -> Effects {
        let Some(mut open) = self.turn.open.take() else {
            return self.fail(internal("arguments were stored for no call"));
        };
        let mut out = vec![append(RunEvent::ToolCallRequested {
            call: self.scope(&open),
            name: open.tool_id.name().to_owned(),
            snapshot_id: root(),
            arguments_ref: path.clone(),
        })];
        open.is_requested = true;
        open.arguments_ref = path;
        let gate = self.gate(&open, fit);
        match &gate {
            Ok(None) => self.start_call(&open, &mut out),
            Ok(Some(rule)) => self.begin_approval(&open, *rule, &mut out),
            Err(_) => {}
        }
        self.turn.open = Some(open);
        match gate {
            Ok(_) => {}
            Err(Gate::Fatal(error)) => out.extend(self.fail(error)),
            Err(Gate::Refused(error, how)) => self.store_error(error, how, &mut out),
        }
        out
    }

    pub(crate) fn start_call(&mut self, open: &OpenCall, out: &mut Effects) {
        self.set_status(RunStatus::DispatchingTool, out);
        self.calls_made += 1;
        *self.calls_by_tool.entry(open.tool_id.clone()).or_default() += 1;
        out.push(append(RunEvent::ToolCallStarted {
            call: self.scope(open),
            name: open.tool_id.name().to_owned(),
            snapshot_id: root(),
        }));
        out.push(Effect::RunTool {
            call_id: open.request.call_id.clone(),
            tool_id: open.tool_id.clone(),
            arguments: open.request.arguments.clone(),
        });
        self.phase = Phase::RunningTool;
    }

    pub(crate) fn tool_returned(&mut self, outcome: CallOutcome, elapsed_ms: u64) -> Effects {
        if let Some(open) = &mut self.turn.open {
            open.elapsed_ms = Some(elapsed_ms);
        }
        let mut out = Vec::new();
        match outcome {
            CallOutcome::Fault(error) => out.extend(self.fail(error)),
            CallOutcome::Error(error) => self.store_error(error, ResultKind::Failed, &mut out),
            CallOutcome::Reply(reply) => self.carry_out(reply, &mut out),
        }
        out
    }

    fn carry_out(&mut self, reply: Reply, out: &mut Effects) {
        if finishes(&reply) && self.is_foreground() && self.explicit_commits() == 0 {
            let message = "The message is not in the chat yet. Commit it with workspace_commit first, then finish.";
            let error = refused("agent.foreground_commit_required", message, &reply);
            self.store_error(error, ResultKind::Failed, out);
            return;
        }
        if file_effects(&reply).next().is_none() {
            self.after_files(reply, out);
            return;
        }
        if patches(&reply) {
            self.set_status(RunStatus::ApplyingWorkspacePatch, out);
        }
        out.push(Effect::ApplyStaged);
        self.phase = Phase::Applying(reply);
    }

    pub(crate) fn effects_applied(&mut self, reply: Reply, applied: Result<(), ToolError>) -> Effects {
        let mut out = Vec::new();
        if let Err(error) = applied {
            let error = ToolError {
                told: Box::new(reply.told),
                usage: Some(reply.usage),
                ..error
            };
            self.store_error(error, ResultKind::Failed, &mut out);
            return out;
        }
        let Some(call_id) = self.turn.open.as_ref().map(|open| open.request.call_id.clone()) else {
            return self.fail(internal("files were changed by no call"));
        };
        for effect in file_effects(&reply) {
            out.extend(file_event(effect, &call_id).map(append));
            self.note_candidate(effect, &call_id);
        }
        self.set_status(RunStatus::CreatingCheckpoint, &mut out);
        out.push(Effect::CreateCheckpoint {
            reason: checkpoint_reason(&reply),
        });
        self.phase = Phase::Checkpointing(AfterCheckpoint::Reply(reply));
        out
    }

    /// The files stand; what else the reply asked for comes now.
    pub(crate) fn after_files(&mut self, reply: Reply, out: &mut Effects) {
        match planned_commit(&reply).cloned() {
            Some(planned) => self.begin_commit(planned, reply, out),
            None => {
                let finishes = finishes(&reply);
                self.store_reply(reply, finishes, out);
            }
        }
    }

    pub(crate) fn store_reply(&mut self, reply: Reply, finishes: bool, out: &mut Effects) {
        let Some(open) = &self.turn.open else {
            out.extend(self.fail(internal("a tool replied to no call")));
            return;
        };
        let result = ToolResult::of_reply(open.request.call_id.clone(), open.tool_id.clone(), reply);
        self.store_result(result, ResultKind::Completed { finishes }, out);
    }

    pub(crate) fn store_error(&mut self, error: ToolError, how: ResultKind, out: &mut Effects) {
        let Some(open) = &self.turn.open else {
            out.extend(self.fail(internal("a tool failed at no call")));
            return;
        };
        let result = ToolResult::of_error(open.request.call_id.clone(), open.tool_id.clone(), error);
        self.store_result(result, how, out);
    }

    fn store_result(&mut self, result: ToolResult, how: ResultKind, out: &mut Effects) {
        let counts = matches!(how, ResultKind::Completed { .. });
        out.push(Effect::StoreResult {
            result: Box::new(result.clone()),
            counts,
            view: prompt::readable_view(&result, self.setup.rules.inline_result_chars),
        });
        self.phase = Phase::StoringResult { result, how };
    }

    pub(crate) fn result_stored(
        &mut self,
        mut result: ToolResult,
        how: ResultKind,
        path: WorkspacePath,
        view: Option<WorkspacePath>,
    ) -> Effects {
        let Some(open) = self.turn.open.take() else {
            return self.fail(internal("a result was stored for no call"));
        };
        let call = self.scope(&open);
        let mut out = vec![append(RunEvent::ToolResultStored {
            call: call.clone(),
            path: path.to_string(),
        })];
        if let Some(view) = view {
            out.push(append(RunEvent::ToolResultReadableViewStored {
                call: call.clone(),
                path: view.to_string(),
                audit_path: path.to_string(),
            }));
            self.shorten(&mut result, &view, &path);
        }
        out.push(append(ended(call, &open, &result, &how, &path)));
        let part = ToolResultPart::of_result(&result, &open.alias);
        self.turn.results.push(prompt::tool_result_message(part, &path));
        match how {
            ResultKind::RefusedForGood(error) => {
                out.extend(self.fail(*error));
                return out;
            }
            ResultKind::Completed { finishes: true } => self.turn.is_finished = true,
            ResultKind::Completed { .. } | ResultKind::Failed | ResultKind::Refused => {}
        }
        self.next_call(&mut out);
        out
    }

    /// What the model and the journal are shown of a result that is too long. What is stored stays whole.
    fn shorten(&self, result: &mut ToolResult, view: &WorkspacePath, path: &WorkspacePath) {
        let alias = |name: &str| {
            let bound = self.offered().find(|tool| tool.id.as_str() == name);
            bound.map(|tool| tool.offer.alias.as_str())
        };
        let tools = prompt::ReadingTools {
            read: alias("builtin:workspace.read_file"),
            search: alias("builtin:workspace.search_files"),
        };
        let limit = self.setup.rules.inline_result_chars;
        result.model_text = prompt::preview(&result.model_text, limit, view, tools);
        result.resource_refs = vec![view.to_string(), path.to_string()];
    }

    /// Ends a call that cannot go on, so that no request stays without an end.
    pub(crate) fn close_open_call(&mut self, error: &RunError, out: &mut Effects) {
        let Some(open) = self.turn.open.take() else { return };
        if !open.is_requested {
            return;
        }
        out.push(append(RunEvent::ToolCallFailed {
            call: self.scope(&open),
            name: open.tool_id.name().to_owned(),
            snapshot_id: root(),
            is_error: true,
            error_code: error.code.to_owned(),
            message: error.message.clone(),
            elapsed_ms: open.elapsed_ms,
            resource_refs: Vec::new(),
            outcome: if OUTCOME_UNKNOWN.contains(&error.code) {
                FailedOutcome::OutcomeUnknown
            } else {
                FailedOutcome::Error
            },
            is_fatal: error.kind != ErrorKind::Cancelled,
        }));
    }
}

fn ended(call: CallScope, open: &OpenCall, result: &ToolResult, how: &ResultKind, path: &WorkspacePath) -> RunEvent {
    let name = open.tool_id.name().to_owned();
    let outcome = match how {
        ResultKind::Completed { .. } => {
            return RunEvent::ToolCallCompleted {
                call,
                name,
                snapshot_id: root(),
                is_error: false,
                error_code: None,
                message: None,
                elapsed_ms: open.elapsed_ms.unwrap_or_default(),
                resource_refs: result.resource_refs.clone(),
            };
        }
        ResultKind::Failed => FailedOutcome::Error,
        ResultKind::Refused | ResultKind::RefusedForGood(_) => FailedOutcome::Denied,
    };
    RunEvent::ToolCallFailed {
        call,
        name,
        snapshot_id: root(),
        is_error: true,
        error_code: result.error_code.clone().unwrap_or_default(),
        message: error_message(result, how, path),
        elapsed_ms: open.elapsed_ms,
        resource_refs: result.resource_refs.clone(),
        outcome,
        is_fatal: matches!(how, ResultKind::RefusedForGood(_)),
    }
}

/// What the journal says of a failure. The words of somebody else's tool stay in the stored result.
fn error_message(result: &ToolResult, how: &ResultKind, path: &WorkspacePath) -> String {
    if *how == ResultKind::Failed && *result.tool_id.provider() != Provider::Builtin {
        return format!("the tool's message is in {path}");
    }
    let error = result
        .structured
        .as_ref()
        .and_then(|structured| structured.get("error"));
    let message = error
        .and_then(|error| error.get("message"))
        .and_then(|message| message.as_str());
    message.unwrap_or_default().to_owned()
}

fn file_event(effect: &PlannedEffect, call_id: &CallId) -> Option<RunEvent> {
    let (invocation_id, call_id) = (root(), call_id.clone());
    Some(match effect.clone() {
        PlannedEffect::Write {
            path,
            mode,
            chars,
            words,
            sha256,
            ..
        } => RunEvent::WorkspaceFileWritten {
            invocation_id,
            call_id,
            path,
            mode,
            chars,
            words,
            sha256,
        },
        PlannedEffect::Patch {
            path,
            chars,
            words,
            old_sha256,
            sha256,
            replacements,
            ..
        } => RunEvent::WorkspacePatchApplied {
            invocation_id,
            call_id,
            path,
            chars,
            words,
            old_sha256,
            sha256,
            replacements,
        },
        PlannedEffect::Delete { path, old_sha256 } => RunEvent::WorkspaceFileDeleted {
            invocation_id,
            call_id,
            path,
            old_sha256,
        },
        PlannedEffect::Commit(_) | PlannedEffect::Finish { .. } => return None,
    })
}
