//! What a call answers: a reply, or a failure that the model can act on.
//!
//! Both are plain data; how they reach the host is `guest`'s business.

use serde::Serialize;

/// A piece of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Block {
    /// Words for the model.
    Text(String),
    /// JSON text.
    Json(String),
    /// A unified diff.
    Diff(String),
}

/// A successful answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    pub(crate) content: Vec<Block>,
    pub(crate) structured: Option<String>,
    pub(crate) refs: Vec<String>,
}

impl Reply {
    /// A reply that says `text` to the model.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().block(Block::Text(text.into()))
    }

    /// Adds a piece.
    #[must_use]
    pub fn block(mut self, block: Block) -> Self {
        self.content.push(block);
        self
    }

    /// Adds the same result for programs.
    ///
    /// # Errors
    /// [`ToolError`] `internal` when the value has no JSON form, as a map whose keys are no strings.
    pub fn structured(mut self, value: &impl Serialize) -> Result<Self, ToolError> {
        self.structured = Some(json(value)?);
        Ok(self)
    }

    /// Adds what the reply refers to, as `chat:current#4` or `workspace:plan/a.md#L1-L9`.
    #[must_use]
    pub fn refs(mut self, refs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.refs.extend(refs.into_iter().map(Into::into));
        self
    }

    /// The result for programs, as JSON text.
    #[must_use]
    pub fn structured_json(&self) -> Option<&str> {
        self.structured.as_deref()
    }

    /// The pieces, in order.
    #[must_use]
    pub fn content(&self) -> &[Block] {
        &self.content
    }
}

/// A failure that the model can act on: what happened, why, and the next call that would work.
///
/// The host stores its code as `extension.<id>.<code>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError {
    code: &'static str,
    message: String,
    details: Option<String>,
}

impl ToolError {
    /// A failure with a stable code (lower case, dots between the words' groups, as `nothing_found`) and words for the model.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: None,
        }
    }

    /// Arguments that the schema lets through and the tool cannot use.
    #[must_use]
    pub fn invalid_arguments(message: impl Into<String>) -> Self {
        Self::new("invalid_arguments", message)
    }

    /// Adds details for programs.
    ///
    /// # Errors
    /// [`ToolError`] `internal` when the value has no JSON form.
    pub fn details(mut self, value: &impl Serialize) -> Result<Self, Self> {
        self.details = Some(json(value)?);
        Ok(self)
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The words for the model.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The details, as JSON text.
    #[must_use]
    pub fn details_json(&self) -> Option<&str> {
        self.details.as_deref()
    }
}

fn json(value: &impl Serialize) -> Result<String, ToolError> {
    serde_json::to_string(value)
        .map_err(|error| ToolError::new("internal", format!("The result could not be written as JSON: {error}.")))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_reply_is_put_together() {
        let reply = Reply::text("Two hits.")
            .refs(["chat:current#4"])
            .structured(&json!({"hits": 2}));
        let expected = Reply {
            content: vec![Block::Text("Two hits.".to_owned())],
            structured: Some(r#"{"hits":2}"#.to_owned()),
            refs: vec!["chat:current#4".to_owned()],
        };
        assert_eq!(reply, Ok(expected));
    }

    #[test]
    fn what_has_no_json_form_is_a_failure() {
        let no_keys = HashMap::from([((1, 2), 3)]);
        assert_eq!(Reply::text("x").structured(&no_keys).unwrap_err().code(), "internal");
        assert_eq!(
            ToolError::new("x", "y").details(&no_keys).unwrap_err().code(),
            "internal"
        );
    }
}
