//! The tools that a profile names and something denies: no model is offered them, and one that calls them all the same is told why.
//!
//! Without them such a call would be one of a tool that nobody knows, which ends the run; a denied tool shall cost a turn.

use innkeeper_agent::profile::ResolvedProfile;
use innkeeper_policy::{Decision, PolicyInputs, Reason};
use innkeeper_protocol::id::InvocationId;
use innkeeper_protocol::run::Presentation;
use innkeeper_protocol::tool::{ToolSpec, Visibility};
use innkeeper_tools::{Binding, Catalogue, Snapshot};

use super::rules::{FileRules, advice};
use crate::error::HostError;
use crate::inputs::Frozen;

/// The denied tools of a profile, each with the alias that it would have had beside the tools of the snapshot.
///
/// # Errors
/// [`HostError`] for tools that cannot be given an alias.
pub(crate) fn withheld(
    catalogue: &Catalogue,
    profile: &ResolvedProfile,
    inputs: &PolicyInputs,
    snapshot: &Snapshot,
) -> Result<Vec<(Binding, Decision)>, HostError> {
    let mut decisions = Vec::new();
    let mut specs: Vec<(ToolSpec, Option<u32>)> = Vec::new();
    let offered = snapshot.bindings.iter();
    specs.extend(offered.map(|binding| (binding.descriptor.clone(), binding.max_calls)));
    for id in &profile.tools().allow {
        let Some(tool) = catalogue.tool(id) else { continue };
        let decision = innkeeper_policy::resolve(inputs, &tool.spec);
        if decision.callable || decision.visible || tool.spec.visibility == Visibility::User {
            continue;
        }
        specs.push((tool.spec.clone(), None));
        decisions.push(decision);
    }
    // Aliases are given in order, so those of the snapshot come out the same and cannot be taken away by a denied tool.
    let all = Snapshot::freeze(InvocationId::root(), specs, snapshot.max_calls_per_invocation)?;
    let denied = all.bindings.into_iter().skip(snapshot.bindings.len());
    Ok(denied.zip(decisions).collect())
}

/// Refuses a run that could come to nothing: without a readable policy hardly anything may be done, and a run needs to end and, in the
/// foreground, to commit.
pub(crate) fn check_needed(presentation: Presentation, frozen: &Frozen, rules: &FileRules) -> Result<(), HostError> {
    let is_unreadable = |reason: &Reason| matches!(reason, Reason::PolicyUnreadable { .. });
    let denied = frozen
        .withheld
        .iter()
        .map(|(binding, decision)| (&binding.descriptor, &decision.reason));
    if let Some((spec, reason)) = denied.clone().find(|(_, reason)| is_unreadable(reason)) {
        return Err(rules.denied(spec, reason));
    }
    let by_file = |name: &str| {
        let is_meant = |spec: &ToolSpec| spec.id.as_str() == name;
        denied
            .clone()
            .find(|(spec, reason)| is_meant(spec) && advice(reason, spec).is_some())
    };
    if let Some((spec, reason)) = by_file("builtin:workspace.finish") {
        return Err(needed("agent.tool_policy_denied", "a run needs", spec, reason));
    }
    match by_file("builtin:workspace.commit") {
        Some((spec, reason)) if presentation == Presentation::Foreground => Err(needed(
            "agent.foreground_commit_unavailable",
            "a foreground run needs",
            spec,
            reason,
        )),
        _ => Ok(()),
    }
}

fn needed(code: &str, what: &str, spec: &ToolSpec, reason: &Reason) -> HostError {
    let error = HostError::new(code, format!("{what} the tool {}, but {reason}", spec.native_name));
    HostError {
        hint: advice(reason, spec),
        ..error
    }
}
