//! Every problem at its place, and the same first problem as a run would meet.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::tests::{catalogue, minimal};
use super::*;

fn told(file: &Value) -> Vec<(String, &'static str)> {
    let checked = check(file.to_string().as_bytes(), None, &catalogue());
    assert_eq!(checked.profile.is_some(), checked.problems.is_empty());
    let told = |problem: &Problem| (problem.path.to_string(), problem.code);
    checked.problems.iter().map(told).collect()
}

fn expect(file: &Value, expected: &[(&str, &'static str)]) {
    let expected: Vec<(String, &str)> = expected
        .iter()
        .map(|(path, code)| ((*path).to_owned(), *code))
        .collect();
    assert_eq!(told(file), expected);
}

#[test]
fn a_right_file_has_no_problem_and_is_given_back() {
    let checked = check(minimal().to_string().as_bytes(), None, &catalogue());
    let (profile, resolved) = checked.profile.unwrap();
    assert_eq!(profile, Profile::parse(minimal().to_string().as_bytes()).unwrap());
    assert_eq!(resolved, resolve(&profile, &catalogue()).unwrap());
    assert_eq!(checked.problems, []);
}

#[test]
fn what_breaks_the_schema_is_told_at_every_level() {
    let mut file = minimal();
    file["unheardOf"] = json!(1);
    file["preset"]["mode"] = json!("other");
    file["tools"]["unheardOf"] = json!(1);
    file["tools"]["maxRounds"] = json!("80");
    file["tools"]["limits"] = json!({"unheardOf": 1});
    file["tools"]["toolDescriptions"] = json!({"builtin:workspace.finish": {"unheardOf": 1}});
    file["run"] = json!({"modelRetry": {"unheardOf": 1}});
    file["output"]["artifacts"][0]["target"] = json!("nobody");
    file["output"]["artifacts"].as_array_mut().unwrap().push(json!(7));
    file.as_object_mut().unwrap().shift_remove("plan");
    let mut told: Vec<String> = told(&file).into_iter().map(|(path, _)| path).collect();
    told.sort_unstable();
    let expected = [
        "$",
        "$.output.artifacts[0].target",
        "$.output.artifacts[1]",
        "$.preset.mode",
        "$.run",
        "$.run.modelRetry.unheardOf",
        "$.tools.limits.unheardOf",
        "$.tools.maxRounds",
        "$.tools.toolDescriptions['builtin:workspace.finish'].unheardOf",
        "$.tools.unheardOf",
        "$.unheardOf",
    ];
    assert_eq!(told, expected);
}

#[test]
fn rules_are_told_section_by_section() {
    let mut file = minimal();
    file["displayName"] = json!(" ");
    file["context"] = json!({"maxPromptChars": 0, "toolResults": {"keepFull": -1}});
    file["tools"]["allow"] = json!([
        "chat.search",
        "builtin:no.such",
        "workspace.write_file",
        "builtin:dice.roll",
        "builtin:dice.roll"
    ]);
    file["tools"]["maxCallsPerTool"] = json!({"builtin:dice.roll": 0});
    file["delegation"] = json!({"allowAsSubagent": true, "maxHandoffDepth": 0});
    file["run"]["presentation"] = json!("foreground");
    file["skills"] = json!({"visible": ["fine", "Not Fine"], "deny": ["Bad"]});
    let second = json!({"id": "b", "path": "../b", "kind": "x", "target": "messageBody"});
    file["output"]["artifacts"].as_array_mut().unwrap().push(second);
    expect(
        &file,
        &[
            ("$.displayName", "agent.profile_display_name_required"),
            ("$.context.maxPromptChars", "agent.profile_context_invalid"),
            ("$.context.toolResults.keepFull", "agent.profile_context_invalid"),
            ("$.tools.allow[0]", "agent.profile_unknown_tool"),
            ("$.tools.allow[1]", "agent.profile_unknown_tool"),
            ("$.tools.allow[2]", "agent.profile_unknown_tool"),
            ("$.tools.allow[4]", "agent.profile_tools_allow_duplicate"),
            (
                "$.tools.maxCallsPerTool['builtin:dice.roll']",
                "agent.profile_tool_budget_invalid",
            ),
            ("$.delegation.maxHandoffDepth", "agent.profile_handoff_depth_invalid"),
            ("$.delegation.callable", "agent.profile_delegation_callable_required"),
            ("$.tools.allow", "agent.profile_finish_required"),
            ("$.tools.allow", "agent.profile_commit_required"),
            ("$.skills.visible[1]", "agent.profile_skill_name_invalid"),
            ("$.skills.deny[0]", "agent.profile_skill_name_invalid"),
            ("$.output.artifacts[1].path", "workspace.invalid_path"),
        ],
    );
}

#[test]
fn the_first_problem_is_the_one_that_a_run_meets_and_the_check_always_ends() {
    for line in include_str!("../tests/refusals.jsonl").lines() {
        let (pointer, value, expected): (String, Value, String) = serde_json::from_str(line).unwrap();
        let is_older = pointer == "/schemaVersion" && value == 2;
        let told = told(&super::super::tests::with(&pointer, value));
        if is_older {
            // The only refusal of a run's start that reading a file takes care of.
            continue;
        }
        let first = told.first().map_or("accepted", |(_, code)| code);
        assert_eq!(first, expected, "{line}");
        assert!(told.len() <= 3, "{line} {told:?}");
    }
}

#[test]
fn a_file_of_an_older_version_is_checked_as_what_it_becomes() {
    let mut file = minimal();
    file["schemaVersion"] = json!(1);
    file["tools"]["allow"] = json!(["workspace.write_file", "workspace.finish"]);
    expect(&file, &[]);
    file["schemaVersion"] = json!(4);
    expect(&file, &[("$.schemaVersion", "agent.profile_schema_unsupported")]);
}

#[test]
fn the_name_of_the_file_counts_where_it_is_given() {
    let stem = ProfileId::parse("other").unwrap();
    let checked = check(minimal().to_string().as_bytes(), Some(&stem), &catalogue());
    let told: Vec<_> = checked.problems.iter().map(|p| (p.path.to_string(), p.code)).collect();
    assert_eq!(told, [("$.id".to_owned(), "agent.profile_id_invalid")]);
    assert!(checked.profile.is_none());
}

#[test]
fn what_is_no_object_or_no_json_is_one_problem() {
    for file in ["", "{", "null", "7", "[]", "\u{fffd}"] {
        let checked = check(file.as_bytes(), None, &catalogue());
        let codes: Vec<_> = checked.problems.iter().map(|problem| problem.code).collect();
        assert_eq!(codes, ["agent.profile_contract_invalid"], "{file}");
    }
}

#[test]
fn a_member_that_is_there_twice_is_told() {
    let file = minimal().to_string().replacen('{', "{\"displayName\": \"First\",", 1);
    let checked = check(file.as_bytes(), None, &catalogue());
    let told: Vec<_> = checked.problems.iter().map(|p| (p.path.to_string(), p.code)).collect();
    assert_eq!(told, [("$".to_owned(), "agent.profile_contract_invalid")]);
    assert_eq!(Profile::parse(file.as_bytes()).unwrap_err().code(), told[0].1);
}

#[test]
fn a_flood_of_problems_ends() {
    let mut file = minimal();
    for n in 0..1_000 {
        file[format!("unheardOf{n}")] = json!(n);
    }
    assert_eq!(told(&file).len(), MAX_STEPS);
}

/// Pointers to every place of a value.
fn places(value: &Value, at: &str) -> Vec<String> {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(n, value)| (n.to_string(), value))
            .collect(),
        _ => Vec::new(),
    };
    let below = inner
        .iter()
        .flat_map(|(name, value)| places(value, &format!("{at}/{name}")));
    std::iter::once(at.to_owned()).chain(below).collect()
}

fn anything() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        Just(json!([])),
        Just(json!({})),
        Just(json!(" ")),
        Just(json!(["*", "*"])),
        Just(json!({"unheardOf": [1]})),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        "[a-z.:/ ]{0,12}".prop_map(Value::from),
    ]
}

proptest! {
    #[test]
    fn a_check_ends_and_agrees_with_what_a_run_does(changes in prop::collection::vec((any::<prop::sample::Index>(), anything()), 1..6)) {
        let mut file = serde_json::to_value(super::super::tests::default_profile()).unwrap();
        for (place, value) in changes {
            let places = places(&file, "");
            *file.pointer_mut(&places[place.index(places.len())]).unwrap() = value;
        }
        let json = file.to_string().into_bytes();
        let run = Profile::parse(&json).and_then(|profile| resolve(&profile, &catalogue()));
        let checked = check(&json, None, &catalogue());
        prop_assert_eq!(checked.profile.map(|(_, resolved)| resolved), run.as_ref().ok().cloned());
        prop_assert_eq!(checked.problems.is_empty(), run.is_ok());
        if let Err(error) = run {
            prop_assert!(checked.problems.iter().any(|problem| problem.code == error.code()), "{} {:?}", error, checked.problems);
        }
    }
}
