//! Request bodies, to the letter.

use super::*;
use crate::claude::decode::turn;
use crate::fixture::{
    alias, answered, assistant, call, dice, image, info as info_of, other_model, result, text as said, user,
    with_settings,
};
use crate::provider::Provider;
use innkeeper_protocol::model::{Excerpt, TranscriptFault};

fn info() -> ModelInfo {
    info_of(Provider::Claude)
}

/// The messages that a conversation becomes.
fn messages(conversation: Vec<Message>) -> Value {
    body(&ModelRequest::new(conversation), &info()).unwrap()["messages"].take()
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
                answered("c1", "5"),
                answered("c2", "## Tool error\n\nno dice"),
                user("go on"),
            ],
            json!({"temperature": 0.5, "max_tokens": 9, "stop": "END"}),
        )
    };
    let expected = concat!(
        r#"{"model":"m","max_tokens":9,"system":[{"type":"text","text":"rules"}],"messages":["#,
        r#"{"role":"user","content":[{"type":"text","text":"roll"}]},"#,
        r#"{"role":"assistant","content":[{"type":"text","text":"Rolling."},"#,
        r#"{"type":"tool_use","id":"c1","name":"dice_roll","input":{"z":1,"a":"ü"}},"#,
        r#"{"type":"tool_use","id":"c2","name":"dice_roll","input":{}}]},"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"5"},"#,
        r###"{"type":"tool_result","tool_use_id":"c2","content":"## Tool error\n\nno dice","is_error":true},"###,
        r#"{"type":"text","text":"go on"}]}],"#,
        r#""tools":[{"name":"dice_roll","description":"Rolls.","input_schema":{"type":"object","#,
        r#""properties":{"title":{"type":"string","title":"T"}},"required":["title"],"additionalProperties":false}}],"#,
        r#""tool_choice":{"type":"any"},"temperature":0.5,"stop_sequences":["END"],"stream":false}"#
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
    assert_eq!(
        apart["system"],
        json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])
    );
    let spoken =
        json!([{"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "text", "text": "later"}]}]);
    assert_eq!(apart["messages"], spoken);
    let together = body(
        &with_settings(vec![rules("one"), user("hi")], json!({"use_sysprompt": false})),
        &info(),
    )
    .unwrap();
    assert_eq!(together.get("system"), None);
    let spoken =
        json!([{"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "hi"}]}]);
    assert_eq!(together["messages"], spoken);
    assert_eq!(
        messages(vec![rules("only")]),
        json!([{"role": "user", "content": [{"type": "text", "text": "only"}]}])
    );
}

#[test]
fn where_nothing_is_said_stands_a_character_without_width() {
    let nothing = json!([{"type": "text", "text": "\u{200B}"}]);
    assert_eq!(
        messages(vec![user(" "), assistant("", vec![])]),
        json!([{"role": "user", "content": nothing}, {"role": "assistant", "content": nothing}])
    );
    assert_eq!(
        messages(vec![assistant("Welcome.", vec![])]),
        json!([{"role": "user", "content": nothing}, {"role": "assistant", "content": [{"type": "text", "text": "Welcome."}]}])
    );
}

#[test]
fn without_settings_there_is_a_number_of_tokens_and_no_choice_without_tools() {
    let request = ModelRequest {
        tool_choice: ToolChoice::Required,
        ..ModelRequest::new(vec![user("hi")])
    };
    let expected = json!({"model": "m", "max_tokens": 8192, "stream": false,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]});
    assert_eq!(body(&request, &info()).unwrap(), expected);
}

#[test]
fn every_choice_has_its_form() {
    let specific = ToolChoice::Specific { alias: alias("a") };
    let choices = [ToolChoice::Auto, ToolChoice::None, ToolChoice::Required, specific];
    assert_eq!(
        choices.map(|choice| Value::Object(tool_choice(&choice))),
        [
            json!({"type": "auto"}),
            json!({"type": "none"}),
            json!({"type": "any"}),
            json!({"type": "tool", "name": "a"})
        ]
    );
}

#[test]
fn calls_beside_each_other_are_switched_off_where_a_choice_can_say_so() {
    let chosen = |parallel: bool, tool_choice: ToolChoice| {
        let request = ModelRequest {
            tools: [dice()].into(),
            tool_choice,
            ..with_settings(vec![user("hi")], json!({"parallel_tool_calls": parallel}))
        };
        body(&request, &info()).unwrap()["tool_choice"].take()
    };
    let one_by_one = json!({"type": "any", "disable_parallel_tool_use": true});
    assert_eq!(chosen(false, ToolChoice::Required), one_by_one);
    assert_eq!(chosen(true, ToolChoice::Required), json!({"type": "any"}));
    assert_eq!(chosen(false, ToolChoice::None), json!({"type": "none"}));
}

#[test]
fn the_hosts_own_settings_and_secrets_do_not_travel() {
    let settings = json!({"stream": false, "messages": [1], "tools": [1], "tool_choice": {}, "model": "x", "system": "x",
        "proxy_password": "canary", "frequency_penalty": 1, "seed": 4, "top_k": null, "top_p": 0.9});
    let sent = body(&with_settings(vec![user("hi")], settings), &info()).unwrap();
    let keys: Vec<&String> = sent.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["model", "max_tokens", "messages", "top_p", "stream"]);
}

#[test]
fn a_turn_goes_back_as_it_came_to_its_own_model_and_as_text_and_calls_to_others() {
    let blocks = json!([
        {"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "Rolling.", "citations": null},
        {"type": "tool_use", "id": "c:1", "name": "dice_roll", "input": {"n": 1}, "caller": {"type": "direct"}},
    ]);
    let answer = json!({"content": blocks, "stop_reason": "tool_use"});
    let answer = turn(answer.as_object().unwrap().clone(), &info(), Excerpt::new).unwrap();
    let request = ModelRequest::new(vec![user("hi"), answer.message, answered("c:1", "5")]);
    let own = body(&request, &info()).unwrap();
    assert_eq!(own["messages"][1]["content"], blocks);
    assert_eq!(own["messages"][2]["content"][0]["tool_use_id"], "c:1");
    let foreign = body(&request, &other_model(Provider::Claude)).unwrap();
    let portable = json!([{"type": "text", "text": "Rolling."},
        {"type": "tool_use", "id": "c_3a1", "name": "dice_roll", "input": {"n": 1}}]);
    assert_eq!(foreign["messages"][1]["content"], portable);
    assert_eq!(foreign["messages"][2]["content"][0]["tool_use_id"], "c_3a1");
}

#[test]
fn images_are_data_and_those_of_the_assistant_move_to_the_next_user() {
    let sent =
        |data: &str| json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}});
    let painted = || {
        Message::new(
            Role::Assistant,
            vec![said("Look."), image("data:image/png;base64,BBBB")],
        )
    };
    let conversation = vec![
        Message::new(Role::User, vec![image("AAAA"), said("see")]),
        painted(),
        user("nice"),
        painted(),
    ];
    let expected = json!([
        {"role": "user", "content": [sent("AAAA"), {"type": "text", "text": "see"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Look."}]},
        {"role": "user", "content": [sent("BBBB"), {"type": "text", "text": "nice"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Look."}]},
        {"role": "user", "content": [sent("BBBB")]},
    ]);
    assert_eq!(messages(conversation), expected);
    for part in [
        image("https://x.example/a.png"),
        Part::Media {
            mime_type: "audio/wav".into(),
            value: "AAAA".into(),
        },
    ] {
        let error = body(&ModelRequest::new(vec![Message::new(Role::User, vec![part])]), &info()).unwrap_err();
        assert_eq!(
            error,
            ModelError::InvalidMessage {
                position: 1,
                fault: MessageFault::UnsupportedMedia
            }
        );
    }
}

#[test]
fn images_of_a_calling_assistant_stand_behind_the_results() {
    let mut painted = assistant("", vec![call("c", json!({}))]);
    painted.parts.push(image("AAAA"));
    let content = messages(vec![user("hi"), painted, answered("c", "5")])[2]["content"].take();
    assert_eq!(
        (&content[0]["type"], &content[1]["type"]),
        (&json!("tool_result"), &json!("image"))
    );
}

#[test]
fn arguments_are_always_an_object_and_blank_descriptions_are_left_out() {
    assert_eq!(
        tool_use(&call("c", json!("{\"half\":")))["input"],
        json!({"arguments": "{\"half\":"})
    );
    let offer = ToolOffer {
        description: String::new(),
        input_schema: Value::Null,
        ..dice()
    };
    assert_eq!(
        tool(&offer),
        json!({"name": "dice_roll", "input_schema": {"type": "object", "properties": {}}})
    );
}

#[test]
fn broken_transcripts_are_refused_before_anything_is_sent() {
    let orphan = ModelRequest::new(vec![Message::of_tool_result(result("c", "5"))]);
    let fault = TranscriptFault::Orphan;
    assert_eq!(
        body(&orphan, &info()),
        Err(ModelError::InvalidTranscript { position: 1, fault })
    );
}
