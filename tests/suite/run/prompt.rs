//! What a model is asked first: from a card, books and the chat, or as a front end puts it; and starts that contradict themselves.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use innkeeper::card::Card;
use innkeeper::gateway::scripted::ScriptedModel;
use innkeeper::protocol::model::{Model, ModelError, ModelInfo, ModelRequest, ModelResponse};
use innkeeper::worldinfo::Book;
use innkeeper::{PromptInputs, StartRun};
use serde_json::{Value, json};

use super::stage::{Outcome, Stage, script};

/// A scripted model that keeps what it was asked.
struct Listening {
    script: ScriptedModel,
    asked: Mutex<Vec<ModelRequest>>,
}

#[async_trait]
impl Model for Listening {
    async fn complete(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        self.asked.lock().unwrap().push(request.clone());
        self.script.complete(request).await
    }

    fn describe(&self) -> ModelInfo {
        self.script.describe()
    }
}

fn model() -> Arc<Listening> {
    let calls = json!([
        {"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "We climb."}},
        {"name": "workspace_commit", "arguments": {}},
        {"name": "workspace_finish", "arguments": {}},
    ]);
    Arc::new(Listening {
        script: script(json!([{ "calls": calls }])),
        asked: Mutex::default(),
    })
}

/// Plays a run with these inputs; what the model was asked first, and how it ended.
async fn play(stage: &Stage, change: impl FnOnce(&mut StartRun)) -> (ModelRequest, Outcome) {
    let model = model();
    let mut start = StartRun::new(&stage.chat, model.clone());
    change(&mut start);
    let outcome = stage.finish(stage.host.start_run(start).await.unwrap()).await;
    let first = model.asked.lock().unwrap().first().cloned();
    (first.unwrap(), outcome)
}

async fn refused(stage: &Stage, change: impl FnOnce(&mut StartRun)) -> String {
    let mut start = StartRun::new(&stage.chat, model());
    change(&mut start);
    let code = stage.host.start_run(start).await.map(|_| ()).unwrap_err().code;
    assert!(
        !stage.data_root().join("chats.json").exists(),
        "{code}: nothing was written"
    );
    code
}

#[tokio::test]
async fn card_books_and_chat_make_the_first_request() {
    let stage = Stage::new().await;
    let book = json!({"entries": {"0": {"key": ["lighthouse"], "content": "{{char}} has the key.", "position": 4, "depth": 1}}});
    let card = json!({"name": "Rowan", "description": "{{char}} knows {{user}}."});
    let (request, outcome) = play(&stage, |start| {
        start.prompt = PromptInputs {
            card: Some(Card::parse(&card).unwrap()),
            books: vec![Book::parse(&book, "Coast").unwrap()],
            intent: Some(json!({"button": 1})),
            ..PromptInputs::default()
        };
        start.instruction = Some("Go on.".to_owned());
    })
    .await;
    let texts: Vec<String> = request.messages.iter().map(|message| message.text()).collect();
    assert!(
        texts[0].ends_with("## Character: Rowan\n\nRowan knows Mia."),
        "{}",
        texts[0]
    );
    assert_eq!(
        texts[1..],
        [
            "The lighthouse is dark tonight.",
            "Rowan has the key.",
            "Then we climb.",
            "Go on."
        ]
    );
    let recorded = outcome
        .events
        .iter()
        .find(|event| event.kind == "generation_intent_recorded");
    assert_eq!(recorded.map(|event| event.payload["button"].clone()), Some(json!(1)));
}

#[tokio::test]
async fn a_front_ends_prompt_and_settings_reach_the_model() {
    let stage = Stage::new().await;
    let (request, _) = play(&stage, |start| {
        start.prompt.snapshot = Some(json!({
            "chatCompletionPayload": {"messages": [{"role": "System", "content": "Be Rowan."}], "temperature": 0.5, "stream": true},
            "contextPolicy": {},
        }));
    })
    .await;
    let messages: Vec<Value> = request
        .messages
        .iter()
        .map(|message| json!([message.role, message.text()]))
        .collect();
    assert_eq!(messages, [json!(["system", "Be Rowan."])]);
    assert_eq!(Value::Object(request.settings), json!({"temperature": 0.5}));
}

#[tokio::test]
async fn a_start_that_contradicts_profile_or_chat_writes_nothing() {
    let stage = Stage::new().await;
    let code = refused(&stage, |start| {
        start.skill_scope_refs = Some(json!({"characterId": "Mia"}))
    })
    .await;
    assert_eq!(code, "agent.skill_scope_character_mismatch");
    let code = refused(&stage, |start| start.persist_base_state_id = Some("run_1".to_owned())).await;
    assert_eq!(code, "agent.persist_base_state_mismatch");
    let code = refused(&stage, |start| start.prompt.frozen = Some(json!({}))).await;
    assert_eq!(code, "agent.frozen_run_input_snapshot_schema_required");
    let code = refused(&stage, |start| start.prompt.snapshot = Some(Value::Null)).await;
    assert_eq!(code, "agent.prompt_snapshot_required");
    let code = refused(&stage, |start| start.activation = Some(json!({"entries": [{}]}))).await;
    assert_eq!(code, "agent.invalid_worldinfo_activation_snapshot");
}
