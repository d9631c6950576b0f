//! A chat that belongs to an application: it reads what is asked of it in the events and answers with commands.

use std::sync::Arc;

use async_trait::async_trait;
use innkeeper::protocol::envelope::Envelope;
use innkeeper::protocol::id::StableChatId;
use innkeeper::protocol::port::{ChatSource, HistoryError};
use innkeeper::protocol::run::{ChatRef, RunStatus};
use innkeeper::{ApplicationChat, HostError, RunChat, RunHandle, StartRun};
use serde_json::{Value, json};

use super::happy;
use super::stage::{CHAT, Stage, script};

/// The application's chats: one.
struct Chats;

#[async_trait]
impl ChatSource for Chats {
    async fn lines(&self, _chat: &ChatRef, stable_chat_id: &StableChatId) -> Result<Vec<u8>, HistoryError> {
        match stable_chat_id.as_str() {
            "chat-1" => Ok(CHAT.as_bytes().to_vec()),
            _ => Err(HistoryError::Unavailable),
        }
    }
}

/// Starts a run over a chat that belongs to a front end.
pub async fn start(stage: &Stage, turns: Value) -> RunHandle {
    let chat = ApplicationChat {
        chat_ref: ChatRef::Character {
            character_id: "Rowan.png".to_owned(),
            file_name: "evening".to_owned(),
        },
        stable_chat_id: "chat-1".to_owned(),
        source: Arc::new(Chats),
    };
    let start = StartRun::over(RunChat::Application(chat), Arc::new(script(turns)));
    stage.host.start_run(start).await.unwrap()
}

async fn next(handle: &mut RunHandle, kind: &str) -> Envelope {
    loop {
        let event = handle.next_event().await.expect("the run must not be over");
        if event.kind == kind {
            return event;
        }
    }
}

fn code(result: Result<(), HostError>) -> String {
    result.err().map(|error| error.code).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_front_end_commits_and_names_the_state() {
    let stage = Stage::new().await;
    let file = stage.chat_text();
    let mut handle = start(&stage, happy::turns()).await;
    let run = handle.run_id().to_string();
    let mut commits = 0;
    while let Some(event) = handle.next_event().await {
        let text = |name: &str| event.text(name).unwrap().to_owned();
        match event.kind.as_str() {
            "chat_commit_requested" => {
                commits += 1;
                stage
                    .host
                    .resolve_agent_chat_commit(&run, &text("commitId"), Some("2"), Some(" "))
                    .unwrap();
            }
            "persistent_state_metadata_update_requested" => {
                let update = text("updateId");
                stage
                    .host
                    .resolve_agent_persistent_state_metadata_update(&run, &update, None)
                    .unwrap();
            }
            _ => {}
        }
    }
    let outcome = stage.finish(handle).await;
    let failures: Vec<_> = outcome
        .all("tool_call_failed")
        .iter()
        .map(|event| event.payload.clone())
        .collect();
    assert_eq!(failures, [] as [Value; 0]);
    assert_eq!(outcome.report.status, RunStatus::Completed);
    assert!(commits > 0);
    assert_eq!(
        outcome.all("chat_commit_completed")[0].payload["messageIndex"],
        json!(2)
    );
    assert_eq!(outcome.report.chat, None);
    assert_eq!(stage.chat_text(), file, "nobody else's chat is touched");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_must_be_to_a_question_that_waits() {
    let stage = Stage::new().await;
    let mut handle = start(&stage, happy::turns()).await;
    let run = handle.run_id().to_string();
    let asked = next(&mut handle, "chat_commit_requested").await;
    let commit = asked.text("commitId").unwrap();
    let resolve = |run: &str, id: &str| stage.host.resolve_agent_chat_commit(run, id, Some("2"), None);
    let codes = [
        code(resolve(&run, " ")),
        code(resolve("", commit)),
        code(resolve(&run, "commit_other")),
        code(resolve("run_other", commit)),
        code(resolve(&run, commit)),
        code(resolve(&run, commit)),
        code(
            stage
                .host
                .resolve_agent_persistent_state_metadata_update(&run, "", None),
        ),
        code(
            stage
                .host
                .resolve_agent_persistent_state_metadata_update(&run, "persist_update_1", None),
        ),
    ];
    let expected = [
        "agent.chat_commit_resolve_invalid",
        "agent.chat_commit_resolve_invalid",
        "agent.chat_commit_not_pending",
        "agent.chat_commit_run_mismatch",
        "",
        "agent.chat_commit_not_pending",
        "agent.persistent_state_metadata_update_resolve_invalid",
        "agent.persistent_state_metadata_update_not_pending",
    ];
    assert_eq!(codes, expected);
    handle.cancel_switch().cancel();
    stage.finish(handle).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_takes_the_question_away() {
    let stage = Stage::new().await;
    let mut handle = start(&stage, happy::turns()).await;
    let run = handle.run_id().to_string();
    let asked = next(&mut handle, "chat_commit_requested").await;
    stage.host.cancel_agent_run(&run).await.unwrap();
    let outcome = stage.finish(handle).await;
    assert_eq!(outcome.report.status, RunStatus::Cancelled);
    let late = stage
        .host
        .resolve_agent_chat_commit(&run, asked.text("commitId").unwrap(), Some("2"), None);
    assert_eq!(code(late), "agent.chat_commit_not_pending");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_goes_to_the_model_and_a_refused_update_ends_the_run() {
    let stage = Stage::new().await;
    let mut handle = start(&stage, happy::turns()).await;
    let run = handle.run_id().to_string();
    let asked = next(&mut handle, "chat_commit_requested").await;
    let id = asked.text("commitId").unwrap();
    stage
        .host
        .resolve_agent_chat_commit(&run, id, None, Some("the chat is locked"))
        .unwrap();
    let failed = next(&mut handle, "chat_commit_failed").await;
    assert_eq!(failed.text("message"), Some("the chat is locked"));
    handle.cancel_switch().cancel();
    stage.finish(handle).await;
}
