//! What a call answers: a reply, or a failure that the model can act on.
//!
//! A reply has one text block, because that is all a model reads; typed blocks are for tools that
//! need them, and come with the first such tool.

use std::borrow::Cow;

use serde::Serialize;

/// The code of arguments that the schema lets through and the tool cannot use.
pub const INVALID_ARGUMENTS: &str = "tool.invalid_arguments";

/// A successful answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// What the model reads.
    pub text: String,
    /// JSON text for programs.
    pub structured: Option<String>,
    /// What the reply refers to, as `chat:current#4`.
    pub resource_refs: Vec<String>,
}

impl Reply {
    /// A reply that says `text`.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Adds the structured form.
    ///
    /// # Errors
    /// `tool.internal` when the value has no JSON form, which plain structs always have.
    pub fn structured(mut self, value: &impl Serialize) -> Result<Self, Failure> {
        let json = serde_json::to_string(value).map_err(|error| {
            failure(
                "tool.internal",
                format!("The result could not be written as JSON: {error}."),
            )
        })?;
        self.structured = Some(json);
        Ok(self)
    }

    /// Adds what the reply refers to.
    #[must_use]
    pub fn refs(mut self, refs: impl IntoIterator<Item = String>) -> Self {
        self.resource_refs.extend(refs);
        self
    }
}

/// A failure that the model can act on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Stable, lower case, dotted: `dice.invalid_formula`.
    pub code: Cow<'static, str>,
    /// What happened, why, and the next call that would work.
    pub message: String,
    /// JSON text for programs.
    pub details: Option<String>,
}

/// A failure with a code and the words for the model.
#[must_use]
pub fn failure(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Failure {
    Failure {
        code: code.into(),
        message: message.into(),
        details: None,
    }
}
