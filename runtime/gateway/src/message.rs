//! What every format asks of a message before it is written: its parts fit its role.
//!
//! Whether calls and results pair up over the whole conversation is checked elsewhere.

use std::sync::Arc;

use innkeeper_protocol::model::{Message, MessageFault, ModelError, Part, Role, ToolResultPart};
use serde_json::{Map, Value};

use crate::transcript::{self, Orphans};

/// Encodes each message of a checked conversation; a fault is told with the message's position.
pub(crate) fn each(
    messages: &[Arc<Message>],
    orphans: Orphans,
    mut encode: impl FnMut(&Message) -> Result<(), MessageFault>,
) -> Result<(), ModelError> {
    transcript::check(messages, orphans)?;
    for (index, message) in messages.iter().enumerate() {
        let position = index.saturating_add(1);
        encode(message).map_err(|fault| ModelError::InvalidMessage { position, fault })?;
    }
    Ok(())
}

/// Checks that a message that is no tool's holds nothing that its role cannot.
pub(crate) fn check_speech(message: &Message) -> Result<(), MessageFault> {
    let may_call = message.role == Role::Assistant;
    let misplaced = |part: &Part| match part {
        Part::ToolResult { .. } => true,
        Part::ToolCall { .. } => !may_call,
        _ => false,
    };
    if message.parts.iter().any(misplaced) {
        return Err(MessageFault::MisplacedPart);
    }
    Ok(())
}

/// The one result of a tool's message.
pub(crate) fn result(message: &Message) -> Result<&ToolResultPart, MessageFault> {
    let mut results = message.parts.iter().filter_map(|part| match part {
        Part::ToolResult { result } => Some(result),
        _ => None,
    });
    let result = results.next().ok_or(MessageFault::NoResult)?;
    if results.next().is_some() {
        return Err(MessageFault::SeveralResults);
    }
    if message.tool_calls().next().is_some() {
        return Err(MessageFault::MisplacedPart);
    }
    Ok(result)
}

/// How many messages at the beginning are rules for the model. The last message never is: a request needs something to answer.
pub(crate) fn leading_rules(messages: &[Arc<Message>]) -> usize {
    let is_rule = |message: &&Arc<Message>| matches!(message.role, Role::System | Role::Developer);
    let count = messages.iter().take_while(is_rule).count();
    count.min(messages.len().saturating_sub(1))
}

/// An object of these members, in this order. They are moved in: `json!` copies what a variable holds, and a conversation is long.
pub(crate) fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let own = |(name, value): (&str, Value)| (name.to_owned(), value);
    Value::Object(members.into_iter().map(own).collect())
}

/// Arguments for the formats in which they are an object: what the model sent as something else goes back to it inside of one.
pub(crate) fn object_arguments(arguments: &Value) -> Value {
    match arguments {
        Value::Object(_) => arguments.clone(),
        other => Value::Object(Map::from_iter([("arguments".to_owned(), other.clone())])),
    }
}

/// The base64 data of a medium, out of a data URL (RFC 2397) or as it is; none for an address and for nothing.
pub(crate) fn base64_of(value: &str) -> Option<&str> {
    let data = match value.split_once(";base64,") {
        Some((head, data)) if head.starts_with("data:") => data,
        _ if is_address(value) => return None,
        _ => value,
    };
    (!data.is_empty()).then_some(data)
}

/// An image as a URL: an address stays one, bare base64 becomes a data URL.
pub(crate) fn image_url(mime_type: &str, value: &str) -> Result<String, MessageFault> {
    if !mime_type.starts_with("image/") || value.is_empty() {
        return Err(MessageFault::UnsupportedMedia);
    }
    Ok(if is_address(value) {
        value.to_owned()
    } else {
        format!("data:{mime_type};base64,{value}")
    })
}

fn is_address(value: &str) -> bool {
    let schemes = ["data:", "http://", "https://"];
    schemes.iter().any(|scheme| value.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use innkeeper_protocol::id::CallId;
    use innkeeper_protocol::model::ToolCallRequest;
    use serde_json::json;

    use super::*;

    fn call() -> Part {
        Part::ToolCall {
            call: ToolCallRequest {
                call_id: CallId::parse("c").unwrap(),
                alias: "t".into(),
                arguments: json!({}),
                provider_metadata: Map::new(),
            },
        }
    }

    fn answer() -> Part {
        Part::ToolResult {
            result: ToolResultPart {
                call_id: CallId::parse("c").unwrap(),
                alias: "t".into(),
                content: "ok".into(),
                is_error: false,
                error_code: None,
            },
        }
    }

    #[test]
    fn parts_that_a_role_cannot_hold_are_refused() {
        let speech = |role, parts| check_speech(&Message::new(role, parts));
        assert_eq!(speech(Role::User, vec![call()]), Err(MessageFault::MisplacedPart));
        assert_eq!(speech(Role::System, vec![answer()]), Err(MessageFault::MisplacedPart));
        assert_eq!(
            speech(Role::Assistant, vec![answer()]),
            Err(MessageFault::MisplacedPart)
        );
        assert_eq!(speech(Role::Assistant, vec![call()]), Ok(()));
    }

    #[test]
    fn a_tools_message_holds_one_result_and_no_call() {
        let fault = |parts| result(&Message::new(Role::Tool, parts)).err();
        assert_eq!(fault(vec![]), Some(MessageFault::NoResult));
        assert_eq!(fault(vec![answer(), answer()]), Some(MessageFault::SeveralResults));
        assert_eq!(fault(vec![answer(), call()]), Some(MessageFault::MisplacedPart));
        assert_eq!(fault(vec![answer()]), None);
    }

    #[test]
    fn rules_lead_until_someone_else_speaks_and_never_to_the_end() {
        let count = |roles: &[Role]| {
            let messages = roles.iter().map(|role| Arc::new(Message::of_text(*role, "x")));
            leading_rules(&messages.collect::<Vec<_>>())
        };
        assert_eq!(count(&[Role::System, Role::Developer, Role::User, Role::System]), 2);
        assert_eq!(count(&[Role::System, Role::System]), 1);
        assert_eq!((count(&[Role::System]), count(&[])), (0, 0));
    }

    #[test]
    fn media_are_data_or_addresses() {
        assert_eq!(base64_of("AAAA"), Some("AAAA"));
        assert_eq!(base64_of("data:image/png;base64,AAAA"), Some("AAAA"));
        for none in [
            "",
            "https://x.example/a",
            "data:image/png,AAAA",
            "data:image/png;base64,",
        ] {
            assert_eq!(base64_of(none), None, "{none}");
        }
        assert_eq!(image_url("image/png", "AAAA"), Ok("data:image/png;base64,AAAA".into()));
        assert_eq!(
            image_url("image/png", "https://x.example/a"),
            Ok("https://x.example/a".into())
        );
        assert_eq!(image_url("video/mp4", "AAAA"), Err(MessageFault::UnsupportedMedia));
        assert_eq!(image_url("image/png", ""), Err(MessageFault::UnsupportedMedia));
    }

    #[test]
    fn arguments_that_are_no_object_stand_in_one() {
        assert_eq!(object_arguments(&json!({"a": 1})), json!({"a": 1}));
        assert_eq!(object_arguments(&json!("{\"a\":")), json!({"arguments": "{\"a\":"}));
    }
}
