//! Answers of well-behaved and of odd servers.

use innkeeper_protocol::id::CallId;
use innkeeper_protocol::model::{BodyFault, Continuation, Message, ProviderMetadata, Role};

use super::*;

fn info() -> ModelInfo {
    ModelInfo {
        source: "custom".into(),
        format: "openai_compatible".into(),
        model: "m".into(),
        can_stream: true,
    }
}

fn decoded(body: Value) -> Result<ModelResponse, ModelError> {
    turn(body.as_object().unwrap().clone(), &info(), Excerpt::new)
}

fn message(message: Value) -> Result<ModelResponse, ModelError> {
    decoded(json!({ "choices": [{ "message": message }] }))
}

fn call(id: &str, arguments: Value) -> ToolCallRequest {
    ToolCallRequest {
        call_id: CallId::parse(id).unwrap(),
        alias: "t".into(),
        arguments,
        provider_metadata: Map::new(),
    }
}

fn sent(id: Value, arguments: Value) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": "t", "arguments": arguments } })
}

fn call_fault(calls: Value) -> (usize, ToolCallFault) {
    match message(json!({ "tool_calls": calls })) {
        Err(ModelError::InvalidToolCall { position, fault }) => (position, fault),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_turn_keeps_everything_in_order() {
    let raw = json!({
        "id": "r1", "model": "m-2026", "usage": {"total_tokens": 3},
        "choices": [{"finish_reason": "stop", "message": {
            "role": "assistant", "content": "Rolling.", "reasoning_content": "hm",
            "tool_calls": [sent(json!("c1"), json!("{\"n\": 1}"))],
        }}],
    });
    let thought = Part::Reasoning {
        text: Some("hm".into()),
        provider_metadata: Map::from_iter([("source".into(), json!("reasoning_content"))]),
    };
    let parts = vec![
        Part::Text {
            text: "Rolling.".into(),
        },
        thought,
        Part::ToolCall {
            call: call("c1", json!({"n": 1})),
        },
    ];
    let expected = ModelResponse {
        message: Message::new(Role::Assistant, parts),
        tool_calls: vec![call("c1", json!({"n": 1}))],
        text: "Rolling.".into(),
        reasoning: Some("hm".into()),
        provider_metadata: ProviderMetadata {
            id: Some("r1".into()),
            model: Some("m-2026".into()),
            usage: Some(json!({"total_tokens": 3})),
            source: "custom".into(),
            format: "openai_compatible".into(),
        },
        raw_response: raw.clone(),
        continuation: Continuation::default(),
    };
    assert_eq!(decoded(raw), Ok(expected));
}

#[test]
fn finish_reasons_that_lie_are_not_believed() {
    let with = decoded(
        json!({"choices": [{"finish_reason": "stop", "message": {"content": null,
        "tool_calls": [sent(json!("c1"), json!("{}"))]}}]}),
    );
    assert_eq!(with.unwrap().tool_calls, [call("c1", json!({}))]);
    let without = decoded(json!({"choices": [{"finish_reason": "tool_calls", "message": {"content": "hi"}}]}));
    assert_eq!(without.unwrap().text, "hi");
}

#[test]
fn arguments_may_be_a_text_an_object_or_nothing() {
    let calls = json!([
        sent(json!("1"), json!("{\"a\":1}")),
        sent(json!("2"), json!({"a": 1})),
        sent(json!("3"), json!("")),
        {"id": "4", "function": {"name": "t"}},
        sent(json!("5"), json!("{\"a\":")),
    ]);
    let expected = [
        call("1", json!({"a": 1})),
        call("2", json!({"a": 1})),
        call("3", json!({})),
        call("4", json!({})),
        call("5", json!("{\"a\":")),
    ];
    assert_eq!(message(json!({ "tool_calls": calls })).unwrap().tool_calls, expected);
}

#[test]
fn a_turn_cut_in_its_arguments_keeps_them_as_a_text_that_cannot_run() {
    for half in ["{\"path\": \"a", ""] {
        let body = json!({"choices": [{"finish_reason": "length",
            "message": {"tool_calls": [sent(json!("c1"), json!(half))]}}]});
        assert_eq!(decoded(body).unwrap().tool_calls, [call("c1", json!(half))]);
    }
}

#[test]
fn a_call_without_id_name_or_function_refuses_the_turn() {
    let good = || sent(json!("1"), json!("{}"));
    let unnamed = json!({"id": "2", "function": {"name": " ", "arguments": "{}"}});
    assert_eq!(
        call_fault(json!([good(), sent(json!(null), json!("{}"))])),
        (2, ToolCallFault::BlankId)
    );
    assert_eq!(
        call_fault(json!([sent(json!(" "), json!("{}"))])),
        (1, ToolCallFault::BlankId)
    );
    assert_eq!(
        call_fault(json!([sent(json!(7), json!("{}"))])),
        (1, ToolCallFault::BlankId)
    );
    assert_eq!(
        call_fault(json!([{"function": {"name": "t"}}])),
        (1, ToolCallFault::BlankId)
    );
    assert_eq!(call_fault(json!([good(), unnamed])), (2, ToolCallFault::BlankName));
    assert_eq!(
        call_fault(json!([{"id": "1", "type": "custom", "custom": {}}])),
        (1, ToolCallFault::NoFunction)
    );
    assert_eq!(call_fault(json!(["t"])), (1, ToolCallFault::NotObject));
    assert_eq!(call_fault(json!([good(), good()])), (2, ToolCallFault::RepeatedId));
}

#[test]
fn the_old_form_without_ids_is_no_plain_text() {
    let old = message(json!({"content": "", "function_call": {"name": "t", "arguments": "{}"}}));
    assert_eq!(
        old,
        Err(ModelError::InvalidToolCall {
            position: 1,
            fault: ToolCallFault::BlankId
        })
    );
}

#[test]
fn an_id_is_kept_as_it_came() {
    let id = " call/😀 ";
    assert_eq!(
        message(json!({"tool_calls": [sent(json!(id), json!("{}"))]}))
            .unwrap()
            .tool_calls,
        [call(id, json!({}))]
    );
}

#[test]
fn content_is_a_text_a_list_of_parts_or_nothing() {
    let picture = json!({"type": "image_url", "image_url": {"url": "x"}});
    let list = json!(["a", {"type": "text", "text": "b"}, picture, {"type": "output_text", "text": "c"}]);
    let response = message(json!({ "content": list })).unwrap();
    let parts = vec![
        Part::Text { text: "abc".into() },
        Part::Native {
            provider: CONTENT_PART.into(),
            value: picture,
        },
    ];
    assert_eq!((response.text, response.message.parts), ("abc".into(), parts));
    assert_eq!(message(json!({"content": null})).unwrap().message.parts, []);
    assert_eq!(message(json!({"content": null, "refusal": "No."})).unwrap().text, "No.");
    assert_eq!(
        message(json!({"content": 3})),
        Err(ModelError::InvalidResponse {
            fault: ResponseFault::Content
        })
    );
}

#[test]
fn thoughts_are_found_under_each_of_their_names() {
    let details = json!([{"type": "reasoning.summary", "summary": "s"}, {"data": "x"}, {"text": "t"}]);
    let rows = [
        (json!({"reasoning_content": "a", "reasoning": "b"}), Some("a")),
        (json!({"reasoning_content": null, "reasoning": "b"}), Some("b")),
        (json!({"reasoning": " ", "reasoning_details": details}), Some("s\n\nt")),
        (json!({"reasoning": {"effort": 1}}), None),
    ];
    for (sent, expected) in rows {
        assert_eq!(message(sent.clone()).unwrap().reasoning.as_deref(), expected, "{sent}");
    }
}

#[test]
fn sealed_thoughts_and_signatures_are_kept_with_their_origin() {
    let origin = json!({"source": "custom", "format": "openai_compatible", "model": "m"});
    let response = message(json!({
        "reasoning_details": [{"data": "x"}],
        "tool_calls": [{"id": "1", "function": {"name": "t"}, "extra_content": {"g": 1}}],
    }))
    .unwrap();
    let kept = |field: &str, value: Value| Map::from_iter([(field.into(), value), ("origin".into(), origin.clone())]);
    let sealed = Part::Reasoning {
        text: None,
        provider_metadata: kept("reasoning_details", json!([{"data": "x"}])),
    };
    let call = ToolCallRequest {
        provider_metadata: kept("extra_content", json!({"g": 1})),
        ..call("1", json!({}))
    };
    assert_eq!(response.message.parts, [sealed, Part::ToolCall { call }]);
}

#[test]
fn a_message_may_stand_at_the_top_and_must_stand_somewhere() {
    assert_eq!(decoded(json!({"message": {"content": "hi"}})).unwrap().text, "hi");
    let none = Err(ModelError::InvalidResponse {
        fault: ResponseFault::NoMessage,
    });
    for body in [
        json!({}),
        json!({"choices": []}),
        json!({"choices": [{"text": "old"}]}),
        json!({"choices": {}}),
    ] {
        assert_eq!(decoded(body), none);
    }
    assert_eq!(
        message(json!({"tool_calls": {}})),
        Err(ModelError::InvalidResponse {
            fault: ResponseFault::ToolCalls
        })
    );
}

#[test]
fn an_error_in_a_success_counts_more_than_a_message_beside_it() {
    let detail = Excerpt::new("upstream died");
    let beside = decoded(json!({"choices": [{"message": {"content": "hal"},
        "error": {"code": 502, "message": "upstream died"}}]}));
    let status = innkeeper_protocol::model::ProviderAnswer {
        status: Some(502),
        detail: detail.clone(),
        retry_after_ms: None,
    };
    assert_eq!(beside, Err(ModelError::Transient(status)));
    let unnumbered = decoded(json!({"error": "upstream died"}));
    let unreadable = ModelError::UpstreamInvalidResponse {
        fault: BodyFault::ErrorReported,
        excerpt: detail,
    };
    assert_eq!(unnumbered, Err(unreadable));
    assert!(decoded(json!({"error": null, "message": {"content": "hi"}})).is_ok());
}
