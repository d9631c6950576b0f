//! A tool: how it is called, and everything that the host and the model are told of it.
//!
//! What a tool says of itself is a suggestion. The host checks the words when it loads the component, and decides about the rest.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{Reply, ToolError, arguments};

/// What a call may cost in money or patience.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cost {
    /// Nothing worth a thought.
    #[default]
    Low,
    /// Noticeable.
    Normal,
    /// A person should know first.
    High,
}

/// What is suggested for a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Permission {
    /// Run it.
    #[default]
    Allow,
    /// Ask a person first.
    Ask,
    /// Refuse it until somebody allows it.
    Deny,
}

/// What the host and the model are told of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spec {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) input_schema: String,
    pub(crate) output_schema: Option<String>,
    pub(crate) read_only: bool,
    pub(crate) destructive: bool,
    pub(crate) idempotent: bool,
    pub(crate) cost: Cost,
    pub(crate) for_user_only: bool,
    pub(crate) permission: Permission,
    pub(crate) max_calls: Option<u32>,
    pub(crate) max_output_chars: Option<u32>,
    pub(crate) timeout_ms: Option<u32>,
    pub(crate) uses: Vec<String>,
}

type Call = Box<dyn Fn(&str) -> Result<Reply, ToolError>>;

/// One tool.
pub struct Tool {
    pub(crate) spec: Spec,
    pub(crate) call: Call,
}

impl Tool {
    /// A tool of that name, `[a-z][a-z0-9_]*` parts with dots between them, performed by a function whose argument type gives the
    /// input schema. Comments on the type's fields become what the model reads of them; say `#[serde(deny_unknown_fields)]`, so that
    /// a misspelt argument is refused.
    ///
    /// It needs a title and a description too.
    pub fn new<A, F>(name: &str, call: F) -> Self
    where
        A: DeserializeOwned + JsonSchema,
        F: Fn(A) -> Result<Reply, ToolError> + 'static,
    {
        Self {
            spec: Spec {
                name: name.to_owned(),
                input_schema: arguments::schema::<A>(),
                ..Spec::default()
            },
            call: Box::new(move |json| call(arguments::read(json)?)),
        }
    }

    /// Shown to people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.spec.title = title.into();
        self
    }

    /// Shown to the model, in Markdown: what the tool does, when to use it, its limits.
    #[must_use]
    pub fn description(mut self, description: impl AsRef<str>) -> Self {
        self.spec.description = description.as_ref().trim().to_owned();
        self
    }

    /// It changes nothing. The host then refuses it a writer.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.spec.read_only = true;
        self
    }

    /// It may overwrite or remove what cannot be had back.
    #[must_use]
    pub fn destructive(mut self) -> Self {
        self.spec.destructive = true;
        self
    }

    /// A second call with the same arguments changes nothing further.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.spec.idempotent = true;
        self
    }

    /// What a call may cost; low where not said.
    #[must_use]
    pub fn cost(mut self, cost: Cost) -> Self {
        self.spec.cost = cost;
        self
    }

    /// It is offered to the user and never to a model.
    #[must_use]
    pub fn for_user_only(mut self) -> Self {
        self.spec.for_user_only = true;
        self
    }

    /// What to do with a call; allow it where not said.
    #[must_use]
    pub fn permission(mut self, permission: Permission) -> Self {
        self.spec.permission = permission;
        self
    }

    /// At most so many calls in an invocation.
    #[must_use]
    pub fn max_calls(mut self, calls: u32) -> Self {
        self.spec.max_calls = Some(calls);
        self
    }

    /// At most so many characters (Unicode scalars) for the model in one reply.
    #[must_use]
    pub fn max_output_chars(mut self, chars: u32) -> Self {
        self.spec.max_output_chars = Some(chars);
        self
    }

    /// At most so many milliseconds a call.
    #[must_use]
    pub fn timeout_ms(mut self, milliseconds: u32) -> Self {
        self.spec.timeout_ms = Some(milliseconds);
        self
    }

    /// It reaches an interface of the host, named by the `INTERFACE` of a module in [`host`](crate::host). A call can reach only
    /// what is named here.
    #[must_use]
    pub fn uses(mut self, interface: &str) -> Self {
        self.spec.uses.push(interface.to_owned());
        self
    }

    /// The type of its structured result. The host then checks every result against its schema.
    #[must_use]
    pub fn output<T: JsonSchema>(mut self) -> Self {
        self.spec.output_schema = Some(arguments::schema::<T>());
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The schema of its arguments, as JSON text.
    #[must_use]
    pub fn input_schema(&self) -> &str {
        &self.spec.input_schema
    }
}

/// Calls the tool of that name.
pub(crate) fn dispatch(tools: &[Tool], name: &str, arguments: &str) -> Result<Reply, ToolError> {
    match tools.iter().find(|tool| tool.spec.name == name) {
        Some(tool) => (tool.call)(arguments),
        None => Err(ToolError::new(
            "unknown_tool",
            format!("This extension has no tool named {name:?}; use one that it lists."),
        )),
    }
}
