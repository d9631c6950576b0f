//! A scene: a run, what model, tools and host will answer, and what comes in between.

use std::collections::{HashMap, VecDeque};

use innkeeper_protocol::approval::{ApprovalAnswer, ApprovalFinding, ApprovalScope};
use innkeeper_protocol::call::{CallOutcome, ToolError};
use innkeeper_protocol::guidance::Guidance;
use innkeeper_protocol::id::{CallId, CheckpointId};
use innkeeper_protocol::model::{ModelError, ModelResponse};
use innkeeper_protocol::port::{CommitReceipt, CommitRefusal};
use innkeeper_protocol::run::{Presentation, RunError};
use innkeeper_text::measure;

use super::played::{Played, check_list};
use super::props::{self, Call, digest, path};
use crate::effect::Effect;
use crate::event::{Event, Promotion, WrittenText};
use crate::run::{LoopRules, OfferedTool, Run, RunSetup};
use crate::step::step;

/// How long every tool takes here.
pub(super) const TOOL_MS: u64 = 7;

#[derive(Debug, Clone)]
pub(super) struct Scene {
    setup: RunSetup,
    persistent_roots: Vec<String>,
    turns: VecDeque<Result<Box<ModelResponse>, ModelError>>,
    outcomes: HashMap<CallId, CallOutcome>,
    applied: VecDeque<Result<(), ToolError>>,
    commits: VecDeque<Result<CommitReceipt, CommitRefusal>>,
    promotion: Result<Promotion, RunError>,
    metadata: Result<(), CommitRefusal>,
    guidance: VecDeque<Vec<Guidance>>,
    finding: ApprovalFinding,
    approvals: VecDeque<ApprovalAnswer>,
    interruption: Option<(usize, Event)>,
}

impl Scene {
    pub(super) fn new() -> Self {
        Self {
            setup: props::setup(),
            persistent_roots: vec!["persist".to_owned()],
            turns: VecDeque::new(),
            outcomes: HashMap::new(),
            applied: VecDeque::new(),
            commits: VecDeque::new(),
            promotion: Ok(props::promotion()),
            metadata: Ok(()),
            guidance: VecDeque::new(),
            finding: ApprovalFinding::Nobody,
            approvals: VecDeque::new(),
            interruption: None,
        }
    }

    pub(super) fn background(mut self) -> Self {
        self.setup.presentation = Presentation::Background;
        self
    }

    pub(super) fn without_persistent_roots(mut self) -> Self {
        self.persistent_roots.clear();
        self
    }

    pub(super) fn rules(mut self, change: impl FnOnce(&mut LoopRules)) -> Self {
        change(&mut self.setup.rules);
        self
    }

    /// Changes the tool of this name.
    pub(super) fn tool(mut self, name: &str, change: impl FnOnce(&mut OfferedTool)) -> Self {
        change(self.setup.tools.iter_mut().find(|tool| tool.id.name() == name).unwrap());
        self
    }

    pub(super) fn with_tool(mut self, tool: OfferedTool) -> Self {
        self.setup.tools.push(tool);
        self
    }

    pub(super) fn without_tool(mut self, name: &str) -> Self {
        self.setup.tools.retain(|tool| tool.id.name() != name);
        self
    }

    /// The model answers with text alone.
    pub(super) fn says(self, text: &str) -> Self {
        self.answers(props::turn(text, Vec::new()))
    }

    pub(super) fn answers(mut self, response: ModelResponse) -> Self {
        self.turns.push_back(Ok(Box::new(response)));
        self
    }

    /// The model answers with calls.
    pub(super) fn calls(mut self, calls: impl IntoIterator<Item = Call>) -> Self {
        let mut requests = Vec::new();
        for call in calls {
            self.outcomes.insert(call.request.call_id.clone(), call.outcome);
            requests.push(call.request);
        }
        self.answers(props::turn("", requests))
    }

    /// The next turn also says this beside its calls.
    pub(super) fn first_says(mut self, text: &str) -> Self {
        let first = self.turns.front_mut().unwrap().as_mut().unwrap();
        **first = props::turn(text, first.tool_calls.clone());
        self
    }

    pub(super) fn model_fails(mut self, error: ModelError) -> Self {
        self.turns.push_back(Err(error));
        self
    }

    /// The next staged changes cannot be applied.
    pub(super) fn apply_fails(mut self, error: ToolError) -> Self {
        self.applied.push_back(Err(error));
        self
    }

    /// The host's next answer to a commit; it confirms all others as message 41.
    pub(super) fn host_commits(mut self, message_id: Option<&str>) -> Self {
        self.commits.push_back(Ok(CommitReceipt {
            message_id: message_id.map(str::to_owned),
        }));
        self
    }

    pub(super) fn host_refuses(mut self, reason: &str) -> Self {
        self.commits.push_back(Err(CommitRefusal {
            reason: reason.to_owned(),
        }));
        self
    }

    pub(super) fn promotion_fails(mut self, error: RunError) -> Self {
        self.promotion = Err(error);
        self
    }

    pub(super) fn metadata_refused(mut self, reason: &str) -> Self {
        self.metadata = Err(CommitRefusal {
            reason: reason.to_owned(),
        });
        self
    }

    /// What a person has said before the next request, and the ones after it.
    pub(super) fn guided(mut self, items: &[&str]) -> Self {
        let guidance = |text: &&str| Guidance::new(format!("guidance_{text}"), None, text).unwrap();
        self.guidance.push_back(items.iter().map(guidance).collect());
        self
    }

    /// What is known of every call that needs an approval.
    pub(super) fn approvals_are(mut self, finding: ApprovalFinding) -> Self {
        self.finding = finding;
        self
    }

    /// A person's next answer.
    pub(super) fn answered(mut self, approved: bool, scope: ApprovalScope, reason: Option<&str>) -> Self {
        self.approvals.push_back(ApprovalAnswer {
            approved,
            scope,
            reason: reason.map(str::to_owned),
        });
        self
    }

    /// In place of the answer to the effect of this number, counted from 0, this comes.
    pub(super) fn interrupted(mut self, at: usize, event: Event) -> Self {
        self.interruption = Some((at, event));
        self
    }

    pub(super) fn play(mut self) -> Played {
        let mut run = Run::new(self.setup.clone());
        let mut played = Played::default();
        let mut asked: Option<Effect> = None;
        let mut event = Event::Started;
        loop {
            let effects = step(&mut run, event);
            check_list(&effects);
            match effects.last() {
                Some(Effect::End) => asked = None,
                Some(last) => asked = Some(last.clone()),
                // The event changed nothing: the question still stands.
                None => {}
            }
            played.record(effects);
            let Some(effect) = &asked else { break };
            event = self.next_event(effect, &mut played);
        }
        played.finish(run)
    }

    fn next_event(&mut self, effect: &Effect, played: &mut Played) -> Event {
        let number = played.asked;
        match self.interruption.take_if(|(at, _)| *at == number) {
            Some((_, event)) => event,
            None => {
                played.asked += 1;
                self.answer(effect, played)
            }
        }
    }

    fn answer(&mut self, effect: &Effect, played: &mut Played) -> Event {
        match effect {
            Effect::PrepareWorkspace => Event::WorkspaceReady {
                persistent_roots: self.persistent_roots.clone(),
            },
            Effect::CallModel(_) => Event::ModelAnswered(self.turns.pop_front().expect("the scene has no turn left")),
            Effect::Wait { .. } => Event::WaitOver,
            Effect::StoreTurn(turn) => Event::TurnStored {
                path: format!("model-responses/round-{:03}.json", turn.round),
            },
            Effect::StoreArguments { call_id, .. } => Event::ArgumentsStored {
                path: format!("tool-args/{call_id}.json"),
                fit: true,
            },
            Effect::RunTool { call_id, .. } => Event::ToolReturned {
                outcome: self.outcomes[call_id].clone(),
                elapsed_ms: TOOL_MS,
            },
            Effect::ApplyStaged => Event::EffectsApplied(self.applied.pop_front().unwrap_or(Ok(()))),
            Effect::CreateCheckpoint { .. } => Event::CheckpointCreated(played.checkpoint()),
            Effect::AskCommit { .. } => {
                let confirmed = Ok(CommitReceipt {
                    message_id: Some("41".to_owned()),
                });
                Event::CommitAnswered(self.commits.pop_front().unwrap_or(confirmed))
            }
            Effect::StoreResult { result, view, .. } => Event::ResultStored {
                path: path(&format!("tool-results/{}.json", result.call_id)),
                view: view
                    .as_ref()
                    .map(|_| path(&format!("tool-results/{}.txt", result.call_id))),
            },
            Effect::CaptureText { text, .. } => {
                let size = measure(text);
                Event::TextCaptured(WrittenText {
                    chars: size.chars,
                    words: size.words,
                    sha256: digest(text),
                })
            }
            Effect::Promote => Event::Promoted(self.promotion.clone()),
            Effect::UpdateMetadata { .. } => Event::MetadataUpdated(self.metadata.clone()),
            Effect::PrepareApproval { .. } => Event::ApprovalPrepared(self.finding.clone()),
            Effect::AskApproval { .. } => {
                Event::ApprovalAnswered(self.approvals.pop_front().expect("the scene has no answer left"))
            }
            Effect::TakeGuidance => Event::GuidanceTaken(self.guidance.pop_front().unwrap_or_default()),
            Effect::CloseMailbox { .. } | Effect::Append(_) | Effect::End => unreachable!("this effect has no answer"),
        }
    }
}

impl Played {
    fn checkpoint(&mut self) -> CheckpointId {
        self.checkpoints += 1;
        CheckpointId::parse(&format!("cp_{:06}", self.checkpoints)).unwrap()
    }
}
