//! Turns that no run carries out: a call that the length limit cut, and a call without an id.
//!
//! How each format says them, in all its ways, is tested in the gateway.

use std::sync::Arc;

use innkeeper::gateway::provider::Provider;
use innkeeper::protocol::run::RunStatus;
use serde_json::{Value, json};

use super::server::Server;
use super::{Said, runs};
use crate::run::{Outcome, Stage};

const TOOL: &str = "workspace_write_file";

/// The call of a file whose text is not whole, as each format tells that it was cut.
fn cut(provider: Provider) -> Value {
    let half = r#"{"path": "output/main.md", "content": "The lamp i"#;
    let input = json!({"path": "output/main.md", "content": "The lamp i"});
    match provider {
        Provider::Openai => {
            let call = json!({"id": "c", "type": "function", "function": {"name": TOOL, "arguments": half}});
            json!({"choices": [{"message": {"tool_calls": [call]}, "finish_reason": "length"}]})
        }
        Provider::OpenaiResponses => {
            let call = json!({"type": "function_call", "call_id": "c", "name": TOOL, "arguments": half, "status": "incomplete"});
            json!({"id": "r", "status": "incomplete", "output": [call]})
        }
        Provider::Claude => {
            let call = json!({"type": "tool_use", "id": "c", "name": TOOL, "input": input});
            json!({"content": [call], "stop_reason": "max_tokens"})
        }
        Provider::Gemini => {
            let call = json!({"functionCall": {"id": "c", "name": TOOL, "args": input}});
            json!({"candidates": [{"content": {"parts": [call]}, "finishReason": "MAX_TOKENS"}]})
        }
    }
}

/// The same call whole, without an id.
fn nameless(provider: Provider) -> Value {
    let input = json!({"path": "output/main.md", "content": "The lamp is lit."});
    match provider {
        Provider::Openai => {
            let call = json!({"type": "function", "function": {"name": TOOL, "arguments": input.to_string()}});
            json!({"choices": [{"message": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]})
        }
        Provider::OpenaiResponses => {
            let call = json!({"type": "function_call", "name": TOOL, "arguments": input.to_string()});
            json!({"id": "r", "status": "completed", "output": [call]})
        }
        Provider::Claude => {
            json!({"content": [{"type": "tool_use", "name": TOOL, "input": input}], "stop_reason": "tool_use"})
        }
        Provider::Gemini => {
            let call = json!({"functionCall": {"name": TOOL, "args": input}});
            json!({"candidates": [{"content": {"parts": [call]}, "finishReason": "STOP"}]})
        }
    }
}

/// A run in which a model says this, and then what a good one does.
async fn play(provider: Provider, raw: Value) -> (Stage, Outcome) {
    let odd = Said {
        raw: Some(raw),
        ..Said::default()
    };
    let turns = std::iter::once(odd).chain(runs::turns()).collect();
    let (server, stage) = (Server::start(provider, turns).await, Stage::new().await);
    let handle = stage.start(Arc::from(server.model()), |_| {}).await;
    let outcome = stage.finish(handle).await;
    (stage, outcome)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_the_length_limit_cut_is_told_to_the_model_and_never_run() {
    for provider in Provider::ALL {
        let (_stage, outcome) = play(provider, cut(provider)).await;
        assert_eq!((outcome.report.status, outcome.code()), (RunStatus::Completed, None));
        let calls = outcome.calls();
        let cut = ("workspace.write_file".to_owned(), "tool.invalid_arguments".to_owned());
        assert_eq!((calls.len(), &calls[0]), (7, &cut), "{provider:?}");
        assert_eq!(
            outcome.file("output/main.md").as_deref(),
            Some("The lamp is lit.\nWe climb.")
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_without_an_id_ends_the_run_with_advice_and_none_is_made_up() {
    for provider in Provider::ALL {
        let (_stage, outcome) = play(provider, nameless(provider)).await;
        assert_eq!(outcome.code(), Some("model.invalid_tool_call"), "{provider:?}");
        assert_eq!((outcome.calls(), outcome.file("output/main.md")), (vec![], None));
        let hint = outcome.report.error.unwrap().hint;
        assert!(
            hint.is_some_and(|hint| hint.contains("try another one")),
            "{provider:?}"
        );
    }
}
