//! Single rules of the decision, one example each.
//!
//! What must hold for all inputs stands in `properties.rs`.

use innkeeper_protocol::id::{Provider, ToolId, ToolName};
use innkeeper_protocol::tool::{Annotations, Budget, Cost, Permission, Source, ToolSpec, Visibility};

use super::resolve;
use crate::{Approval, AskRule, CallBudget, Decision, PolicyInputs, Reason, Rules, RuntimeBudget, SourceSelector};

const DICE: &str = "builtin:dice.roll";
const WRITE: &str = "builtin:workspace.write_file";
const FORECAST: &str = "mcp/0f8fad5b-d9cb-469f-a165-70867728950e:get forecast";
const MOOD: &str = "extension/mood:mood.read";

fn id(text: &str) -> ToolId {
    ToolId::parse(text).unwrap()
}

pub(super) fn spec(text: &str) -> ToolSpec {
    let id = id(text);
    let source = match id.provider() {
        Provider::Builtin => Source::Builtin,
        Provider::Mcp(_) => Source::Mcp,
        Provider::Extension(_) => Source::Extension,
    };
    ToolSpec {
        id,
        native_name: ToolName::parse("some.tool").unwrap(),
        title: String::new(),
        description: String::new(),
        input_schema: serde_json::json!({"type": "object"}),
        output_schema: None,
        annotations: Annotations {
            read_only: text != WRITE,
            destructive: false,
            idempotent: false,
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

/// Inputs whose profile allows the four tools of these tests.
fn allowing() -> PolicyInputs {
    let mut inputs = PolicyInputs::default();
    inputs.profile.allow.extend([DICE, WRITE, FORECAST, MOOD].map(id));
    inputs
}

fn tool_rule(text: &str, permission: Permission) -> Rules {
    Rules {
        tools: [(id(text), permission)].into(),
        ..Rules::default()
    }
}

fn source_rule(text: &str, permission: Permission) -> Rules {
    Rules {
        sources: [(SourceSelector::parse(text).unwrap(), permission)].into(),
        ..Rules::default()
    }
}

fn asks(inputs: &PolicyInputs, spec: &ToolSpec) -> Approval {
    resolve(inputs, spec).approval
}

fn needed(rule: AskRule) -> Approval {
    Approval::Needed { rule }
}

fn reason(inputs: &PolicyInputs, text: &str) -> Reason {
    resolve(inputs, &spec(text)).reason
}

#[test]
fn an_allowed_builtin_is_offered_without_a_question() {
    let expected = Decision {
        visible: true,
        callable: true,
        approval: Approval::NotNeeded,
        reason: Reason::ProfileAllow,
        budget: CallBudget::default(),
    };
    assert_eq!(resolve(&allowing(), &spec(WRITE)), expected);
}

#[test]
fn what_nobody_allows_is_invisible() {
    let decision = resolve(&PolicyInputs::default(), &spec(DICE));
    assert_eq!(
        (decision.visible, decision.callable, decision.reason),
        (false, false, Reason::NotAllowed)
    );
}

#[test]
fn a_users_allow_does_not_make_a_tool_appear() {
    let inputs = PolicyInputs {
        user: tool_rule(DICE, Permission::Allow),
        ..PolicyInputs::default()
    };
    assert_eq!(reason(&inputs, DICE), Reason::NotAllowed);
}

#[test]
fn denials_are_named_in_their_order() {
    let mut inputs = allowing();
    let mut said = Vec::new();
    inputs.profile.deny.insert(id(WRITE));
    said.push(reason(&inputs, WRITE));
    inputs.plan_node.tools.insert(id(WRITE), Permission::Deny);
    said.push(reason(&inputs, WRITE));
    inputs.source = source_rule("builtin", Permission::Deny);
    said.push(reason(&inputs, WRITE));
    inputs.unreadable = Some("policy.toml".to_owned());
    said.push(reason(&inputs, WRITE));
    inputs.platform = tool_rule(WRITE, Permission::Deny);
    said.push(reason(&inputs, WRITE));
    inputs.user = source_rule("builtin", Permission::Deny);
    said.push(reason(&inputs, WRITE));
    let unreadable = Reason::PolicyUnreadable {
        file: "policy.toml".to_owned(),
    };
    let expected = [
        Reason::ProfileDeny,
        Reason::PlanNodeDeny,
        Reason::SourceDeny,
        unreadable,
        Reason::PlatformDeny,
        Reason::UserDeny,
    ];
    assert_eq!(said, expected);
}

#[test]
fn a_spec_that_denies_is_denied() {
    let off = ToolSpec {
        permission: Permission::Deny,
        ..spec(DICE)
    };
    let mut inputs = allowing();
    inputs.user = tool_rule(DICE, Permission::Allow);
    assert_eq!(resolve(&inputs, &off).reason, Reason::AuthorDeny);
}

#[test]
fn a_plan_nodes_word_stands_above_the_profiles() {
    let mut inputs = PolicyInputs::default();
    inputs.plan_node.tools.insert(id(DICE), Permission::Allow);
    assert_eq!(reason(&inputs, DICE), Reason::PlanNodeAllow);
    inputs.profile.ask.insert(id(DICE));
    assert_eq!(asks(&inputs, &spec(DICE)), Approval::NotNeeded);
    inputs.plan_node.tools.insert(id(DICE), Permission::Ask);
    assert_eq!(asks(&inputs, &spec(DICE)), needed(AskRule::PlanNode));
    inputs.profile.deny.insert(id(DICE));
    assert_eq!(reason(&inputs, DICE), Reason::ProfileDeny);
}

#[test]
fn tools_of_others_ask_by_default_and_say_the_most_telling_reason() {
    let inputs = allowing();
    let mut tool = spec(FORECAST);
    assert_eq!(asks(&inputs, &spec(MOOD)), needed(AskRule::Extension));
    assert_eq!(asks(&inputs, &tool), needed(AskRule::Mcp));
    tool.annotations.cost = Cost::High;
    assert_eq!(asks(&inputs, &tool), needed(AskRule::HighCost));
    tool.annotations.open_world = true;
    assert_eq!(asks(&inputs, &tool), needed(AskRule::OpenWorld));
    tool.annotations.destructive = true;
    assert_eq!(asks(&inputs, &tool), needed(AskRule::Destructive));
}

#[test]
fn our_own_destructive_tools_do_not_ask_unless_somebody_says_so() {
    let mut tool = spec(WRITE);
    tool.annotations.destructive = true;
    let mut inputs = allowing();
    assert_eq!(asks(&inputs, &tool), Approval::NotNeeded);
    inputs.profile.ask.insert(id(WRITE));
    assert_eq!(asks(&inputs, &tool), needed(AskRule::Profile));
    inputs.user = tool_rule(WRITE, Permission::Ask);
    assert_eq!(asks(&inputs, &tool), needed(AskRule::User));
}

#[test]
fn a_tool_that_only_claims_to_be_ours_asks() {
    let claims = ToolSpec {
        source: Source::Builtin,
        ..spec(MOOD)
    };
    assert_eq!(asks(&allowing(), &claims), needed(AskRule::Extension));
    let borrowed = ToolSpec {
        source: Source::Mcp,
        ..spec(DICE)
    };
    assert_eq!(asks(&allowing(), &borrowed), needed(AskRule::Mcp));
}

#[test]
fn only_the_user_lifts_a_default_question() {
    let tool = spec(FORECAST);
    let lifted = |change: fn(&mut PolicyInputs)| {
        let mut inputs = allowing();
        change(&mut inputs);
        asks(&inputs, &tool) == Approval::NotNeeded
    };
    assert!(lifted(|inputs| inputs.user = tool_rule(FORECAST, Permission::Allow)));
    assert!(lifted(|inputs| inputs.user = source_rule("mcp", Permission::Allow)));
    assert!(lifted(|inputs| inputs.source = source_rule("mcp", Permission::Allow)));
    assert!(!lifted(
        |inputs| inputs.platform = tool_rule(FORECAST, Permission::Allow)
    ));
    assert!(!lifted(|inputs| {
        inputs.plan_node.tools.insert(id(FORECAST), Permission::Allow);
    }));
}

#[test]
fn an_ask_that_somebody_chose_is_not_lifted_by_the_user() {
    let mut inputs = allowing();
    inputs.user = tool_rule(FORECAST, Permission::Allow);
    inputs.source = source_rule("mcp", Permission::Ask);
    assert_eq!(
        asks(&inputs, &spec(FORECAST)),
        Approval::NotNeeded,
        "the source's rules are the user's too"
    );
    inputs.profile.ask.insert(id(FORECAST));
    assert_eq!(asks(&inputs, &spec(FORECAST)), needed(AskRule::Profile));
    inputs.platform = source_rule("mcp", Permission::Ask);
    assert_eq!(asks(&inputs, &spec(FORECAST)), needed(AskRule::Platform));
}

#[test]
fn an_authors_own_wish_to_be_asked_about_is_kept_until_lifted() {
    let mut inputs = allowing();
    let tool = ToolSpec {
        permission: Permission::Ask,
        ..spec(DICE)
    };
    assert_eq!(asks(&inputs, &tool), needed(AskRule::Author));
    inputs.user = tool_rule(DICE, Permission::Allow);
    assert_eq!(asks(&inputs, &tool), Approval::NotNeeded);
}

#[test]
fn an_unreadable_policy_denies_every_effect_and_names_the_file() {
    let mut inputs = PolicyInputs::unreadable("/data/policy.toml");
    inputs.profile = allowing().profile;
    let denied = Reason::PolicyUnreadable {
        file: "/data/policy.toml".to_owned(),
    };
    assert_eq!(
        [WRITE, FORECAST, MOOD].map(|tool| reason(&inputs, tool)),
        [denied.clone(), denied.clone(), denied.clone()]
    );
    assert_eq!(reason(&inputs, DICE), Reason::ProfileAllow);
    assert!(denied.to_string().contains("/data/policy.toml"));
}

#[test]
fn a_tool_for_people_is_never_offered_to_a_model() {
    let tool = ToolSpec {
        visibility: Visibility::User,
        ..spec(DICE)
    };
    let decision = resolve(&allowing(), &tool);
    assert_eq!(
        (decision.visible, decision.callable, decision.reason),
        (false, true, Reason::UserOnly)
    );
}

#[test]
fn the_lower_cap_counts_and_a_spent_budget_leaves_the_tool_visible() {
    let mut tool = spec(MOOD);
    tool.budget = Budget {
        max_calls: Some(9),
        max_output_chars: Some(100),
        timeout_ms: Some(50),
    };
    let mut inputs = allowing();
    inputs.profile.max_calls_per_tool.insert(id(MOOD), 3);
    inputs.budget = RuntimeBudget {
        calls_left: Some(7),
        calls_made: [(id(MOOD), 1)].into(),
    };
    let expected = CallBudget {
        max_calls: Some(3),
        calls_left: Some(2),
        max_output_chars: Some(100),
        timeout_ms: Some(50),
    };
    assert_eq!(resolve(&inputs, &tool).budget, expected);
    inputs.budget.calls_made.insert(id(MOOD), u32::MAX);
    let spent = resolve(&inputs, &tool);
    assert_eq!(
        (spent.visible, spent.callable, spent.reason),
        (true, false, Reason::ToolCallsSpent { max: 3 })
    );
    inputs.budget.calls_left = Some(0);
    assert_eq!(resolve(&inputs, &tool).reason, Reason::CallsSpent);
}
