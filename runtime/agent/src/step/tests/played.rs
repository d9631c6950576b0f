//! What came of a scene: the journal, all effects, and a trail of both in words that tests compare.

use innkeeper_protocol::event::RunEvent;
use innkeeper_protocol::model::ModelRequest;
use innkeeper_protocol::run::{RunError, RunStatus};
use serde_json::Value;

use super::story;
use crate::effect::Effect;
use crate::run::Run;

#[derive(Debug, Default)]
pub(super) struct Played {
    pub(super) effects: Vec<Effect>,
    pub(super) asked: usize,
    pub(super) checkpoints: u32,
    status: Option<RunStatus>,
    error: Option<RunError>,
}

/// Whether an effect has no answer and is no end.
fn is_silent(effect: &Effect) -> bool {
    matches!(effect, Effect::Append(_) | Effect::CloseMailbox { .. })
}

/// The effects that have an answer, in order.
pub(super) fn questions(effects: &[Effect]) -> Vec<&'static str> {
    let asked = effects
        .iter()
        .filter(|effect| !is_silent(effect) && **effect != Effect::End);
    asked.map(name).collect()
}

/// At most one effect of a list has an answer, and it stands last; so does the end.
pub(super) fn check_list(effects: &[Effect]) {
    let before = effects.split_last().map_or(effects, |(_, before)| before);
    assert!(before.iter().all(is_silent), "{effects:#?}");
    assert!(
        !effects.last().is_some_and(is_silent),
        "nothing follows from {effects:#?}"
    );
}

pub(super) fn journal(effects: &[Effect]) -> Vec<RunEvent> {
    let events = effects.iter().filter_map(|effect| match effect {
        Effect::Append(event) => Some((**event).clone()),
        _ => None,
    });
    events.collect()
}

impl Played {
    pub(super) fn record(&mut self, effects: Vec<Effect>) {
        self.effects.extend(effects);
    }

    /// The scene is over; what holds for every run is checked here.
    pub(super) fn finish(mut self, run: Run) -> Self {
        assert!(run.is_over() && !run.is_cancellable());
        self.status = Some(run.status());
        self.error = run.error().cloned();
        story::check(&self.journal());
        self
    }

    pub(super) fn journal(&self) -> Vec<RunEvent> {
        journal(&self.effects)
    }

    pub(super) fn status(&self) -> RunStatus {
        self.status.unwrap()
    }

    /// The code of the error that ended the run; empty where none did.
    pub(super) fn code(&self) -> &'static str {
        self.error.as_ref().map_or("", |error| error.code)
    }

    /// Every effect in a few words: an event by its type, with its status, call or reason, anything else after `>`. The mailbox is left
    /// out: it is opened before every request and closed at every end.
    pub(super) fn trail(&self) -> Vec<String> {
        let mailbox = |effect: &&Effect| matches!(effect, Effect::TakeGuidance | Effect::CloseMailbox { .. });
        self.effects
            .iter()
            .filter(|effect| !mailbox(effect))
            .map(words)
            .collect()
    }

    /// The trail from the first effect of these words to the first one after it of those, both included.
    pub(super) fn trail_between(&self, from: &str, to: &str) -> Vec<String> {
        let trail = self.trail();
        let start = trail
            .iter()
            .position(|line| line == from)
            .unwrap_or_else(|| panic!("no {from} in {trail:#?}"));
        let rest = &trail[start..];
        let end = rest
            .iter()
            .position(|line| line == to)
            .unwrap_or_else(|| panic!("no {to} in {rest:#?}"));
        rest[..=end].to_vec()
    }

    /// How often something stands in the trail.
    pub(super) fn count(&self, line: &str) -> usize {
        self.trail().iter().filter(|seen| *seen == line).count()
    }

    /// The trail's last lines.
    pub(super) fn end(&self, lines: usize) -> Vec<String> {
        let trail = self.trail();
        trail[trail.len() - lines..].to_vec()
    }

    /// The payloads of all events of a type, as the journal stores them.
    pub(super) fn payloads(&self, kind: &str) -> Vec<Value> {
        let drafts = self.journal().into_iter().map(|event| event.draft().unwrap());
        drafts
            .filter(|draft| draft.kind == kind)
            .map(|draft| draft.payload)
            .collect()
    }

    /// The payload of the only event of a type.
    pub(super) fn payload(&self, kind: &str) -> Value {
        let mut payloads = self.payloads(kind);
        assert_eq!(payloads.len(), 1, "{kind}: {payloads:#?}");
        payloads.remove(0)
    }

    /// One field of the payloads of all events of a type.
    pub(super) fn fields(&self, kind: &str, field: &str) -> Vec<Value> {
        self.payloads(kind)
            .into_iter()
            .map(|payload| payload[field].clone())
            .collect()
    }

    pub(super) fn requests(&self) -> Vec<&ModelRequest> {
        let requests = self.effects.iter().filter_map(|effect| match effect {
            Effect::CallModel(request) => Some(&**request),
            _ => None,
        });
        requests.collect()
    }
}

fn words(effect: &Effect) -> String {
    let Effect::Append(event) = effect else {
        return format!("> {}", name(effect));
    };
    let draft = event.draft().unwrap();
    let detail = ["status", "callId", "reason"]
        .into_iter()
        .find_map(|key| draft.payload[key].as_str());
    let shown = match &**event {
        RunEvent::StatusChanged { .. } | RunEvent::CheckpointCreated { .. } => detail,
        RunEvent::ToolCallRequested { .. }
        | RunEvent::ToolCallStarted { .. }
        | RunEvent::ToolResultStored { .. }
        | RunEvent::ToolCallCompleted { .. }
        | RunEvent::ToolCallFailed { .. } => detail,
        _ => None,
    };
    shown.map_or(draft.kind.clone(), |shown| format!("{} {shown}", draft.kind))
}

pub(super) const fn name(effect: &Effect) -> &'static str {
    match effect {
        Effect::Append(_) => "append",
        Effect::PrepareWorkspace => "prepare workspace",
        Effect::TakeGuidance => "take guidance",
        Effect::CloseMailbox { .. } => "close mailbox",
        Effect::CallModel(_) => "call model",
        Effect::Wait { .. } => "wait",
        Effect::StoreTurn(_) => "store turn",
        Effect::StoreArguments { .. } => "store arguments",
        Effect::PrepareApproval { .. } => "prepare approval",
        Effect::AskApproval { .. } => "ask approval",
        Effect::RunTool { .. } => "run tool",
        Effect::ApplyStaged => "apply staged",
        Effect::CreateCheckpoint { .. } => "create checkpoint",
        Effect::AskCommit { .. } => "ask commit",
        Effect::StoreResult { .. } => "store result",
        Effect::CaptureText { .. } => "capture text",
        Effect::Promote => "promote",
        Effect::UpdateMetadata { .. } => "update metadata",
        Effect::End => "end",
    }
}
