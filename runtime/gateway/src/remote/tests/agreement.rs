//! One conversation through all four formats: what is said in each must mean the same.
//!
//! A small server of each format is played here: it says a turn in its own form, and it says back what it was sent.

use innkeeper_protocol::model::{Message, Part, ToolCallRequest};
use serde_json::{Map, Value, json};

use super::*;
use crate::fixture::{answered, call, user};

/// What a model says in one turn.
struct Said {
    text: &'static str,
    thought: &'static str,
    calls: Vec<ToolCallRequest>,
}

/// Three turns: two calls beside each other with text and thoughts, a call alone, and a last word.
fn turns() -> Vec<Said> {
    vec![
        Said {
            text: "Two dice.",
            thought: "First I roll.",
            calls: vec![
                call("c1", json!({"sides": 6, "label": "ü \"x\""})),
                call("c2", json!({"sides": 0})),
            ],
        },
        Said {
            text: "",
            thought: "The second failed.",
            calls: vec![call("c3", json!({}))],
        },
        Said {
            text: "Done: 4 and 2.",
            thought: "",
            calls: vec![],
        },
    ]
}

fn results() -> Vec<Vec<Message>> {
    vec![
        vec![
            answered("c1", "{\"sum\": 4}"),
            answered("c2", "## Tool error\n\nA die has at least one side."),
        ],
        vec![answered("c3", "2")],
        vec![],
    ]
}

/// A turn in the form in which a server of the provider sends it.
fn spoken(provider: Provider, said: &Said) -> Map<String, Value> {
    let body = match provider {
        Provider::Openai => openai_turn(said),
        Provider::OpenaiResponses => responses_turn(said),
        Provider::Claude => claude_turn(said),
        Provider::Gemini => gemini_turn(said),
    };
    body.as_object().unwrap().clone()
}

fn openai_turn(said: &Said) -> Value {
    let calls = said.calls.iter().map(|call| {
        json!({"id": call.call_id, "type": "function",
               "function": {"name": call.alias, "arguments": call.arguments.to_string()}})
    });
    let calls: Vec<Value> = calls.collect();
    json!({"choices": [{"message": {"content": said.text, "reasoning_content": said.thought, "tool_calls": calls}}]})
}

fn responses_turn(said: &Said) -> Value {
    let mut output = vec![json!({"type": "reasoning", "id": "rs", "encrypted_content": "sealed",
        "summary": [{"type": "summary_text", "text": said.thought}]})];
    output.push(json!({"type": "message", "content": [{"type": "output_text", "text": said.text}]}));
    output.extend(said.calls.iter().map(|call| {
        json!({"type": "function_call", "id": "fc", "call_id": call.call_id, "name": call.alias,
               "arguments": call.arguments.to_string(), "status": "completed"})
    }));
    json!({"id": "resp", "status": "completed", "output": output})
}

fn claude_turn(said: &Said) -> Value {
    let mut content = vec![json!({"type": "thinking", "thinking": said.thought, "signature": "sealed"})];
    content.push(json!({"type": "text", "text": said.text}));
    content.extend(
        said.calls
            .iter()
            .map(|call| json!({"type": "tool_use", "id": call.call_id, "name": call.alias, "input": call.arguments})),
    );
    json!({"content": content, "stop_reason": "end_turn"})
}

fn gemini_turn(said: &Said) -> Value {
    let mut parts = vec![json!({"text": said.thought, "thought": true})];
    parts.push(json!({"text": said.text, "thoughtSignature": "sealed"}));
    parts.extend(said.calls.iter().map(|call| {
        json!({"functionCall": {"id": call.call_id, "name": call.alias, "args": call.arguments}, "thoughtSignature": "sealed too"})
    }));
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]})
}

/// The assistant's turns of a request, each as the answer that a server would send it in.
fn echoed(provider: Provider, body: &Value) -> Vec<Map<String, Value>> {
    let list = |field: &str| body[field].as_array().unwrap().clone();
    let by = |list: Vec<Value>, role: &str| {
        list.into_iter()
            .filter(|entry| entry["role"] == *role)
            .collect::<Vec<_>>()
    };
    let answers: Vec<Value> = match provider {
        Provider::Openai => {
            let messages = by(list("messages"), "assistant").into_iter();
            messages
                .map(|message| json!({"choices": [{"message": message}]}))
                .collect()
        }
        Provider::Claude => by(list("messages"), "assistant"),
        Provider::Gemini => {
            let contents = by(list("contents"), "model").into_iter();
            contents
                .map(|content| json!({"candidates": [{"content": content}]}))
                .collect()
        }
        Provider::OpenaiResponses => {
            let is_sent = |item: &Value| item["role"] == "user" || item["type"] == "function_call_output";
            let input = list("input");
            let turns = input.split(is_sent).filter(|items| !items.is_empty());
            turns.map(|items| json!({"id": "resp", "output": items})).collect()
        }
    };
    answers
        .into_iter()
        .map(|answer| answer.as_object().unwrap().clone())
        .collect()
}

/// A message without what only its provider understands.
fn portable(mut message: Message) -> Message {
    message.parts.retain(|part| !matches!(part, Part::Native { .. }));
    for part in &mut message.parts {
        match part {
            Part::Reasoning { provider_metadata, .. } => provider_metadata.clear(),
            Part::ToolCall { call } => call.provider_metadata.clear(),
            _ => {}
        }
    }
    message
}

fn model(provider: Provider, name: &str) -> RemoteModel {
    RemoteModel::new(RemoteSettings::new(provider, name)).unwrap()
}

/// The whole conversation as a model of the provider tells it.
fn conversation(model: &RemoteModel) -> Vec<Message> {
    let mut messages = vec![user("Roll two dice.")];
    for (said, results) in turns().iter().zip(results()) {
        messages.push(model.decode(spoken(model.provider, said)).unwrap().message);
        messages.extend(results);
    }
    messages
}

/// What a server of the provider understood of the assistant's turns.
fn understood(model: &RemoteModel, messages: &[Message]) -> Vec<Message> {
    let request = ModelRequest::new(messages.to_vec());
    let body = model.encode(&request).unwrap();
    let turns = echoed(model.provider, &body).into_iter();
    turns.map(|answer| model.decode(answer).unwrap().message).collect()
}

fn assistants(messages: &[Message]) -> Vec<Message> {
    messages
        .iter()
        .filter(|message| message.role == Role::Assistant)
        .cloned()
        .collect()
}

#[test]
fn every_format_tells_the_same_conversation() {
    let told = Provider::ALL.map(|provider| conversation(&model(provider, "m")));
    let portable = told.map(|messages| messages.into_iter().map(portable).collect::<Vec<_>>());
    for other in &portable[1..] {
        assert_eq!(other, &portable[0]);
    }
    let kinds = portable[0]
        .iter()
        .map(|message| message.parts.len())
        .collect::<Vec<_>>();
    assert_eq!(kinds, [1, 4, 1, 1, 2, 1, 1]);
}

#[test]
fn the_same_model_is_given_back_exactly_what_it_said() {
    for provider in Provider::ALL {
        let model = model(provider, "m");
        let messages = conversation(&model);
        let strip = |messages: Vec<Message>| messages.into_iter().map(portable).collect::<Vec<_>>();
        assert_eq!(
            strip(understood(&model, &messages)),
            strip(assistants(&messages)),
            "{provider:?}"
        );
    }
}

#[test]
fn every_other_model_is_given_the_words_and_calls_of_each_and_nothing_sealed() {
    let plain = |mut message: Message| {
        message
            .parts
            .retain(|part| matches!(part, Part::Text { .. } | Part::ToolCall { .. }));
        portable(message)
    };
    for from in Provider::ALL {
        let messages = conversation(&model(from, "m"));
        for to in Provider::ALL {
            let reader = RemoteModel::new(RemoteSettings::new(to, "other")).unwrap();
            let request = ModelRequest::new(messages.clone());
            let sent = reader.encode(&request).unwrap().to_string();
            assert!(!sent.contains("sealed"), "{from:?} to {to:?}: {sent}");
            let read: Vec<Message> = echoed(to, &serde_json::from_str(&sent).unwrap())
                .into_iter()
                .map(|answer| plain(reader.decode(answer).unwrap().message))
                .collect();
            let said: Vec<Message> = assistants(&messages).into_iter().map(plain).collect();
            assert_eq!(read, said, "{from:?} to {to:?}");
        }
    }
}
