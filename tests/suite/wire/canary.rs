//! A server that says our key back, in every place where a turn can hold a text: nothing that a run leaves or shows has it.
//!
//! The key is in the headers of the requests, and nowhere else.

use std::sync::Arc;

use innkeeper::gateway::provider::Provider;
use innkeeper::gateway::request_log::RequestLog;
use innkeeper::protocol::run::RunStatus;
use innkeeper::{RunNews, StartRun};
use serde_json::{Value, json};

use super::server::{SECRET, Server};
use super::{Said, found_in, left_behind, runs};
use crate::run::Stage;

/// The turns of a run with the key in ids, texts, thoughts, and the arguments that take any text.
fn turns() -> Vec<Said> {
    let mut turns = runs::turns();
    for said in &mut turns {
        for text in [&mut said.id, &mut said.text, &mut said.thought] {
            text.push_str(SECRET);
        }
        for call in &mut said.calls {
            call.id.push_str(SECRET);
            for name in ["query", "content", "new_string", "reason"] {
                if let Some(Value::String(text)) = call.arguments.get_mut(name) {
                    text.push_str(SECRET);
                }
            }
        }
    }
    turns
}

/// Everything that was told of a run while it went on and at its end, as text; and how it ended.
async fn told(stage: &Stage, provider: Provider, stream: bool) -> (String, Option<Value>) {
    let server = Server::start(provider, turns()).await;
    let log = RequestLog::to_file(&stage.data_root().with_file_name("requests.jsonl")).unwrap();
    let start = StartRun {
        stream: Some(stream),
        seed: Some(1),
        ..StartRun::new(&stage.chat, Arc::from(server.logged_model(Some(Arc::new(log)))))
    };
    let mut handle = stage.host.start_run(start).await.unwrap();
    let mut told = String::new();
    while let Some(news) = handle.next().await {
        match news {
            RunNews::Live(update) => told.push_str(&serde_json::to_string(&update).unwrap()),
            RunNews::Event(event) => told.push_str(&serde_json::to_string(&event).unwrap()),
        }
    }
    let outcome = stage.finish(handle).await;
    assert_eq!((outcome.report.status, outcome.code()), (RunStatus::Completed, None));
    told.push_str(&format!("{:?}", outcome.report));
    (told, outcome.messages().pop())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_is_said_back_is_in_nothing_that_is_kept_or_shown() {
    for provider in Provider::ALL {
        for stream in [false, true] {
            let stage = Stage::new().await;
            let (told, message) = told(&stage, provider, stream).await;
            assert!(!told.contains(SECRET), "{provider:?} {stream}: {told}");
            let files = left_behind(stage.data_root().parent().unwrap());
            assert_eq!(found_in(&files, SECRET), [""; 0], "{provider:?} {stream}");
            assert_eq!(
                message.unwrap()["mes"],
                json!("The lamp is lit[secret].\nWe climb.[secret]")
            );
            assert!(told.contains("[secret]"));
        }
    }
}
