//! Request bodies, to the letter.

use innkeeper_protocol::model::{Excerpt, TranscriptFault};

use super::*;
use crate::fixture::{
    alias, answered, assistant, call, dice, image, info as info_of, other_model, text, user, with_settings,
};
use crate::gemini::decode::turn;
use crate::provider::Provider;

fn info() -> ModelInfo {
    info_of(Provider::Gemini)
}

/// The contents that a conversation becomes.
fn contents(conversation: Vec<Message>) -> Value {
    body(&ModelRequest::new(conversation), &info()).unwrap()["contents"].take()
}

fn rules(text: &str) -> Message {
    Message::of_text(Role::System, text)
}

#[test]
fn a_tool_turn_is_written_to_the_letter_and_in_a_fixed_order() {
    let request = ModelRequest {
        tools: [dice()].into(),
        tool_choice: ToolChoice::Required,
        ..with_settings(
            vec![
                rules("rules"),
                user("roll"),
                assistant(
                    "Rolling.",
                    vec![call("c1", json!({"z": 1, "a": "ü"})), call("c2", json!({}))],
                ),
                answered("c1", "{\"sum\": 5}"),
                answered("c2", "## Tool error\n\nno dice"),
                user("go on"),
            ],
            json!({"temperature": 0.5, "max_tokens": 9, "stop": "END"}),
        )
    };
    let expected = concat!(
        r#"{"systemInstruction":{"parts":[{"text":"rules"}]},"contents":["#,
        r#"{"role":"user","parts":[{"text":"roll"}]},"#,
        r#"{"role":"model","parts":[{"text":"Rolling."},"#,
        r#"{"functionCall":{"id":"c1","name":"dice_roll","args":{"z":1,"a":"ü"}}},"#,
        r#"{"functionCall":{"id":"c2","name":"dice_roll","args":{}}}]},"#,
        r#"{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"dice_roll","response":{"sum":5}}},"#,
        r###"{"functionResponse":{"id":"c2","name":"dice_roll","response":{"content":"## Tool error\n\nno dice"}}}]},"###,
        r#"{"role":"user","parts":[{"text":"go on"}]}],"#,
        r#""tools":[{"functionDeclarations":[{"name":"dice_roll","description":"Rolls.","#,
        r#""parameters":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}}]}],"#,
        r#""toolConfig":{"functionCallingConfig":{"mode":"ANY"}},"#,
        r#""safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"OFF"},"#,
        r#"{"category":"HARM_CATEGORY_HATE_SPEECH","threshold":"OFF"},"#,
        r#"{"category":"HARM_CATEGORY_SEXUALLY_EXPLICIT","threshold":"OFF"},"#,
        r#"{"category":"HARM_CATEGORY_DANGEROUS_CONTENT","threshold":"OFF"},"#,
        r#"{"category":"HARM_CATEGORY_CIVIC_INTEGRITY","threshold":"OFF"}],"#,
        r#""generationConfig":{"candidateCount":1,"temperature":0.5,"maxOutputTokens":9,"stopSequences":["END"]}}"#
    );
    assert_eq!(body(&request, &info()).unwrap().to_string(), expected);
}

#[test]
fn rules_lead_the_request_when_they_lead_the_conversation_and_are_the_users_words_elsewhere() {
    let conversation = || {
        vec![
            rules("one"),
            rules(" "),
            Message::of_text(Role::Developer, "two"),
            user("hi"),
            rules("later"),
        ]
    };
    let apart = body(&ModelRequest::new(conversation()), &info()).unwrap();
    assert_eq!(apart["systemInstruction"], json!({"parts": [{"text": "one\n\ntwo"}]}));
    let said = |text: &str| json!({"role": "user", "parts": [{"text": text}]});
    assert_eq!(apart["contents"], json!([said("hi"), said("later")]));
    let together = body(
        &with_settings(vec![rules("one"), user("hi")], json!({"use_sysprompt": false})),
        &info(),
    )
    .unwrap();
    assert_eq!(
        (together.get("systemInstruction"), &together["contents"]),
        (None, &json!([said("one"), said("hi")]))
    );
    assert_eq!(contents(vec![rules("only")]), json!([said("only")]));
}

#[test]
fn every_choice_has_its_form() {
    let specific = ToolChoice::Specific { alias: alias("a") };
    let choices = [ToolChoice::Auto, ToolChoice::None, ToolChoice::Required, specific];
    assert_eq!(
        choices.map(|choice| calling_config(&choice)),
        [
            json!({"mode": "AUTO"}),
            json!({"mode": "NONE"}),
            json!({"mode": "ANY"}),
            json!({"mode": "ANY", "allowedFunctionNames": ["a"]})
        ]
    );
}

#[test]
fn the_web_is_searched_only_where_no_tools_are_offered() {
    let settings = || json!({"enable_web_search": true});
    let alone = body(&with_settings(vec![user("hi")], settings()), &info()).unwrap();
    assert_eq!(
        (&alone["tools"], alone.get("toolConfig")),
        (&json!([{"googleSearch": {}}]), None)
    );
    let request = ModelRequest {
        tools: [dice()].into(),
        ..with_settings(vec![user("hi")], settings())
    };
    assert_eq!(body(&request, &info()).unwrap()["tools"].as_array().unwrap().len(), 1);
    assert_eq!(
        body(&with_settings(vec![user("hi")], json!({})), &info())
            .unwrap()
            .get("tools"),
        None
    );
}

#[test]
fn a_tool_without_parameters_is_declared_without_them() {
    let offer = ToolOffer {
        input_schema: json!({"type": "object", "properties": {}}),
        ..dice()
    };
    assert_eq!(
        declaration(&offer),
        json!({"name": "dice_roll", "description": "Rolls."})
    );
}

#[test]
fn the_hosts_own_settings_and_secrets_do_not_travel() {
    let settings = json!({"contents": [1], "tools": [1], "model": "x", "candidateCount": 4, "proxy_password": "canary",
        "topP": 0.1, "top_p": 0.9, "top_k": null, "seed": 3});
    let sent = body(&with_settings(vec![user("hi")], settings), &info()).unwrap();
    assert_eq!(
        sent["generationConfig"],
        json!({"candidateCount": 1, "topP": 0.1, "seed": 3})
    );
    let keys: Vec<&String> = sent.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["contents", "safetySettings", "generationConfig"]);
}

#[test]
fn a_turn_goes_back_as_it_came_to_its_own_model_and_as_text_and_calls_to_others() {
    let parts = json!([
        {"text": "hm", "thought": true},
        {"text": "Rolling.", "thoughtSignature": "s1"},
        {"functionCall": {"id": "c1", "name": "dice_roll", "args": {"n": 1}}, "thoughtSignature": "s2"},
    ]);
    let answer = json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]});
    let message = turn(answer.as_object().unwrap().clone(), &info(), Excerpt::new)
        .unwrap()
        .message;
    let request = ModelRequest::new(vec![user("hi"), message, answered("c1", "5")]);
    let own = body(&request, &info()).unwrap();
    assert_eq!(own["contents"][1], json!({"role": "model", "parts": parts}));
    let foreign = body(&request, &other_model(Provider::Gemini)).unwrap();
    let portable = json!([{"text": "Rolling."}, {"functionCall": {"id": "c1", "name": "dice_roll", "args": {"n": 1}}}]);
    assert_eq!(foreign["contents"][1]["parts"], portable);
}

#[test]
fn without_the_whole_turn_a_calls_own_signature_is_sent_and_else_what_the_model_asks_for() {
    let mut signed = call("c", json!({}));
    let sent = json!({"thoughtSignature": "s"});
    signed.provider_metadata = native::keep(sent.as_object().unwrap(), &[SIGNATURE], &info());
    assert_eq!(function_call(&signed, &info())[SIGNATURE], "s");
    assert_eq!(
        function_call(&signed, &other_model(Provider::Gemini)).get(SIGNATURE),
        None
    );
    for (model, expected) in [
        ("models/gemini-3-pro", true),
        ("gemini-3.5-flash", true),
        ("gemini-2.5-pro", false),
    ] {
        let info = ModelInfo {
            model: model.into(),
            ..info()
        };
        let signature = function_call(&signed, &info).get(SIGNATURE).cloned();
        assert_eq!(
            signature,
            expected.then(|| json!("skip_thought_signature_validator")),
            "{model}"
        );
    }
}

#[test]
fn results_of_different_turns_stay_apart() {
    let turn = |id: &str| [assistant("", vec![call(id, json!({}))]), answered(id, "[1]")];
    let conversation = [vec![user("hi")], turn("a").to_vec(), turn("b").to_vec()].concat();
    let roles: Vec<Value> = contents(conversation)
        .as_array()
        .unwrap()
        .iter()
        .map(|content| content["role"].clone())
        .collect();
    assert_eq!(roles, ["user", "model", "user", "model", "user"]);
}

#[test]
fn media_are_data_and_empty_texts_are_sent() {
    let seen = Message::new(Role::User, vec![image("data:image/png;base64,AAAA"), text("see")]);
    assert_eq!(
        contents(vec![seen])[0]["parts"],
        json!([{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}, {"text": "see"}])
    );
    assert_eq!(
        contents(vec![user("")]),
        json!([{"role": "user", "parts": [{"text": ""}]}])
    );
    let fault = MessageFault::UnsupportedMedia;
    let far = ModelRequest::new(vec![Message::new(Role::User, vec![image("https://x.example/a")])]);
    assert_eq!(
        body(&far, &info()),
        Err(ModelError::InvalidMessage { position: 1, fault })
    );
}

#[test]
fn a_result_is_an_object_as_it_is_or_stands_in_one() {
    let response = |content: &str| {
        let message = answered("c", content);
        function_response(message::result(&message).unwrap())["functionResponse"]["response"].take()
    };
    assert_eq!(response("{\"a\":1}"), json!({"a": 1}));
    for text in ["[1]", "5", "plain", "", "{\"half\":"] {
        assert_eq!(response(text), json!({"content": text}));
    }
    assert_eq!(
        function_call(&call("c", json!("half")), &info())["functionCall"]["args"],
        json!({"arguments": "half"})
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
