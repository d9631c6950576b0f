//! The spec of a tool as constant data, mirroring the record `spec` of `innkeeper:tool/tool`.
//!
//! Written by `innkeeper-tool-build` from Markdown; nothing here parses or checks.

/// One tool, as it is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Stable native name, as `dice.roll`.
    pub name: &'static str,
    /// Shown to people.
    pub title: &'static str,
    /// Shown to the model; Markdown.
    pub description: &'static str,
    /// JSON Schema (2020-12) of the arguments, as JSON text.
    pub input_schema: &'static str,
    /// Hints about the tool's effect.
    pub annotations: Annotations,
    /// Who is offered the tool.
    pub visibility: Visibility,
    /// What the author suggests; the host decides.
    pub permission: Permission,
    /// Suggested ceilings.
    pub budget: Budget,
    /// The imported interfaces that a call may reach.
    pub uses: &'static [&'static str],
}

/// Hints about a tool's effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotations {
    /// Changes nothing.
    pub read_only: bool,
    /// May overwrite or remove what cannot be had back.
    pub destructive: bool,
    /// A second call with the same arguments changes nothing further.
    pub idempotent: bool,
    /// Reaches something outside the host.
    pub open_world: bool,
    /// What a call may cost in money or patience.
    pub cost: Cost,
}

/// What a call may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Nothing worth a thought.
    Low,
    /// Noticeable.
    Normal,
    /// A person should know first.
    High,
}

/// Who is offered a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// The model and the user.
    Model,
    /// The user only.
    User,
}

/// What the author suggests for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Run it.
    Allow,
    /// Ask a person first.
    Ask,
    /// Refuse it.
    Deny,
}

/// Suggested ceilings; `None` means the host's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Calls per invocation.
    pub max_calls: Option<u32>,
    /// Unicode scalars of a reply that the model may be shown.
    pub max_output_chars: Option<u32>,
    /// Wall clock of one call in milliseconds.
    pub timeout_ms: Option<u32>,
}
