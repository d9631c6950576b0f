//! One conversation, carried on through each format in both ways.
//!
//! What only a provider understands is left out of the comparison: each keeps its own.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use innkeeper::gateway::provider::Provider;
use innkeeper::protocol::id::ModelAlias;
use innkeeper::protocol::model::{
    LiveDelta, LiveSink, Message, ModelRequest, ModelResponse, Part, Role, ToolOffer, ToolResultPart,
};
use serde_json::{Map, Value, json};

use super::server::Server;
use super::{Call, Said};

fn call(id: &str, arguments: Value) -> Call {
    Call {
        id: id.to_owned(),
        name: "dice_roll".to_owned(),
        arguments,
    }
}

/// Two calls beside each other, a call alone, and a last word.
fn turns() -> Vec<Said> {
    vec![
        Said {
            id: "r1".to_owned(),
            text: "Zwei Würfel 🎲.".to_owned(),
            thought: "First I roll.".to_owned(),
            raw: None,
            calls: vec![
                call("c1", json!({"label": "ü \"x\"\n🎲", "sides": 6})),
                call("c2", json!({"sides": 0})),
            ],
        },
        Said {
            id: "r2".to_owned(),
            text: "Again.".to_owned(),
            thought: "The second failed.".to_owned(),
            raw: None,
            calls: vec![call("c3", json!({}))],
        },
        Said {
            id: "r3".to_owned(),
            text: "Done: 4 and 2.".to_owned(),
            thought: "Enough.".to_owned(),
            raw: None,
            calls: vec![],
        },
    ]
}

fn opening() -> ModelRequest {
    ModelRequest {
        tools: [ToolOffer {
            alias: ModelAlias::parse("dice_roll").unwrap(),
            description: "Rolls.".to_owned(),
            input_schema: json!({"type": "object", "properties": {"sides": {"type": "integer"}}}),
        }]
        .into(),
        ..ModelRequest::new(vec![
            Message::of_text(Role::System, "Be fair."),
            Message::of_text(Role::User, "Roll two dice."),
        ])
    }
}

/// What is shown of a turn, put together again.
#[derive(Default)]
struct Picture(Mutex<Shown>);

#[derive(Debug, Default, Clone, PartialEq)]
struct Shown {
    text: String,
    thought: String,
    calls: BTreeMap<usize, (String, String)>,
}

impl LiveSink for Picture {
    fn show(&self, delta: LiveDelta) {
        let mut shown = self.0.lock().unwrap();
        match delta {
            LiveDelta::Text(text) => shown.text.push_str(&text),
            LiveDelta::Reasoning(text) => shown.thought.push_str(&text),
            LiveDelta::Call { index, alias } => assert_eq!(shown.calls.insert(index, (alias, String::new())), None),
            LiveDelta::Arguments { index, text } => shown.calls.get_mut(&index).unwrap().1.push_str(&text),
        }
    }
}

/// What a watcher of a turn must have seen in the end.
fn expected(said: &Said) -> Shown {
    let calls = said
        .calls
        .iter()
        .map(|call| (call.name.clone(), call.arguments.to_string()));
    Shown {
        text: said.text.clone(),
        thought: said.thought.clone(),
        calls: calls.enumerate().collect(),
    }
}

/// A turn without what only its provider understands.
fn portable(response: ModelResponse) -> Value {
    let mut message = response.message;
    message.parts.retain(|part| !matches!(part, Part::Native { .. }));
    for part in &mut message.parts {
        match part {
            Part::Reasoning { provider_metadata, .. } => *provider_metadata = Map::new(),
            Part::ToolCall { call } => call.provider_metadata = Map::new(),
            _ => {}
        }
    }
    let metadata = response.provider_metadata;
    json!({"message": message, "calls": response.tool_calls.len(), "text": response.text, "reasoning": response.reasoning,
        "id": metadata.id, "model": metadata.model, "hasUsage": metadata.usage.is_some()})
}

/// Carries the conversation on to its end; gives the model's turns and what the server was asked.
async fn carried_on(provider: Provider, is_streamed: bool) -> (Vec<Value>, Vec<Value>) {
    let server = Server::start(provider, turns()).await;
    let model = server.model();
    let (mut request, mut heard) = (opening(), Vec::new());
    for said in turns() {
        let response = if is_streamed {
            let picture = Picture::default();
            let response = model.stream(&request, &picture).await.unwrap();
            assert_eq!(picture.0.into_inner().unwrap(), expected(&said), "{provider:?}");
            response
        } else {
            model.complete(&request).await.unwrap()
        };
        request.messages.push(Arc::new(response.message.clone()));
        let results = response.tool_calls.iter().map(|call| ToolResultPart {
            call_id: call.call_id.clone(),
            alias: call.alias.clone(),
            content: "4".to_owned(),
            is_error: false,
            error_code: None,
        });
        request
            .messages
            .extend(results.map(Message::of_tool_result).map(Arc::new));
        heard.push(portable(response));
    }
    (heard, server.bodies().await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_format_tells_the_same_streamed_or_not() {
    let mut told: Vec<(Provider, Vec<Value>)> = Vec::new();
    for provider in Provider::ALL {
        let (whole, asked) = carried_on(provider, false).await;
        let (streamed, asked_streamed) = carried_on(provider, true).await;
        assert_eq!(streamed, whole, "{provider:?}");
        assert_eq!((asked.len(), &asked_streamed), (3, &asked), "{provider:?}");
        told.push((provider, whole));
    }
    for (provider, heard) in &told {
        assert_eq!(heard, &told[0].1, "{provider:?}");
    }
    let calls: Vec<&Value> = told[0].1.iter().map(|turn| &turn["calls"]).collect();
    assert_eq!(calls, [2, 1, 0]);
}
