//! What a decision is made from: the rules of everybody who has a say, and what is left of the run's budget.
//!
//! Plain data. Nothing here is parsed from a file, and nothing decides anything except how one set of rules reads by itself.

use std::collections::{BTreeMap, BTreeSet};

use innkeeper_protocol::id::ToolId;
use innkeeper_protocol::tool::Permission;

use crate::selector::SourceSelector;

/// One party's rules: about single tools, and about whole sources of tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// By tool.
    pub tools: BTreeMap<ToolId, Permission>,
    /// By source.
    pub sources: BTreeMap<SourceSelector, Permission>,
}

impl Rules {
    /// What these rules say about a tool; `None` when they do not mention it.
    ///
    /// A deny that covers the tool decides, however general it is. Otherwise the closest rule does: the tool before its provider,
    /// the provider before its kind.
    #[must_use]
    pub fn verdict(&self, tool: &ToolId) -> Option<Permission> {
        let covering = || {
            self.sources
                .iter()
                .filter(|(selector, _)| selector.covers(tool.provider()))
        };
        let exact = covering().filter(|(selector, _)| selector.is_exact());
        let general = covering().filter(|(selector, _)| !selector.is_exact());
        let said = self
            .tools
            .get(tool)
            .into_iter()
            .chain(exact.chain(general).map(|(_, permission)| permission));
        let said: Vec<Permission> = said.copied().collect();
        if said.contains(&Permission::Deny) {
            Some(Permission::Deny)
        } else {
            said.first().copied()
        }
    }
}

/// What the profile of an invocation says about tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProfilePolicy {
    /// Tools that the invocation may have at all.
    pub allow: BTreeSet<ToolId>,
    /// Tools that it may not have; beats `allow`.
    pub deny: BTreeSet<ToolId>,
    /// Tools that it has behind an approval.
    pub ask: BTreeSet<ToolId>,
    /// Most calls of a tool in one invocation.
    pub max_calls_per_tool: BTreeMap<ToolId, u32>,
}

/// What the running node of a plan says about tools; stands above the profile. Empty as long as there are no plans.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanNodePolicy {
    /// A tool that is named as allow or ask is allowed while the node runs, whether or not the profile allows it.
    pub tools: BTreeMap<ToolId, Permission>,
}

/// What an invocation has left and has spent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuntimeBudget {
    /// Calls of any tool that are left; `None` when there is no such cap, or no invocation yet.
    pub calls_left: Option<u32>,
    /// Calls so far, by tool.
    pub calls_made: BTreeMap<ToolId, u32>,
}

/// Everything that a decision depends on, apart from the tool itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyInputs {
    /// The user's own rules. Their deny is the first to count, and besides `source` only they lift a question that is asked by default.
    pub user: Rules,
    /// What the user has settled for sources, such as an MCP registration that is set to allow or off.
    pub source: Rules,
    /// The application's rules. Their deny and their ask cannot be lifted; their allow lifts nothing.
    pub platform: Rules,
    /// The policy file that could not be read or was not understood. While it is set every tool with an effect is denied: rules that
    /// nobody could read may have been denials.
    pub unreadable: Option<String>,
    /// The invocation's profile.
    pub profile: ProfilePolicy,
    /// The running node of a plan.
    pub plan_node: PlanNodePolicy,
    /// The run's counters.
    pub budget: RuntimeBudget,
}

impl PolicyInputs {
    /// The inputs when the policy file could not be read: no rules, and every tool with an effect denied.
    #[must_use]
    pub fn unreadable(file: impl Into<String>) -> Self {
        Self {
            unreadable: Some(file.into()),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Permission::{Allow, Ask, Deny};

    fn tool() -> ToolId {
        ToolId::parse("extension/mood:mood.read").unwrap()
    }

    fn rules(tool_rule: Option<Permission>, sources: &[(&str, Permission)]) -> Rules {
        Rules {
            tools: tool_rule.map(|rule| (tool(), rule)).into_iter().collect(),
            sources: sources
                .iter()
                .map(|(text, rule)| (SourceSelector::parse(text).unwrap(), *rule))
                .collect(),
        }
    }

    #[test]
    fn the_closest_rule_decides() {
        let general = [("extension", Ask), ("extension/mood", Allow)];
        assert_eq!(rules(None, &general).verdict(&tool()), Some(Allow));
        assert_eq!(rules(Some(Ask), &general).verdict(&tool()), Some(Ask));
        assert_eq!(
            rules(None, &[("extension", Ask), ("mcp", Allow)]).verdict(&tool()),
            Some(Ask)
        );
        assert_eq!(rules(None, &[("mcp", Deny)]).verdict(&tool()), None);
    }

    #[test]
    fn a_deny_decides_however_general_it_is() {
        assert_eq!(rules(Some(Allow), &[("extension", Deny)]).verdict(&tool()), Some(Deny));
        assert_eq!(
            rules(Some(Deny), &[("extension/mood", Allow)]).verdict(&tool()),
            Some(Deny)
        );
    }
}
