//! Tool calls as models send them, made canonical under one rule for every source.
//!
//! Whether a name means a tool, and whether the arguments fit it, is decided elsewhere.

use std::collections::HashSet;

use innkeeper_protocol::id::CallId;
use innkeeper_protocol::model::{ModelError, ToolCallFault, ToolCallRequest};
use serde_json::{Map, Value};

/// A call before anything is known about it.
pub(crate) struct SentCall<'a> {
    /// The id, where it is a text.
    pub(crate) id: Option<&'a str>,
    /// The name, where it is a text.
    pub(crate) name: Option<&'a str>,
    /// The arguments: a text of JSON, or JSON.
    pub(crate) arguments: Option<&'a Value>,
    /// Whether the model was cut off by a limit while it wrote this call.
    pub(crate) cut: Cut,
}

/// Whether a call's arguments are all that the model meant to send. A cut call must not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// They are whole.
    No,
    /// The turn was cut, and a text that is no JSON tells that it was here.
    Perhaps,
    /// Nothing tells whether they are whole, so that they count as cut although they may be JSON.
    Here,
}

/// Makes a call canonical. `position` counts from 1 in the turn.
pub(crate) fn accept(position: usize, sent: &SentCall<'_>) -> Result<ToolCallRequest, ModelError> {
    let refuse = |fault| ModelError::InvalidToolCall { position, fault };
    let alias = sent
        .name
        .filter(|name| !name.trim().is_empty())
        .ok_or_else(|| refuse(ToolCallFault::BlankName))?;
    let id = sent
        .id
        .and_then(|id| CallId::parse(id).ok())
        .ok_or_else(|| refuse(ToolCallFault::BlankId))?;
    Ok(ToolCallRequest {
        call_id: id,
        alias: alias.to_owned(),
        arguments: canonical_arguments(sent.arguments, sent.cut),
        provider_metadata: Map::new(),
    })
}

/// Refuses two calls of one turn with the same id: their results could not be told apart, and the next request would be refused.
pub(crate) fn refuse_repeated_ids(calls: &[ToolCallRequest]) -> Result<(), ModelError> {
    let mut seen = HashSet::new();
    match calls.iter().position(|call| !seen.insert(&call.call_id)) {
        None => Ok(()),
        Some(index) => Err(ModelError::InvalidToolCall {
            position: index.saturating_add(1),
            fault: ToolCallFault::RepeatedId,
        }),
    }
}

/// A text is parsed where it is JSON and kept as a text where it is not; null, absent and blank mean "no arguments".
///
/// Of a call that was cut, what came stays a text, also a blank one: what the model meant to say is unknown, and no schema of a tool
/// takes a text for its arguments.
fn canonical_arguments(sent: Option<&Value>, cut: Cut) -> Value {
    match sent {
        Some(Value::String(text)) if cut == Cut::Here => Value::String(text.clone()),
        sent if cut == Cut::Here => Value::String(sent.unwrap_or(&Value::Null).to_string()),
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(Value::String(text)) if text.trim().is_empty() && cut == Cut::No => Value::Object(Map::new()),
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())),
        Some(other) => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_become_json_or_stay_the_text_that_came() {
        let rows = [
            (json!("{\"a\":1}"), Cut::No, json!({"a": 1})),
            (json!({"a": 1}), Cut::No, json!({"a": 1})),
            (json!("{\"a\":"), Cut::Perhaps, json!("{\"a\":")),
            (json!("not json"), Cut::No, json!("not json")),
            (json!("[1]"), Cut::No, json!([1])),
            (json!("1e999"), Cut::No, json!("1e999")),
            (json!(null), Cut::No, json!({})),
            (json!(" "), Cut::No, json!({})),
            (json!(""), Cut::Perhaps, json!("")),
            (json!(7), Cut::No, json!(7)),
            (json!("{\"a\":1}"), Cut::Perhaps, json!({"a": 1})),
            (json!("{\"a\":1}"), Cut::Here, json!("{\"a\":1}")),
            (json!({"a": 1}), Cut::Here, json!("{\"a\":1}")),
            (json!(null), Cut::Here, json!("null")),
        ];
        for (sent, cut, expected) in rows {
            assert_eq!(canonical_arguments(Some(&sent), cut), expected, "{sent}");
        }
        assert_eq!(canonical_arguments(None, Cut::No), json!({}));
    }

    #[test]
    fn deep_arguments_stay_a_text_instead_of_overflowing_the_stack() {
        let deep = json!("[".repeat(100_000));
        assert_eq!(canonical_arguments(Some(&deep), Cut::No), deep);
    }

    #[test]
    fn id_and_name_are_kept_as_sent() {
        let sent = SentCall {
            id: Some(" a/1 "),
            name: Some("x.y"),
            arguments: None,
            cut: Cut::No,
        };
        let expected = ToolCallRequest {
            call_id: CallId::parse(" a/1 ").unwrap(),
            alias: "x.y".into(),
            arguments: json!({}),
            provider_metadata: Map::new(),
        };
        assert_eq!(accept(1, &sent), Ok(expected));
    }
}
