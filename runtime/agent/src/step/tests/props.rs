//! What scenes are made of: tools, replies, model turns, errors.

use innkeeper_policy::{Approval, CallBudget, Decision, Reason};
use innkeeper_protocol::approval::{ApprovalBinding, ApprovalQuestion};
use innkeeper_protocol::call::{
    Block, CallOutcome, CommitMode, PlannedCommit, PlannedEffect, Reply, ToolError, WriteMode,
};
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::id::{
    CallId, ModelAlias, ProfileId, RunId, StableChatId, StateId, ToolId, ToolName, WorkspaceId,
};
use innkeeper_protocol::limits::Usage;
use innkeeper_protocol::model::{
    Continuation, Message, ModelInfo, ModelResponse, Part, ProviderMetadata, Role, ToolCallRequest, ToolOffer,
};
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::run::{ChatRef, GenerationType, Presentation, RunError};
use serde_json::{Map, Value, json};

use crate::event::Promotion;
use crate::run::{LoopRules, OfferedTool, RunSetup, RunSkills};

pub(super) const TOOLS: [&str; 5] = [
    "workspace.write_file",
    "workspace.apply_patch",
    "workspace.commit",
    "workspace.finish",
    "chat.search",
];

pub(super) fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

pub(super) fn call_id(text: &str) -> CallId {
    CallId::parse(text).unwrap()
}

pub(super) fn digest(text: &str) -> Sha256 {
    Sha256::of(text.as_bytes())
}

/// A tool that may be called as often as the run allows.
pub(super) fn tool(id: &str) -> OfferedTool {
    let id = ToolId::parse(id).unwrap();
    let alias = ModelAlias::parse(&id.name().replace('.', "_")).unwrap();
    OfferedTool {
        id,
        offer: ToolOffer {
            alias,
            description: "A tool.".to_owned(),
            input_schema: json!({"type": "object"}),
        },
        decision: Decision {
            visible: true,
            callable: true,
            approval: Approval::NotNeeded,
            reason: Reason::ProfileAllow,
            budget: CallBudget::default(),
        },
        max_calls: None,
    }
}

pub(super) fn rules() -> LoopRules {
    LoopRules {
        max_rounds: 8,
        max_calls: 20,
        drift_attempts: 1,
        max_retries: 3,
        retry_interval_ms: 3_000,
        shows_live_writes: false,
        denial_is_fatal: false,
        message_path: path("output/main.md"),
        message_required: true,
        keep_full_results: 20,
        max_result_chars: None,
        inline_result_chars: 50_000,
        context_policy: json!({"toolResults": {"keepFull": 20}}),
    }
}

pub(super) fn setup() -> RunSetup {
    let builtin = |name: &&str| tool(ToolId::builtin(&ToolName::parse(name).unwrap()).as_str());
    RunSetup {
        run_id: RunId::parse("run_1").unwrap(),
        workspace_id: WorkspaceId::parse("chat_1").unwrap(),
        stable_chat_id: StableChatId::parse("chat-1").unwrap(),
        chat_ref: ChatRef::Group {
            chat_id: "inn".to_owned(),
        },
        generation_type: GenerationType::Normal,
        profile_id: ProfileId::parse("writer").unwrap(),
        profile_source: "built_in".to_owned(),
        persist_base_state_id: Some(StateId::parse("run_0").unwrap()),
        input_message_count: 12,
        input_boundary: None,
        presentation: Presentation::Foreground,
        skills: RunSkills::default(),
        rules: rules(),
        tools: TOOLS.iter().map(builtin).collect(),
        messages: vec![
            Message::of_text(Role::System, "Write."),
            Message::of_text(Role::User, "Go on."),
        ],
        settings: Map::new(),
        generation_intent: None,
        model: ModelInfo {
            source: "openai".to_owned(),
            format: "openai_compatible".to_owned(),
            model: "m-1".to_owned(),
            can_stream: false,
        },
    }
}

/// What a model says in one turn.
pub(super) fn turn(text: &str, calls: Vec<ToolCallRequest>) -> ModelResponse {
    let mut parts = Vec::new();
    if !text.is_empty() {
        parts.push(Part::Text { text: text.to_owned() });
    }
    parts.extend(calls.iter().cloned().map(|call| Part::ToolCall { call }));
    ModelResponse {
        message: Message::new(Role::Assistant, parts),
        tool_calls: calls,
        text: text.to_owned(),
        reasoning: None,
        provider_metadata: ProviderMetadata {
            id: Some("resp-1".to_owned()),
            model: Some("m-1-2026".to_owned()),
            usage: None,
            source: "openai".to_owned(),
            format: "openai_compatible".to_owned(),
        },
        raw_response: Value::Null,
        continuation: Continuation::default(),
    }
}

/// A call, with what comes of it.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) request: ToolCallRequest,
    pub(super) outcome: CallOutcome,
}

/// A call of a tool by its alias.
pub(super) fn call(id: &str, alias: &str, outcome: CallOutcome) -> Call {
    let request = ToolCallRequest {
        call_id: call_id(id),
        alias: alias.to_owned(),
        arguments: json!({"for": id}),
        provider_metadata: Map::new(),
    };
    Call { request, outcome }
}

pub(super) fn reply(text: &str, effects: Vec<PlannedEffect>) -> Reply {
    Reply {
        content: vec![Block::Text { text: text.to_owned() }],
        structured: Some(json!({})),
        resource_refs: Vec::new(),
        effects,
        told: Default::default(),
        usage: Usage::default(),
    }
}

pub(super) fn replies(effects: Vec<PlannedEffect>) -> CallOutcome {
    CallOutcome::Reply(reply("Done.", effects))
}

pub(super) fn write_effect(file: &str, is_blank: bool) -> PlannedEffect {
    PlannedEffect::Write {
        path: path(file),
        mode: WriteMode::Replace,
        chars: 9,
        words: 2,
        sha256: digest(file),
        is_blank,
    }
}

pub(super) fn patch_effect(file: &str) -> PlannedEffect {
    PlannedEffect::Patch {
        path: path(file),
        chars: 8,
        words: 2,
        old_sha256: digest(file),
        sha256: digest("patched"),
        replacements: 1,
        is_blank: false,
    }
}

pub(super) fn commit_effect(file: &str) -> PlannedEffect {
    PlannedEffect::Commit(PlannedCommit {
        path: path(file),
        mode: CommitMode::Replace,
        reason: Some("a first draft".to_owned()),
        chars: 9,
        words: 2,
        sha256: digest(file),
    })
}

pub(super) fn write(id: &str, file: &str) -> Call {
    call(id, "workspace_write_file", replies(vec![write_effect(file, false)]))
}

pub(super) fn patch(id: &str, file: &str) -> Call {
    call(id, "workspace_apply_patch", replies(vec![patch_effect(file)]))
}

pub(super) fn commit(id: &str) -> Call {
    let reply = reply(
        "Committed as {commit.message-index}.",
        vec![commit_effect("output/main.md")],
    );
    call(id, "workspace_commit", CallOutcome::Reply(reply))
}

pub(super) fn finish(id: &str) -> Call {
    call(
        id,
        "workspace_finish",
        replies(vec![PlannedEffect::Finish { reason: None }]),
    )
}

/// A call that only reads.
pub(super) fn look(id: &str) -> Call {
    call(id, "chat_search", replies(Vec::new()))
}

/// A call that fails so that the model can act on it.
pub(super) fn failing(id: &str, code: &str) -> Call {
    call(
        id,
        "chat_search",
        CallOutcome::Error(ToolError::new(code, "It did not work.")),
    )
}

pub(super) fn broken(code: &'static str) -> RunError {
    RunError::internal(code, "the disk is gone")
}

pub(super) fn promotion() -> Promotion {
    Promotion {
        state_id: StateId::parse("run_1").unwrap(),
        base_state_id: Some(StateId::parse("run_0").unwrap()),
        changes: Vec::new(),
    }
}

/// A question as whoever performs effects prepares it.
pub(super) fn question() -> ApprovalQuestion {
    ApprovalQuestion {
        title: "Ask for it".to_owned(),
        source: "builtin".to_owned(),
        publisher: None,
        side_effect: "Changes nothing.".to_owned(),
        binding: ApprovalBinding {
            tool_digest: digest("the tool"),
            arguments_digest: digest("the arguments"),
        },
        diff_ref: Some("tool-args/c1.diff".to_owned()),
    }
}
