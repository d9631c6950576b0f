//! A run as it happens: one line for each thing that a person would want to know of.
//!
//! It remembers between events only what a later line needs. Every event type is decided on here, so that a new one cannot be
//! forgotten; unknown ones are silent unless something went wrong.

mod row;
mod words;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use innkeeper::protocol::approval::ApprovalScope;
use innkeeper::protocol::envelope::{Envelope, Level};
use innkeeper::protocol::event::{AnsweredBy, CallScope, RunEvent};
use innkeeper::protocol::path::WorkspacePath;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::arguments::arguments_line;
use super::paint::Paint;
use super::summary::Facts;
use super::text::{counted, plain};
use row::{Mark, Row};
use words::{answer_words, guidance_rows, persistence_rows, rollback_rows, start_rows};

/// Largest file of arguments or results that is read for its line; larger ones are passed over.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Turns events into lines.
#[derive(Debug)]
pub(crate) struct Timeline {
    paint: Paint,
    columns: Option<usize>,
    /// Digest of each tool's component.
    components: BTreeMap<String, String>,
    /// The run's folder, where arguments lie.
    folder: PathBuf,
    started: Option<OffsetDateTime>,
    now: Option<OffsetDateTime>,
    asked_model: Option<OffsetDateTime>,
    /// The calls that are open, by id.
    open: HashMap<String, OpenCall>,
    facts: Facts,
    status: Option<String>,
}

#[derive(Debug, Default)]
struct OpenCall {
    arguments: String,
    /// What it changed, or the first line of what it answered.
    outcome: Vec<String>,
}

impl Timeline {
    pub(crate) fn new(
        paint: Paint,
        columns: Option<usize>,
        components: BTreeMap<String, String>,
        folder: PathBuf,
    ) -> Self {
        Self {
            paint,
            columns,
            components,
            folder,
            started: None,
            now: None,
            asked_model: None,
            open: HashMap::new(),
            facts: Facts::default(),
            status: None,
        }
    }

    /// What the end of the run tells that the report doesn't.
    pub(crate) fn facts(&self) -> Facts {
        Facts {
            elapsed_ms: self.elapsed_ms(),
            ..self.facts.clone()
        }
    }

    /// What the run is doing at the moment.
    pub(crate) fn status(&self) -> Option<&str> {
        self.status.as_deref()
    }

    /// The lines for an event; often none.
    pub(crate) fn lines(&mut self, event: &Envelope) -> Vec<String> {
        self.now = OffsetDateTime::parse(&event.timestamp, &Rfc3339).ok().or(self.now);
        self.started = self.started.or(self.now);
        let tagged = json!({ "type": event.kind, "payload": event.payload });
        let rows = match serde_json::from_value::<RunEvent>(tagged) {
            Ok(known) => self.rows(known),
            Err(_) if event.level >= Level::Warn => vec![Row::new(Mark::Odd, &event.kind)],
            Err(_) => Vec::new(),
        };
        let seconds = self.elapsed_ms();
        rows.into_iter()
            .map(|row| row.text(seconds, self.paint, self.columns))
            .collect()
    }

    fn elapsed_ms(&self) -> u64 {
        self.started.zip(self.now).map_or(0, |(start, now)| millis(start, now))
    }

    fn rows(&mut self, event: RunEvent) -> Vec<Row> {
        use RunEvent as E;
        match event {
            E::RunCreated { .. } | E::ContextAssembled { .. } => start_rows(event),
            E::ModelCallAttemptStarted { .. }
            | E::ModelCallAttemptFailed { .. }
            | E::ModelCallRetryScheduled { .. }
            | E::ModelCompleted { .. }
            | E::DriftRecoveryAttempted { .. }
            | E::DirectOutputCaptured { .. } => self.model_rows(event),
            E::ToolCallRequested { .. }
            | E::ToolCallStarted { .. }
            | E::ToolCallRequestStarted(_)
            | E::ToolResultStored { .. }
            | E::ToolResultReadableViewStored { .. }
            | E::ToolCallCompleted { .. }
            | E::ToolCallFailed { .. }
            | E::WorkspaceFileWritten { .. }
            | E::WorkspacePatchApplied { .. }
            | E::WorkspaceFileDeleted { .. } => self.call_rows(event),
            E::ToolCallAwaitingApproval(_) | E::ToolCallApproved(_) | E::ToolCallDenied(_) => self.approval_rows(event),
            E::UserGuidanceSubmitted(_) | E::UserGuidanceApplied(_) | E::UserGuidanceDiscarded(_) => {
                guidance_rows(event)
            }
            E::ChatCommitCompleted { .. } | E::ChatCommitFailed { .. } => self.commit_rows(event),
            E::PersistentChangesCommitted { .. }
            | E::PersistentChangesCommitFailed { .. }
            | E::PersistentStateMetadataUpdateFailed { .. } => persistence_rows(event),
            E::RunCancelRequested
            | E::RunCompleted
            | E::RunCancelled { .. }
            | E::RunFailed { .. }
            | E::RunPartialSuccess { .. } => self.end_rows(event),
            E::WorkspaceRollbackCompleted { .. } | E::WorkspaceRollbackFailed { .. } => rollback_rows(event),
            E::ProfileResolved { .. }
            | E::GenerationIntentRecorded(_)
            | E::WorkspaceRollbackRequested { .. }
            | E::SkillScopesResolved { .. }
            | E::StatusChanged { .. }
            | E::WorkspaceInitialized { .. }
            | E::PersistentProjectionInitialized { .. }
            | E::CheckpointCreated { .. }
            | E::PersistentStateMetadataUpdateRequested { .. }
            | E::PersistentStateMetadataUpdated { .. }
            | E::AgentModelBindingResolved { .. }
            | E::ModelRequestCreated { .. }
            | E::ModelResponseStored { .. }
            | E::ProviderStateUpdated { .. }
            | E::AgentLoopFinished { .. }
            | E::ChatCommitStarted { .. }
            | E::ChatCommitRequested { .. }
            | E::ChatCommitRecorded { .. }
            | E::AgentInvocationCreated(_)
            | E::AgentInvocationStarted(_)
            | E::AgentInvocationCompleted(_)
            | E::AgentInvocationFailed(_)
            | E::AgentInvocationCancelled(_) => Vec::new(),
        }
    }

    fn model_rows(&mut self, event: RunEvent) -> Vec<Row> {
        match event {
            RunEvent::ModelCallAttemptStarted { round, .. } => {
                self.asked_model = self.now;
                self.status = Some(format!("round {round}: waiting for the model"));
                Vec::new()
            }
            RunEvent::ModelCallAttemptFailed {
                round,
                attempt,
                code,
                message,
                ..
            } => {
                let detail = format!("attempt {attempt}: {} [{}]", plain(&message), plain(&code));
                vec![Row::new(Mark::Odd, &format!("round {round}")).detail(detail)]
            }
            RunEvent::ModelCallRetryScheduled {
                round,
                next_attempt,
                interval_ms,
                ..
            } => {
                self.status = Some(format!("round {round}: waiting before attempt {next_attempt}"));
                let detail = format!("attempt {next_attempt} in {} s", interval_ms / 1_000);
                vec![Row::new(Mark::Odd, &format!("round {round}")).detail(detail)]
            }
            RunEvent::ModelCompleted {
                round,
                tool_call_count,
                text,
                ..
            } => {
                self.status = None;
                self.facts.rounds = self.facts.rounds.max(round);
                let took = self
                    .asked_model
                    .take()
                    .zip(self.now)
                    .map(|(start, now)| millis(start, now));
                let row = Row::new(Mark::Step, &format!("round {round}")).took(took);
                vec![row.detail(answer_words(tool_call_count, &text))]
            }
            RunEvent::DriftRecoveryAttempted { round, .. } => {
                vec![
                    Row::new(Mark::Odd, &format!("round {round}"))
                        .detail("no call; the model is reminded to use its tools"),
                ]
            }
            RunEvent::DirectOutputCaptured { path, chars, .. } => {
                vec![Row::change(format!("the text was kept as {path}, {chars} characters"))]
            }
            _ => Vec::new(),
        }
    }

    fn call_rows(&mut self, event: RunEvent) -> Vec<Row> {
        match event {
            RunEvent::ToolCallRequested {
                call, arguments_ref, ..
            } => {
                let arguments = self
                    .stored(&arguments_ref)
                    .map(|value| arguments_line(&value))
                    .unwrap_or_default();
                self.open.insert(
                    call.call_id.to_string(),
                    OpenCall {
                        arguments,
                        outcome: Vec::new(),
                    },
                );
                Vec::new()
            }
            RunEvent::ToolCallStarted { name, .. } => {
                self.status = Some(format!("{} works", plain(&name)));
                Vec::new()
            }
            RunEvent::ToolCallRequestStarted(sent) => {
                let request = &sent.request;
                let line = format!("{} to {}", request.method.name(), plain(&request.origin));
                self.note_change(sent.call_id.as_str(), line)
            }
            RunEvent::WorkspaceFileWritten {
                call_id,
                path,
                chars,
                words,
                ..
            } => self.note_change(
                call_id.as_str(),
                format!("{path}: {}, {}", counted(chars, "character"), counted(words, "word")),
            ),
            RunEvent::WorkspacePatchApplied {
                call_id,
                path,
                replacements,
                chars,
                ..
            } => {
                let (places, now) = (counted(replacements, "place"), counted(chars, "character"));
                self.note_change(call_id.as_str(), format!("{path}: patched in {places}, now {now}"))
            }
            RunEvent::WorkspaceFileDeleted { call_id, path, .. } => {
                self.note_change(call_id.as_str(), format!("{path}: removed"))
            }
            RunEvent::ToolResultStored { call, path, .. } => self.note_answer(call.call_id.as_str(), &path),
            RunEvent::ToolCallCompleted {
                call, name, elapsed_ms, ..
            } => self.call_ended(&call, Row::new(Mark::Good, &plain(&name)).took(Some(elapsed_ms)), None),
            RunEvent::ToolCallFailed {
                call,
                name,
                elapsed_ms,
                error_code,
                message,
                ..
            } => {
                let why = format!("{} {}", plain(&error_code), plain(&message));
                self.call_ended(&call, Row::new(Mark::Bad, &plain(&name)).took(elapsed_ms), Some(why))
            }
            _ => Vec::new(),
        }
    }

    fn approval_rows(&mut self, event: RunEvent) -> Vec<Row> {
        match event {
            RunEvent::ToolCallAwaitingApproval(request) => {
                self.status = Some("waiting for your answer".to_owned());
                let name = plain(request.tool_id.name());
                let detail = format!("{} [call {}]", plain(&request.rule), plain(request.call_id.as_str()));
                vec![Row::new(Mark::Odd, &format!("{name}?")).detail(detail)]
            }
            RunEvent::ToolCallApproved(answer) if answer.by == AnsweredBy::User => {
                self.status = None;
                vec![Row::new(Mark::Good, "approved").detail(covered(answer.scope).to_owned())]
            }
            RunEvent::ToolCallDenied(answer) => {
                self.status = None;
                let reason = answer.reason.as_deref().map(plain).unwrap_or_default();
                vec![Row::new(Mark::Odd, "denied").detail(reason)]
            }
            _ => Vec::new(),
        }
    }

    fn note_change(&mut self, call_id: &str, change: String) -> Vec<Row> {
        self.open.entry(call_id.to_owned()).or_default().outcome.push(change);
        Vec::new()
    }

    /// A call that changed nothing is told by the first line of its answer.
    fn note_answer(&mut self, call_id: &str, path: &str) -> Vec<Row> {
        if self.open.get(call_id).is_none_or(|open| open.outcome.is_empty()) {
            let result = self.stored(path);
            let text = result
                .as_ref()
                .and_then(|result| result.get("modelText")?.as_str()?.lines().next());
            return text
                .map(|line| self.note_change(call_id, plain(line)))
                .unwrap_or_default();
        }
        Vec::new()
    }

    fn call_ended(&mut self, call: &CallScope, row: Row, why: Option<String>) -> Vec<Row> {
        self.status = None;
        self.facts.calls = self.facts.calls.saturating_add(1);
        let open = self.open.remove(call.call_id.as_str()).unwrap_or_default();
        let digest = self.components.get(call.tool_id.as_str()).cloned();
        let mut rows = vec![row.digest(digest).detail(open.arguments)];
        match why {
            Some(why) => rows.push(Row::trouble(why)),
            None => rows.extend(open.outcome.into_iter().map(Row::change)),
        }
        rows
    }

    fn commit_rows(&mut self, event: RunEvent) -> Vec<Row> {
        match event {
            RunEvent::ChatCommitCompleted {
                call_id,
                path,
                message_id,
                is_explicit,
                ..
            } => {
                let message = message_id.as_deref().map(plain);
                let number = message.as_ref().map(|index| format!(" {index}")).unwrap_or_default();
                self.facts.message = message.or_else(|| self.facts.message.take());
                let detail = format!("{path} is message{number} of the chat");
                match is_explicit {
                    true => self.note_change(call_id.as_str(), detail),
                    false => vec![Row::new(Mark::Good, "committed ahead").detail(detail)],
                }
            }
            RunEvent::ChatCommitFailed { path, message, .. } => {
                vec![Row::new(Mark::Odd, "not committed").detail(format!("{path}: {}", plain(&message)))]
            }
            _ => Vec::new(),
        }
    }

    fn end_rows(&mut self, event: RunEvent) -> Vec<Row> {
        self.status = None;
        match event {
            RunEvent::RunCancelRequested => vec![Row::new(Mark::Odd, "cancelling")],
            RunEvent::RunCompleted => vec![Row::new(Mark::Good, "run completed")],
            RunEvent::RunCancelled { .. } => vec![Row::new(Mark::Odd, "run cancelled")],
            RunEvent::RunFailed { failure } => vec![Row::new(Mark::Bad, "run failed").detail(plain(&failure.code))],
            RunEvent::RunPartialSuccess {
                failure,
                preserved_commit_count,
                ..
            } => {
                let detail = format!("{}; {preserved_commit_count} commit(s) stand", plain(&failure.code));
                vec![Row::new(Mark::Odd, "run failed after a commit").detail(detail)]
            }
            _ => Vec::new(),
        }
    }

    /// A JSON file of the run's folder; nothing where it cannot be read, because a timeline is no place to complain about it.
    fn stored(&self, reference: &str) -> Option<Value> {
        // The reference comes out of a journal, which may have been tampered with.
        let path = self.folder.join(WorkspacePath::parse(reference).ok()?.as_str());
        let metadata = std::fs::symlink_metadata(&path).ok()?;
        let is_small = metadata.is_file() && metadata.len() <= MAX_FILE_BYTES;
        let bytes = is_small.then(|| std::fs::read(&path).ok()).flatten()?;
        serde_json::from_slice(&bytes).ok()
    }
}

fn covered(scope: ApprovalScope) -> &'static str {
    match scope {
        ApprovalScope::Once => "this once",
        ApprovalScope::Run => "the same call until the run ends",
        ApprovalScope::Always => "the same call in every run",
    }
}

fn millis(start: OffsetDateTime, end: OffsetDateTime) -> u64 {
    u64::try_from((end - start).whole_milliseconds()).unwrap_or(0)
}

#[cfg(test)]
mod tests;
