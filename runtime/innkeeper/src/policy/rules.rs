//! From the policy file to the inputs of a decision. A file that cannot be used becomes an input too: the one that denies.

use innkeeper_capabilities::HostName;
use innkeeper_policy::{PolicyInputs, ProfilePolicy, Reason, Rules};
use innkeeper_protocol::run::ErrorKind;
use innkeeper_protocol::tool::{Permission, ToolSpec};
use innkeeper_store::policy_file::{Party, PolicyFile, PolicyFileError, PolicyRule};

use super::target::{self, PolicyTarget};
use super::{PolicyProblem, ReportedRule};
use crate::error::HostError;

/// The policy file as it was read once.
#[derive(Debug, Default)]
pub(crate) struct FileRules {
    pub(super) exists: bool,
    pub(super) reported: Vec<ReportedRule>,
    pub(super) problem: Option<PolicyProblem>,
    /// Hosts that no request goes to.
    pub(crate) denied_hosts: Vec<HostName>,
    /// User, source and platform, and the unreadable file; nothing else.
    inputs: PolicyInputs,
}

impl FileRules {
    pub(super) fn read(file: &PolicyFile, specs: &[ToolSpec]) -> Self {
        match file.read(&target::check(specs)) {
            Ok(None) => Self::default(),
            Ok(Some(rules)) => Self::of(&rules, specs),
            Err(error) => {
                let place = error.place();
                // A model may come to read this, and where the data lies is none of its business.
                let name = place.map_or_else(
                    || "policy.toml".to_owned(),
                    |place| format!("policy.toml (line {}, column {})", place.line, place.column),
                );
                Self {
                    exists: true,
                    reported: Vec::new(),
                    problem: Some(PolicyProblem {
                        error: file_error(error),
                        line: place.map(|place| place.line),
                        column: place.map(|place| place.column),
                    }),
                    // Nothing that could send a request may be called.
                    denied_hosts: Vec::new(),
                    inputs: PolicyInputs::unreadable(name),
                }
            }
        }
    }

    fn of(rules: &[PolicyRule], specs: &[ToolSpec]) -> Self {
        let mut inputs = PolicyInputs::default();
        let mut denied_hosts = Vec::new();
        for rule in rules {
            let party = match rule.party {
                Party::User => &mut inputs.user,
                Party::Source => &mut inputs.source,
                Party::Platform => &mut inputs.platform,
            };
            match PolicyTarget::parse(&rule.target, specs) {
                Ok(PolicyTarget::Host(host)) if rule.permission != Permission::Allow => denied_hosts.push(host),
                Ok(target) => add(party, target, rule.permission),
                // The names have been checked when the file was read.
                Err(_) => {}
            }
        }
        let reported = rules.iter().map(|rule| ReportedRule {
            table: rule.party.name(),
            target: rule.target.clone(),
            permission: rule.permission,
            line: rule.place.line,
        });
        Self {
            exists: true,
            reported: reported.collect(),
            problem: None,
            denied_hosts,
            inputs,
        }
    }

    /// The inputs of decisions under a profile.
    pub(crate) fn inputs(&self, profile: ProfilePolicy) -> PolicyInputs {
        PolicyInputs {
            profile,
            ..self.inputs.clone()
        }
    }

    /// What somebody is told who wants a tool that is denied.
    pub(super) fn denied(&self, spec: &ToolSpec, reason: &Reason) -> HostError {
        let (message, hint) = match (&self.problem, reason) {
            (Some(PolicyProblem { error, .. }), Reason::PolicyUnreadable { .. }) => (
                format!(
                    "{}; until it is mended every tool with an effect is denied, {} among them",
                    error.message, spec.native_name
                ),
                error.hint.clone(),
            ),
            _ => (
                format!("{} is denied: {reason}", spec.native_name),
                advice(reason, spec),
            ),
        };
        HostError {
            hint,
            kind: ErrorKind::PermissionDenied,
            ..HostError::new("agent.tool_policy_denied", message)
        }
    }
}

/// What to do about a denial of the file; nothing for one that is made elsewhere.
pub(super) fn advice(reason: &Reason, spec: &ToolSpec) -> Option<String> {
    match reason {
        Reason::UserDeny | Reason::SourceDeny => Some(format!(
            "`innkeeper policy show` tells which rule it is; `innkeeper policy allow {}` lifts a denial of the tool itself.",
            spec.id
        )),
        Reason::PlatformDeny => {
            Some("This is set below [platform] in policy.toml, and nothing else lifts it.".to_owned())
        }
        _ => None,
    }
}

fn add(rules: &mut Rules, target: PolicyTarget, permission: Permission) {
    match target {
        PolicyTarget::Tool(id) => {
            rules.tools.insert(id, permission);
        }
        PolicyTarget::Source(source) => {
            rules.sources.insert(source, permission);
        }
        PolicyTarget::Host(_) => {}
    }
}

/// An error of the file as faces show it.
pub(super) fn file_error(error: PolicyFileError) -> HostError {
    let (code, hint) = (error.code(), error.hint());
    let cause = std::error::Error::source(&error).map(|source| format!(": {source}"));
    let message = format!("{error}{}", cause.unwrap_or_default());
    let told = match &error {
        PolicyFileError::WriteFailed { .. } => HostError::internal(code, message),
        PolicyFileError::Locked { .. } => HostError {
            kind: ErrorKind::Transient,
            retryable: true,
            ..HostError::new(code, message)
        },
        _ => HostError::new(code, message),
    };
    told.with_hint(hint)
}
