//! What a tool is: the specification that its component gives, as every part of the host sees it.
//!
//! The name under which a model knows a tool is no part of its spec: it belongs to one invocation's snapshot.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{ToolId, ToolName};

/// Who is offered a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// The model and the user.
    Model,
    /// The user only; never part of a model's tool list.
    User,
}

/// Whether a call may go ahead: what an author suggests, or what a policy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// Without asking.
    Allow,
    /// After a person has agreed.
    Ask,
    /// Never.
    Deny,
}

impl Permission {
    /// The one of the two that lets less happen.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        match (self, other) {
            (Self::Deny, _) | (_, Self::Deny) => Self::Deny,
            (Self::Ask, _) | (_, Self::Ask) => Self::Ask,
            (Self::Allow, Self::Allow) => Self::Allow,
        }
    }
}

/// What a call may cost in money or patience.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// Next to nothing.
    Low,
    /// Noticeable.
    Normal,
    /// Worth asking first.
    High,
}

/// Hints about a tool's effect. The host trusts them from built-ins only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// Changes nothing. Such a tool may not use a writer.
    pub read_only: bool,
    /// May overwrite or remove what cannot be had back.
    pub destructive: bool,
    /// A second call with the same arguments changes nothing further.
    pub idempotent: bool,
    /// Reaches something outside the host.
    pub open_world: bool,
    /// Money or patience.
    pub cost: Cost,
}

/// Ceilings that an author suggests; absent means the host's default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    /// Calls per invocation.
    pub max_calls: Option<u32>,
    /// Unicode scalars of text that a reply may show to the model.
    pub max_output_chars: Option<u32>,
    /// Wall clock of one call in milliseconds, waiting in the host included.
    pub timeout_ms: Option<u32>,
}

/// Where a tool comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Innkeeper's own component, or control of the run itself.
    Builtin,
    /// An MCP server.
    Mcp,
    /// An installed extension.
    Extension,
}

impl Source {
    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Mcp => "mcp",
            Self::Extension => "extension",
        }
    }
}

/// One tool, canonical: never changed by a profile or an invocation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// Stable identity.
    pub id: ToolId,
    /// The name that the tool's provider knows.
    pub native_name: ToolName,
    /// Shown to people.
    pub title: String,
    /// Shown to the model; may hold placeholders such as `{visible-roots}`.
    pub description: String,
    /// JSON Schema (2020-12) of the arguments; the root's `type` is exactly `"object"`.
    pub input_schema: Value,
    /// JSON Schema of the structured part of a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Hints about the effect.
    pub annotations: Annotations,
    /// Who is offered the tool.
    pub visibility: Visibility,
    /// What the author suggests.
    pub permission: Permission,
    /// What the author suggests.
    pub budget: Budget,
    /// Where the tool comes from.
    pub source: Source,
    /// Imported interfaces that a call may reach, as `innkeeper:workspace/reader`.
    pub uses: Vec<String>,
}

/// A placeholder in a spec's texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholder {
    /// The roots that this invocation may read.
    VisibleRoots,
    /// The roots that this invocation may write.
    WritableRoots,
    /// Where the message is drafted.
    MessagePath,
    /// The skill reading budgets per call and per run.
    ReadBudget,
}

impl Placeholder {
    /// Every placeholder.
    pub const ALL: [Self; 4] = [
        Self::VisibleRoots,
        Self::WritableRoots,
        Self::MessagePath,
        Self::ReadBudget,
    ];

    /// The text that stands in a spec, braces included.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::VisibleRoots => "{visible-roots}",
            Self::WritableRoots => "{writable-roots}",
            Self::MessagePath => "{message-path}",
            Self::ReadBudget => "{read-budget}",
        }
    }
}

/// The first `{word}` of lower-case letters and `-` in the text that is no [`Placeholder`], braces included.
#[must_use]
pub fn unknown_placeholder(text: &str) -> Option<&str> {
    text.match_indices('{').find_map(|(start, _)| {
        let rest = text.get(start..)?;
        let end = rest.find('}')?;
        let token = rest.get(..=end)?;
        let word = token.get(1..end)?;
        let is_word = !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        (is_word && !Placeholder::ALL.iter().any(|p| p.token() == token)).then_some(token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_in_braces_are_placeholders() {
        assert_eq!(unknown_placeholder("Roots: {visible-roots}. {\"a\": 1} {} {A}"), None);
        assert_eq!(
            unknown_placeholder("{visible-roots} and {unknown-thing}"),
            Some("{unknown-thing}")
        );
        assert_eq!(unknown_placeholder("open { and {message-path"), None);
    }
}
