//! What one invocation's model is offered: frozen copies of specifications, each under an alias, with budgets.
//!
//! An alias is looked up, never taken apart. Which tools get in is decided before.

use std::collections::HashSet;

use innkeeper_protocol::id::{InvocationId, ModelAlias, Provider, ToolId};
use innkeeper_protocol::tool::ToolSpec;
use serde::Serialize;

/// Longest alias that every model format accepts, in bytes.
const MAX_ALIAS_BYTES: usize = 64;
/// Bytes of a long server or extension segment before the tool's segment has had its share.
const FIRST_SEGMENT_BYTES: usize = 20;

/// One tool of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Binding {
    /// This invocation's copy: placeholders filled, descriptions replaced.
    pub descriptor: ToolSpec,
    /// What the model calls it.
    pub model_alias: ModelAlias,
    /// Calls per invocation, if capped.
    pub max_calls: Option<u32>,
}

/// The tools of one invocation, in order.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Always 1.
    pub schema_version: u32,
    /// The invocation.
    pub id: InvocationId,
    /// The tools.
    pub bindings: Vec<Binding>,
    /// Calls per invocation.
    pub max_calls_per_invocation: u32,
}

/// A snapshot that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// No call could ever be made.
    #[error("an invocation needs room for at least one call")]
    Budget,
    /// A tool that could never be called.
    #[error("{0} is offered with room for no call; leave it out instead")]
    ToolBudget(ToolId),
    /// The same tool twice.
    #[error("{0} is offered twice")]
    DuplicateId(ToolId),
    /// No alias could be found for a tool.
    #[error("{0} cannot be given a name that a model accepts")]
    AliasEmpty(ToolId),
}

impl SnapshotError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Budget => "tool.snapshot_budget_invalid",
            Self::ToolBudget(_) => "tool.snapshot_tool_budget_invalid",
            Self::DuplicateId(_) => "tool.snapshot_duplicate_id",
            Self::AliasEmpty(_) => "tool.snapshot_alias_empty",
        }
    }
}

impl Snapshot {
    /// Freezes the offered tools, in this order, and gives each its alias.
    ///
    /// # Errors
    /// [`SnapshotError`] for a tool twice, or a budget of nothing.
    pub fn freeze(
        id: InvocationId,
        offered: Vec<(ToolSpec, Option<u32>)>,
        max_calls: u32,
    ) -> Result<Self, SnapshotError> {
        if max_calls == 0 {
            return Err(SnapshotError::Budget);
        }
        let mut aliases = Aliases::reserving(offered.iter().map(|(spec, _)| spec));
        let mut bindings: Vec<Binding> = Vec::with_capacity(offered.len());
        for (descriptor, cap) in offered {
            if bindings.iter().any(|binding| binding.descriptor.id == descriptor.id) {
                return Err(SnapshotError::DuplicateId(descriptor.id));
            }
            if cap == Some(0) {
                return Err(SnapshotError::ToolBudget(descriptor.id));
            }
            let model_alias = aliases
                .give(&descriptor)
                .ok_or_else(|| SnapshotError::AliasEmpty(descriptor.id.clone()))?;
            bindings.push(Binding {
                descriptor,
                model_alias,
                max_calls: cap,
            });
        }
        Ok(Self {
            schema_version: 1,
            id,
            bindings,
            max_calls_per_invocation: max_calls,
        })
    }

    /// The tool behind an alias of this snapshot.
    #[must_use]
    pub fn resolve(&self, alias: &str) -> Option<&Binding> {
        self.bindings
            .iter()
            .find(|binding| binding.model_alias.as_str() == alias)
    }
}

/// The alias that a tool has where no other tool of its snapshot has the same.
#[must_use]
pub fn usual_alias(spec: &ToolSpec) -> Option<ModelAlias> {
    Aliases::reserving(std::iter::empty()).give(spec)
}

/// Aliases given so far.
struct Aliases {
    taken: HashSet<String>,
}

impl Aliases {
    /// Built-in names cannot be taken by anyone else, nor can the name of the tool that ends a child.
    fn reserving<'a>(specs: impl Iterator<Item = &'a ToolSpec>) -> Self {
        let builtin = |spec: &ToolSpec| {
            (*spec.id.provider() == Provider::Builtin).then(|| ModelAlias::of_builtin(&spec.native_name).to_string())
        };
        let mut taken: HashSet<String> = specs.filter_map(builtin).collect();
        taken.insert("task_return".to_owned());
        Self { taken }
    }

    fn give(&mut self, spec: &ToolSpec) -> Option<ModelAlias> {
        let base = match spec.id.provider() {
            Provider::Builtin => return Some(ModelAlias::of_builtin(&spec.native_name)),
            Provider::Mcp(server) => segmented("mcp__", server, spec.native_name.as_str()),
            Provider::Extension(id) => segmented("ext__", id, spec.native_name.as_str()),
        };
        let alias = self.free(&base)?;
        self.taken.insert(alias.clone());
        ModelAlias::parse(&alias).ok()
    }

    /// The base, or the base with `__2`, `__3`, ..., cut to fit.
    fn free(&self, base: &str) -> Option<String> {
        if !self.taken.contains(base) {
            return Some(base.to_owned());
        }
        (2_u32..)
            .map(|n| {
                let suffix = format!("__{n}");
                let room = MAX_ALIAS_BYTES.saturating_sub(suffix.len());
                format!("{}{suffix}", base.get(..room.min(base.len())).unwrap_or_default())
            })
            .find(|alias| !self.taken.contains(alias))
    }
}

/// `prefix` + first segment + `__` + tool segment, within 64 bytes; the tool's segment has priority above 20 bytes of the first.
fn segmented(prefix: &str, first: &str, tool: &str) -> String {
    let (first, tool) = (segment(first, "server"), segment(tool, "tool"));
    let room = MAX_ALIAS_BYTES.saturating_sub(prefix.len() + 2);
    let mut first_len = first.len();
    let mut tool_len = tool.len();
    if first_len + tool_len > room {
        first_len = first.len().min(FIRST_SEGMENT_BYTES);
        tool_len = tool.len().min(room.saturating_sub(first_len));
        first_len = first.len().min(room.saturating_sub(tool_len));
    }
    let cut = |text: &str, len: usize| text.get(..len).unwrap_or(text).to_owned();
    format!("{prefix}{}__{}", cut(&first, first_len), cut(&tool, tool_len))
}

/// ASCII letters, digits and `-` stay; every run of anything else becomes one `_`, none at the ends.
fn segment(text: &str, when_empty: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let words: Vec<&str> = text
        .split(|c: char| !plain(c))
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() {
        when_empty.to_owned()
    } else {
        words.join("_")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_keep_to_what_models_accept() {
        assert_eq!(
            segmented("mcp__", "my server", "issue.create"),
            "mcp__my_server__issue_create"
        );
        assert_eq!(
            segmented("mcp__", "Weather & Tides", "get forecast"),
            "mcp__Weather_Tides__get_forecast"
        );
        assert_eq!(segmented("mcp__", "天气", "查询"), "mcp__server__tool");
    }

    #[test]
    fn long_names_share_the_room() {
        let (s, t) = ("S".repeat(100), "t".repeat(100));
        assert_eq!(
            segmented("mcp__", &s, &t[..10]),
            format!("mcp__{}__{}", &s[..47], &t[..10])
        );
        assert_eq!(segmented("mcp__", &s, &t), format!("mcp__{}__{}", &s[..20], &t[..37]));
    }

    #[test]
    fn a_taken_alias_gets_a_number_and_still_fits() {
        let long = segmented("mcp__", &"S".repeat(100), &"t".repeat(100));
        let aliases = Aliases {
            taken: HashSet::from([long.clone()]),
        };
        assert_eq!(aliases.free(&long).unwrap(), format!("{}__2", &long[..61]));
        assert_eq!(aliases.free("free").unwrap(), "free");
    }
}
