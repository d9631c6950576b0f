//! Calls: their arguments, the tool at work, what it staged, and the result.
//!
//! Whether a call may be made is decided before; what an approval needs is in `approval`.

use std::sync::Arc;

use innkeeper_agent::Event;
use innkeeper_capabilities::{LogLine, outcome_unknown};
use innkeeper_protocol::call::{CallOutcome, ToolResult};
use innkeeper_protocol::event::CheckpointReason;
use innkeeper_protocol::id::{CallId, CheckpointId, ToolId};
use innkeeper_protocol::limits::Usage;
use innkeeper_protocol::port::ApplyError;
use innkeeper_protocol::run::{ErrorKind, RunError};
use innkeeper_tools::CallEnvironment;
use serde_json::Value;
use tracing::Instrument as _;

use super::Executor;
use crate::network::JournalledRequests;
use crate::system::SeededRandomness;
use crate::words;

impl Executor {
    pub(super) async fn store_arguments(
        &mut self,
        call_id: CallId,
        checked: Option<&ToolId>,
        arguments: Value,
    ) -> Result<Event, RunError> {
        let tool = checked.and_then(|id| self.catalogue.tool(id));
        let fit = tool.is_none_or(|tool| tool.accepts(&arguments));
        let files = self.active.recorder.begin_call(call_id, arguments).await?;
        let path = files.arguments.as_str().to_owned();
        self.work.call = Some(files);
        self.work.staged = None;
        Ok(Event::ArgumentsStored { path, fit })
    }

    pub(super) async fn run_tool(&mut self, call_id: CallId, tool_id: ToolId, arguments: Value) -> Event {
        if self.active.cancel.is_thrown() {
            return Event::CancelRequested;
        }
        let Some(tool) = self.catalogue.tool(&tool_id).cloned() else {
            let error = innkeeper_protocol::call::ToolError::new(
                "agent.tool_denied",
                format!("{} is no longer installed. Go on without it.", tool_id.name()),
            );
            return Event::ToolReturned {
                outcome: CallOutcome::Error(error),
                elapsed_ms: 0,
            };
        };
        self.work.tool_calls += 1;
        let requests = Arc::new(JournalledRequests::new(
            self.active.recorder.clone(),
            call_id.clone(),
            tool_id.clone(),
        ));
        let environment = CallEnvironment {
            invocation: self.invocation.clone(),
            randomness: Box::new(SeededRandomness::of_call(self.seed, self.work.tool_calls)),
            clock: self.clock.clone(),
            network: Some(self.network.network(Some(requests.clone()))),
            limits: self.limits.clone(),
        };
        let span =
            tracing::info_span!("tool_call", call = %call_id, tool = %tool_id, component = %tool.component_digest());
        let started = self.clock.monotonic_micros();
        let dispatched = tokio::select! {
            biased;
            () = self.active.cancel.thrown() => return stopped(&tool_id, &requests).await,
            dispatched = tool.call(&self.sandbox, &arguments, environment).instrument(span) => dispatched,
        };
        // A call that met its deadline may have left an event half way to the journal.
        requests.any().await;
        self.work.staged = Some(dispatched.staged);
        tell_log(&dispatched.log, dispatched.log_dropped);
        note_usage(&dispatched.outcome);
        let elapsed_ms = self.clock.monotonic_micros().saturating_sub(started) / 1_000;
        Event::ToolReturned {
            outcome: dispatched.outcome,
            elapsed_ms,
        }
    }

    pub(super) async fn apply_staged(&mut self) -> Result<Event, RunError> {
        let Some(staged) = &mut self.work.staged else {
            return Ok(Event::EffectsApplied(Ok(())));
        };
        let changes = std::mem::take(&mut staged.changes);
        match self.invocation.files().apply(changes).await {
            Ok(()) => Ok(Event::EffectsApplied(Ok(()))),
            Err(ApplyError::Fault(error)) => Err(error),
            Err(error) => Ok(Event::EffectsApplied(Err(words::not_applied(&error, &staged.effects)))),
        }
    }

    pub(super) async fn create_checkpoint(&mut self, reason: CheckpointReason) -> Result<Event, RunError> {
        self.work.checkpoints += 1;
        let id = self
            .active
            .recorder
            .create_checkpoint(self.work.checkpoints, reason)
            .await?;
        let id = CheckpointId::parse(&id).map_err(|e| RunError::internal("agent.internal_error", e.to_string()))?;
        Ok(Event::CheckpointCreated(id))
    }

    pub(super) async fn store_result(
        &mut self,
        result: ToolResult,
        counts: bool,
        view: Option<String>,
    ) -> Result<Event, RunError> {
        let Some(files) = self.work.call.take() else {
            return Err(RunError::internal(
                "agent.internal_error",
                "a result came for a call that was never begun",
            ));
        };
        let path = files.result.clone();
        let view_path = view.is_some().then(|| files.view.clone());
        self.active.recorder.store_result(files, result, view).await?;
        if let (true, Some(staged)) = (counts, self.work.staged.take()) {
            self.invocation.settle(&staged);
        }
        Ok(Event::ResultStored { path, view: view_path })
    }
}

/// A call that was stopped. What it has sent may have had its effect.
async fn stopped(tool_id: &ToolId, requests: &JournalledRequests) -> Event {
    if !requests.any().await {
        return Event::CancelRequested;
    }
    let error = outcome_unknown(Some(tool_id.name()), "then it was stopped");
    Event::Failed(RunError {
        kind: ErrorKind::Cancelled,
        ..error
    })
}

/// Passes on what a tool logged, to people who asked for it.
fn tell_log(lines: &[LogLine], dropped: u64) {
    for LogLine { level, message } in lines {
        tracing::debug!(level, "the tool says: {message}");
    }
    if dropped > 0 {
        tracing::debug!(dropped, "lines beyond the log's limit were left out");
    }
}

/// Tells the log what a call used of its limits; never what it was about.
fn note_usage(outcome: &CallOutcome) {
    let usage = match outcome {
        CallOutcome::Reply(reply) => Some(reply.usage),
        CallOutcome::Error(error) => error.usage,
        CallOutcome::Fault(_) => None,
    };
    if let Some(Usage {
        wall_micros,
        peak_memory_bytes,
        host_calls,
        output_bytes,
    }) = usage
    {
        tracing::debug!(
            wall_micros,
            peak_memory_bytes,
            host_calls,
            output_bytes,
            "the tool is done"
        );
    }
}
