//! The calls of a turn: gates in their order, the tool, its effects, and the result.

use innkeeper_policy::Approval;
use innkeeper_protocol::call::{CallOutcome, PlannedCommit, PlannedEffect, Reply, ToolError, ToolResult, CommitMode};
use innkeeper_protocol::event::{CallScope, CheckpointReason, FailedOutcome, RunEvent};
use innkeeper_protocol::model::ToolResultPart;
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::run::{ErrorKind, RunError, RunStatus};

use crate::effect::Effect;
use crate::prompt;
use crate::run::{
    AfterCheckpoint, Candidate, OpenCall, Phase, ResultKind, Run, file_effects, finishes, internal, planned_commit,
    refused, root,
};
use crate::step::{Effects, append};

/// File names that an automatic commit takes.
const TEXT_ENDINGS: [&str; 4] = ["md", "markdown", "txt", "text"];

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
        out.push(Effect::StoreArguments { call_id: request.call_id.clone(), arguments: request.arguments.clone() });
        self.turn.open = Some(OpenCall { request, tool_id, alias, is_requested: false, elapsed_ms: None });
        self.phase = Phase::StoringArguments;
    }

    fn scope(&self, open: &OpenCall) -> CallScope {
        CallScope {
            round: self.round,
            invocation_id: root(),
            call_id: open.request.call_id.clone(),
            tool_id: open.tool_id.clone(),
        }
    }

    pub(crate) fn arguments_stored(&mut self, path: String) -> Effects {
        let Some(mut open) = self.turn.open.take() else {
            return self.fail(internal("arguments were stored for no call"));
        };
        let mut out = vec![append(RunEvent::ToolCallRequested {
            call: self.scope(&open),
            name: open.tool_id.name().to_owned(),
            snapshot_id: root(),
            arguments_ref: path,
        })];
        open.is_requested = true;
        let gate = self.gate(&open);
        let (call_id, tool_id) = (open.request.call_id.clone(), open.tool_id.clone());
        let arguments = open.request.arguments.clone();
        self.turn.open = Some(open);
        match gate {
            Err(Gate::Fatal(error)) => out.extend(self.fail(error)),
            Err(Gate::Refused(error, how)) => self.store_error(error, how, &mut out),
            Ok(()) => self.start_call(call_id, tool_id, arguments, &mut out),
        }
        out
    }

    fn start_call(
        &mut self,
        call_id: innkeeper_protocol::id::CallId,
        tool_id: innkeeper_protocol::id::ToolId,
        arguments: serde_json::Value,
        out: &mut Effects,
    ) {
        self.set_status(RunStatus::DispatchingTool, out);
        self.calls_made += 1;
        *self.calls_by_tool.entry(tool_id.clone()).or_default() += 1;
        if let Some(open) = &self.turn.open {
            out.push(append(RunEvent::ToolCallStarted {
                call: self.scope(open),
                name: tool_id.name().to_owned(),
                snapshot_id: root(),
            }));
        }
        out.push(Effect::RunTool { call_id, tool_id, arguments });
        self.phase = Phase::RunningTool;
    }

    /// What stands between a request and its tool, in order.
    fn gate(&self, open: &OpenCall) -> Result<(), Gate> {
        if self.turn.is_finished {
            return Err(Gate::Fatal(after_finish(&open.request.alias)));
        }
        let Some(tool) = self.tool(&open.tool_id) else {
            return Err(Gate::Fatal(internal("a call of an unknown tool passed the check of its turn")));
        };
        if !tool.decision.callable {
            return Err(self.denied(&open.request.alias, &tool.decision.reason.to_string()));
        }
        self.within_budget(open, tool.max_calls)?;
        if let Approval::Needed { .. } = tool.decision.approval {
            let message = format!(
                "{} needs a person's approval and nobody is there to give it. Go on without this call.",
                open.request.alias
            );
            return Err(Gate::Refused(ToolError::new("tool.approval_unavailable", message), ResultKind::Refused));
        }
        Ok(())
    }

    fn denied(&self, alias: &str, reason: &str) -> Gate {
        let message = format!("{alias} is not allowed in this run: {reason}. Go on without this tool.");
        let how = if self.setup.rules.denial_is_fatal {
            let fatal = format!("the model called {alias}, which is not allowed ({reason})");
            ResultKind::RefusedForGood(RunError::new("agent.tool_policy_denied", ErrorKind::PermissionDenied, fatal))
        } else {
            ResultKind::Refused
        };
        Gate::Refused(ToolError::new("agent.tool_policy_denied", message), how)
    }

    fn within_budget(&self, open: &OpenCall, max_calls: Option<u32>) -> Result<(), Gate> {
        let used = self.calls_by_tool.get(&open.tool_id).copied().unwrap_or_default();
        let spent = if self.calls_made >= self.setup.rules.max_calls {
            format!("All {} calls of this run are used up", self.setup.rules.max_calls)
        } else if max_calls.is_some_and(|max| used >= max) {
            format!("All {used} calls of {} are used up", open.request.alias)
        } else {
            return Ok(());
        };
        let message = format!(
            "{spent}, so this call was not made. Finish with what there is: commit the message if it is not in the chat yet, then finish."
        );
        Err(Gate::Refused(ToolError::new("agent.tool_budget_exhausted", message), ResultKind::Refused))
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
        let patches = file_effects(&reply).any(|effect| matches!(effect, PlannedEffect::Patch { .. }));
        let status = if patches { RunStatus::ApplyingWorkspacePatch } else { RunStatus::CreatingCheckpoint };
        self.set_status(status, out);
        out.push(Effect::ApplyStaged);
        self.phase = Phase::Applying(reply);
    }

    pub(crate) fn effects_applied(&mut self, reply: Reply, applied: Result<(), ToolError>) -> Effects {
        let mut out = Vec::new();
        if let Err(error) = applied {
            let error = ToolError { usage: Some(reply.usage), ..error };
            self.store_error(error, ResultKind::Failed, &mut out);
            return out;
        }
        let Some(call_id) = self.turn.open.as_ref().map(|open| open.request.call_id.clone()) else {
            return self.fail(internal("files were changed by no call"));
        };
        let mut patched = false;
        for effect in file_effects(&reply) {
            patched |= matches!(effect, PlannedEffect::Patch { .. });
            out.extend(file_event(effect, &call_id).map(append));
            if let Some(candidate) = candidate(effect, &call_id) {
                self.turn.candidate = Some(candidate);
            }
        }
        self.set_status(RunStatus::CreatingCheckpoint, &mut out);
        let reason = if patched { CheckpointReason::ToolWorkspacePatch } else { CheckpointReason::ToolWorkspaceWrite };
        out.push(Effect::CreateCheckpoint { reason });
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
        let Some(open) = &self.turn.open else { return };
        let result = ToolResult::of_reply(open.request.call_id.clone(), open.tool_id.clone(), reply);
        self.store_result(result, ResultKind::Completed { finishes }, out);
    }

    pub(crate) fn store_error(&mut self, error: ToolError, how: ResultKind, out: &mut Effects) {
        let Some(open) = &self.turn.open else { return };
        let result = ToolResult::of_error(open.request.call_id.clone(), open.tool_id.clone(), error);
        self.store_result(result, how, out);
    }

    fn store_result(&mut self, result: ToolResult, how: ResultKind, out: &mut Effects) {
        let counts = matches!(how, ResultKind::Completed { .. });
        out.push(Effect::StoreResult { result: Box::new(result.clone()), counts });
        self.phase = Phase::StoringResult { result, how };
    }

    pub(crate) fn result_stored(&mut self, result: ToolResult, how: ResultKind, path: WorkspacePath) -> Effects {
        let Some(open) = self.turn.open.take() else { return self.fail(internal("a result was stored for no call")) };
        let call = self.scope(&open);
        let mut out = vec![append(RunEvent::ToolResultStored { call: call.clone(), path: path.to_string() })];
        out.push(append(ended(call, &open, &result, &how)));
        let part = ToolResultPart::of_result(&result, &open.alias);
        self.turn.results.push(prompt::tool_result_message(part, &path));
        match how {
            ResultKind::RefusedForGood(error) => {
                out.extend(self.fail(error));
                return out;
            }
            ResultKind::Completed { finishes: true } => self.turn.is_finished = true,
            ResultKind::Completed { .. } | ResultKind::Failed | ResultKind::Refused => {}
        }
        self.next_call(&mut out);
        out
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
            outcome: FailedOutcome::Error,
            is_fatal: error.kind != ErrorKind::Cancelled,
        }));
    }
}

/// Why a call does not reach its tool.
enum Gate {
    /// The model is told.
    Refused(ToolError, ResultKind),
    /// The run ends.
    Fatal(RunError),
}

fn after_finish(alias: &str) -> RunError {
    RunError::invalid("agent.tool_after_finish", format!("the model called {alias} after it had finished the run"))
}

fn ended(call: CallScope, open: &OpenCall, result: &ToolResult, how: &ResultKind) -> RunEvent {
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
        message: error_message(result),
        elapsed_ms: open.elapsed_ms,
        resource_refs: result.resource_refs.clone(),
        outcome,
        is_fatal: matches!(how, ResultKind::RefusedForGood(_)),
    }
}

fn error_message(result: &ToolResult) -> String {
    let error = result.structured.as_ref().and_then(|structured| structured.get("error"));
    let message = error.and_then(|error| error.get("message")).and_then(|message| message.as_str());
    message.unwrap_or_default().to_owned()
}

fn file_event(effect: &PlannedEffect, call_id: &innkeeper_protocol::id::CallId) -> Option<RunEvent> {
    let (invocation_id, call_id) = (root(), call_id.clone());
    Some(match effect.clone() {
        PlannedEffect::Write { path, mode, chars, words, sha256, .. } => {
            RunEvent::WorkspaceFileWritten { invocation_id, call_id, path, mode, chars, words, sha256 }
        }
        PlannedEffect::Patch { path, chars, words, old_sha256, sha256, replacements, .. } => {
            RunEvent::WorkspacePatchApplied {
                invocation_id,
                call_id,
                path,
                chars,
                words,
                old_sha256,
                sha256,
                replacements,
            }
        }
        PlannedEffect::Delete { path, old_sha256 } => {
            RunEvent::WorkspaceFileDeleted { invocation_id, call_id, path, old_sha256 }
        }
        PlannedEffect::Commit(_) | PlannedEffect::Finish { .. } => return None,
    })
}

/// A written text file, as an automatic commit would take it.
fn candidate(effect: &PlannedEffect, call_id: &innkeeper_protocol::id::CallId) -> Option<Candidate> {
    let (path, chars, words, sha256, is_blank) = match effect {
        PlannedEffect::Write { path, chars, words, sha256, is_blank, .. }
        | PlannedEffect::Patch { path, chars, words, sha256, is_blank, .. } => (path, chars, words, sha256, is_blank),
        _ => return None,
    };
    let ending = path.file_name().rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase())?;
    if !TEXT_ENDINGS.contains(&ending.as_str()) {
        return None;
    }
    Some(Candidate {
        commit: PlannedCommit {
            path: path.clone(),
            mode: CommitMode::Replace,
            reason: None,
            chars: *chars,
            words: *words,
            sha256: sha256.clone(),
        },
        call_id: call_id.clone(),
        is_blank: *is_blank,
    })
}
