//! Request bodies, to the letter.

use innkeeper_protocol::id::{InvocationId, RunId};
use innkeeper_protocol::model::{Excerpt, TranscriptFault};

use super::*;
use crate::fixture::{
    alias, answered, assistant, call, dice, image, info as info_of, other_model, text, user, with_settings,
};
use crate::provider::Provider;
use crate::responses::decode::turn;

fn info() -> ModelInfo {
    info_of(Provider::OpenaiResponses)
}

/// The items that a conversation becomes.
fn input(conversation: Vec<Message>) -> Value {
    body(&ModelRequest::new(conversation), &info()).unwrap()["input"].take()
}

/// A turn of the assistant as this format answered it, with one call.
fn answered_turn(id: Option<&str>, items: &Value) -> Message {
    let answer = json!({"id": id, "status": "completed", "output": items});
    turn(answer.as_object().unwrap().clone(), &info(), Excerpt::new)
        .unwrap()
        .message
}

fn items() -> Value {
    json!([
        {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "sealed"},
        {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
         "content": [{"type": "output_text", "text": "Rolling.", "annotations": []}]},
        {"id": "fc_1", "type": "function_call", "call_id": "c1", "name": "dice_roll", "arguments": "{\"n\": 1}",
         "status": "completed"},
    ])
}

#[test]
fn a_tool_turn_is_written_to_the_letter_and_in_a_fixed_order() {
    let request = ModelRequest {
        tools: [dice()].into(),
        tool_choice: ToolChoice::Required,
        ..with_settings(
            vec![
                Message::of_text(Role::System, "rules"),
                user("roll"),
                assistant("Rolling.", vec![call("c1", json!({"z": 1, "a": "ü"}))]),
                answered("c1", "## Tool error\n\nno dice"),
            ],
            json!({"temperature": 0.5, "max_tokens": 9, "reasoning_effort": "low"}),
        )
    };
    let expected = concat!(
        r#"{"model":"m","input":["#,
        r#"{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]},"#,
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"roll"}]},"#,
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Rolling."}]},"#,
        r#"{"type":"function_call","call_id":"c1","name":"dice_roll","arguments":"{\"z\":1,\"a\":\"ü\"}"},"#,
        r###"{"type":"function_call_output","call_id":"c1","output":"## Tool error\n\nno dice"}],"###,
        r#""tools":[{"type":"function","name":"dice_roll","description":"Rolls.","parameters":{"$schema":"x","#,
        r#""type":"object","properties":{"title":{"type":"string","title":"T"}},"required":["title"],"#,
        r#""additionalProperties":false},"strict":false}],"tool_choice":"required","#,
        r#""store":false,"include":["reasoning.encrypted_content"],"temperature":0.5,"max_output_tokens":9,"#,
        r#""reasoning":{"effort":"low"},"stream":false}"#
    );
    assert_eq!(body(&request, &info()).unwrap().to_string(), expected);
}

#[test]
fn every_choice_has_its_form_and_none_stands_without_tools() {
    let specific = ToolChoice::Specific { alias: alias("a") };
    let choices = [ToolChoice::Auto, ToolChoice::None, ToolChoice::Required, specific];
    assert_eq!(
        choices.map(|choice| tool_choice(&choice)),
        [
            json!("auto"),
            json!("none"),
            json!("required"),
            json!({"type": "function", "name": "a"})
        ]
    );
    let bare = body(&ModelRequest::new(vec![user("hi")]), &info()).unwrap();
    assert_eq!((bare.get("tools"), bare.get("tool_choice")), (None, None));
}

#[test]
fn settings_are_renamed_or_put_where_this_format_keeps_them() {
    let nested = |settings: Value| Value::Object(nested_settings(settings.as_object().unwrap()));
    assert_eq!(
        nested(json!({"reasoning": {"summary": "auto"}, "reasoning_effort": "high", "verbosity": "low", "stop": "x"})),
        json!({"reasoning": {"summary": "auto", "effort": "high"}, "text": {"verbosity": "low"}})
    );
    assert_eq!(
        nested(json!({"reasoning": {"effort": "low"}, "reasoning_effort": "high"})),
        json!({"reasoning": {"effort": "low"}})
    );
    let own =
        json!({"input": [1], "previous_response_id": "r", "include": [], "tools": [], "proxy_password": "canary"});
    assert_eq!(nested(own), json!({}));
}

#[test]
fn a_turn_goes_back_as_it_came_to_its_own_model_and_as_text_and_calls_to_others() {
    let conversation = || vec![user("hi"), answered_turn(Some("resp_1"), &items()), answered("c1", "5")];
    let own = body(&ModelRequest::new(conversation()), &info()).unwrap();
    assert_eq!(own["input"].as_array().unwrap()[1..4], *items().as_array().unwrap());
    assert_eq!((&own["store"], own.get("previous_response_id")), (&json!(false), None));
    let foreign = body(
        &ModelRequest::new(conversation()),
        &other_model(Provider::OpenaiResponses),
    )
    .unwrap();
    let portable = [
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Rolling."}]}),
        json!({"type": "function_call", "call_id": "c1", "name": "dice_roll", "arguments": "{\"n\":1}"}),
    ];
    assert_eq!(foreign["input"].as_array().unwrap()[1..3], portable);
}

/// The state after this model answered a request of so many messages.
fn state(id: Option<&str>, message_cursor: usize) -> Option<ProviderState> {
    let body = json!({"id": id, "status": "completed", "output": items()});
    let response = turn(body.as_object().unwrap().clone(), &info(), Excerpt::new).unwrap();
    let run = RunId::parse("run_1").unwrap();
    Some(ProviderState::new(&run, &InvocationId::root()).answered(info(), message_cursor, &response))
}

/// A conversation in which the model has answered one message, with what came after.
fn stored(provider_state: Option<ProviderState>) -> ModelRequest {
    let last = answered_turn(Some("resp_1"), &items());
    ModelRequest {
        provider_state,
        ..with_settings(
            vec![user("hi"), last, answered("c1", "5"), user("go on")],
            json!({"store": true}),
        )
    }
}

fn sent(request: &ModelRequest, info: &ModelInfo) -> (Option<Value>, Value) {
    let body = body(request, info).unwrap();
    (body.get("previous_response_id").cloned(), body["input"].clone())
}

#[test]
fn a_stored_conversation_goes_on_from_the_last_response_with_what_came_after_it() {
    let after = json!([
        {"type": "function_call_output", "call_id": "c1", "output": "5"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go on"}]},
    ]);
    let continued = stored(state(Some("resp_1"), 1));
    assert_eq!(sent(&continued, &info()), (Some(json!("resp_1")), after.clone()));
    // Of a conversation whose beginning is gone, what is left still answers the calls that the provider has.
    let cut = ModelRequest {
        messages: continued.messages[2..].to_vec(),
        provider_state: state(Some("resp_1"), 0),
        ..continued
    };
    assert_eq!(sent(&cut, &info()), (Some(json!("resp_1")), after));
}

#[test]
fn what_is_not_stored_there_is_told_whole() {
    let unstored = ModelRequest {
        settings: Map::new(),
        ..stored(state(Some("resp_1"), 1))
    };
    let asked_nothing = ProviderState::new(&RunId::parse("run_1").unwrap(), &InvocationId::root());
    let whole = [
        (unstored, info()),
        (stored(None), info()),
        (stored(Some(asked_nothing)), info()),
        (stored(state(Some("resp_1"), 1)), other_model(Provider::OpenaiResponses)),
    ];
    for (request, info) in whole {
        let (previous, input) = sent(&request, &info);
        assert_eq!(previous, None);
        assert_eq!(input[0]["content"][0]["text"], "hi", "{input}");
    }
}

#[test]
fn a_stored_conversation_without_an_id_or_with_too_few_messages_cannot_go_on() {
    let rows = [
        (None, 1, ProviderStateFault::NoResponseId),
        (Some(" "), 1, ProviderStateFault::NoResponseId),
        (Some("resp_1"), 5, ProviderStateFault::CursorBeyondEnd),
    ];
    for (id, cursor, fault) in rows {
        let refused = body(&stored(state(id, cursor)), &info());
        assert_eq!(refused, Err(ModelError::ProviderStateInvalid { fault }));
    }
    let at_the_end = stored(state(Some("resp_1"), 4));
    assert_eq!(sent(&at_the_end, &info()).1, json!([]));
}

#[test]
fn images_are_addresses_and_an_assistants_image_has_no_place() {
    let seen = Message::new(Role::User, vec![image("AAAA"), text("see")]);
    let content = json!([{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}, {"type": "input_text", "text": "see"}]);
    assert_eq!(input(vec![seen])[0]["content"], content);
    let painted = ModelRequest::new(vec![Message::new(Role::Assistant, vec![image("AAAA")])]);
    let fault = MessageFault::UnsupportedMedia;
    assert_eq!(
        body(&painted, &info()),
        Err(ModelError::InvalidMessage { position: 1, fault })
    );
}

#[test]
fn empty_texts_are_sent_and_a_calling_assistant_needs_none() {
    assert_eq!(
        input(vec![Message::new(Role::User, vec![])])[0]["content"],
        json!([{"type": "input_text", "text": ""}])
    );
    assert_eq!(
        input(vec![assistant("", vec![])])[0]["content"],
        json!([{"type": "output_text", "text": ""}])
    );
    let items = input(vec![assistant("", vec![call("c", json!("half"))]), answered("c", "5")]);
    assert_eq!(
        items[0],
        json!({"type": "function_call", "call_id": "c", "name": "dice_roll", "arguments": "\"half\""})
    );
}

#[test]
fn broken_transcripts_are_refused_before_anything_is_sent() {
    let fault = TranscriptFault::Orphan;
    let orphan = ModelRequest::new(vec![answered("c", "5")]);
    assert_eq!(
        body(&orphan, &info()),
        Err(ModelError::InvalidTranscript { position: 1, fault })
    );
}
