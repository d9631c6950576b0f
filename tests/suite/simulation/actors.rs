//! Everybody but the loop: what model, tools, disk, host and people answer is decided by a seed.

use innkeeper::protocol::approval::{
    ApprovalAnswer, ApprovalBinding, ApprovalFinding, ApprovalId, ApprovalQuestion, ApprovalScope,
};
use innkeeper::protocol::call::{
    Block, CallOutcome, CommitMode, PlannedCommit, PlannedEffect, Reply, ToolError, WriteMode,
};
use innkeeper::protocol::digest::Sha256;
use innkeeper::protocol::id::{CallId, CheckpointId, StateId, ToolId};
use innkeeper::protocol::limits::Usage;
use innkeeper::protocol::model::{
    Continuation, Message, ModelError, ModelResponse, Part, ProviderAnswer, ProviderMetadata, Role, ToolCallRequest,
};
use innkeeper::protocol::port::{CommitReceipt, CommitRefusal};
use innkeeper::protocol::run::{ErrorKind, RunError};
use innkeeper_agent::{Effect, Event, Promotion, WrittenText};
use serde_json::{Map, Value, json};

use super::setup::{TOOLS, alias, path};

const FILES: [&str; 4] = ["output/main.md", "notes.json", "persist/lore.txt", "output/aside.md"];

/// The actors of one run.
pub struct Actors {
    state: u64,
    calls: u32,
    checkpoints: u32,
}

impl Actors {
    /// Those of this seed.
    pub fn new(seed: u64) -> Self {
        Self {
            state: seed,
            calls: 0,
            checkpoints: 0,
        }
    }

    /// The next number below a bound (SplitMix64).
    pub fn below(&mut self, bound: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }

    /// True about once in so many times.
    pub fn once_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    fn broken(&mut self) -> RunError {
        let kinds = [ErrorKind::Internal, ErrorKind::Transient, ErrorKind::Cancelled];
        RunError::new("store.io_failed", kinds[self.below(3)], "it broke")
    }

    /// The answer to what the loop asks.
    pub fn answer(&mut self, asked: &Effect) -> Event {
        match asked {
            _ if is_interruptible(asked) && self.once_in(40) => Event::CancelRequested,
            _ if self.once_in(150) => Event::Failed(self.broken()),
            Effect::PrepareWorkspace => Event::WorkspaceReady {
                persistent_roots: vec!["persist".to_owned()],
            },
            Effect::CallModel(_) => Event::ModelAnswered(self.turn()),
            Effect::Wait { .. } => Event::WaitOver,
            Effect::StoreTurn(turn) => Event::TurnStored {
                path: format!("model-responses/round-{:03}.json", turn.round),
            },
            Effect::StoreArguments { call_id, .. } => Event::ArgumentsStored {
                path: format!("tool-args/{call_id}.json"),
                fit: !self.once_in(8),
            },
            Effect::PrepareApproval { .. } => Event::ApprovalPrepared(self.finding()),
            Effect::AskApproval { .. } => Event::ApprovalAnswered(ApprovalAnswer {
                approved: self.once_in(2),
                scope: ApprovalScope::Once,
                reason: None,
            }),
            Effect::RunTool { tool_id, .. } => Event::ToolReturned {
                outcome: self.outcome(tool_id.name()),
                elapsed_ms: 1,
            },
            other => self.stored(other),
        }
    }

    /// What disk and host answer.
    fn stored(&mut self, asked: &Effect) -> Event {
        match asked {
            Effect::ApplyStaged if self.once_in(8) => {
                Event::EffectsApplied(Err(ToolError::new("workspace.patch_stale_file", "It changed.")))
            }
            Effect::ApplyStaged => Event::EffectsApplied(Ok(())),
            Effect::CreateCheckpoint { .. } => {
                self.checkpoints += 1;
                Event::CheckpointCreated(CheckpointId::parse(&format!("cp_{:06}", self.checkpoints)).unwrap())
            }
            Effect::AskCommit { .. } if self.once_in(6) => Event::CommitAnswered(Err(refusal())),
            Effect::AskCommit { .. } => Event::CommitAnswered(Ok(CommitReceipt {
                message_id: Some("12".to_owned()),
            })),
            Effect::StoreResult { result, view, .. } => Event::ResultStored {
                path: path(&format!("tool-results/{}.json", result.call_id)),
                view: view.as_ref().map(|_| path("tool-results/view.txt")),
            },
            Effect::CaptureText { text, .. } => Event::TextCaptured(WrittenText {
                chars: 1,
                words: 1,
                sha256: Sha256::of(text.as_bytes()),
            }),
            Effect::Promote if self.once_in(8) => Event::Promoted(Err(self.broken())),
            Effect::Promote => Event::Promoted(Ok(Promotion {
                state_id: StateId::parse("run_1").unwrap(),
                base_state_id: None,
                changes: Vec::new(),
            })),
            Effect::UpdateMetadata { .. } if self.once_in(8) => Event::MetadataUpdated(Err(refusal())),
            Effect::UpdateMetadata { .. } => Event::MetadataUpdated(Ok(())),
            other => panic!("nobody answers {other:?}"),
        }
    }

    fn turn(&mut self) -> Result<Box<ModelResponse>, ModelError> {
        let answer = ProviderAnswer::default;
        match self.below(12) {
            0 => Err(ModelError::Transient(answer())),
            1 => Err(ModelError::RateLimited(answer())),
            2 if self.once_in(4) => Err(ModelError::ContextOverflow(answer())),
            2 => Ok(turn("Some prose.", Vec::new())),
            3..=6 => {
                let calls = [TOOLS[2], TOOLS[0], TOOLS[1]].map(|tool| self.call(tool)).to_vec();
                Ok(turn("", calls))
            }
            _ => {
                let calls = (0..=self.below(3)).map(|_| self.below(TOOLS.len())).collect::<Vec<_>>();
                Ok(turn(
                    "On it.",
                    calls.into_iter().map(|tool| self.call(TOOLS[tool])).collect(),
                ))
            }
        }
    }

    fn call(&mut self, tool: &str) -> ToolCallRequest {
        self.calls += 1;
        ToolCallRequest {
            call_id: CallId::parse(&format!("c{}", self.calls)).unwrap(),
            alias: alias(&ToolId::parse(tool).unwrap()),
            arguments: json!({ "number": self.calls }),
            provider_metadata: Map::new(),
        }
    }

    fn outcome(&mut self, tool: &str) -> CallOutcome {
        match self.below(14) {
            0 => CallOutcome::Error(ToolError::new("tool.trap", "It fell over.")),
            1 if self.once_in(4) => CallOutcome::Fault(self.broken()),
            _ => CallOutcome::Reply(Reply {
                content: vec![Block::Text {
                    text: "Done.".to_owned(),
                }],
                structured: Some(json!({})),
                resource_refs: Vec::new(),
                effects: self.effects(tool),
                told: Default::default(),
                usage: Usage::default(),
            }),
        }
    }

    fn effects(&mut self, tool: &str) -> Vec<PlannedEffect> {
        let file = FILES[self.below(FILES.len())];
        match tool {
            "workspace.commit" => vec![commit("output/main.md")],
            "workspace.finish" => vec![PlannedEffect::Finish { reason: None }],
            "workspace.write_file" => vec![write(file, self.once_in(6))],
            "workspace.apply_patch" => vec![patch(file)],
            _ if self.once_in(2) => vec![write(file, false)],
            _ => Vec::new(),
        }
    }

    fn finding(&mut self) -> ApprovalFinding {
        match self.below(5) {
            0 => ApprovalFinding::Nobody,
            1 => ApprovalFinding::Standing {
                approval_id: ApprovalId::parse("approval_earlier").unwrap(),
                scope: ApprovalScope::Always,
            },
            _ => ApprovalFinding::Ask(Box::new(question())),
        }
    }
}

/// What an executor stops when a cancel comes; everything else is done first.
fn is_interruptible(asked: &Effect) -> bool {
    matches!(
        asked,
        Effect::CallModel(_)
            | Effect::Wait { .. }
            | Effect::StoreArguments { .. }
            | Effect::AskApproval { .. }
            | Effect::RunTool { .. }
            | Effect::AskCommit { .. }
            | Effect::Promote
    )
}

fn refusal() -> CommitRefusal {
    CommitRefusal {
        reason: "Not now.".to_owned(),
    }
}

fn question() -> ApprovalQuestion {
    let digest = |text: &str| Sha256::of(text.as_bytes());
    ApprovalQuestion {
        title: "Ask for it".to_owned(),
        source: "builtin".to_owned(),
        publisher: None,
        side_effect: "Changes nothing.".to_owned(),
        binding: ApprovalBinding {
            tool_digest: digest("the tool"),
            arguments_digest: digest("the arguments"),
        },
        diff_ref: None,
    }
}

fn write(file: &str, is_blank: bool) -> PlannedEffect {
    PlannedEffect::Write {
        path: path(file),
        mode: WriteMode::Replace,
        chars: 9,
        words: 2,
        sha256: Sha256::of(file.as_bytes()),
        is_blank,
    }
}

fn patch(file: &str) -> PlannedEffect {
    PlannedEffect::Patch {
        path: path(file),
        chars: 8,
        words: 2,
        old_sha256: Sha256::of(file.as_bytes()),
        sha256: Sha256::of(b"patched"),
        replacements: 1,
        is_blank: false,
    }
}

fn commit(file: &str) -> PlannedEffect {
    PlannedEffect::Commit(PlannedCommit {
        path: path(file),
        mode: CommitMode::Replace,
        reason: None,
        chars: 9,
        words: 2,
        sha256: Sha256::of(file.as_bytes()),
    })
}

fn turn(text: &str, calls: Vec<ToolCallRequest>) -> Box<ModelResponse> {
    let said = (!text.is_empty()).then(|| Part::Text { text: text.to_owned() });
    let called = calls.iter().cloned().map(|call| Part::ToolCall { call });
    Box::new(ModelResponse {
        message: Message::new(Role::Assistant, said.into_iter().chain(called).collect()),
        tool_calls: calls,
        text: text.to_owned(),
        reasoning: None,
        provider_metadata: ProviderMetadata {
            id: None,
            model: None,
            usage: None,
            source: "openai".to_owned(),
            format: "openai_compatible".to_owned(),
        },
        raw_response: Value::Null,
        continuation: Continuation::default(),
    })
}
