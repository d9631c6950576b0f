//! Profiles as files: reading, defaults, every refusal, the order of refusals, the frozen form.
//!
//! The texts of the messages are in a snapshot; here errors are compared by code.

mod filling;
mod refusals;

use innkeeper_protocol::id::{Provider, ToolId, ToolName};
use innkeeper_protocol::path::RootName;
use innkeeper_protocol::tool::{Annotations, Budget, Cost, Permission, Source, ToolSpec, Visibility};
use serde_json::{Value, json};

use super::*;

pub(super) const BUILTINS: [&str; 18] = [
    "agent.list",
    "agent.delegate",
    "agent.await",
    "agent.handoff",
    "chat.search",
    "chat.read_messages",
    "worldinfo.read_activated",
    "dice.roll",
    "skill.list",
    "skill.search",
    "skill.read",
    "workspace.list_files",
    "workspace.search_files",
    "workspace.read_file",
    "workspace.write_file",
    "workspace.apply_patch",
    "workspace.commit",
    "workspace.finish",
];
pub(super) const FORECAST: &str = "mcp/0f8fad5b-d9cb-469f-a165-70867728950e:get forecast";

pub(crate) fn id(text: &str) -> ToolId {
    ToolId::parse(text).unwrap()
}

pub(crate) fn spec(text: &str) -> ToolSpec {
    let id = id(text);
    let source = match id.provider() {
        Provider::Builtin => Source::Builtin,
        Provider::Mcp(_) => Source::Mcp,
        Provider::Extension(_) => Source::Extension,
    };
    ToolSpec {
        id,
        native_name: ToolName::parse("some.tool").unwrap(),
        title: "A tool".to_owned(),
        description: "Does something.".to_owned(),
        input_schema: json!({"type": "object", "properties": {"path": {"type": "string", "description": "A file."}}}),
        output_schema: None,
        annotations: Annotations {
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: false,
            cost: Cost::Low,
        },
        visibility: Visibility::Model,
        permission: Permission::Allow,
        budget: Budget::default(),
        source,
        uses: Vec::new(),
    }
}

/// Every built-in tool, and one of a server.
pub(crate) fn catalogue() -> Vec<ToolSpec> {
    let ours = BUILTINS.iter().map(|name| spec(&format!("builtin:{name}")));
    ours.chain([spec(FORECAST)]).collect()
}

pub(crate) fn default_profile() -> Profile {
    let available: Vec<ToolId> = catalogue().into_iter().map(|spec| spec.id).collect();
    default_writer(&available)
}

pub(crate) fn resolved(profile: &Profile) -> ResolvedProfile {
    resolve(profile, &catalogue()).unwrap()
}

/// The smallest file that is a profile.
pub(crate) fn minimal() -> Value {
    json!({
        "schemaVersion": 3,
        "kind": "tauritavern.agentProfile",
        "id": "small",
        "displayName": "Small",
        "preset": {"mode": "none"},
        "model": {"mode": "currentPromptSnapshot"},
        "run": {"presentation": "background"},
        "tools": {"allow": ["builtin:workspace.write_file", "builtin:workspace.finish"], "maxRounds": 5},
        "skills": {"visible": ["*"]},
        "workspace": {"visibleRoots": ["output"], "writableRoots": ["output"]},
        "plan": {"mode": "none"},
        "output": {"artifacts": [{"id": "a", "path": "output/a.md", "kind": "markdown", "target": "messageBody"}]}
    })
}

/// The minimal file with the value at this JSON pointer set; what is missing on the way is made.
pub(crate) fn with(pointer: &str, value: Value) -> Value {
    let mut file = minimal();
    let mut at = &mut file;
    for key in pointer.split('/').skip(1) {
        at = match (key.parse::<usize>(), at) {
            (Ok(index), Value::Array(items)) => {
                items.resize(items.len().max(index + 1), Value::Null);
                &mut items[index]
            }
            (_, at) => &mut at[key],
        };
    }
    *at = value;
    file
}

fn parse(file: &Value) -> Result<Profile, ProfileError> {
    Profile::parse(file.to_string().as_bytes())
}

#[test]
fn a_minimal_file_gets_every_default() {
    let profile = resolved(&parse(&minimal()).unwrap());
    insta::assert_snapshot!(serde_json::to_string_pretty(&profile).unwrap());
}

#[test]
fn the_default_writer_is_frozen_like_this() {
    let profile = resolved(&default_profile());
    insta::assert_snapshot!(serde_json::to_string_pretty(&profile).unwrap());
}

#[test]
fn the_default_writer_is_a_file_like_any_other() {
    let profile = default_profile();
    let file = serde_json::to_vec(&profile).unwrap();
    assert_eq!(Profile::parse(&file).unwrap(), profile);
}

#[test]
fn the_default_writer_takes_what_is_there() {
    let available = [
        id("builtin:workspace.finish"),
        id("builtin:dice.roll"),
        id("builtin:chat.search"),
    ];
    assert_eq!(
        default_writer(&available).tools.allow,
        ["builtin:chat.search", "builtin:workspace.finish"]
    );
}

#[test]
fn a_byte_order_mark_is_read_over() {
    let file = format!("\u{feff}{}", minimal());
    assert_eq!(Profile::parse(file.as_bytes()).unwrap(), parse(&minimal()).unwrap());
}

#[test]
fn what_a_run_needs_can_be_asked() {
    let mut profile = default_profile();
    profile.tools.deny = vec!["builtin:chat.search".to_owned()];
    profile.tools.allow.push(FORECAST.to_owned());
    profile.tools.allow.push("extension/gone:mood.read".to_owned());
    profile.tools.ask = vec![FORECAST.to_owned(), FORECAST.to_owned()];
    profile.tools.max_calls_per_tool = [(FORECAST.to_owned(), 2)].into();
    profile.context.initial_chat_history_messages = 12;
    let profile = resolved(&profile);

    let visible: Vec<&str> = profile.visible_tools().map(ToolId::as_str).collect();
    assert_eq!(visible.len(), 16, "16 of the default without search, and the server's");
    assert_eq!(
        (visible.first(), visible.last()),
        (Some(&"builtin:agent.list"), Some(&FORECAST))
    );
    assert_eq!(profile.tools().absent, [id("extension/gone:mood.read")]);
    assert_eq!(profile.message_path().as_str(), "output/main.md");
    assert!(profile.message_required());
    assert_eq!(
        profile.prompt_budget(),
        PromptBudget {
            max_chars: 48_000,
            max_messages: Some(12)
        }
    );
    assert_eq!(profile.readable_roots().last(), Some(RootName::tool_results()));

    let policy = profile.policy();
    assert_eq!((policy.allow.len(), policy.deny.len()), (18, 1));
    assert_eq!(policy.ask, [id(FORECAST)].into());
    assert_eq!(policy.max_calls_per_tool, [(id(FORECAST), 2)].into());
}

#[test]
fn every_negative_number_of_messages_means_all() {
    let mut profile = default_profile();
    profile.context.initial_chat_history_messages = -7;
    let profile = resolved(&profile);
    assert_eq!(profile.context().initial_chat_history_messages, -1);
    assert_eq!(profile.prompt_budget().max_messages, None);
}
