//! The policy file as the host understands it; no sandbox is needed for that.

use innkeeper_policy::SourceSelector;
use innkeeper_protocol::tool::Permission::{self, Allow, Ask, Deny};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn spec(id: &str, is_read_only: bool) -> ToolSpec {
    let (provider, name) = id.split_once(':').unwrap();
    let source = provider.split('/').next().unwrap();
    serde_json::from_value(json!({
        "id": id, "nativeName": name, "title": "", "description": "", "inputSchema": {"type": "object"},
        "annotations": {"readOnly": is_read_only, "destructive": false, "idempotent": true, "openWorld": false, "cost": "low"},
        "visibility": "model", "permission": "allow", "source": source, "uses": [],
        "budget": {"maxCalls": null, "maxOutputChars": null, "timeoutMs": null},
    }))
    .unwrap()
}

fn specs() -> Vec<ToolSpec> {
    vec![
        spec("builtin:chat.search", true),
        spec("builtin:workspace.write_file", false),
        spec("extension/mood:mood.read", true),
    ]
}

/// What the file comes to.
fn read(text: &str) -> FileRules {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("policy.toml"), text).unwrap();
    FileRules::read(&PolicyFile::new(root.path()), &specs())
}

fn verdicts(text: &str) -> Vec<(Permission, String)> {
    let rules = read(text);
    specs().iter().map(|spec| verdict(&rules, spec)).collect()
}

fn told(permission: Permission, reason: &str) -> (Permission, String) {
    (permission, reason.to_owned())
}

#[test]
fn without_rules_the_defaults_hold() {
    let defaults = [
        told(Allow, "allowed by default"),
        told(Allow, "allowed by default"),
        told(Ask, "tools of extensions ask until you allow them"),
    ];
    assert_eq!(verdicts(""), defaults);
}

#[test]
fn each_table_reaches_its_own_input() {
    let text = "[user]\n\"builtin:chat.search\" = \"ask\"\n[source]\nextension = \"allow\"\n[platform]\n\"builtin:workspace.write_file\" = \"deny\"\n";
    let expected = [
        told(Ask, "your policy asks before this tool is called"),
        told(Deny, "the application denies this tool"),
        told(Allow, "the policy for this tool's source allows it"),
    ];
    assert_eq!(verdicts(text), expected);
}

#[test]
fn a_flaw_denies_everything_with_an_effect_and_is_named_with_its_place() {
    let reason = "the policy file policy.toml (line 2, column 7) cannot be read, so every tool with an effect is denied until it is mended";
    let expected = [
        told(Allow, "allowed by default"),
        told(Deny, reason),
        told(Deny, reason),
    ];
    assert_eq!(verdicts("[user]\nmcp = 1\n"), expected);
}

#[test]
fn a_rule_for_a_built_in_tool_that_is_not_there_is_a_flaw() {
    let problem = |text: &str| {
        read(text)
            .problem
            .map(|problem| (problem.error.code, problem.line, problem.column))
    };
    let damaged = Some(("store.policy_damaged".to_owned(), Some(2), Some(1)));
    assert_eq!(
        problem("[user]\n\"builtin:workspace.wirte_file\" = \"deny\"\n"),
        damaged
    );
    assert_eq!(problem("[user]\n\"chat.search\" = \"deny\"\n"), damaged);
    assert_eq!(
        problem("[user]\n\"builtin:agent.delegate\" = \"deny\"\n\"extension/new:x\" = \"ask\"\n"),
        None
    );
}

#[test]
fn a_host_is_denied_by_whoever_says_so_and_no_tool_is() {
    let text = "[user]\n\"http=*.example.com\" = \"deny\"\n\"http=a.example\" = \"allow\"\n[platform]\n\"http=b.example\" = \"ask\"\n";
    let rules = read(text);
    let denied: Vec<String> = rules.denied_hosts.iter().map(ToString::to_string).collect();
    assert_eq!(
        (denied, rules.problem),
        (vec!["*.example.com".to_owned(), "b.example".to_owned()], None)
    );
    assert_eq!(verdicts(text), verdicts(""));
    let flaw = read("[user]\n\"http=https://a.example\" = \"deny\"\n").problem.unwrap();
    assert!(flaw.error.message.contains("names no host"), "{}", flaw.error.message);
}

#[test]
fn a_name_is_a_tool_a_source_or_refused_with_advice() {
    let parse = |text: &str| PolicyTarget::parse(text, &specs());
    let tool = |text: &str| Ok(PolicyTarget::Tool(ToolId::parse(text).unwrap()));
    for id in ["builtin:chat.search", "extension/other:x", "builtin:agent.handoff"] {
        assert_eq!(parse(id), tool(id));
    }
    for source in ["builtin", "mcp", "extension/mood"] {
        assert_eq!(
            parse(source),
            Ok(PolicyTarget::Source(SourceSelector::parse(source).unwrap()))
        );
    }
    let refused = |text: &str| parse(text).unwrap_err().error(text);
    let error = HostError::new("agent.policy_target_invalid", "\"chat_search\" is no whole tool id");
    assert_eq!(refused("chat_search"), error.with_hint("Write `builtin:chat.search`."));
    let hints = ["builtin:nope", "plugin:x", "every", "", "é"].map(|text| refused(text).hint.unwrap());
    let starts = [
        "`innkeeper tools list`",
        "Write `builtin:<name>`",
        "Write a tool's",
        "Write a tool's",
        "Write a tool's",
    ];
    assert!(
        hints.iter().zip(starts).all(|(hint, start)| hint.starts_with(start)),
        "{hints:?}"
    );
}

#[test]
fn a_denial_says_what_can_be_done_about_it() {
    let denial = |text: &str| {
        let (rules, spec) = (read(text), spec("builtin:workspace.write_file", false));
        let error = rules.denied(&spec, &decide(&rules, &spec).reason);
        (error.code, error.message, error.hint.unwrap_or_default())
    };
    let (code, message, hint) = denial("[user]\nbuiltin = \"deny\"\n");
    assert_eq!(code, "agent.tool_policy_denied");
    assert_eq!(
        message,
        "workspace.write_file is denied: the user's policy denies this tool"
    );
    assert!(hint.contains("innkeeper policy show"), "{hint}");
    let (code, message, hint) = denial("[usr]\n");
    assert_eq!(code, "agent.tool_policy_denied");
    assert!(
        message.contains("/policy.toml cannot be used: line 1, column 2: `usr` is not known"),
        "{message}"
    );
    assert!(hint.contains("innkeeper policy reset"), "{hint}");
}

const fn rank(permission: Permission) -> u8 {
    match permission {
        Allow => 0,
        Ask => 1,
        Deny => 2,
    }
}

fn permissions() -> impl Strategy<Value = Permission> {
    prop_oneof![Just(Allow), Just(Ask), Just(Deny)]
}

fn parties() -> impl Strategy<Value = Party> {
    prop_oneof![Just(Party::User), Just(Party::Source), Just(Party::Platform)]
}

fn targets() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("builtin"),
        Just("extension"),
        Just("extension/mood"),
        Just("builtin:chat.search"),
        Just("extension/mood:mood.read"),
        Just("mcp"),
    ]
}

/// A file with these rules, the last of those for the same name.
fn written(rules: &[(Party, &'static str, Permission)]) -> String {
    let mut text = String::new();
    for party in Party::ALL {
        let own: std::collections::BTreeMap<&str, Permission> = rules
            .iter()
            .filter(|rule| rule.0 == party)
            .map(|rule| (rule.1, rule.2))
            .collect();
        text.push_str(&format!("[{}]\n", party.name()));
        for (target, permission) in own {
            text.push_str(&format!("\"{target}\" = {}\n", json!(permission)));
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_denial_that_is_added_never_gives_anything(
        rules in proptest::collection::vec((parties(), targets(), permissions()), 0..8),
        party in parties(),
        target in targets(),
    ) {
        let mut more = rules.clone();
        more.push((party, target, Deny));
        let (before, after) = (verdicts(&written(&rules)), verdicts(&written(&more)));
        for (before, after) in before.iter().zip(&after) {
            prop_assert!(rank(after.0) >= rank(before.0), "{before:?} {after:?}");
        }
        for (spec, after) in specs().iter().zip(&after) {
            let covered = PolicyTarget::parse(target, &specs()).unwrap().covers(&spec.id);
            prop_assert!(!covered || after.0 == Deny);
        }
    }

    #[test]
    fn what_is_set_through_the_file_holds(target in targets(), permission in permissions(), later in permissions()) {
        let root = tempfile::tempdir().unwrap();
        let file = PolicyFile::new(root.path());
        let specs = specs();
        for permission in [permission, later] {
            file.set(Party::User, target, permission, &target::check(&specs)).unwrap();
        }
        let rules = FileRules::read(&file, &specs);
        let parsed = PolicyTarget::parse(target, &specs).unwrap();
        for spec in specs.iter().filter(|spec| parsed.covers(&spec.id)) {
            prop_assert_eq!(verdict(&rules, spec).0, later);
        }
    }

    #[test]
    fn a_file_that_is_cut_short_never_gives_more_than_a_flaw_or_its_rules(
        rules in proptest::collection::vec((parties(), targets(), Just(Deny)), 1..6),
        cut in 0_usize..200,
    ) {
        let text = written(&rules);
        let cut = cut.min(text.len());
        let found = read(&text[..cut]);
        let complete = text[..cut].matches("= \"deny\"").count();
        prop_assert!(found.problem.is_some() || found.reported.len() == complete);
    }
}
