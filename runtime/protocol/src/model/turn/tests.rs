//! The stored form of turns, to the letter.

use serde_json::{Value, json};

use super::*;
use crate::id::CallId;
use crate::model::{Part, Role, ToolResultPart};

fn call() -> ToolCallRequest {
    ToolCallRequest {
        call_id: CallId::parse("call/1 ü").unwrap(),
        alias: "workspace_read_file".into(),
        arguments: json!({"path": "output/a.md"}),
        provider_metadata: Map::new(),
    }
}

fn stored() -> StoredTurn {
    let parts = vec![
        Part::Text {
            text: "Looking.".into(),
        },
        Part::Reasoning {
            text: Some("hm".into()),
            provider_metadata: Map::new(),
        },
        Part::ToolCall { call: call() },
    ];
    StoredTurn {
        round: 3,
        invocation_id: InvocationId::root(),
        response: ModelResponse {
            message: Message::new(Role::Assistant, parts),
            tool_calls: vec![call()],
            text: "Looking.".into(),
            reasoning: Some("hm".into()),
            provider_metadata: ProviderMetadata {
                id: Some("r1".into()),
                model: None,
                usage: Some(json!({"total_tokens": 7})),
                source: "openai".into(),
                format: "openai_compatible".into(),
            },
            raw_response: json!({"id": "r1"}),
            continuation: Continuation::default(),
        },
    }
}

#[test]
fn a_stored_turn_has_the_documented_shape_and_reads_back() {
    let call = json!({"callId": "call/1 ü", "alias": "workspace_read_file", "arguments": {"path": "output/a.md"}});
    let expected = json!({
        "round": 3,
        "invocationId": "inv_root",
        "response": {
            "message": {"role": "assistant", "parts": [
                {"type": "text", "text": "Looking."},
                {"type": "reasoning", "text": "hm"},
                {"type": "toolCall", "call": call},
            ]},
            "toolCalls": [call],
            "text": "Looking.",
            "reasoning": "hm",
            "providerMetadata": {"id": "r1", "usage": {"total_tokens": 7}, "chatCompletionSource": "openai",
                                 "providerFormat": "openai_compatible"},
            "rawResponse": {"id": "r1"},
        },
    });
    let written = serde_json::to_value(stored()).unwrap();
    assert_eq!(written, expected);
    assert_eq!(serde_json::from_value::<StoredTurn>(written).unwrap(), stored());
}

#[test]
fn a_blank_call_id_does_not_read_back() {
    let mut written = serde_json::to_value(stored()).unwrap();
    *written.pointer_mut("/response/toolCalls/0/callId").unwrap() = json!("  ");
    assert!(serde_json::from_value::<StoredTurn>(written).is_err());
}

#[test]
fn other_parts_keep_their_tags() {
    let result = ToolResultPart {
        call_id: CallId::parse("c").unwrap(),
        alias: "dice_roll".into(),
        content: "## Tool error\n\nno".into(),
        is_error: true,
        error_code: Some("dice.invalid".into()),
    };
    let parts: Value = serde_json::to_value(vec![
        Part::ToolResult { result },
        Part::Media {
            mime_type: "image/png".into(),
            value: "AAAA".into(),
        },
        Part::ResourceRef {
            uri: "chat:current#1".into(),
        },
        Part::Native {
            provider: "claude".into(),
            value: json!([1]),
        },
    ])
    .unwrap();
    assert_eq!(
        parts,
        json!([
            {"type": "toolResult", "result": {"callId": "c", "alias": "dice_roll", "content": "## Tool error\n\nno",
                                              "isError": true, "errorCode": "dice.invalid"}},
            {"type": "media", "mimeType": "image/png", "value": "AAAA"},
            {"type": "resourceRef", "uri": "chat:current#1"},
            {"type": "native", "provider": "claude", "value": [1]},
        ])
    );
}
