//! The decision itself: who denies, who allows, who asks, what is left.
//!
//! Nothing here depends on arguments: what a particular call may touch is checked by whoever carries it out.

use innkeeper_protocol::id::Provider;
use innkeeper_protocol::tool::{Cost, Permission, Source, ToolSpec, Visibility};

use crate::decision::{Approval, AskRule, CallBudget, Decision, Reason};
use crate::inputs::PolicyInputs;

/// Decides about one tool. Total and pure: the same inputs give the same decision, and no input is refused.
///
/// - A deny beats every allow, whoever gives it; the user's is named first, then the application's.
/// - A tool that neither the plan's node nor the profile allows is invisible and cannot be called.
/// - The node's word about a tool stands above the profile's, except for its deny.
/// - Asking is not denying: a tool behind an approval stays visible and callable.
/// - Tools of others ask by default. Only the user lifts that, by the policy for the tool or for its source.
/// - A tool for people only is callable (by them) and never visible to a model.
///
/// ```
/// use innkeeper_policy::{PolicyInputs, Reason, resolve};
/// # use innkeeper_protocol::tool::ToolSpec;
/// # let spec: ToolSpec = serde_json::from_str(r#"{
/// #     "id": "builtin:dice.roll", "nativeName": "dice.roll", "title": "", "description": "", "inputSchema": {},
/// #     "annotations": {"readOnly": true, "destructive": false, "idempotent": false, "openWorld": false, "cost": "low"},
/// #     "visibility": "model", "permission": "allow", "source": "builtin", "uses": [],
/// #     "budget": {"maxCalls": null, "maxOutputChars": null, "timeoutMs": null}
/// # }"#).unwrap();
/// let mut inputs = PolicyInputs::default();
/// assert_eq!(resolve(&inputs, &spec).reason, Reason::NotAllowed);
/// inputs.profile.allow.insert(spec.id.clone());
/// assert!(resolve(&inputs, &spec).callable);
/// ```
#[must_use]
pub fn resolve(inputs: &PolicyInputs, spec: &ToolSpec) -> Decision {
    let budget = budget(inputs, spec);
    let allowed = match (denial(inputs, spec), allowance(inputs, spec)) {
        (Some(denial), _) => Err(denial),
        (None, None) => Err(Reason::NotAllowed),
        (None, Some(allowance)) => Ok(allowance),
    };
    let not_callable = |visible, reason| Decision {
        visible,
        callable: false,
        approval: Approval::NotNeeded,
        reason,
        budget,
    };
    let visible = spec.visibility == Visibility::Model;
    match (allowed, spent(inputs, &budget)) {
        (Err(denial), _) => not_callable(false, denial),
        (Ok(_), Some(spent)) => not_callable(visible, spent),
        (Ok(allowance), None) => {
            let reason = if visible { allowance } else { Reason::UserOnly };
            let approval = ask(inputs, spec).map_or(Approval::NotNeeded, |rule| Approval::Needed { rule });
            Decision {
                visible,
                callable: true,
                approval,
                reason,
                budget,
            }
        }
    }
}

/// The first rule that denies the tool.
fn denial(inputs: &PolicyInputs, spec: &ToolSpec) -> Option<Reason> {
    const DENY: Option<Permission> = Some(Permission::Deny);
    if inputs.user.verdict(&spec.id) == DENY {
        return Some(Reason::UserDeny);
    }
    if inputs.platform.verdict(&spec.id) == DENY {
        return Some(Reason::PlatformDeny);
    }
    if let Some(file) = inputs.unreadable.as_ref().filter(|_| has_effect(spec)) {
        return Some(Reason::PolicyUnreadable { file: file.clone() });
    }
    if inputs.source.verdict(&spec.id) == DENY {
        return Some(Reason::SourceDeny);
    }
    if spec.permission == Permission::Deny {
        return Some(Reason::AuthorDeny);
    }
    if inputs.plan_node.tools.get(&spec.id) == DENY.as_ref() {
        return Some(Reason::PlanNodeDeny);
    }
    inputs.profile.deny.contains(&spec.id).then_some(Reason::ProfileDeny)
}

/// The rule that allows the tool, if one does.
fn allowance(inputs: &PolicyInputs, spec: &ToolSpec) -> Option<Reason> {
    match inputs.plan_node.tools.get(&spec.id) {
        Some(Permission::Allow | Permission::Ask) => Some(Reason::PlanNodeAllow),
        Some(Permission::Deny) | None => inputs.profile.allow.contains(&spec.id).then_some(Reason::ProfileAllow),
    }
}

/// The rule that puts the tool behind an approval, if one does.
fn ask(inputs: &PolicyInputs, spec: &ToolSpec) -> Option<AskRule> {
    let user = inputs.user.verdict(&spec.id);
    let source = inputs.source.verdict(&spec.id);
    if user == Some(Permission::Ask) {
        return Some(AskRule::User);
    }
    if inputs.platform.verdict(&spec.id) == Some(Permission::Ask) {
        return Some(AskRule::Platform);
    }
    if source == Some(Permission::Ask) && user != Some(Permission::Allow) {
        return Some(AskRule::Source);
    }
    match inputs.plan_node.tools.get(&spec.id) {
        Some(Permission::Ask) => return Some(AskRule::PlanNode),
        None if inputs.profile.ask.contains(&spec.id) => return Some(AskRule::Profile),
        Some(Permission::Allow | Permission::Deny) | None => {}
    }
    let lifted = [user, source].contains(&Some(Permission::Allow));
    if lifted { None } else { default_ask(spec) }
}

/// The rule that asks when nobody has said anything: the most telling one first, since a person reads it.
fn default_ask(spec: &ToolSpec) -> Option<AskRule> {
    let author = (spec.permission == Permission::Ask).then_some(AskRule::Author);
    if is_ours(spec) {
        return author;
    }
    let hints = &spec.annotations;
    if hints.destructive {
        return Some(AskRule::Destructive);
    }
    if hints.open_world {
        return Some(AskRule::OpenWorld);
    }
    if hints.cost == Cost::High {
        return Some(AskRule::HighCost);
    }
    author.or(Some(match (spec.id.provider(), spec.source) {
        (Provider::Mcp(_), _) | (Provider::Builtin, Source::Mcp) => AskRule::Mcp,
        (Provider::Extension(_) | Provider::Builtin, _) => AskRule::Extension,
    }))
}

/// Whether the tool is Innkeeper's own: by its id and by its source, so that neither alone can claim it.
fn is_ours(spec: &ToolSpec) -> bool {
    matches!(spec.id.provider(), Provider::Builtin) && spec.source == Source::Builtin
}

/// Whether a call may change or reach anything. Only our own tools are believed when they say that they do not.
fn has_effect(spec: &ToolSpec) -> bool {
    let hints = &spec.annotations;
    !is_ours(spec) || !hints.read_only || hints.destructive || hints.open_world
}

fn budget(inputs: &PolicyInputs, spec: &ToolSpec) -> CallBudget {
    let lower = |a: Option<u32>, b: Option<u32>| a.into_iter().chain(b).min();
    let max_calls = lower(
        spec.budget.max_calls,
        inputs.profile.max_calls_per_tool.get(&spec.id).copied(),
    );
    let made = inputs.budget.calls_made.get(&spec.id).copied().unwrap_or(0);
    CallBudget {
        max_calls,
        calls_left: lower(max_calls.map(|max| max.saturating_sub(made)), inputs.budget.calls_left),
        max_output_chars: spec.budget.max_output_chars,
        timeout_ms: spec.budget.timeout_ms,
    }
}

/// The budget that is used up, if one is; the invocation's before the tool's.
fn spent(inputs: &PolicyInputs, budget: &CallBudget) -> Option<Reason> {
    if inputs.budget.calls_left == Some(0) {
        return Some(Reason::CallsSpent);
    }
    budget
        .max_calls
        .filter(|_| budget.calls_left == Some(0))
        .map(|max| Reason::ToolCallsSpent { max })
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
