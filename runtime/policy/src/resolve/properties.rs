//! What holds for every input: no panic, the same answer twice, a deny never opens anything, an ask never closes anything.
//!
//! Inputs are drawn from a handful of tools, so that rules about the same tool meet often.

use std::collections::{BTreeMap, BTreeSet};

use innkeeper_protocol::id::ToolId;
use innkeeper_protocol::tool::{Budget, Cost, Permission, Source, ToolSpec, Visibility};
use proptest::prelude::*;

use super::resolve;
use super::tests::spec;
use crate::{Approval, PlanNodePolicy, PolicyInputs, ProfilePolicy, Reason, Rules, RuntimeBudget, SourceSelector};

const TOOLS: [&str; 5] = [
    "builtin:dice.roll",
    "builtin:workspace.write_file",
    "mcp/0f8fad5b-d9cb-469f-a165-70867728950e:get forecast",
    "extension/mood:mood.read",
    "extension/other:mood.read",
];
const SOURCES: [&str; 5] = [
    "builtin",
    "mcp",
    "mcp/0f8fad5b-d9cb-469f-a165-70867728950e",
    "extension",
    "extension/mood",
];

fn tool() -> impl Strategy<Value = ToolId> {
    prop::sample::select(&TOOLS[..]).prop_map(|text| ToolId::parse(text).unwrap())
}

fn selector() -> impl Strategy<Value = SourceSelector> {
    prop::sample::select(&SOURCES[..]).prop_map(|text| SourceSelector::parse(text).unwrap())
}

fn permission() -> impl Strategy<Value = Permission> {
    prop::sample::select(vec![Permission::Allow, Permission::Ask, Permission::Deny])
}

/// Mostly few rules: with many of them nearly everything is denied.
fn rules() -> impl Strategy<Value = Rules> {
    let tools = prop::collection::btree_map(tool(), permission(), 0..2);
    let sources = prop::collection::btree_map(selector(), permission(), 0..2);
    (tools, sources).prop_map(|(tools, sources)| Rules { tools, sources })
}

fn few() -> impl Strategy<Value = BTreeSet<ToolId>> {
    prop::collection::btree_set(tool(), 0..2)
}

fn counts() -> impl Strategy<Value = BTreeMap<ToolId, u32>> {
    prop::collection::btree_map(tool(), prop_oneof![0..4_u32, Just(u32::MAX)], 0..3)
}

fn inputs() -> impl Strategy<Value = PolicyInputs> {
    let allow = prop::collection::btree_set(tool(), 2..=TOOLS.len());
    let profile = (allow, few(), few(), counts()).prop_map(|(allow, deny, ask, max_calls_per_tool)| ProfilePolicy {
        allow,
        deny,
        ask,
        max_calls_per_tool,
    });
    let plan_node = prop::collection::btree_map(tool(), permission(), 0..2).prop_map(|tools| PlanNodePolicy { tools });
    let budget = (prop::option::of(0..3_u32), counts())
        .prop_map(|(calls_left, calls_made)| RuntimeBudget { calls_left, calls_made });
    let unreadable = prop::option::weighted(0.2, Just("policy.toml".to_owned()));
    (rules(), rules(), rules(), unreadable, profile, plan_node, budget).prop_map(
        |(user, source, platform, unreadable, profile, plan_node, budget)| PolicyInputs {
            user,
            source,
            platform,
            unreadable,
            profile,
            plan_node,
            budget,
        },
    )
}

fn any_spec() -> impl Strategy<Value = ToolSpec> {
    let hints = (
        any::<[bool; 3]>(),
        prop::sample::select(vec![Cost::Low, Cost::Normal, Cost::High]),
    );
    let origin = prop::sample::select(vec![Source::Builtin, Source::Mcp, Source::Extension]);
    let max_calls = prop::option::of(0..4_u32);
    (tool(), hints, origin, permission(), any::<bool>(), max_calls).prop_map(
        |(id, ([read_only, destructive, open_world], cost), source, permission, for_people, max_calls)| {
            let mut made = spec(id.as_str());
            made.annotations.read_only = read_only;
            made.annotations.destructive = destructive;
            made.annotations.open_world = open_world;
            made.annotations.cost = cost;
            made.source = source;
            made.permission = permission;
            made.visibility = if for_people {
                Visibility::User
            } else {
                Visibility::Model
            };
            made.budget = Budget {
                max_calls,
                ..Budget::default()
            };
            made
        },
    )
}

/// A place where somebody can say one more thing.
#[derive(Debug, Clone, Copy)]
enum Place {
    User,
    Source,
    Platform,
    PlanNode,
    Profile,
}

fn place() -> impl Strategy<Value = Place> {
    prop::sample::select(vec![
        Place::User,
        Place::Source,
        Place::Platform,
        Place::PlanNode,
        Place::Profile,
    ])
}

/// Adds a deny of a tool, or of a source where the place knows sources.
fn deny(inputs: &mut PolicyInputs, at: Place, tool: ToolId, source: Option<SourceSelector>) {
    let rules = match at {
        Place::User => &mut inputs.user,
        Place::Source => &mut inputs.source,
        Place::Platform => &mut inputs.platform,
        Place::PlanNode => {
            inputs.plan_node.tools.insert(tool, Permission::Deny);
            return;
        }
        Place::Profile => {
            inputs.profile.deny.insert(tool);
            return;
        }
    };
    match source {
        Some(source) => rules.sources.insert(source, Permission::Deny),
        None => rules.tools.insert(tool, Permission::Deny),
    };
}

/// Adds an ask where nobody has said anything yet; what was said stays.
fn ask(inputs: &mut PolicyInputs, at: Place, tool: ToolId) {
    let tools = match at {
        Place::User => &mut inputs.user.tools,
        Place::Source => &mut inputs.source.tools,
        Place::Platform => &mut inputs.platform.tools,
        Place::PlanNode => &mut inputs.plan_node.tools,
        Place::Profile => {
            inputs.profile.ask.insert(tool);
            return;
        }
    };
    tools.entry(tool).or_insert(Permission::Ask);
}

proptest! {
    #[test]
    fn the_same_inputs_give_the_same_decision(inputs in inputs(), spec in any_spec()) {
        prop_assert_eq!(resolve(&inputs, &spec), resolve(&inputs.clone(), &spec.clone()));
    }

    #[test]
    fn the_parts_of_a_decision_agree(inputs in inputs(), spec in any_spec()) {
        let decision = resolve(&inputs, &spec);
        prop_assert_eq!(decision.callable, decision.reason.code().is_none());
        prop_assert!(decision.callable || decision.approval == Approval::NotNeeded);
        prop_assert!(!decision.visible || spec.visibility == Visibility::Model);
        prop_assert_eq!(decision.callable && decision.budget.calls_left == Some(0), false);
    }

    #[test]
    fn one_more_deny_opens_nothing(
        before in inputs(), spec in any_spec(), at in place(), tool in tool(), source in prop::option::of(selector()),
    ) {
        let mut after = before.clone();
        deny(&mut after, at, tool, source);
        let (before, after) = (resolve(&before, &spec), resolve(&after, &spec));
        prop_assert!(before.visible || !after.visible);
        prop_assert!(before.callable || !after.callable);
    }

    #[test]
    fn an_unreadable_file_opens_nothing(before in inputs(), spec in any_spec()) {
        let after = PolicyInputs { unreadable: Some("policy.toml".to_owned()), ..before.clone() };
        let (before, after) = (resolve(&before, &spec), resolve(&after, &spec));
        prop_assert!(before.visible || !after.visible);
        prop_assert!(before.callable || !after.callable);
    }

    #[test]
    fn one_more_ask_closes_nothing(before in inputs(), spec in any_spec(), at in place(), tool in tool()) {
        let mut after = before.clone();
        ask(&mut after, at, tool);
        let (before, after) = (resolve(&before, &spec), resolve(&after, &spec));
        prop_assert!(!before.visible || after.visible);
        prop_assert!(!before.callable || after.callable);
    }

    #[test]
    fn nobody_lifts_a_deny_of_the_platform(mut inputs in inputs(), spec in any_spec(), by_source in any::<bool>()) {
        let source = SourceSelector::One(spec.id.provider().clone());
        deny(&mut inputs, Place::Platform, spec.id.clone(), by_source.then_some(source));
        let decision = resolve(&inputs, &spec);
        prop_assert!(!decision.visible && !decision.callable);
        prop_assert!(matches!(decision.reason, Reason::UserDeny | Reason::PlatformDeny));
    }

    #[test]
    fn no_profile_lifts_a_default_question(inputs in inputs(), spec in any_spec()) {
        let silent = PolicyInputs { user: Rules::default(), source: Rules::default(), ..inputs };
        let decision = resolve(&silent, &spec);
        let ours = spec.id.as_str().starts_with("builtin:") && spec.source == Source::Builtin;
        prop_assert!(ours || !decision.callable || decision.approval != Approval::NotNeeded);
    }
}
