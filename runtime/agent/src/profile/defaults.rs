//! The profile that a run uses when nobody names one.
//!
//! It is a plain profile like any other and goes through the same checks.

use innkeeper_protocol::id::ToolId;
use innkeeper_protocol::path::RootName;

use super::abilities::{Delegation, Skills, Tools, Workspace};
use super::schema::{
    Artifact, ArtifactTarget, Context, Instructions, KIND, Model, ModelMode, Output, Plan, Preset, PresetMode, Profile,
    RunSettings, SCHEMA_VERSION,
};

/// The id of the default profile.
pub const DEFAULT_PROFILE_ID: &str = "default-writer";

/// The tools of the default profile, in the order in which they are offered. Dice and hand-over are left to profiles that want them.
const DEFAULT_TOOLS: [&str; 16] = [
    "builtin:agent.list",
    "builtin:agent.delegate",
    "builtin:agent.await",
    "builtin:chat.search",
    "builtin:chat.read_messages",
    "builtin:worldinfo.read_activated",
    "builtin:skill.list",
    "builtin:skill.search",
    "builtin:skill.read",
    "builtin:workspace.list_files",
    "builtin:workspace.search_files",
    "builtin:workspace.read_file",
    "builtin:workspace.write_file",
    "builtin:workspace.apply_patch",
    "builtin:workspace.commit",
    "builtin:workspace.finish",
];

/// The default profile: a writer that a person watches, with those of its tools that are `available`.
#[must_use]
pub fn default_writer(available: &[ToolId]) -> Profile {
    let is_available = |name: &&str| available.iter().any(|id| id.as_str() == *name);
    let allow = DEFAULT_TOOLS
        .iter()
        .copied()
        .filter(is_available)
        .map(str::to_owned)
        .collect();
    let roots: Vec<String> = RootName::universe().map(String::from).into();
    Profile {
        schema_version: SCHEMA_VERSION,
        kind: KIND.to_owned(),
        id: DEFAULT_PROFILE_ID.to_owned(),
        display_name: "Default writer".to_owned(),
        description: Some(
            "Writes the next message of the chat with the workspace, the chat's history and skills.".to_owned(),
        ),
        preset: Preset {
            mode: PresetMode::CurrentPromptSnapshot,
            reference: None,
            required: false,
        },
        model: Model {
            mode: ModelMode::CurrentPromptSnapshot,
            connection_ref: None,
            model_id: None,
        },
        run: RunSettings::default(),
        context: Context::default(),
        delegation: Delegation {
            can_delegate: true,
            ..Delegation::default()
        },
        instructions: Instructions::default(),
        tools: Tools::of(allow),
        skills: Skills::default(),
        workspace: Workspace {
            visible_roots: roots.clone(),
            writable_roots: roots,
            private_child_dirs: true,
        },
        plan: Plan {
            mode: "none".to_owned(),
            beta: true,
            nodes: Vec::new(),
        },
        output: Output {
            artifacts: vec![Artifact {
                id: "main".to_owned(),
                path: "output/main.md".to_owned(),
                kind: "markdown".to_owned(),
                target: ArtifactTarget::MessageBody,
                required: true,
                assembly_order: 0,
            }],
        },
    }
}
