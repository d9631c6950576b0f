//! What a run is played on: a temporary data root, a chat file, and a model that can be held between its turns.
//!
//! It decides nothing about what should happen.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use innkeeper::gateway::scripted::ScriptedModel;
use innkeeper::profile::Profile;
use innkeeper::protocol::approval::ApprovalMode;
use innkeeper::protocol::envelope::Envelope;
use innkeeper::protocol::model::{Model, ModelError, ModelInfo, ModelRequest, ModelResponse};
use innkeeper::protocol::view::ReadRunEvents;
use innkeeper::{Innkeeper, ProfileChoice, RunHandle, RunReport, StartRun};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Semaphore;

use super::journal;
use crate::host;
use crate::schemas::book::check_events;

/// The integrity value of the chat before a run.
pub const INTEGRITY: &str = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";

/// A chat with what other programs leave in one: numbers beyond 64 bits, unknown members, blanks between members, no final line feed.
pub const CHAT: &str = concat!(
    r#"{"user_name":"unused","character_name":"unused","create_date":"2026-05-01","chat_metadata":{"integrity":"aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee","note_depth":4}}"#,
    "\n",
    r#"{"name":"Mia","is_user":true,"is_system":false,"send_date":"2026-05-01T10:00:00.000Z","mes":"The lighthouse is dark tonight.","x_ext" : {"n":1234567890123456789012345}}"#,
    "\n",
    r#"{"name":"Rowan","is_user":false,"is_system":false,"send_date":"2026-05-01T10:00:05.000Z","mes":"Then we climb.","swipe_id":0,"swipes":["Then we climb."]}"#,
);

/// A data root and a chat.
pub struct Stage {
    folder: TempDir,
    /// The host of the data root.
    pub host: Innkeeper,
    /// The chat file.
    pub chat: PathBuf,
}

/// A run that is over.
pub struct Outcome {
    /// What the handle says.
    pub report: RunReport,
    /// The whole journal.
    pub events: Vec<Envelope>,
    /// The chat file.
    pub chat: String,
}

/// A scripted model whose turns are JSON values.
pub fn script(turns: Value) -> ScriptedModel {
    ScriptedModel::from_json(json!({ "turns": turns }).to_string()).expect("the script must be well-formed")
}

impl Stage {
    /// A stage with the usual chat.
    pub async fn new() -> Self {
        Self::with_chat(CHAT).await
    }

    /// A stage with this chat.
    pub async fn with_chat(text: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let chat = folder.path().join("Rowan").join("evening.jsonl");
        std::fs::create_dir_all(chat.parent().unwrap()).unwrap();
        std::fs::write(&chat, text).unwrap();
        let host = host::builder()
            .data_root(folder.path().join("data"))
            .build()
            .await
            .unwrap();
        Self { folder, host, chat }
    }

    /// The chat as it is now.
    pub fn chat_text(&self) -> String {
        std::fs::read_to_string(&self.chat).unwrap()
    }

    /// Where runs are kept.
    pub fn data_root(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Starts a run with a profile that is the default one but for what `change` does to it.
    pub async fn start(&self, model: Arc<dyn Model>, change: impl FnOnce(&mut Profile)) -> RunHandle {
        let mut profile = self.host.default_profile();
        // Retries would wait three seconds each.
        profile.run.model_retry.interval_ms = 1;
        change(&mut profile);
        let start = StartRun {
            profile: ProfileChoice::Given(Box::new(profile)),
            seed: Some(1),
            ..StartRun::new(&self.chat, model)
        };
        self.host.start_run(start).await.unwrap()
    }

    /// The same with a person who is asked about these tools.
    pub async fn start_asking(&self, model: Arc<dyn Model>, tools: &[&str]) -> RunHandle {
        let mut profile = self.host.default_profile();
        profile.tools.ask = tools.iter().map(|tool| (*tool).to_owned()).collect();
        let start = StartRun {
            profile: ProfileChoice::Given(Box::new(profile)),
            seed: Some(1),
            approvals: ApprovalMode::Ask,
            ..StartRun::new(&self.chat, model)
        };
        self.host.start_run(start).await.unwrap()
    }

    /// Plays a script to its end.
    pub async fn play(&self, turns: Value) -> Outcome {
        self.play_with(turns, |_| {}).await
    }

    /// Plays a script to its end with a changed profile.
    pub async fn play_with(&self, turns: Value, change: impl FnOnce(&mut Profile)) -> Outcome {
        let handle = self.start(Arc::new(script(turns)), change).await;
        self.finish(handle).await
    }

    /// Waits for the end and checks the journal.
    pub async fn finish(&self, handle: RunHandle) -> Outcome {
        let report = handle.wait().await.unwrap();
        let events = self.events(&report);
        let violations = journal::violations(&events);
        assert!(
            violations.is_empty(),
            "{}\n{}",
            violations.join("\n"),
            journal::listing(&events)
        );
        check_events(&events);
        let lines = std::fs::read_to_string(report.folder.join("events.jsonl")).unwrap();
        journal::check_chain(&lines);
        Outcome {
            report,
            events,
            chat: self.chat_text(),
        }
    }

    fn events(&self, report: &RunReport) -> Vec<Envelope> {
        let reader = self.host.runs().unwrap();
        let mut events: Vec<Envelope> = Vec::new();
        loop {
            let request = ReadRunEvents {
                after_seq: Some(events.last().map_or(0, |event| event.seq)),
                limit: Some(500),
                ..ReadRunEvents::of(report.run_id.clone())
            };
            let page = reader.read_agent_run_events(&request).unwrap();
            assert_eq!(page.issues, []);
            if page.events.is_empty() {
                return events;
            }
            events.extend(page.events);
        }
    }
}

impl Outcome {
    /// The events of this type, in order.
    pub fn all(&self, kind: &str) -> Vec<&Envelope> {
        self.events.iter().filter(|event| event.kind == kind).collect()
    }

    /// The only event of this type.
    pub fn one(&self, kind: &str) -> &Envelope {
        match self.all(kind)[..] {
            [event] => event,
            ref events => panic!("{} events {kind}\n{}", events.len(), journal::listing(&self.events)),
        }
    }

    /// How each call ended: its tool's name, and its error code or `ok`.
    pub fn calls(&self) -> Vec<(String, String)> {
        let ended = self
            .events
            .iter()
            .filter(|event| matches!(event.kind.as_str(), "tool_call_completed" | "tool_call_failed"));
        ended
            .map(|event| {
                let code = event.text("errorCode").unwrap_or("ok");
                (event.text("name").unwrap().to_owned(), code.to_owned())
            })
            .collect()
    }

    /// The messages of the chat after the header.
    pub fn messages(&self) -> Vec<Value> {
        self.chat
            .lines()
            .skip(1)
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// A file of the run.
    pub fn file(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.report.folder.join(path)).ok()
    }

    /// The code of the error that ended the run.
    pub fn code(&self) -> Option<&str> {
        self.report.error.as_ref().map(|error| error.code.as_str())
    }
}

/// A model that waits before each turn until it is let go, so that a test can act in between.
pub struct Held {
    model: ScriptedModel,
    asked: Semaphore,
    allowed: Semaphore,
}

impl Held {
    /// Holds a scripted model.
    pub fn new(turns: Value) -> Arc<Self> {
        Arc::new(Self {
            model: script(turns),
            asked: Semaphore::new(0),
            allowed: Semaphore::new(0),
        })
    }

    /// Returns once the model has been asked for its next turn, which it holds back.
    pub async fn asked(&self) {
        self.asked.acquire().await.unwrap().forget();
    }

    /// Lets the next turn go.
    pub fn answer(&self) {
        self.allowed.add_permits(1);
    }
}

#[async_trait]
impl Model for Held {
    async fn complete(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        self.asked.add_permits(1);
        self.allowed.acquire().await.unwrap().forget();
        self.model.complete(request).await
    }

    fn describe(&self) -> ModelInfo {
        self.model.describe()
    }
}
