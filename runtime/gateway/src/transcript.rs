//! The rule of every format that each call is answered before the conversation goes on.
//!
//! Checked before anything is sent: servers refuse a broken transcript with words that help nobody. An id may come again in a later
//! turn; some servers count from zero each time.

use std::collections::HashSet;
use std::sync::Arc;

use innkeeper_protocol::id::CallId;
use innkeeper_protocol::model::{Message, ModelError, Part, Role, TranscriptFault};

/// What becomes of results without a call before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Orphans {
    /// They break the conversation.
    Refused,
    /// They answer calls of earlier turns that only the provider has.
    OfEarlierCalls,
}

/// Checks that calls and results pair up.
pub(crate) fn check(messages: &[Arc<Message>], orphans: Orphans) -> Result<(), ModelError> {
    let mut open: HashSet<&CallId> = HashSet::new();
    let mut seen: HashSet<&CallId> = HashSet::new();
    let mut position = 0_usize;
    for message in messages {
        position = position.saturating_add(1);
        let refuse = |fault| Err(ModelError::InvalidTranscript { position, fault });
        if message.role == Role::Tool {
            let is_earlier = |id| orphans == Orphans::OfEarlierCalls && !seen.contains(id);
            if !results(message).all(|id| open.remove(id) || is_earlier(id)) {
                return refuse(TranscriptFault::Orphan);
            }
        } else if !open.is_empty() {
            return refuse(TranscriptFault::Unanswered);
        } else if !message.tool_calls().all(|call| open.insert(&call.call_id)) {
            return refuse(TranscriptFault::RepeatedCall);
        } else {
            seen.extend(message.tool_calls().map(|call| &call.call_id));
        }
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(ModelError::InvalidTranscript {
            position: position.saturating_add(1),
            fault: TranscriptFault::Unanswered,
        })
    }
}

fn results(message: &Message) -> impl Iterator<Item = &CallId> {
    message.parts.iter().filter_map(|part| match part {
        Part::ToolResult { result } => Some(&result.call_id),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use innkeeper_protocol::model::{ToolCallRequest, ToolResultPart};
    use serde_json::{Map, json};

    use super::*;

    fn id(text: &str) -> CallId {
        CallId::parse(text).unwrap()
    }

    fn calls(ids: &[&str]) -> Message {
        let part = |text: &&str| Part::ToolCall {
            call: ToolCallRequest {
                call_id: id(text),
                alias: "t".into(),
                arguments: json!({}),
                provider_metadata: Map::new(),
            },
        };
        Message::new(Role::Assistant, ids.iter().map(part).collect())
    }

    fn result(text: &str) -> Message {
        Message::of_tool_result(ToolResultPart {
            call_id: id(text),
            alias: "t".into(),
            content: "ok".into(),
            is_error: false,
            error_code: None,
        })
    }

    fn fault(messages: &[Message]) -> Option<(usize, TranscriptFault)> {
        fault_with(Orphans::Refused, messages)
    }

    fn fault_with(orphans: Orphans, messages: &[Message]) -> Option<(usize, TranscriptFault)> {
        let messages: Vec<_> = messages.iter().cloned().map(Arc::new).collect();
        match check(&messages, orphans) {
            Ok(()) => None,
            Err(ModelError::InvalidTranscript { position, fault }) => Some((position, fault)),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn answered_calls_pass_in_any_order_and_ids_may_come_again_in_a_later_turn() {
        let user = Message::of_text(Role::User, "hi");
        let turns = [
            user,
            calls(&["0", "1"]),
            result("1"),
            result("0"),
            calls(&["0"]),
            result("0"),
        ];
        assert_eq!(fault(&turns), None);
    }

    #[test]
    fn broken_pairs_are_found_where_they_break() {
        let user = || Message::of_text(Role::User, "hi");
        assert_eq!(fault(&[calls(&["a"]), user()]), Some((2, TranscriptFault::Unanswered)));
        assert_eq!(fault(&[calls(&["a"])]), Some((2, TranscriptFault::Unanswered)));
        assert_eq!(fault(&[user(), result("a")]), Some((2, TranscriptFault::Orphan)));
        assert_eq!(
            fault(&[calls(&["a"]), result("a"), result("a")]),
            Some((3, TranscriptFault::Orphan))
        );
        assert_eq!(fault(&[calls(&["a", "a"])]), Some((1, TranscriptFault::RepeatedCall)));
    }

    #[test]
    fn a_result_of_a_call_that_only_the_provider_has_may_come_once_known_calls_still_pair() {
        let fault = |messages: &[Message]| fault_with(Orphans::OfEarlierCalls, messages);
        assert_eq!(fault(&[result("a"), result("b"), calls(&["c"]), result("c")]), None);
        let repeated = fault(&[calls(&["a"]), result("a"), result("a")]);
        assert_eq!(repeated, Some((3, TranscriptFault::Orphan)));
    }
}
