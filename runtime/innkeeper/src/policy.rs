//! The policy of a data root: what holds for each tool and why, changing it, and what a run may take from it.
//!
//! Which rule wins is decided in `innkeeper-policy`, how the file is written in `innkeeper-store`. Everything here blocks for the time
//! that a small file takes.

mod rules;
mod surface;
mod target;

use std::path::{Path, PathBuf};

use innkeeper_capabilities::HostName;
use innkeeper_policy::{Approval, Decision, PolicyInputs, ProfilePolicy};
use innkeeper_protocol::id::ToolId;
use innkeeper_protocol::tool::{Permission, ToolSpec};
use innkeeper_store::policy_file::{Party, PolicyFile, Reset};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::builder::Innkeeper;
use crate::error::HostError;
use crate::ports::blocking;

pub(crate) use rules::FileRules;
pub(crate) use surface::{check_needed, withheld};
pub use target::PolicyTarget;

/// What `policy.toml` says, and what comes of it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyReport {
    /// The file, whether or not it exists.
    #[serde(serialize_with = "lossy")]
    #[schemars(with = "String")]
    pub file: PathBuf,
    /// Whether there is one; without one the defaults hold.
    pub exists: bool,
    /// Its rules, in its order; none when it has a flaw.
    pub rules: Vec<ReportedRule>,
    /// Why it cannot be used; every tool with an effect is denied then.
    pub problem: Option<PolicyProblem>,
    /// Every tool of this host.
    pub tools: Vec<ToolVerdict>,
}

/// A rule of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportedRule {
    /// `user`, `source` or `platform`.
    pub table: &'static str,
    /// A tool's id, or a source of tools.
    pub target: String,
    /// What holds for it.
    pub permission: Permission,
    /// Its line in the file, from 1.
    pub line: usize,
}

/// What is wrong with the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyProblem {
    /// The error that a change of the file would give.
    #[serde(flatten)]
    pub error: HostError,
    /// The line, from 1, where the file can be read at all.
    pub line: Option<usize>,
    /// The column in characters, from 1.
    pub column: Option<usize>,
}

/// What holds for one tool in runs whose profile allows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolVerdict {
    /// The tool.
    pub id: ToolId,
    /// What holds for it.
    pub permission: Permission,
    /// The rule that decides, in words.
    pub reason: String,
    /// Whether the default profile offers it.
    pub offered_by_default: bool,
}

/// A change that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyChange {
    /// The file.
    #[serde(serialize_with = "lossy")]
    #[schemars(with = "String")]
    pub file: PathBuf,
    /// The tool or source.
    pub target: String,
    /// What the file says of it now.
    pub permission: Permission,
    /// Whether it said something else before.
    pub changed: bool,
    /// What holds now for the tools that the rule is about and that this host has. Other rules may be stricter.
    pub tools: Vec<ToolVerdict>,
}

/// A reset that was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyReset {
    /// The file.
    #[serde(serialize_with = "lossy")]
    #[schemars(with = "String")]
    pub file: PathBuf,
    /// Whether there was one.
    pub existed: bool,
    /// Where a file that could not be used is kept.
    #[serde(serialize_with = "lossy_option")]
    #[schemars(with = "Option<String>")]
    pub kept: Option<PathBuf>,
    /// Rules of the application, which a reset does not touch.
    pub platform_rules: usize,
}

impl Innkeeper {
    /// What the policy file says, and what holds for every tool of this host. A file that cannot be used is a part of the report.
    ///
    /// # Errors
    /// `agent.data_root_required` for a host without a data root.
    pub fn policy(&self) -> Result<PolicyReport, HostError> {
        let file = PolicyFile::new(self.data_root()?);
        let specs = self.tools().specs();
        let rules = FileRules::read(&file, &specs);
        Ok(PolicyReport {
            file: file.path(),
            exists: rules.exists,
            rules: rules.reported.clone(),
            problem: rules.problem.clone(),
            tools: self.verdicts(&rules, &specs),
        })
    }

    /// Understands the name of a tool or a source. A built-in tool must exist; those of servers and extensions come and go.
    ///
    /// # Errors
    /// `agent.policy_target_invalid` with advice.
    pub fn policy_target(&self, text: &str) -> Result<PolicyTarget, HostError> {
        PolicyTarget::parse(text, &self.tools().specs()).map_err(|refusal| refusal.error(text))
    }

    /// Writes into the policy file what holds for a tool or a source from the next run on. The rest of the file stays as it is.
    ///
    /// # Errors
    /// [`HostError`] when the file has a flaw or cannot be written; it is as it was.
    pub fn set_policy(&self, target: &PolicyTarget, permission: Permission) -> Result<PolicyChange, HostError> {
        let file = PolicyFile::new(self.data_root()?);
        let specs = self.tools().specs();
        let home = match target {
            PolicyTarget::Tool(_) | PolicyTarget::Host(_) => Party::User,
            PolicyTarget::Source(_) => Party::Source,
        };
        let name = target.to_string();
        let changed = file
            .set(home, &name, permission, &target::check(&specs))
            .map_err(rules::file_error)?;
        let rules = FileRules::read(&file, &specs);
        let concerned: Vec<ToolSpec> = specs.into_iter().filter(|spec| target.covers(&spec.id)).collect();
        Ok(PolicyChange {
            file: file.path(),
            target: name,
            permission,
            changed,
            tools: self.verdicts(&rules, &concerned),
        })
    }

    /// Removes everything that the user has set. The application's rules stay; a file that cannot be used is kept under another name.
    ///
    /// # Errors
    /// [`HostError`] when the file cannot be replaced; it is as it was.
    pub fn reset_policy(&self) -> Result<PolicyReset, HostError> {
        let file = PolicyFile::new(self.data_root()?);
        let specs = self.tools().specs();
        let reset = file.reset(&target::check(&specs)).map_err(rules::file_error)?;
        let platform_rules = FileRules::read(&file, &specs).reported.len();
        let (existed, kept) = match reset {
            Reset::NoFile => (false, None),
            Reset::Cleared => (true, None),
            Reset::SetAside { kept, .. } => (true, Some(kept)),
        };
        Ok(PolicyReset {
            file: file.path(),
            existed,
            kept,
            platform_rules,
        })
    }

    /// Why the policy of a data root lets nobody call this tool, not even a person; `None` when it may be called. What is behind an
    /// approval may be.
    #[must_use]
    pub fn policy_denial(&self, data_root: &Path, tool: &ToolId) -> Option<HostError> {
        let tool = self.tools().tool(tool)?.clone();
        let spec = &tool.spec;
        let rules = FileRules::read(&PolicyFile::new(data_root), &self.tools().specs());
        let decision = decide(&rules, spec);
        (!decision.callable).then(|| rules.denied(spec, &decision.reason))
    }

    /// Hosts that the policy of a data root keeps requests from.
    #[must_use]
    pub fn denied_hosts(&self, data_root: &Path) -> Vec<HostName> {
        FileRules::read(&PolicyFile::new(data_root), &self.tools().specs()).denied_hosts
    }

    /// The rules that a run goes by from its start to its end.
    pub(crate) async fn policy_rules(&self) -> Result<FileRules, HostError> {
        let file = PolicyFile::new(self.data_root()?);
        let specs = self.tools().specs();
        blocking(move || Ok(FileRules::read(&file, &specs))).await
    }

    fn verdicts(&self, rules: &FileRules, specs: &[ToolSpec]) -> Vec<ToolVerdict> {
        let offered = self.default_profile().tools.allow;
        let verdict = |spec: &ToolSpec| {
            let (permission, reason) = verdict(rules, spec);
            ToolVerdict {
                id: spec.id.clone(),
                permission,
                reason,
                offered_by_default: offered.iter().any(|id| id == spec.id.as_str()),
            }
        };
        specs.iter().map(verdict).collect()
    }
}

/// The decision for a profile that allows the tool and says nothing else.
fn decide(rules: &FileRules, spec: &ToolSpec) -> Decision {
    let profile = ProfilePolicy {
        allow: [spec.id.clone()].into(),
        ..ProfilePolicy::default()
    };
    innkeeper_policy::resolve(&rules.inputs(profile), spec)
}

fn verdict(rules: &FileRules, spec: &ToolSpec) -> (Permission, String) {
    let decision = decide(rules, spec);
    if !decision.callable {
        return (Permission::Deny, decision.reason.to_string());
    }
    match decision.approval {
        Approval::Needed { rule } => (Permission::Ask, rule.to_string()),
        Approval::NotNeeded => (Permission::Allow, allowance(rules, spec).to_owned()),
    }
}

fn allowance(rules: &FileRules, spec: &ToolSpec) -> &'static str {
    const ALLOW: Option<Permission> = Some(Permission::Allow);
    let PolicyInputs { user, source, .. } = rules.inputs(ProfilePolicy::default());
    if user.verdict(&spec.id) == ALLOW {
        "your policy allows this tool"
    } else if source.verdict(&spec.id) == ALLOW {
        "the policy for this tool's source allows it"
    } else {
        "allowed by default"
    }
}

fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

fn lossy_option<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.to_string_lossy()).serialize(serializer)
}

#[cfg(test)]
mod tests;
