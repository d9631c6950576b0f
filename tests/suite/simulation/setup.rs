//! What every simulated run is started with.

use innkeeper::protocol::id::{ModelAlias, ProfileId, RunId, StableChatId, StateId, ToolId, WorkspaceId};
use innkeeper::protocol::model::{Message, ModelInfo, Role, ToolOffer};
use innkeeper::protocol::path::WorkspacePath;
use innkeeper::protocol::run::{ChatRef, GenerationType, Presentation};
use innkeeper_agent::{LoopRules, OfferedTool, RunSetup, RunSkills};
use innkeeper_policy::{Approval, AskRule, CallBudget, Decision, Reason};
use serde_json::{Map, json};

/// The tools of a run; `asks` needs a person and `denied` is refused.
pub const TOOLS: [&str; 8] = [
    "builtin:workspace.commit",
    "builtin:workspace.finish",
    "builtin:workspace.write_file",
    "builtin:workspace.apply_patch",
    "builtin:chat.search",
    "extension/mood:mood.read",
    "builtin:asks",
    "builtin:denied",
];

/// A path of the workspace.
pub fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

/// The name under which the model knows a tool.
pub fn alias(id: &ToolId) -> String {
    id.name().replace('.', "_")
}

fn tool(id: &str) -> OfferedTool {
    let id = ToolId::parse(id).unwrap();
    let approval = if id.name() == "asks" {
        Approval::Needed { rule: AskRule::User }
    } else {
        Approval::NotNeeded
    };
    OfferedTool {
        offer: ToolOffer {
            alias: ModelAlias::parse(&alias(&id)).unwrap(),
            description: "A tool.".to_owned(),
            input_schema: json!({"type": "object"}),
        },
        decision: Decision {
            visible: true,
            callable: id.name() != "denied",
            approval,
            reason: Reason::ProfileAllow,
            budget: CallBudget::default(),
        },
        max_calls: (id.name() == "mood.read").then_some(1),
        id,
    }
}

fn rules() -> LoopRules {
    LoopRules {
        max_rounds: 5,
        max_calls: 9,
        drift_attempts: 1,
        max_retries: 2,
        retry_interval_ms: 3_000,
        shows_live_writes: false,
        denial_is_fatal: false,
        message_path: path("output/main.md"),
        message_required: true,
        keep_full_results: 20,
        max_result_chars: None,
        inline_result_chars: 50_000,
        context_policy: json!({}),
    }
}

/// A run of this id.
pub fn setup(run_id: RunId, workspace_id: WorkspaceId, presentation: Presentation) -> RunSetup {
    RunSetup {
        run_id,
        workspace_id,
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
        presentation,
        skills: RunSkills::default(),
        rules: rules(),
        tools: TOOLS.iter().map(|id| tool(id)).collect(),
        messages: vec![Message::of_text(Role::User, "Go on.")],
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
