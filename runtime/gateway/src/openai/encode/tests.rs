//! Request bodies, to the letter.

use innkeeper_protocol::id::{CallId, ModelAlias};
use innkeeper_protocol::model::{ToolResultPart, TranscriptFault};

use super::*;
use crate::native::keep;

fn info() -> ModelInfo {
    ModelInfo {
        source: "custom".into(),
        format: "openai_compatible".into(),
        model: "m".into(),
        can_stream: true,
    }
}

fn alias(text: &str) -> ModelAlias {
    ModelAlias::parse(text).unwrap()
}

fn call(arguments: Value) -> ToolCallRequest {
    ToolCallRequest {
        call_id: CallId::parse("c/1").unwrap(),
        alias: "dice_roll".into(),
        arguments,
        provider_metadata: Map::new(),
    }
}

fn result() -> ToolResultPart {
    ToolResultPart {
        call_id: CallId::parse("c/1").unwrap(),
        alias: "dice_roll".into(),
        content: "## Tool error\n\nno dice".into(),
        is_error: true,
        error_code: Some("dice.invalid_request".into()),
    }
}

/// The one message that a list of parts becomes.
fn encoded(role: Role, parts: Vec<Part>) -> Value {
    let mut body = body(&ModelRequest::new(vec![Message::new(role, parts)]), &info()).unwrap();
    body["messages"][0].take()
}

#[test]
fn a_tool_turn_is_written_to_the_letter_and_in_a_fixed_order() {
    let mut user = Message::of_text(Role::User, "roll");
    user.provider_metadata.insert("name".into(), json!("Ann"));
    let assistant = vec![
        Part::Text { text: String::new() },
        Part::ToolCall {
            call: call(json!({"z": 1, "a": "ü"})),
        },
    ];
    let request = ModelRequest {
        tools: [ToolOffer {
            alias: alias("dice_roll"),
            description: "Rolls.".into(),
            input_schema: json!({"type": "object", "$schema": "x", "properties": {"title": {"type": "string"}}}),
        }]
        .into(),
        tool_choice: ToolChoice::Required,
        settings: Map::from_iter([("temperature".into(), json!(0.5)), ("max_tokens".into(), json!(9))]),
        ..ModelRequest::new(vec![
            Message::of_text(Role::System, "rules"),
            user,
            Message::new(Role::Assistant, assistant),
            Message::of_tool_result(result()),
        ])
    };
    let expected = concat!(
        r#"{"model":"m","messages":[{"role":"system","content":"rules"},"#,
        r#"{"role":"user","name":"Ann","content":"roll"},"#,
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c/1","type":"function","function":"#,
        r#"{"name":"dice_roll","arguments":"{\"z\":1,\"a\":\"ü\"}"}}]},"#,
        r###"{"role":"tool","tool_call_id":"c/1","name":"dice_roll","content":"## Tool error\n\nno dice"}],"###,
        r#""tools":[{"type":"function","function":{"name":"dice_roll","description":"Rolls.","#,
        r#""parameters":{"type":"object","$schema":"x","properties":{"title":{"type":"string"}}}}}],"#,
        r#""tool_choice":"required","temperature":0.5,"max_tokens":9,"stream":false}"#
    );
    assert_eq!(body(&request, &info()).unwrap().to_string(), expected);
}

#[test]
fn without_tools_there_is_neither_a_list_nor_a_choice() {
    let request = ModelRequest {
        tool_choice: ToolChoice::Required,
        ..ModelRequest::new(vec![])
    };
    assert_eq!(
        body(&request, &info()).unwrap(),
        json!({"model": "m", "messages": [], "stream": false})
    );
}

#[test]
fn every_choice_has_its_form() {
    let choices = [
        ToolChoice::Auto,
        ToolChoice::None,
        ToolChoice::Required,
        ToolChoice::Specific { alias: alias("a") },
    ];
    assert_eq!(
        choices.iter().map(tool_choice).collect::<Vec<_>>(),
        [
            json!("auto"),
            json!("none"),
            json!("required"),
            json!({"type": "function", "function": {"name": "a"}})
        ]
    );
}

#[test]
fn the_hosts_own_settings_and_secrets_do_not_travel() {
    let settings = json!({
        "stream": false, "messages": [1], "tools": [1], "tool_choice": "none", "model": "other", "n": 4,
        "previous_response_id": "r", "proxy_password": "canary", "reverse_proxy": "http://x", "custom_url": "y",
        "_tauritavern_provider_state": {"canary": 1}, "chat_completion_source": "openai", "seed": null, "top_p": 0.9,
    });
    let request = ModelRequest {
        settings: settings.as_object().unwrap().clone(),
        ..ModelRequest::new(vec![])
    };
    assert_eq!(
        body(&request, &info()).unwrap(),
        json!({"model": "m", "messages": [], "top_p": 0.9, "stream": false})
    );
}

#[test]
fn arguments_are_always_a_text_of_json() {
    let sent = [json!({}), json!("{\"half\":"), json!([1])];
    let texts = sent.map(|arguments| tool_call(&call(arguments), &info())["function"]["arguments"].clone());
    assert_eq!(texts, [json!("{}"), json!("\"{\\\"half\\\":\""), json!("[1]")]);
}

#[test]
fn an_assistant_who_only_speaks_has_content_and_one_who_says_nothing_has_an_empty_one() {
    assert_eq!(
        encoded(
            Role::Assistant,
            vec![Part::Text { text: "a".into() }, Part::Text { text: "b".into() }]
        ),
        json!({"role": "assistant", "content": "ab"})
    );
    assert_eq!(
        encoded(Role::Assistant, vec![]),
        json!({"role": "assistant", "content": ""})
    );
}

#[test]
fn thoughts_are_joined_and_sealed_ones_go_back_to_their_own_model_only() {
    let sent = json!({"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]});
    let thought = |text: &str, model: &str| Part::Reasoning {
        text: Some(text.into()),
        provider_metadata: keep(
            sent.as_object().unwrap(),
            &[REASONING_DETAILS],
            &ModelInfo {
                model: model.into(),
                ..info()
            },
        ),
    };
    assert_eq!(
        encoded(Role::Assistant, vec![thought("one", "m"), thought("two", "other")]),
        json!({"role": "assistant", "content": "", "reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}],
               "reasoning_content": "one\n\ntwo"})
    );
    assert_eq!(
        encoded(Role::Assistant, vec![thought("two", "other")]),
        json!({"role": "assistant", "content": "", "reasoning_content": "two"})
    );
}

#[test]
fn a_calls_signature_goes_back_to_its_own_model_only() {
    let sent = json!({"signature": "s", "extra_content": {"google": {"thought_signature": "t"}}});
    let mut call = call(json!({}));
    call.provider_metadata = keep(sent.as_object().unwrap(), &CALL_FIELDS, &info());
    let own = tool_call(&call, &info());
    let foreign = tool_call(
        &call,
        &ModelInfo {
            model: "other".into(),
            ..info()
        },
    );
    let plain = json!({"id": "c/1", "type": "function", "function": {"name": "dice_roll", "arguments": "{}"}});
    assert_eq!(foreign, plain);
    let mut expected = plain;
    expected["signature"] = json!("s");
    expected["extra_content"] = sent["extra_content"].clone();
    assert_eq!(own, expected);
}

#[test]
fn only_media_and_native_content_make_a_list_and_foreign_parts_stay_here() {
    let native = |provider: &str| Part::Native {
        provider: provider.into(),
        value: json!({"type": "file"}),
    };
    let text = || Part::Text { text: "see".into() };
    assert_eq!(
        encoded(
            Role::User,
            vec![
                text(),
                native("claude"),
                Part::ResourceRef {
                    uri: "chat:current#1".into()
                }
            ]
        ),
        json!({"role": "user", "content": "see"})
    );
    assert_eq!(
        encoded(Role::User, vec![text(), native(CONTENT_PART)]),
        json!({"role": "user", "content": [{"type": "text", "text": "see"}, {"type": "file"}]})
    );
}

#[test]
fn media_take_the_form_that_servers_read() {
    let image = |url: &str| json!({"type": "image_url", "image_url": {"url": url}});
    let sound = |format: &str| json!({"type": "input_audio", "input_audio": {"data": "AAAA", "format": format}});
    assert_eq!(media("image/png", "AAAA"), Ok(image("data:image/png;base64,AAAA")));
    assert_eq!(
        media("image/png", "https://x.example/a"),
        Ok(image("https://x.example/a"))
    );
    assert_eq!(media("audio/wav", "AAAA"), Ok(sound("wav")));
    assert_eq!(media("audio/mpeg", "data:audio/mpeg;base64,AAAA"), Ok(sound("mp3")));
    for (kind, value) in [
        ("audio/wav", "https://x.example/a"),
        ("video/mp4", "AAAA"),
        ("image/png", ""),
    ] {
        assert_eq!(media(kind, value), Err(MessageFault::UnsupportedMedia), "{kind}");
    }
}

#[test]
fn a_message_that_cannot_be_sent_is_named_by_its_place() {
    let call = || Part::ToolCall { call: call(json!({})) };
    let named = vec![call(), Part::ToolResult { result: result() }];
    let request = ModelRequest::new(vec![
        Message::new(Role::Assistant, vec![call()]),
        Message::new(Role::Tool, named),
    ]);
    let expected = ModelError::InvalidMessage {
        position: 2,
        fault: MessageFault::MisplacedPart,
    };
    assert_eq!(body(&request, &info()), Err(expected));
}

#[test]
fn a_broken_transcript_is_refused_before_it_is_sent() {
    let request = ModelRequest::new(vec![Message::of_tool_result(result())]);
    assert_eq!(
        body(&request, &info()),
        Err(ModelError::InvalidTranscript {
            position: 1,
            fault: TranscriptFault::Orphan
        })
    );
}

#[test]
fn the_settings_are_sorted_and_none_of_them_is_the_requests_own() {
    assert!(SETTINGS.is_sorted());
    for own in [
        "model",
        "messages",
        "input",
        "tools",
        "tool_choice",
        "previous_response_id",
        "stream",
        "n",
    ] {
        assert!(!SETTINGS.contains(&own), "{own}");
    }
}
