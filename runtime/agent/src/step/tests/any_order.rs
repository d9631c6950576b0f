//! Any answers and any events, in any order: the loop always ends, says so once, and its journal keeps its order.

use innkeeper_protocol::approval::{ApprovalAnswer, ApprovalFinding, ApprovalId, ApprovalScope};
use innkeeper_protocol::call::{CallOutcome, PlannedEffect, ToolError};
use innkeeper_protocol::guidance::Guidance;
use innkeeper_protocol::id::CheckpointId;
use innkeeper_protocol::model::{ModelError, ModelResponse, ProviderAnswer, ToolCallRequest};
use innkeeper_protocol::port::{CommitReceipt, CommitRefusal};
use innkeeper_protocol::run::{ErrorKind, Presentation, RunError};
use proptest::prelude::*;

use super::played::{check_list, journal};
use super::props::{self, broken, digest, path};
use super::story;
use crate::effect::Effect;
use crate::event::{Event, WrittenText};
use crate::run::{Run, RunSetup};
use crate::step::step;

/// Most calls of a turn here.
const CALLS: usize = 3;
const ALIASES: [&str; 8] = [
    "workspace_commit",
    "workspace_finish",
    "workspace_write_file",
    "workspace_apply_patch",
    "chat_search",
    "mood_read",
    "asks",
    "denied",
];
const FILES: [&str; 4] = ["output/main.md", "notes.json", "persist/lore.txt", "output/aside.md"];

/// Decisions in the order in which they are needed. When they run out, everything goes well.
#[derive(Debug, Clone)]
struct Dice {
    throws: Vec<u8>,
    at: usize,
    calls: usize,
}

impl Dice {
    fn new(throws: Vec<u8>) -> Self {
        Self {
            throws,
            at: 0,
            calls: 0,
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        let throw = self.throws.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        usize::from(throw) % bound
    }

    /// True about once in so many throws, and never when they have run out.
    fn once_in(&mut self, many: usize) -> bool {
        self.below(many) == many - 1
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn setup(&mut self) -> RunSetup {
        let mut setup = props::setup();
        setup.rules.max_rounds = 1 + self.below(4) as u32;
        setup.rules.max_calls = 2 + self.below(6) as u32;
        setup.rules.max_retries = self.below(3) as u32;
        setup.rules.drift_attempts = self.below(3) as u32;
        setup.rules.denial_is_fatal = self.once_in(4);
        setup.rules.message_required = self.once_in(2);
        if self.once_in(3) {
            setup.presentation = Presentation::Background;
        }
        for id in ["extension/mood:mood.read", "builtin:asks", "builtin:denied"] {
            setup.tools.push(props::tool(id));
        }
        let [.., mood, asks, denied] = &mut setup.tools[..] else {
            unreachable!()
        };
        mood.max_calls = Some(1);
        asks.decision.approval = innkeeper_policy::Approval::Needed {
            rule: innkeeper_policy::AskRule::User,
        };
        denied.decision.callable = false;
        setup
    }

    fn error(&mut self) -> RunError {
        let kinds = [ErrorKind::Internal, ErrorKind::Cancelled, ErrorKind::Transient];
        RunError::new("store.io_failed", kinds[self.below(kinds.len())], "it broke")
    }

    fn model_error(&mut self) -> ModelError {
        match self.below(4) {
            0 => ModelError::Transient(ProviderAnswer::default()),
            1 => ModelError::RateLimited(ProviderAnswer::default()),
            2 => ModelError::ContextOverflow(ProviderAnswer::default()),
            _ => ModelError::Cancelled,
        }
    }

    fn call(&mut self, alias: &str) -> ToolCallRequest {
        self.calls += 1;
        let id = if self.once_in(10) {
            "again".to_owned()
        } else {
            format!("c{}", self.calls)
        };
        props::call(&id, alias, props::replies(Vec::new())).request
    }

    fn response(&mut self) -> ModelResponse {
        let calls = match self.below(6) {
            0 => vec![self.call("workspace_commit"), self.call("workspace_finish")],
            1 => return props::turn("Some prose.", Vec::new()),
            2 if self.once_in(2) => return props::turn(" ", Vec::new()),
            _ => {
                let count = 1 + self.below(CALLS);
                (0..count).map(|_| self.some_call()).collect()
            }
        };
        props::turn(if self.once_in(3) { "On it." } else { "" }, calls)
    }

    fn some_call(&mut self) -> ToolCallRequest {
        let alias = if self.once_in(30) {
            "unknown"
        } else {
            self.pick(&ALIASES)
        };
        self.call(alias)
    }

    fn effects(&mut self, tool: &str) -> Vec<PlannedEffect> {
        let file = self.pick(&FILES);
        let finish = PlannedEffect::Finish { reason: None };
        match tool {
            "workspace.commit" => vec![props::commit_effect(file)],
            "workspace.finish" => vec![finish],
            "workspace.write_file" => vec![props::write_effect(file, self.once_in(4))],
            "workspace.apply_patch" => vec![props::patch_effect(file)],
            _ => match self.below(5) {
                0 => Vec::new(),
                1 => vec![props::write_effect(file, false), finish],
                2 => vec![props::patch_effect(file), props::commit_effect(file)],
                3 => vec![props::commit_effect(file), finish],
                _ => vec![PlannedEffect::Delete {
                    path: path(file),
                    old_sha256: digest(file),
                }],
            },
        }
    }

    fn outcome(&mut self, tool: &str) -> CallOutcome {
        match self.below(12) {
            10 => CallOutcome::Error(ToolError::new("tool.trap", "It fell over.")),
            11 if self.once_in(3) => CallOutcome::Fault(self.error()),
            _ => props::replies(self.effects(tool)),
        }
    }

    fn commit(&mut self) -> Result<CommitReceipt, CommitRefusal> {
        match self.below(6) {
            3 => Err(CommitRefusal {
                reason: "Not now.".to_owned(),
            }),
            4 => Ok(CommitReceipt { message_id: None }),
            5 => Ok(CommitReceipt {
                message_id: Some("msg-a".to_owned()),
            }),
            _ => Ok(CommitReceipt {
                message_id: Some("41".to_owned()),
            }),
        }
    }

    fn guidance(&mut self) -> Vec<Guidance> {
        let items = if self.once_in(4) { 1 + self.below(2) } else { 0 };
        let item = |number| Guidance::new(format!("guidance_{number}"), None, "Slower.").unwrap();
        (0..items).map(item).collect()
    }

    fn finding(&mut self) -> ApprovalFinding {
        match self.below(4) {
            0 => ApprovalFinding::Nobody,
            1 => ApprovalFinding::Granted,
            2 => ApprovalFinding::Standing {
                approval_id: ApprovalId::parse("approval_earlier").unwrap(),
                scope: ApprovalScope::Always,
            },
            _ => ApprovalFinding::Ask(Box::new(props::question())),
        }
    }

    /// An answer that fits the question, good or bad.
    fn answer(&mut self, effect: &Effect) -> Event {
        match effect {
            Effect::PrepareWorkspace => Event::WorkspaceReady {
                persistent_roots: vec!["persist".to_owned()],
            },
            Effect::TakeGuidance => Event::GuidanceTaken(self.guidance()),
            Effect::PrepareApproval { .. } => Event::ApprovalPrepared(self.finding()),
            Effect::AskApproval { .. } => Event::ApprovalAnswered(ApprovalAnswer {
                approved: self.once_in(2),
                scope: ApprovalScope::Run,
                reason: None,
            }),
            Effect::CallModel(_) if self.once_in(6) => Event::ModelAnswered(Err(self.model_error())),
            Effect::CallModel(_) => Event::ModelAnswered(Ok(Box::new(self.response()))),
            Effect::Wait { .. } => Event::WaitOver,
            Effect::StoreTurn(_) => Event::TurnStored {
                path: "turn.json".to_owned(),
            },
            Effect::StoreArguments { .. } => Event::ArgumentsStored {
                path: "arguments.json".to_owned(),
                fit: !self.once_in(8),
            },
            Effect::RunTool { tool_id, .. } => Event::ToolReturned {
                outcome: self.outcome(tool_id.name()),
                elapsed_ms: 1,
            },
            Effect::ApplyStaged if self.once_in(8) => {
                Event::EffectsApplied(Err(ToolError::new("workspace.patch_stale_file", "It changed.")))
            }
            Effect::ApplyStaged => Event::EffectsApplied(Ok(())),
            Effect::CreateCheckpoint { .. } => Event::CheckpointCreated(CheckpointId::parse("cp_000001").unwrap()),
            Effect::AskCommit { .. } => Event::CommitAnswered(self.commit()),
            Effect::StoreResult { .. } => Event::ResultStored {
                path: path("tool-results/c.json"),
                view: None,
            },
            Effect::CaptureText { .. } => Event::TextCaptured(WrittenText {
                chars: 1,
                words: 1,
                sha256: digest("text"),
            }),
            Effect::Promote if self.once_in(8) => Event::Promoted(Err(self.error())),
            Effect::Promote => Event::Promoted(Ok(props::promotion())),
            Effect::UpdateMetadata { .. } if self.once_in(8) => Event::MetadataUpdated(Err(CommitRefusal {
                reason: "Gone.".to_owned(),
            })),
            Effect::UpdateMetadata { .. } => Event::MetadataUpdated(Ok(())),
            Effect::CloseMailbox { .. } | Effect::Append(_) | Effect::End => Event::Failed(broken("test.no_answer")),
        }
    }

    /// Any event at all.
    fn nonsense(&mut self) -> Event {
        match self.below(19) {
            16 => Event::GuidanceTaken(self.guidance()),
            17 => Event::ApprovalPrepared(self.finding()),
            18 => Event::ApprovalAnswered(ApprovalAnswer {
                approved: true,
                scope: ApprovalScope::Once,
                reason: None,
            }),
            0 => Event::Started,
            1 => Event::WorkspaceReady {
                persistent_roots: Vec::new(),
            },
            2 => Event::ModelAnswered(Err(self.model_error())),
            3 => Event::ModelAnswered(Ok(Box::new(self.response()))),
            4 => Event::WaitOver,
            5 => Event::TurnStored { path: String::new() },
            6 => Event::ArgumentsStored {
                path: String::new(),
                fit: true,
            },
            7 => Event::ToolReturned {
                outcome: self.outcome("other"),
                elapsed_ms: u64::MAX,
            },
            8 => Event::EffectsApplied(Ok(())),
            9 => Event::CheckpointCreated(CheckpointId::parse("cp_999999").unwrap()),
            10 => Event::CommitAnswered(self.commit()),
            11 => Event::ResultStored {
                path: path("elsewhere.json"),
                view: None,
            },
            12 => Event::Promoted(Ok(props::promotion())),
            13 => Event::MetadataUpdated(Ok(())),
            14 => Event::CancelRequested,
            _ => Event::Failed(self.error()),
        }
    }
}

/// More steps than any run of these rules can need: each round has its mailbox, its tries, its turn, nine questions for every call, a
/// commit of its own or a text to keep.
fn most_steps(setup: &RunSetup) -> usize {
    let rules = &setup.rules;
    let a_round = 1 + 2 * (rules.max_retries as usize + 1) + 1 + 9 * CALLS.max(2) + 2;
    8 + rules.max_rounds as usize * a_round
}

/// Drives a run to its end; one event in `trouble` is none that was asked for. Returns the events and all that was asked.
fn drive(dice: &mut Dice, trouble: usize) -> (RunSetup, Vec<Event>, Vec<Effect>) {
    let setup = dice.setup();
    let mut run = Run::new(setup.clone());
    let (mut events, mut all) = (Vec::new(), Vec::new());
    let mut asked: Option<Effect> = None;
    let mut ignored = 0;
    while !run.is_over() {
        let event = match &asked {
            _ if dice.once_in(trouble) => dice.nonsense(),
            None => Event::Started,
            Some(effect) => dice.answer(effect),
        };
        let effects = step(&mut run, event.clone());
        events.push(event);
        check_list(&effects);
        ignored += usize::from(effects.is_empty());
        asked = effects.last().cloned().or(asked);
        all.extend(effects);
        assert!(
            events.len() <= most_steps(&setup) + ignored,
            "the run does not end: {events:#?}"
        );
    }
    assert_eq!(all.iter().filter(|effect| matches!(effect, Effect::End)).count(), 1);
    assert_eq!(all.last(), Some(&Effect::End));
    assert_eq!(
        step(&mut run, dice.nonsense()),
        Vec::new(),
        "nothing happens after the end"
    );
    (setup, events, all)
}

fn throws() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..250)
}

proptest! {
    #[test]
    fn whatever_is_answered_the_run_ends_and_its_journal_keeps_its_order(throws in throws()) {
        let (_, _, effects) = drive(&mut Dice::new(throws), 40);
        story::check(&journal(&effects));
    }

    #[test]
    fn whatever_happens_the_run_ends_and_its_journal_keeps_its_order(throws in throws()) {
        let (_, _, effects) = drive(&mut Dice::new(throws), 4);
        story::check(&journal(&effects));
    }

    #[test]
    fn the_same_events_give_the_same_effects(throws in throws()) {
        let (setup, events, effects) = drive(&mut Dice::new(throws), 20);
        let mut run = Run::new(setup);
        let again: Vec<Effect> = events.into_iter().flat_map(|event| step(&mut run, event)).collect();
        prop_assert_eq!(again, effects);
    }

    #[test]
    fn an_append_that_fails_ends_the_run_too(throws in throws(), at in 0usize..60) {
        let mut dice = Dice::new(throws);
        let mut run = Run::new(dice.setup());
        let (mut written, mut event) = (Vec::new(), Some(Event::Started));
        // Only the append of this number fails; the disk has room again afterwards.
        while let Some(next) = event.take() {
            for effect in step(&mut run, next) {
                match effect {
                    Effect::Append(entry) if written.len() == at => {
                        written.push(None);
                        drop(entry);
                        event = Some(Event::Failed(broken("store.journal_write_failed")));
                        break;
                    }
                    Effect::Append(entry) => written.push(Some(*entry)),
                    Effect::End => break,
                    question => event = Some(dice.answer(&question)),
                }
            }
        }
        prop_assert!(run.is_over());
        prop_assert!(written.iter().flatten().filter(|entry| story::is_terminal(entry)).count() <= 1);
    }
}
