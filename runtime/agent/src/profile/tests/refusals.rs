//! Each refusal by its code, the order in which they come, and their words.
//!
//! Most cases change one thing of a profile that is accepted; they stand in `refusals.jsonl`, as pointer, value and code.

use serde_json::{Value, json};

use super::super::*;
use super::{catalogue, id, minimal, parse, resolved, with};

const CASES: &str = include_str!("refusals.jsonl");

fn refusal(file: &Value) -> Option<ProfileError> {
    parse(file).and_then(|profile| resolve(&profile, &catalogue())).err()
}

fn code(file: &Value) -> &'static str {
    refusal(file).map_or("accepted", |error| error.code())
}

#[test]
fn each_fault_has_its_code() {
    for line in CASES.lines() {
        let (pointer, value, expected): (String, Value, String) = serde_json::from_str(line).unwrap();
        assert_eq!(code(&with(&pointer, value)), expected, "{line}");
    }
}

#[test]
fn what_is_no_profile_at_all_breaks_the_contract() {
    for text in ["", "[]", "{", "null", "{\"schemaVersion\": 3}", "\u{fffd}"] {
        assert_eq!(
            Profile::parse(text.as_bytes()).unwrap_err().code(),
            "agent.profile_contract_invalid",
            "{text}"
        );
    }
}

#[test]
fn another_version_is_named_before_anything_else() {
    let mut file = with("/unheardOf", json!(1));
    file["schemaVersion"] = json!(4);
    assert_eq!(code(&file), "agent.profile_schema_unsupported");
}

#[test]
fn a_tool_without_arguments_has_none_to_describe() {
    let mut catalogue = catalogue();
    catalogue
        .iter_mut()
        .for_each(|spec| spec.input_schema = json!({"type": "object"}));
    let file = with(
        "/tools/toolDescriptions",
        json!({"builtin:workspace.finish": {"properties": {"path": "x"}}}),
    );
    let refusal = resolve(&parse(&file).unwrap(), &catalogue).unwrap_err();
    assert_eq!(refusal.code(), "agent.profile_tool_properties_invalid");
}

#[test]
fn a_builtin_that_is_not_there_is_unknown() {
    let mut catalogue = catalogue();
    catalogue.retain(|spec| spec.id.as_str() != "builtin:workspace.finish");
    let refusal = resolve(&parse(&minimal()).unwrap(), &catalogue).unwrap_err();
    assert_eq!(refusal.code(), "agent.profile_unknown_tool");
}

#[test]
fn a_description_of_a_vanished_servers_tool_is_kept() {
    const GONE: &str = "mcp/00000000-0000-0000-0000-000000000000:gone";
    let mut file = with(
        "/tools/toolDescriptions",
        json!({ GONE: {"properties": {"anything": " x "}} }),
    );
    file["tools"]["allow"] = json!([GONE, "builtin:workspace.write_file", "builtin:workspace.finish"]);
    let profile = resolved(&parse(&file).unwrap());
    let expected = ToolText {
        description: None,
        properties: [("anything".to_owned(), "x".to_owned())].into(),
    };
    assert_eq!(profile.tools().tool_descriptions, [(id(GONE), expected)].into());
}

#[test]
fn listing_agents_is_enough_for_handing_over() {
    let mut file = with("/delegation/canHandoff", json!(true));
    file["tools"]["allow"] = json!([
        "builtin:agent.list",
        "builtin:workspace.write_file",
        "builtin:workspace.finish"
    ]);
    assert_eq!(code(&file), "accepted");
}

#[test]
fn what_only_others_start_needs_no_end_of_its_own() {
    let mut file = with("/run", json!({"directRunnable": false, "presentation": "background"}));
    file["tools"]["allow"] = json!(["builtin:workspace.write_file"]);
    file["delegation"] = json!({"callable": true, "allowAsSubagent": true});
    assert_eq!(code(&file), "accepted");
    file["run"]["presentation"] = json!("foreground");
    assert_eq!(code(&file), "agent.profile_subagent_only_background_required");
    file["delegation"]["allowAsHandoffTarget"] = json!(true);
    assert_eq!(code(&file), "accepted");
}

#[test]
fn the_first_section_with_a_fault_decides() {
    let faults = [
        ("/output/artifacts", json!([]), "agent.profile_output_empty"),
        (
            "/workspace/visibleRoots",
            json!([]),
            "agent.profile_workspace_visible_empty",
        ),
        ("/skills/visible", json!([]), "agent.profile_skill_visible_empty"),
        (
            "/run/driftRecoveryMaxAttempts",
            json!(-1),
            "agent.profile_drift_recovery_invalid",
        ),
        (
            "/delegation/allowedCallers",
            json!([]),
            "agent.profile_delegation_callers_empty",
        ),
        ("/tools/allow", json!([]), "agent.profile_tools_empty"),
        ("/plan/mode", json!("x"), "agent.plan_mode_unsupported"),
        (
            "/instructions/agentSystemPrompt",
            json!(""),
            "agent.profile_system_prompt_empty",
        ),
        ("/context/maxPromptChars", json!(0), "agent.profile_context_invalid"),
        (
            "/model/modelId",
            json!("m"),
            "agent.profile_model_current_snapshot_extra_fields",
        ),
        ("/preset/mode", json!("ref"), "agent.profile_preset_ref_required"),
        ("/id", json!(""), "agent.profile_id_empty"),
    ];
    let mut file = minimal();
    for (pointer, value, expected) in faults {
        let section = pointer.split('/').nth(1).unwrap();
        file[section] = with(pointer, value)[section].clone();
        assert_eq!(code(&file), expected, "{pointer}");
    }
}

#[test]
fn messages_say_what_to_change() {
    let cases = [
        with("/schemaVersion", json!(2)),
        with("/unheardOf", json!(1)),
        with("/id", json!("Caps")),
        with("/displayName", json!("")),
        with("/context/toolResults/keepFull", json!(-1)),
        with("/tools/allow", json!(["chat.search"])),
        with("/tools/allow", json!(["builtin:no.such"])),
        with("/tools/ask", json!(["builtin:dice.roll"])),
        with(
            "/tools/toolDescriptions",
            json!({"builtin:workspace.finish": {"properties": {"other": "x"}}}),
        ),
        with("/run/presentation", json!("foreground")),
        with("/workspace/writableRoots", json!(["plan"])),
        with("/output/artifacts/0/path", json!("../a.md")),
        with("/output/artifacts/0/path", json!("plan/a.md")),
    ];
    let messages: Vec<String> = cases.iter().map(|file| refusal(file).unwrap().to_string()).collect();
    insta::assert_snapshot!(messages.join("\n"));
}
